"""Padding of signals, images and volumes."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from .. import functional
from .module import Module
from .utils import _ntuple, name_constructor

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]

Widths = int | tuple[int, ...]


class _PadNd(Module):
    """Base of all paddings.

    Args:
        padding: widths before and behind, of the last dimension, then of the one before it; or one number for all.
    """

    __init_subclass__: Any = classmethod(name_constructor)

    dimensions: int
    mode: str

    def __init__(self, padding: Widths) -> None:
        super().__init__()
        self.padding: Any = _ntuple(2 * self.dimensions)(padding)

    def forward(self, input: Tensor) -> Tensor:
        """Pad (N, C, ...) or (C, ...)."""
        return functional.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        """The widths."""
        return f"{self.padding}"


class _CircularPadNd(_PadNd):
    """Padding with the values of the opposite end."""

    mode = "circular"

    def _check_input_dim(self, input: Tensor) -> None:
        wanted = (self.dimensions + 1, self.dimensions + 2)
        if input.ndim not in wanted:
            raise ValueError(f"expected {wanted[0]}D or {wanted[1]}D input (got {input.ndim}D input)")

    def forward(self, input: Tensor) -> Tensor:
        """Pad (N, C, ...) or (C, ...).

        Raises:
            ValueError: if the input has another number of dimensions.
        """
        self._check_input_dim(input)
        return super().forward(input)


class CircularPad1d(_CircularPadNd):
    """Pad (N, C, L) or (C, L) with the values of the opposite end.

    Args:
        padding: widths before and behind, or one number for both.
    """

    dimensions = 1


class CircularPad2d(_CircularPadNd):
    """Pad (N, C, H, W) or (C, H, W) with the values of the opposite side.

    Args:
        padding: widths left, right, above and below, or one number for all.
    """

    dimensions = 2


class CircularPad3d(_CircularPadNd):
    """Pad (N, C, D, H, W) or (C, D, H, W) with the values of the opposite side.

    Args:
        padding: widths before and behind, of the last dimension first, or one number for all.
    """

    dimensions = 3


class _ReflectionPadNd(_PadNd):
    """Padding with the values mirrored at the edge, which is not repeated."""

    mode = "reflect"


class ReflectionPad1d(_ReflectionPadNd):
    """Pad (N, C, L) or (C, L) with the values mirrored at the edges; arguments as of `CircularPad1d`."""

    dimensions = 1


class ReflectionPad2d(_ReflectionPadNd):
    """Pad (N, C, H, W) or (C, H, W) with the values mirrored at the edges; arguments as of `CircularPad2d`.

    >>> import wengert as wg
    >>> wg.nn.ReflectionPad2d((1, 1, 0, 0))(wg.tensor([[[1.0, 2.0, 3.0]]]))
    tensor([[[2., 1., 2., 3., 2.]]])
    """

    dimensions = 2


class ReflectionPad3d(_ReflectionPadNd):
    """Pad (N, C, D, H, W) or (C, D, H, W) with the values mirrored at the edges; arguments as of `CircularPad3d`."""

    dimensions = 3


class _ReplicationPadNd(_PadNd):
    """Padding that repeats the edge."""

    mode = "replicate"


class ReplicationPad1d(_ReplicationPadNd):
    """Pad (N, C, L) or (C, L) by repeating the edges; arguments as of `CircularPad1d`."""

    dimensions = 1


class ReplicationPad2d(_ReplicationPadNd):
    """Pad (N, C, H, W) or (C, H, W) by repeating the edges; arguments as of `CircularPad2d`."""

    dimensions = 2


class ReplicationPad3d(_ReplicationPadNd):
    """Pad (N, C, D, H, W) or (C, D, H, W) by repeating the edges; arguments as of `CircularPad3d`."""

    dimensions = 3


class _ConstantPadNd(_PadNd):
    """Padding with a constant."""

    mode = "constant"

    def __init__(self, padding: Widths, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """Pad a tensor of any shape."""
        return functional.pad(input, self.padding, self.mode, self.value)

    def extra_repr(self) -> str:
        """The widths and the value."""
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Pad the last dimension with a constant.

    Args:
        padding: widths before and behind, or one number for both; negative ones cut off.
        value: the constant.
    """

    dimensions = 1


class ConstantPad2d(_ConstantPadNd):
    """Pad the last two dimensions with a constant.

    Args:
        padding: widths left, right, above and below, or one number for all; negative ones cut off.
        value: the constant.
    """

    dimensions = 2


class ConstantPad3d(_ConstantPadNd):
    """Pad the last three dimensions with a constant.

    Args:
        padding: widths before and behind, of the last dimension first, or one number for all; negative ones cut off.
        value: the constant.
    """

    dimensions = 3


class _Zeros(_ConstantPadNd):
    """Base of paddings with zeros."""

    def __init__(self, padding: Widths) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """The widths."""
        return f"{self.padding}"


class ZeroPad1d(_Zeros, ConstantPad1d):
    """Pad the last dimension with zeros; `padding` as of `ConstantPad1d`."""


class ZeroPad2d(_Zeros, ConstantPad2d):
    """Pad the last two dimensions with zeros; `padding` as of `ConstantPad2d`."""


class ZeroPad3d(_Zeros, ConstantPad3d):
    """Pad the last three dimensions with zeros; `padding` as of `ConstantPad3d`."""
