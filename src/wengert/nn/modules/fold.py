"""Patches of images as columns, and back again."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from .. import functional
from .module import Module
from .utils import name_constructor

__all__ = ["Fold", "Unfold"]

Lengths = int | tuple[int, ...]


class _Patches(Module):
    """Base of `Fold` and `Unfold`: where the patches are."""

    __init_subclass__: Any = classmethod(name_constructor)

    def __init__(self, kernel_size: Lengths, dilation: Lengths = 1, padding: Lengths = 0, stride: Lengths = 1) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride


class Fold(_Patches):
    """Sum of patches, the columns of the input, at the positions from which `Unfold` takes them.

    Args:
        output_size: height and width of the result, or one number for both.
        kernel_size: height and width of a patch.
        dilation: step inside the patch.
        padding: zeros around the image, which are cut off.
        stride: from patch to patch.

    >>> import wengert as wg
    >>> columns = wg.nn.Unfold(2)(wg.ones(1, 1, 3, 3))
    >>> wg.nn.Fold(3, 2)(columns)
    tensor([[[[1., 2., 1.],
              [2., 4., 2.],
              [1., 2., 1.]]]])
    """

    _options_shown = ("output_size", "kernel_size", "dilation", "padding", "stride")

    def __init__(
        self,
        output_size: Lengths,
        kernel_size: Lengths,
        dilation: Lengths = 1,
        padding: Lengths = 0,
        stride: Lengths = 1,
    ) -> None:
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def forward(self, input: Tensor) -> Tensor:
        """(N, C * height * width, patches) to (N, C, H, W), both with or without N."""
        options = (self.kernel_size, self.dilation, self.padding, self.stride)
        return functional.fold(input, self.output_size, *options)


class Unfold(_Patches):
    """Patches of images as columns.

    Args:
        kernel_size: height and width of a patch, or one number for both.
        dilation: step inside the patch.
        padding: zeros around the image.
        stride: from patch to patch.
    """

    _options_shown = ("kernel_size", "dilation", "padding", "stride")

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, H, W) to (N, C * height * width, patches), both with or without N."""
        return functional.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)
