"""Pooling of images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...tensor import Tensor
from .. import functional
from .conv import spread
from .module import Module

Lengths = int | tuple[int, int]


class MaxPool2d(Module):
    """The largest value in each window.

    Args:
        kernel_size: height and width of the window, or one number for both.
        stride: its step; as large as the window if not given.
        padding: rows and columns put at each side, which never win.
        dilation: distance between the points of the window.
        return_indices: also give where in the plane each value was.
        ceil_mode: also take the windows that reach beyond the edge.
    """

    def __init__(
        self,
        kernel_size: Lengths,
        stride: Lengths | None = None,
        padding: Lengths = 0,
        dilation: Lengths = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Any:
        """(N, C, H, W) or (C, H, W) to the same with H' and W'."""
        return functional.max_pool2d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )

    def extra_repr(self) -> str:
        """The options."""
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class AvgPool2d(Module):
    """The mean of each window.

    Args:
        kernel_size: height and width of the window, or one number for both.
        stride: its step; as large as the window if not given.
        padding: rows and columns of zeros put at each side.
        ceil_mode: also take the windows that reach beyond the edge.
        count_include_pad: whether the zeros count in the mean.
        divisor_override: what to divide the sum by instead.
    """

    def __init__(
        self,
        kernel_size: Lengths,
        stride: Lengths | None = None,
        padding: Lengths = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, H, W) or (C, H, W) to the same with H' and W'."""
        return functional.avg_pool2d(  # type: ignore[no-any-return]
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )

    def extra_repr(self) -> str:
        """The options."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AdaptiveAvgPool2d(Module):
    """Means of as many windows as the result shall have points.

    Args:
        output_size: height and width of the result, or one number for both; None keeps the input's.
    """

    def __init__(self, output_size: int | Sequence[int | None] | None) -> None:
        super().__init__()
        self.output_size: Any = output_size

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, H, W) or (C, H, W) to the same with the given height and width."""
        return functional.adaptive_avg_pool2d(input, self.output_size)

    def extra_repr(self) -> str:
        """The size."""
        return f"output_size={self.output_size}"


class MaxPool1d(MaxPool2d):
    """The largest value in each window of (N, C, L) or (C, L); arguments as of `MaxPool2d`."""

    def forward(self, input: Tensor) -> Any:
        """(N, C, L) or (C, L) to the same with L'."""
        return functional.max_pool1d(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )


class AvgPool1d(Module):
    """The mean of each window of (N, C, L) or (C, L); arguments as of `AvgPool2d`."""

    def __init__(
        self,
        kernel_size: int,
        stride: int | None = None,
        padding: int = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = spread(kernel_size, 1)
        self.stride = self.kernel_size if stride is None else spread(stride, 1)
        self.padding = spread(padding, 1)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, L) or (C, L) to the same with L'."""
        return functional.avg_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        )

    def extra_repr(self) -> str:
        """The options."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AdaptiveAvgPool1d(AdaptiveAvgPool2d):
    """Means of as many windows of (N, C, L) as the result shall have points; `output_size`: their number."""

    def __init__(self, output_size: int | Sequence[int]) -> None:
        super().__init__(output_size)

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, L) or (C, L) to the same with the given length."""
        return functional.adaptive_avg_pool1d(input, self.output_size)


class AdaptiveMaxPool2d(AdaptiveAvgPool2d):
    """Largest values of as many windows as the result shall have points.

    Args:
        output_size: height and width of the result, or one number for both; None keeps the input's.
        return_indices: also give where in the plane each value was.
    """

    def __init__(self, output_size: int | Sequence[int | None] | None, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        """(N, C, H, W) or (C, H, W) to the same with the given height and width."""
        return functional.adaptive_max_pool2d(input, self.output_size, self.return_indices)
