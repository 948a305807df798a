"""Pooling with as many windows as the result shall have points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..._start.loading import at_home
from ..._tensor import Tensor
from .. import functional
from .module import Module
from .utils import _own_init


class _AdaptivePoolNd(Module):
    """What adaptive poolings share; see `AdaptiveAvgPool2d`."""

    __init_subclass__: Any = classmethod(_own_init)

    pooling: Callable[..., Any]

    def __init__(self, output_size: int | Sequence[int | None] | None) -> None:
        super().__init__()
        self.output_size: Any = output_size

    def extra_repr(self) -> str:
        """The size."""
        return f"output_size={self.output_size}"


class _AdaptiveAvgPoolNd(_AdaptivePoolNd):
    """What the adaptive averages share."""

    def forward(self, input: Tensor) -> Tensor:
        """(N, C, ...) or (C, ...) to the same with the given lengths."""
        return type(self).pooling(input, self.output_size)  # type: ignore[no-any-return]


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """Means of as many windows of (N, C, L) or (C, L) as the result shall have points; `output_size`: their number."""

    pooling = staticmethod(functional.adaptive_avg_pool1d)


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """Means of as many windows as the result shall have points.

    Args:
        output_size: height and width of the result, or one number for both; None keeps the input's.
    """

    pooling = staticmethod(functional.adaptive_avg_pool2d)


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """Means of as many windows of (N, C, D, H, W) or (C, D, H, W) as the result shall have points; see
    `AdaptiveAvgPool2d`."""

    pooling = staticmethod(functional.adaptive_avg_pool3d)


class _AdaptiveMaxPoolNd(_AdaptivePoolNd):
    """What the adaptive largest-value poolings share; see `AdaptiveMaxPool2d`."""

    def __init__(self, output_size: int | Sequence[int | None] | None, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        """(N, C, ...) or (C, ...) to the same with the given lengths; or the values and their places."""
        return type(self).pooling(input, self.output_size, self.return_indices)


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """Largest values of as many windows of (N, C, L) or (C, L) as the result shall have points; see
    `AdaptiveMaxPool2d`."""

    pooling = staticmethod(functional.adaptive_max_pool1d)


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """Largest values of as many windows as the result shall have points.

    Args:
        output_size: height and width of the result, or one number for both; None keeps the input's.
        return_indices: also give where in the plane each value was.
    """

    pooling = staticmethod(functional.adaptive_max_pool2d)


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """Largest values of as many windows of (N, C, D, H, W) or (C, D, H, W) as the result shall have points; see
    `AdaptiveMaxPool2d`."""

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
