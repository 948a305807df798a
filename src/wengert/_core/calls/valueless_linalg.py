"""What shape and dtype decompositions, inverses and solutions of systems have on the device "meta".

They say whether matrices lie in columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..types.sizes import broadcast
from .valueless_shapes import shaped

INFO = np.dtype(np.int32)


def matrices(name: str, tensor: Any, square: bool = True) -> tuple[Any, tuple[int, ...], int, int]:
    """The array of some matrices, the shape of their batch, their rows and columns.

    Raises:
        RuntimeError: there are none, or they are not square.
    """
    array = tensor._array_
    if array.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    *batch, rows, columns = array.shape
    if square and rows != columns:
        raise RuntimeError(f"{name}: A must be batches of square matrices, but they are {rows} by {columns} matrices")
    return array, tuple(batch), rows, columns


def real(dtype: Any) -> Any:
    """The dtype of the parts of a number."""
    return np.empty((), dtype).real.dtype


@shaped("_linalg_inv_ex", "_linalg_cholesky_ex")
def factor_shape(tensor: Any, *others: Any) -> Any:
    array, batch, *_ = matrices("linalg.inv" if len(others) == 1 else "linalg.cholesky", tensor)
    return [(array.shape, array.dtype, "columns"), (batch, INFO)]


@shaped("_linalg_det")
def determinant_shape(tensor: Any) -> Any:
    array, batch, *_ = matrices("linalg.det", tensor)
    return batch, array.dtype


@shaped("_linalg_slogdet")
def log_determinant_shape(tensor: Any) -> Any:
    array, batch, *_ = matrices("linalg.slogdet", tensor)
    return [(batch, array.dtype), (batch, real(array.dtype))]


@shaped("_linalg_eigh")
def eigh_shape(tensor: Any, side: str = "L", compute_v: bool = True) -> Any:
    array, batch, rows, _ = matrices("linalg.eigh", tensor)
    vectors = (array.shape, array.dtype, "columns") if compute_v else ((0,), array.dtype)
    return [((*batch, rows), real(array.dtype)), vectors]


@shaped("_linalg_qr")
def qr_shape(tensor: Any, mode: str = "reduced") -> Any:
    array, batch, rows, columns = matrices("linalg.qr", tensor, square=False)
    inner = rows if mode == "complete" else min(rows, columns)
    first = ((0,), array.dtype) if mode == "r" else ((*batch, rows, inner), array.dtype, "columns")
    return [first, ((*batch, inner, columns), array.dtype, "columns")]


@shaped("_linalg_svd")
def svd_shape(tensor: Any, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    array, batch, rows, columns = matrices("linalg.svd", tensor, square=False)
    few = min(rows, columns)
    values = ((*batch, few), real(array.dtype))
    if not compute_uv:
        return [((0,), array.dtype), values, ((0,), array.dtype)]
    left = (*batch, rows, rows if full_matrices else few)
    right = (*batch, columns if full_matrices else few, columns)
    return [(left, array.dtype, "columns"), values, (right, array.dtype)]  # torch has rows there, on the CPU columns


@shaped("_linalg_solve_ex")
def solve_shape(tensor: Any, other: Any, left: bool = True, *others: Any) -> Any:
    array, batch, rows, _ = matrices("linalg.solve", tensor)
    right = other._array_
    if right.ndim == 1 or (right.ndim == array.ndim - 1 and right.shape == array.shape[:-1]):
        lead = broadcast(batch, right.shape[:-1])
        return [((*lead, rows), array.dtype, "columns" if lead else None), (batch, INFO)]
    if right.shape[-2 if left else -1] != rows:
        raise RuntimeError(
            f"linalg.solve: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} "
            f"({rows}x{rows} and {right.shape[-2]}x{right.shape[-1]})"
        )
    lead = broadcast(batch, right.shape[:-2])
    return [((*lead, *right.shape[-2:]), array.dtype, "columns" if left else None), (batch, INFO)]


@shaped("linalg_matrix_exp")
def exponential_shape(tensor: Any, *others: Any) -> Any:
    array, *_ = matrices("linalg.matrix_exp", tensor)
    return array.shape, array.dtype


@shaped("_linalg_pinv")
def pseudo_inverse_shape(tensor: Any, *others: Any) -> Any:
    array, batch, rows, columns = matrices("linalg.pinv", tensor, square=False)
    return (*batch, columns, rows), array.dtype
