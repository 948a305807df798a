"""Results of the NumPy twins: always arrays, computed in a dtype that is wide enough.

Twins do not silence NumPy's floating-point warnings: dispatch runs every kernel with them off, once for all.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]


def as_array(result: Any) -> Array:
    """Turn the scalar that NumPy returns for 0-dim results back into a 0-dim array.

    Args:
        result: what a NumPy function returned.

    Returns:
        The array itself, or a new 0-dim array.
    """
    return result if type(result) is np.ndarray else np.asarray(result)


def wide_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype in which sums and quotients of `dtype` are formed: float32 for half precision, else `dtype` itself."""
    return np.dtype(np.float32) if dtype == np.float16 or dtype.kind == "V" else dtype


def deliver(result: Array, out: Array | None) -> Array:
    """Return a result, in `out` if there is one.

    Args:
        result: the values, any shape.
        out: where the caller wants them, of the same shape, or None.

    Returns:
        `out`, filled, or `result`.
    """
    if out is None:
        return as_array(result)
    np.copyto(out, result, casting="unsafe")
    return out
