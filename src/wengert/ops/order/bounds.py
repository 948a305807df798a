"""Row indices of coordinates as bounds of compressed rows, and the reverse, for graph libraries."""

from __future__ import annotations

from typing import Any

from ..._core.calls.out import put
from ..._core.cards.arguments import check_tensors
from ..._core.cards.card import Bad, Sample, composite
from ..._core.out_errors import EXACT
from ..._core.tensor.meta_array import constant_beside
from ..._core.types import dtypes
from ..create.ranges import arange
from ..indexing.index import integers
from ..shapes.join import stack
from .search import searchsorted


def check_places(name: str, places: Any) -> None:
    """Refuse anything but a vector of integers.

    Raises:
        NotImplementedError: if the dtype is not an integer type.
        RuntimeError: if the number of dimensions is not 1.
    """
    if places.dtype not in (dtypes.int8, dtypes.uint8, dtypes.int16, dtypes.int32, dtypes.int64):
        raise NotImplementedError(f"\"{name[1:]}_cpu\" not implemented for '{places.dtype.legacy[:-6]}'")
    if places.ndim != 1:
        raise RuntimeError(f"Input is supposed to be a vector, but got {places.ndim} dimensional tensor.")


def as_indices(name: str, out: Any, places: Any, small: bool) -> Any:
    """Convert indices to 32 bits if the program requests them, otherwise to 64, and write them to `out`."""
    return put(name, out, places.to(dtypes.int32 if small else dtypes.int64), words=EXACT)


@composite(method=False)
def _convert_indices_from_coo_to_csr(input: Any, size: int, *, out_int32: bool = False, out: Any = None) -> Any:
    """Return the start of the entries of each row, and the end of the last one.

    Args:
        input: vector of the rows of entries, in ascending order.
        size: number of rows.
        out_int32: whether the result has 32 bits.
        out: a tensor to write into.

    Returns:
        A new tensor with one element more than rows.

    Examples:
        >>> import wengert as wg
        >>> wg._convert_indices_from_coo_to_csr(wg.tensor([0, 0, 2]), 3)
        tensor([0, 2, 2, 3])
    """
    name = "_convert_indices_from_coo_to_csr"
    check_tensors(name, input=input)
    check_places(name, input)
    bounds = searchsorted(input, constant_beside(input, arange(size + 1, dtype=input.dtype)))
    return as_indices(name, out, bounds, out_int32)


@composite(method=False)
def _convert_indices_from_csr_to_coo(
    crow_indices: Any, col_indices: Any, *, out_int32: bool = False, transpose: bool = False, out: Any = None
) -> Any:
    """Return the row and the column of each entry of a matrix in compressed rows.

    Args:
        crow_indices: vector of the starts of each row's entries, and the end of the last row's.
        col_indices: vector of the columns of the entries.
        out_int32: whether the result has 32 bits.
        transpose: whether the columns come first.
        out: a tensor to write into.

    Returns:
        A new tensor of two rows.

    Examples:
        >>> import wengert as wg
        >>> wg._convert_indices_from_csr_to_coo(wg.tensor([0, 2, 2, 3]), wg.tensor([0, 1, 1]))
        tensor([[0, 0, 2],
                [0, 1, 1]])
    """
    name = "_convert_indices_from_csr_to_coo"
    check_tensors(name, crow_indices=crow_indices, col_indices=col_indices)
    check_places(name, crow_indices)
    check_places(name, col_indices)
    bounds, columns = crow_indices.to(dtypes.int64), col_indices.to(dtypes.int64)
    rows = searchsorted(bounds, constant_beside(bounds, arange(columns.shape[0])), right=True) - 1
    return as_indices(name, out, stack((columns, rows) if transpose else (rows, columns)), out_int32)


@_convert_indices_from_coo_to_csr.samples
def rows_of_entries(make: Any) -> Any:
    yield Sample(integers(1, 1), 3)  # sorted, also if tests reverse it
    yield Sample(integers(1), 2, out_int32=True)
    yield Bad(make(2), 2, raises=NotImplementedError, says="not implemented for")


@_convert_indices_from_csr_to_coo.samples
def bounds_of_rows(make: Any) -> Any:
    yield Sample(integers(0, 0, 0), integers())  # likewise
    yield Sample(integers(0), integers(), out_int32=True, transpose=True)
    yield Bad(make(2), integers(0), raises=NotImplementedError, says="not implemented for")
