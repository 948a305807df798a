"""The `_array_` of a sparse tensor: an array with the shape and dtype of the dense tensor, not to be read.

The entries are its attributes, as indices and values. Entries with the same indices are summed.
"""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from .. import flags, sparse_errors
from .base import wrap
from .standins import StandIn


class Coordinates(StandIn):
    """The array of a sparse tensor.

    Attributes:
        indices: (sparse dimensions, entries), int64: the indices of the entries.
        values: (entries, dense dimensions ...): the tensor of the entries, without history.
        coalesced: the indices are unique and sorted.
    """

    flag = flags.SPARSE
    indices: Any
    values: Any
    coalesced: bool

    def refuse(self, what: str) -> NoReturn:
        raise sparse_errors.read(what, self.shape)

    def fill(self, value: Any) -> None:
        """Check that the value is zero, which a tensor without entries has; no other value can fill it."""
        if value != 0 or self.indices.shape[1]:
            raise NotImplementedError(sparse_errors.no_kernel("fill_.Scalar"))

    def view(self, *kind: Any) -> Any:  # type: ignore[override]
        """Return another array with the same entries; another dtype or class is refused."""
        if kind:
            self.refuse("`view`")
        return coordinates(self.indices, self.values, self.shape, self.coalesced)


def unread(values: Any, shape: Any) -> Any:
    """Return an array of a shape for a tensor whose elements lie elsewhere.

    Its own elements are all the same memory: NaN where the dtype has it, so that a mistake shows.

    Args:
        values: the tensor of the elements.
        shape: the shape.

    Raises:
        RuntimeError: if a dense tensor of that shape could not be addressed.
    """
    dtype = values._array_.dtype
    element = np.full((), np.nan if dtype.kind in "fcV" else np.iinfo(dtype).max if dtype.kind in "iu" else True, dtype)
    try:
        return np.broadcast_to(element, shape)
    except ValueError:
        raise RuntimeError(sparse_errors.too_large(shape)) from None


def coordinates(indices: Any, values: Any, shape: Any, coalesced: bool) -> Coordinates:
    """The array of a sparse tensor.

    Raises:
        RuntimeError: if a dense tensor of that shape could not be addressed.
    """
    array: Coordinates = unread(values, shape).view(Coordinates)
    array.indices = indices
    array.values = values
    array.coalesced = coalesced
    return array


def nothing(shape: Any, dtype: Any) -> Coordinates:
    """The array of a sparse tensor without entries, all of whose dimensions are sparse; `dtype` is NumPy's."""
    return coordinates(np.zeros((len(shape), 0), np.int64), wrap(np.zeros(0, dtype)), shape, True)


def without_entries(array: Coordinates, dtype: Any) -> Coordinates:
    """The array of a sparse tensor without entries, of the shape of another one; `dtype` is NumPy's."""
    lead = len(array.indices)
    values = wrap(np.zeros((0, *array.shape[lead:]), dtype))
    return coordinates(np.zeros((lead, 0), np.int64), values, array.shape, True)
