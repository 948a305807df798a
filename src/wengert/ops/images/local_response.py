"""Local response normalisation: by the squares of neighbouring channels."""

from __future__ import annotations

import math
from typing import Any

from ..._core.cards.card import Bad, Sample, composite
from ..._core.tensor.base import Tensor
from ..._core.types.sizes import check_room
from .pad import constant_pad_nd
from .pool import avg_pool2d


@composite(method=False, function=False)
def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Any:
    """Divide `input` by (k + alpha * mean of squares) ** beta, with the mean over neighbouring channels.

    Args:
        input: tensor (N, C, ...) with 3 dimensions or more.
        size: number of neighbouring channels; beyond the first and the last there are zeros.
        alpha: factor of the mean.
        beta: the exponent.
        k: number added to the mean.

    Returns:
        A new tensor, or `input` if it has no elements.

    Raises:
        ValueError: if `input` has fewer than 3 dimensions.

    Source:
        Krizhevsky et al., ImageNet classification with deep convolutional neural networks (2012).

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.local_response_norm(wg.ones(1, 3, 2), 3, alpha=1)
        tensor([[[0.6817, 0.6817],
                 [0.5946, 0.5946],
                 [0.6817, 0.6817]]])
    """
    if input.ndim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {input.ndim} dimensions)")
    planes: Any = input
    if not input.numel():
        return planes
    items, channels, *rest = input.shape
    check_room("local_response_norm", (items, channels + size, *rest))
    squares = planes.mul(planes).reshape((items, 1, channels, math.prod(rest)))
    padded = constant_pad_nd(squares, (0, 0, size // 2, (size - 1) // 2))
    means = avg_pool2d(padded, (size, 1), 1).reshape(input.shape)
    return planes / means.mul(alpha).add(k).pow(beta)


@local_response_norm.samples
def local_response_samples(make: Any) -> Any:
    yield Sample(make(2, 5, 3), 3, 0.5)
    yield Sample(make(1, 4, 2, 2), 2, 1.0, 0.5, 2.0)
    yield Bad(make(2, 4), 2, raises=ValueError, says="Expected 3D or higher dimensionality")
