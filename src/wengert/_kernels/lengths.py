"""Norms of vectors, without overflow or underflow on the way."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import amax, amin, sum as summed
from .results import Array


def powers(size: Array, order: float, axes: Any, keepdims: bool) -> Array:
    """The sum of powers of sizes."""
    return summed(size * size if order == 2 else size**order, axes, keepdims)


def root(total: Array, order: float) -> Array:
    """Number whose power is `total`."""
    return np.sqrt(total) if order == 2 else total ** (1.0 / order)


def power_norm(size: Array, order: float, axes: Any = None, keepdims: bool = False) -> Array:
    """(sum of size**order) ** (1 / order); sizes whose powers overflow or underflow are scaled first.

    Args:
        size: float32 or float64, at least zero.
        order: a finite number other than 0.
        axes: the axes to sum over; None for all.
        keepdims: whether to keep them with length 1.

    Returns:
        A new array.
    """
    limits = np.finfo(size.dtype)
    with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
        total = powers(size, order, axes, keepdims)
        plain = root(total, order)
        lost = (total < limits.tiny / limits.eps) | (total > limits.max)  # NaN stays
        if not size.size or not np.any(lost):
            return plain
        scale = (amax if order > 0 else amin)(size, axes, True)
        usable = (scale > 0) & (scale <= limits.max)
        scaled = root(powers(size / np.where(usable, scale, 1), order, axes, keepdims), order)
        shape = np.shape(plain)
        return np.where(lost & usable.reshape(shape), scaled * scale.reshape(shape), plain).astype(
            size.dtype, copy=False
        )
