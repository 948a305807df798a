"""Matrix products in NumPy. Half precision multiplies in float32 and rounds the result."""

from __future__ import annotations

from typing import Any

import numpy as np

from .results import Array, as_array, deliver, wide_dtype


def matmul(a: Array, b: Array, out: Array | None = None) -> Array:
    """Matrix product of the last two axes; one-dimensional operands are a row and a column, as in torch.

    Args:
        a: (..., n, k) or (k,).
        b: (..., k, m) or (k,).
        out: where to put the result.

    Returns:
        (..., n, m), without the axes of one-dimensional operands.
    """
    wide = wide_dtype(a.dtype)
    if wide == a.dtype:
        return as_array(np.matmul(a, b) if out is None else np.matmul(a, b, out=out))
    return deliver(as_array(np.matmul(a.astype(wide), b.astype(wide))).astype(a.dtype), out)


def linear(x: Array, weight: Array, bias: Array | None = None) -> Array:
    """x @ weight.T + bias.

    Args:
        x: (..., inputs).
        weight: (outputs, inputs), or (inputs,) for a single output without axis.
        bias: (outputs,), or 0-dim, or None.

    Returns:
        (..., outputs), new.
    """
    wide = wide_dtype(x.dtype)
    if wide != x.dtype:
        x32, weight32 = x.astype(wide), weight.astype(wide)
        return linear(x32, weight32, None if bias is None else bias.astype(wide)).astype(x.dtype)
    result = as_array(np.matmul(x, weight.T))
    return result if bias is None else np.add(result, bias, out=result)


def addmm(bias: Array, a: Array, b: Array, beta: Any = 1, alpha: Any = 1) -> Array:
    """beta * bias + alpha * (a @ b).

    Args:
        bias: broadcasts to (n, m); not read if `beta` is 0, so that its NaN do not spread.
        a: (n, k).
        b: (k, m).
        beta: a Python number.
        alpha: a Python number.

    Returns:
        (n, m), new.
    """
    result = matmul(a, b)
    if alpha != 1:
        result = result * result.dtype.type(alpha)
    if beta == 0:
        return result
    scaled = bias if beta == 1 else bias * bias.dtype.type(beta)
    return as_array(result + scaled)
