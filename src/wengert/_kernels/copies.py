"""Copies of arrays: into existing memory, and in another dtype.

float16 and bfloat16 are storage formats: all computation with them is in float32.
"""

from __future__ import annotations

import numpy as np

from .results import Array, as_array


def copy_into(target: Array, source: Array) -> None:
    """Write the elements of `source`, broadcast to the shape of `target`, of the same dtype, into it."""
    np.copyto(target, source)


def converted(array: Array, dtype: np.dtype) -> Array:
    """A copy in another dtype, its elements in the same order; rounded to the nearest, ties to the even one."""
    return as_array(array.astype(dtype))
