"""Products of `wengert.array_api`, which are also in its extension `linalg`."""

from __future__ import annotations

from typing import Any

import numpy as np

import wengert as wg

from ..._tensor import Tensor
from .data_types import WIDE
from .operands import binary, on_arrays, promoted


def matmul(x1: Tensor, x2: Tensor, /) -> Tensor:
    """Products of matrices."""
    return binary(wg.matmul, np.matmul, x1, x2)


def matrix_transpose(x: Tensor, /) -> Tensor:
    """Matrices with their last two dimensions swapped."""
    return x.mT


def tensordot(x1: Tensor, x2: Tensor, /, *, axes: Any = 2) -> Tensor:
    """Sums of products over dimensions of both arrays.

    Args:
        axes: number of dimensions, the last of `x1` and the first of `x2`; or two sequences of dimensions.
    """
    x1, x2 = promoted("tensordot", x1, x2)
    if x1.dtype in WIDE:
        return on_arrays(np.tensordot, x1, x2, axes=axes)
    return wg.tensordot(x1, x2, axes)


def vecdot(x1: Tensor, x2: Tensor, /, *, axis: int = -1) -> Tensor:
    """Sums of products along a dimension, the first factor conjugated."""
    x1, x2 = promoted("vecdot", x1, x2)
    if x1.dtype in WIDE:
        return on_arrays(lambda first, second: np.sum(first * second, axis=axis, dtype=first.dtype), x1, x2)
    return wg.sum(wg.conj_physical(x1) * x2, axis, dtype=x1.dtype)
