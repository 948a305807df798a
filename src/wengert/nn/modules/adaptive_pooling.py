"""Pooling to a given output size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..._start.loading import at_home
from ..._tensor import Tensor
from .. import functional
from .module import Module
from .utils import _own_init


class _AdaptivePoolNd(Module):
    """Base of adaptive poolings; see `AdaptiveAvgPool2d`."""

    __init_subclass__: Any = classmethod(_own_init)

    pooling: Callable[..., Any]

    def __init__(self, output_size: int | Sequence[int | None] | None) -> None:
        super().__init__()
        self.output_size: Any = output_size

    def extra_repr(self) -> str:
        """The size."""
        return f"output_size={self.output_size}"


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


at_home(
    "wengert.nn.modules.pooling",
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveAvgPool3d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AdaptiveMaxPool3d,
)
