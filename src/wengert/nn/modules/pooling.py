"""Pooling of signals, images and volumes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..._tensor import Tensor
from .. import functional
from .module import Module
from .utils import _ntuple, name_constructor

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
]

Lengths = int | tuple[int, ...]


class _Windows(Module):
    """Base of poolings with kernel size, stride and padding, which `repr` shows."""

    _options_shown = ("kernel_size", "stride", "padding")

    __init_subclass__: Any = classmethod(name_constructor)

    kernel_size: Any
    stride: Any
    padding: Any


class _MaxPoolNd(Module):
    """Base of max poolings; see `MaxPool2d`."""

    _options_shown = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")

    pooling: Callable[..., Any]

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
        """Pool (N, C, ...) or (C, ...); with `return_indices` also return the indices."""
        options = (self.kernel_size, self.stride, self.padding, self.dilation)
        return type(self).pooling(input, *options, ceil_mode=self.ceil_mode, return_indices=self.return_indices)


class MaxPool1d(_MaxPoolNd):
    """The largest value in each window of (N, C, L) or (C, L); arguments as of `MaxPool2d`."""

    pooling = staticmethod(functional.max_pool1d)


class MaxPool2d(_MaxPoolNd):
    """The largest value in each window.

    Args:
        kernel_size: height and width of the window, or one number for both.
        stride: step of the window; as large as the window if not given.
        padding: rows and columns of -inf put at each side.
        dilation: distance between the points of the window.
        return_indices: also return the index of each value in its plane.
        ceil_mode: also use windows that reach beyond the edge.
    """

    pooling = staticmethod(functional.max_pool2d)


class MaxPool3d(_MaxPoolNd):
    """The largest value in each window of (N, C, D, H, W) or (C, D, H, W); arguments as of `MaxPool2d`."""

    pooling = staticmethod(functional.max_pool3d)


class _MaxUnpoolNd(_Windows):
    """Base of partial inverses of max poolings; see `MaxUnpool2d`."""

    dimensions: int
    pooling: Callable[..., Tensor]

    def __init__(self, kernel_size: Lengths, stride: Lengths | None = None, padding: Lengths = 0) -> None:
        super().__init__()
        spread = _ntuple(self.dimensions)
        self.kernel_size = spread(kernel_size)
        self.stride = spread(kernel_size if stride is None else stride)
        self.padding = spread(padding)

    def forward(self, input: Tensor, indices: Tensor, output_size: list[int] | None = None) -> Tensor:
        """Put the values (N, C, ...) or (C, ...) at `indices`, zeros elsewhere; `output_size`: size of the result."""
        return type(self).pooling(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool1d(_MaxUnpoolNd):
    """A partial inverse of `MaxPool1d`; arguments as of `MaxUnpool2d`."""

    dimensions = 1
    pooling = staticmethod(functional.max_unpool1d)


class MaxUnpool2d(_MaxUnpoolNd):
    """A partial inverse of `MaxPool2d`: the largest values at their indices, zeros elsewhere.

    Args:
        kernel_size: of the pooling.
        stride: of the pooling; as large as the window if not given.
        padding: of the pooling.

    >>> import wengert as wg
    >>> pool, unpool = wg.nn.MaxPool2d(2, return_indices=True), wg.nn.MaxUnpool2d(2)
    >>> unpool(*pool(wg.tensor([[[1.0, 2.0], [4.0, 3.0]]])))
    tensor([[[0., 0.],
             [4., 0.]]])
    """

    dimensions = 2
    pooling = staticmethod(functional.max_unpool2d)


class MaxUnpool3d(_MaxUnpoolNd):
    """A partial inverse of `MaxPool3d`; arguments as of `MaxUnpool2d`."""

    dimensions = 3
    pooling = staticmethod(functional.max_unpool3d)


class _AvgPoolNd(_Windows):
    """Base of average poolings; see `AvgPool2d`."""


class AvgPool1d(_AvgPoolNd):
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
        spread = _ntuple(1)
        self.kernel_size = spread(kernel_size)
        self.stride = self.kernel_size if stride is None else spread(stride)
        self.padding = spread(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        """Pool (N, C, L) or (C, L)."""
        return functional.avg_pool1d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad
        )


class _WindowAvgPoolNd(_AvgPoolNd):
    """Base of `AvgPool2d` and `AvgPool3d`."""

    pooling: Callable[..., Tensor]

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
        """Pool (N, C, ...) or (C, ...)."""
        options = (self.ceil_mode, self.count_include_pad, self.divisor_override)
        return type(self).pooling(input, self.kernel_size, self.stride, self.padding, *options)


class AvgPool2d(_WindowAvgPoolNd):
    """The mean of each window.

    Args:
        kernel_size: height and width of the window, or one number for both.
        stride: step of the window; as large as the window if not given.
        padding: rows and columns of zeros put at each side.
        ceil_mode: also use windows that reach beyond the edge.
        count_include_pad: whether the zeros count in the mean.
        divisor_override: divisor of the sum, instead of the number of elements.
    """

    pooling = staticmethod(functional.avg_pool2d)


class AvgPool3d(_WindowAvgPoolNd):
    """The mean of each window of (N, C, D, H, W) or (C, D, H, W); arguments as of `AvgPool2d`."""

    pooling = staticmethod(functional.avg_pool3d)


class _FractionalMaxPoolNd(Module):
    """Base of `FractionalMaxPool2d` and `FractionalMaxPool3d`."""

    __init_subclass__: Any = classmethod(name_constructor)

    dimensions: int
    pooling: Callable[..., Any]

    def __init__(
        self,
        kernel_size: Lengths,
        output_size: Lengths | None = None,
        output_ratio: float | tuple[float, ...] | None = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        spread, name = _ntuple(self.dimensions), type(self).__name__
        self.kernel_size = spread(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else spread(output_size)
        self.output_ratio = None if output_ratio is None else spread(output_ratio)
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < ratio < 1 for ratio in self.output_ratio):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {output_ratio})")

    def forward(self, input: Tensor) -> Any:
        """Pool (N, C, ...) or (C, ...); with `return_indices` also return the indices."""
        sizes = (self.kernel_size, self.output_size, self.output_ratio)
        return type(self).pooling(input, *sizes, self.return_indices, _random_samples=self._random_samples)


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """Max pooling over windows that start at random positions.

    Args:
        kernel_size: height and width of the windows, or one number for both.
        output_size: height and width of the result, or one number for both.
        output_ratio: instead of `output_size`, the ratio of the result's lengths to the input's, between 0 and 1.
        return_indices: also return the index of each value in its plane.
        _random_samples: numbers (N, C, 2) that determine the positions; drawn at each call unless given.

    Raises:
        ValueError: if neither or both of `output_size` and `output_ratio` are given, or the ratio is not between 0 and
            1.

    Source: Graham, Fractional max-pooling, 2014.
    """

    dimensions = 2
    pooling = staticmethod(functional.fractional_max_pool2d)


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """`FractionalMaxPool2d` of volumes (N, C, D, H, W) or (C, D, H, W), with three numbers in place of two."""

    dimensions = 3
    pooling = staticmethod(functional.fractional_max_pool3d)


class _LPPoolNd(Module):
    """Base of p-norm poolings; see `LPPool2d`."""

    _options_shown = ("norm_type", "kernel_size", "stride", "ceil_mode")

    pooling: Callable[..., Tensor]

    def __init__(
        self, norm_type: float, kernel_size: Lengths, stride: Lengths | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        """Pool (N, C, ...) or (C, ...)."""
        return type(self).pooling(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool1d(_LPPoolNd):
    """The p-norm of each window of (N, C, L) or (C, L); arguments as of `LPPool2d`."""

    pooling = staticmethod(functional.lp_pool1d)


class LPPool2d(_LPPoolNd):
    """The p-norm of each window: with p = 1 its sum, with an infinite p its largest element.

    Args:
        norm_type: p.
        kernel_size: height and width of the window, or one number for both.
        stride: step of the window; as large as the window if not given.
        ceil_mode: also use windows that reach beyond the edge.
    """

    pooling = staticmethod(functional.lp_pool2d)


class LPPool3d(_LPPoolNd):
    """The p-norm of each window of (N, C, D, H, W) or (C, D, H, W); arguments as of `LPPool2d`."""

    pooling = staticmethod(functional.lp_pool3d)


# ---- a given size of the result --------------------------------------------------------------------------------------


class _AdaptivePoolNd(Module):
    """Base of adaptive poolings; see `AdaptiveAvgPool2d`."""

    _options_shown = ("output_size",)

    __init_subclass__: Any = classmethod(name_constructor)

    pooling: Callable[..., Any]

    def __init__(self, output_size: int | Sequence[int | None] | None) -> None:
        super().__init__()
        self.output_size: Any = output_size


class _AdaptiveAvgPoolNd(_AdaptivePoolNd):
    """Base of adaptive average poolings."""

    def forward(self, input: Tensor) -> Tensor:
        """Pool (N, C, ...) or (C, ...) to the lengths of `output_size`."""
        return type(self).pooling(input, self.output_size)


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """Average pooling of (N, C, L) or (C, L) to length `output_size`."""

    pooling = staticmethod(functional.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """Average pooling of images to a given size.

    Args:
        output_size: height and width of the result, or one number for both; None keeps the input's.
    """

    pooling = staticmethod(functional.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """Average pooling of (N, C, D, H, W) or (C, D, H, W) to a given size; see `AdaptiveAvgPool2d`."""

    pooling = staticmethod(functional.adaptive_avg_pool3d)


class _AdaptiveMaxPoolNd(_AdaptivePoolNd):
    """Base of adaptive max poolings; see `AdaptiveMaxPool2d`."""

    def __init__(self, output_size: int | Sequence[int | None] | None, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        """Pool (N, C, ...) or (C, ...) to `output_size`; with `return_indices` also return the indices."""
        return type(self).pooling(input, self.output_size, self.return_indices)


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """Max pooling of (N, C, L) or (C, L) to a given length; see `AdaptiveMaxPool2d`."""

    pooling = staticmethod(functional.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """Max pooling of images to a given size.

    Args:
        output_size: height and width of the result, or one number for both; None keeps the input's.
        return_indices: also return the index of each value in its plane.
    """

    pooling = staticmethod(functional.adaptive_max_pool2d)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """Max pooling of (N, C, D, H, W) or (C, D, H, W) to a given size; see `AdaptiveMaxPool2d`."""

    pooling = staticmethod(functional.adaptive_max_pool3d)
