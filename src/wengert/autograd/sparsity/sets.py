"""Arrays of sets: for each element of a tensor the numbers of the inputs that it may depend on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod
from typing import Any

import numpy as np

from ..._start.loading import load_scipy


def scipy_sparse(caller: str) -> Any:
    """Return SciPy's module of sparse arrays.

    Raises:
        ImportError: if SciPy is not installed.
    """
    return load_scipy("sparse", caller, " for its sparse arrays")


def no_rows(count: int, inputs: int) -> Any:
    """Return `count` empty sets, as the rows of a sparse array."""
    return scipy_sparse("sparsity").csr_array((count, inputs), dtype=bool)


def all_rows(count: int, inputs: int) -> Any:
    """Return `count` sets of all inputs, as the rows of a sparse array."""
    ones, columns = np.ones(count * inputs, dtype=bool), np.tile(np.arange(inputs, dtype=np.int32), count)
    return scipy_sparse("sparsity").csr_array((ones, columns, np.arange(count + 1) * inputs), shape=(count, inputs))


class Sets:
    """An array of sets.

    Attributes:
        shape: the shape of the array.
        matrix: a sparse boolean array with a row for each element, in row-major order, and a column for each input.
    """

    __slots__ = ("matrix", "shape")

    def __init__(self, shape: Sequence[int], matrix: Any) -> None:
        self.shape = tuple(shape)
        self.matrix = matrix

    def moved(self, numbers: Any) -> Sets:
        """Return moved elements.

        `numbers` holds for each element of the result the number of its source, from 1, or 0 for the empty set.
        """
        wanted = numbers.ravel()
        matrix = self.matrix
        if wanted.size and wanted.min() > 0:
            return Sets(numbers.shape, matrix[wanted - 1])
        with_empty = scipy_sparse("sparsity").vstack([no_rows(1, matrix.shape[1]), matrix], format="csr")
        return Sets(numbers.shape, with_empty[wanted])

    def gathered(self, targets: Any, shape: Sequence[int]) -> Sets:
        """Return an array of this shape; each element is united into the one that `targets` numbers, from 0."""
        return self.linked(targets.ravel(), np.arange(targets.size), shape)

    def linked(self, rows: Any, elements: Any, shape: Sequence[int]) -> Sets:
        """Return an array of this shape with, for each number in `rows`, the union of the corresponding `elements`."""
        links = scipy_sparse("sparsity").csr_array(
            (np.ones(rows.size, dtype=bool), (rows, elements)), shape=(prod(shape), self.matrix.shape[0])
        )
        return Sets(shape, links @ self.matrix)

    def united(self, dims: Iterable[int] | int | None = None) -> Sets:
        """Return the unions along some dimensions (None for all), which get length 1."""
        rank = len(self.shape)
        if isinstance(dims, int):
            dims = (dims,)
        chosen = set(range(rank)) if dims is None else {dim % max(rank, 1) for dim in dims}
        shape = tuple(1 if dim in chosen else length for dim, length in enumerate(self.shape))
        return self if shape == self.shape else self.gathered(np.broadcast_to(numbers_of(shape), self.shape), shape)

    def broadcast(self, shape: Sequence[int]) -> Sets:
        """Return the array broadcast to a larger shape."""
        if self.shape == tuple(shape):
            return self
        return self.moved(np.broadcast_to(numbers_of(self.shape) + 1, shape))

    def reshaped(self, shape: Sequence[int]) -> Sets:
        """Return the same elements in another shape."""
        return Sets(shape, self.matrix)

    def __or__(self, other: Sets) -> Sets:
        return Sets(self.shape, self.matrix + other.matrix)


def numbers_of(shape: Sequence[int]) -> Any:
    """Return the numbers of the elements of an array, from 0."""
    return np.arange(prod(shape)).reshape(tuple(shape))


def union(parts: Iterable[Sets | None], shape: Sequence[int]) -> Sets | None:
    """Return the elementwise union of arrays, broadcast to one shape; None if there are none."""
    joined: Sets | None = None
    for part in parts:
        if part is not None:
            part = part.broadcast(shape)
            joined = part if joined is None else joined | part
    return joined


def stacked(parts: Sequence[Sets]) -> Sets:
    """Concatenate the elements of several arrays."""
    matrices = [part.matrix for part in parts]
    matrix = matrices[0] if len(matrices) == 1 else scipy_sparse("sparsity").vstack(matrices, format="csr")
    return Sets((matrix.shape[0],), matrix)
