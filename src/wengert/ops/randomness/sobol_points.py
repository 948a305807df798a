"""Sobol' sequences as tensors. No cards: nothing here has a derivative."""

from __future__ import annotations

from ..._core.tensor.base import Tensor, wrap
from ..._kernels import sobol

BITS = sobol.BITS
DIMENSIONS = sobol.DIMENSIONS


def directions(dimension: int) -> Tensor:
    """Return direction numbers of the first dimensions: int64, (dimension, BITS)."""
    return wrap(sobol.directions(dimension))


def scrambled(numbers: Tensor, triangles: Tensor) -> Tensor:
    """Return direction numbers, digits multiplied by lower triangular (dimension, BITS, BITS) matrices of 0 and 1."""
    return wrap(sobol.scrambled(numbers._array_, triangles._array_))


def points(numbers: Tensor, shift: Tensor, first: int, count: int) -> Tensor:
    """Return points `first`, ... of the sequence: int64, (count, dimension), as multiples of 2**-BITS."""
    return wrap(sobol.points(numbers._array_, shift._array_, first, count))
