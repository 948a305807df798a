"""Tables of the sets of tensors, one for each storage.

A table has a row for each place in its storage. So views need no rule: a write to a view changes the sets of its base
and of all other views. A table is valid for one version of its storage; a write that was not observed invalidates it.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ..._core import door
from ..._core.tensor.base import Tensor
from ..._core.tensor.storage import size_in_bytes
from .sets import Sets, all_rows, no_rows, scipy_sparse


class Table(NamedTuple):
    """The sets of the elements in a storage.

    Attributes:
        unit: the size of a place in bytes; complex numbers take two places.
        matrix: the sets of all places; None if all are empty.
        version: the version of the storage.
    """

    unit: int
    matrix: Any
    version: int


class Tables:
    """The sets of all tensors on known storages.

    Attributes:
        count: the number of inputs.
        tables: the tables by storage.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self.tables: WeakKeyDictionary[Any, Table] = WeakKeyDictionary()

    def known(self, storage: Any) -> Table | None:
        """Return the valid table of a storage, or None."""
        table = self.tables.get(storage)
        if table is None or table.version != storage.version:
            return None
        return table if table.matrix is None or fits(table, storage) else None

    def read(self, tensor: Tensor, table: Table) -> Sets | None:
        """Return the sets of the elements of a tensor from the table of its storage; None if all are empty."""
        if table.matrix is None:
            return None
        places = places_of(tensor, table.unit)
        if places is None:
            return Sets(tensor._array_.shape, table.matrix)
        halves = [table.matrix[places[..., at].ravel()] for at in range(places.shape[-1])]
        return Sets(tensor._array_.shape, halves[0] if len(halves) == 1 else halves[0] + halves[1])

    def write(self, tensor: Tensor, sets: Sets | None, known: Table | None) -> None:
        """Set the sets of the elements of a tensor.

        Args:
            sets: the sets; None if all are empty.
            known: the table that was valid before the tensor was written to, or None.
        """
        storage = tensor._storage_
        unit = unit_of(tensor._array_.dtype) if known is None else known.unit
        before = None if known is None else known.matrix
        places = places_of(tensor, unit)
        if sets is None and (before is None or places is None):
            self.tables[storage] = Table(unit, None, storage.version)
            return
        rows = no_rows(tensor._array_.size, self.count) if sets is None else sets.matrix
        if places is not None:
            length = size_in_bytes(storage) // unit
            source = np.arange(length)
            for at in range(places.shape[-1]):
                source[places[..., at].ravel()] = length + np.arange(rows.shape[0])
            before = no_rows(length, self.count) if before is None else before
            rows = scipy_sparse("sparsity").vstack([before, rows], format="csr")[source]
        self.tables[storage] = Table(unit, rows, storage.version)

    def keep(self, storage: Any, known: Table | None) -> None:
        """Keep a table valid after a write that changes no derivatives."""
        if known is not None:
            self.tables[storage] = known._replace(version=storage.version)

    def forget(self, tensor: Tensor) -> None:
        """Let all elements of the storage of a tensor depend on all inputs."""
        storage = tensor._storage_
        unit = unit_of(tensor._array_.dtype)
        self.tables[storage] = Table(unit, all_rows(size_in_bytes(storage) // unit, self.count), storage.version)


def fits(table: Table, storage: Any) -> bool:
    """Return whether a table has as many places as its storage."""
    return table.matrix.shape[0] * table.unit == size_in_bytes(storage)


def unit_of(dtype: Any) -> int:
    """Return the size in bytes of a real number of a dtype."""
    return dtype.itemsize // 2 if dtype.kind == "c" else dtype.itemsize


def places_of(tensor: Tensor, unit: int) -> Any:
    """Return the places of the elements of a tensor in the table of its storage; None if they are all places, in order.

    The result is an array of the tensor's shape with one more dimension, for the places of an element.
    """
    array, memory = tensor._array_, tensor._storage_.array
    if array.dtype.kind != "c" and array.flags.c_contiguous and array.nbytes == size_in_bytes(tensor._storage_):
        return None
    lowest = sum((length - 1) * step for length, step in zip(memory.shape, memory.strides) if step < 0)
    offset = door.address_of(array) - (door.address_of(memory) + lowest)
    bytes_at: Any = np.full((1,) * array.ndim, offset)
    for dim, (length, step) in enumerate(zip(array.shape, array.strides)):
        bytes_at = bytes_at + step * np.arange(length).reshape([-1 if at == dim else 1 for at in range(array.ndim)])
    first = np.broadcast_to(bytes_at // unit, array.shape)[..., np.newaxis]
    return np.concatenate([first, first + 1], axis=-1) if array.dtype.kind == "c" else first
