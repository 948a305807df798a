"""Sparse matrices from diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.cards.arguments import check_tensors, integers
from ..._core.tensor.base import wrap
from ..._core.types import dtypes
from ..._core.types.devices import sparse_coo
from ..._kernels import positions
from .compressed_create import layout_title
from .entries import entries_at, packed
from .layouts import sparse_csc, sparse_csr


def spdiags(diagonals: Any, offsets: Any, shape: Any, layout: Any = None) -> Any:
    """Return a sparse matrix of its diagonals, whose elements are indexed by column: `torch.sparse.spdiags`.

    Args:
        diagonals: (diagonals, length), or a single one, (length).
        offsets: int64, (diagonals): distance of each diagonal above the main one; all are different.
        shape: (rows, columns).
        layout: `sparse_coo` by default, `sparse_csr` or `sparse_csc`.

    Returns:
        A new sparse matrix; in coordinates diagonal by diagonal. Unlike torch's it has a derivative.

    Raises:
        RuntimeError: if the arguments do not fit each other, or a diagonal is out of range.

    Examples:
        >>> import wengert as wg
        >>> wg.sparse.spdiags(wg.tensor([[1.0, 2.0], [3.0, 4.0]]), wg.tensor([0, 1]), (2, 2)).to_dense()
        tensor([[1., 4.],
                [0., 2.]])
    """
    check_tensors("spdiags", diagonals=diagonals, offsets=offsets)
    rows, columns = check(diagonals, offsets, tuple(integers("spdiags", "shape", shape)), layout)
    rows_of_values = diagonals.unsqueeze(0) if diagonals.ndim == 1 else diagonals
    places, taken = [], []
    for at, offset in enumerate(offsets.reshape(-1).tolist()):
        begin, end = max(offset, 0), min(rows_of_values.shape[1], columns, rows + offset)
        if end < begin:
            raise RuntimeError(f"spdiags: offset {offset} is out of range for a {rows}x{columns} matrix")
        column = positions.arange(begin, end)
        places.append(np.stack([column - offset, column]))
        taken.append(np.stack([np.full(column.size, at, np.int64), column]))
    where = np.concatenate([np.zeros((2, 0), np.int64), *places], axis=1)
    entries = entries_at(rows_of_values, wrap(np.concatenate([np.zeros((2, 0), np.int64), *taken], axis=1)))
    result = packed.call((wrap(where), entries, (rows, columns), where.shape[1] < 2))
    return result if layout is None or layout is sparse_coo else result.to_sparse(layout=layout)


def check(diagonals: Any, offsets: Any, shape: tuple[int, ...], layout: Any) -> tuple[int, int]:
    """Return rows and columns of a matrix of diagonals.

    Raises:
        RuntimeError: if the arguments do not fit each other.
    """
    if diagonals.ndim not in (1, 2):
        raise RuntimeError("Diagonals must be vector or matrix")
    if len(shape) != 2:
        raise RuntimeError("Output shape must be 2d")
    if offsets.ndim > 1:
        raise RuntimeError("Offsets must be scalar or vector")
    count = diagonals.shape[0] if diagonals.ndim == 2 else 1
    numbers = offsets.reshape(-1)
    if count != numbers.shape[0]:
        raise RuntimeError(f"Number of diagonals ({count}) does not match the number of offsets ({numbers.shape[0]})")
    if offsets.dtype is not dtypes.int64:
        raise RuntimeError(f"Offset Tensor must have dtype Long but got {offsets.dtype.legacy.removesuffix('Tensor')}")
    if layout not in (None, sparse_coo, sparse_csr, sparse_csc):
        raise RuntimeError(
            f"Only output layouts (Sparse, SparseCsc, SparseCsr) are supported, got {layout_title(layout)}"
        )
    if len(set(numbers.tolist())) != count:
        raise RuntimeError("Offset tensor contains duplicate values")
    return shape[0], shape[1]
