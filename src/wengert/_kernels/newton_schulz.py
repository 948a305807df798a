"""Newton-Schulz iterations towards the nearest orthogonal matrix, in bfloat16's precision."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def rounded(array: Array) -> Array:
    """Round float32 elements to the precision of bfloat16, ties to even; NaN stays NaN."""
    bits = np.ascontiguousarray(array, dtype=np.float32).view(np.uint32)
    up = bits + (np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1)))
    near = (up & np.uint32(0xFFFF0000)).view(np.float32)
    return np.where(np.isnan(array), np.float32(np.nan), near)


def newton_schulz(matrix: Array, coefficients: tuple[float, float, float], steps: int, eps: float) -> Array:
    """A matrix with about the same singular vectors, all of whose singular values are near 1.

    Args:
        matrix: (n, m), any real dtype.
        coefficients: a, b, c of the iteration X <- a X + (b X X' + c (X X')^2) X.
        steps: how many iterations.
        eps: least norm that the matrix is divided by.

    Returns:
        float32 of the same shape; each step is computed in float32 and rounded to bfloat16.

    Source: Jordan et al., Muon: An optimizer for hidden layers in neural networks, 2024.
    """
    linear, cubic, quintic = (np.float32(number) for number in coefficients)
    tall = matrix.shape[0] > matrix.shape[1]
    result = rounded(matrix.T if tall else matrix)
    size = rounded(np.sqrt(np.sum(result * result, dtype=np.float32))[None])
    result = rounded(result / np.maximum(size, rounded(np.asarray([eps]))))
    for _ in range(steps):
        gram = rounded(result @ result.T)
        change = rounded(cubic * gram + quintic * (gram @ gram))
        result = rounded(linear * result + change @ result)
    return result.T if tall else result
