"""Arrays of compressed sparse tensors, in their `_array_`."""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np

from ..._core import flags, sparse_errors
from ..._core.tensor.base import Tensor, wrap
from ..._core.tensor.coordinates import Coordinates, unread
from ..._core.tensor.standins import StandIn
from ..._kernels import compressed as lines, sparse as kernels
from .layouts import Compressed as Layout, sparse_csr
from .parts import coo


class Compressed(StandIn):
    """Array of a compressed sparse tensor, whose elements cannot be read.

    Attributes:
        layout: one of the four compressed layouts.
        indices: starts of lines, (batch ..., lines + 1); and indices in the lines, (batch ..., entries).
        values: (batch ..., entries, rows and columns of a block ..., dense dimensions ...): the tensor of the entries,
            without history.
        coalesced: True: nothing has to be sorted before a write.
    """

    flag = flags.SPARSE
    layout: Layout
    indices: tuple[Any, Any]
    values: Tensor
    coalesced: bool = True

    def refuse(self, what: str) -> NoReturn:
        """Refuse operators that need the values."""
        if what == "item" and math.prod(self.shape) != 1:
            raise sparse_errors.read(what, self.shape)
        raise NotImplementedError(no_kernel(what, self.layout))

    def view(self, *kind: Any) -> Any:  # type: ignore[override]
        """Return the same entries in a new array; other dtypes and classes are refused."""
        if kind:
            self.refuse("view")
        return compressed(self.indices, self.values, self.shape, self.layout)

    def fill(self, value: Any) -> None:
        """Set all entries to a number."""
        self.values._array_.fill(value)

    def like(self, name: str, dtype: Any) -> Compressed:
        """Return the array of a tensor with other entries at the same indices, or, for zeros, with none."""
        if name == "zeros_like":
            return without_entries(self.shape, dtype, self.layout)
        places = (self.indices[0].copy(), self.indices[1].copy())
        return compressed(places, wrap(np.empty(self.values._array_.shape, dtype)), self.shape, self.layout)

    def resized(self, shape: tuple[int, ...]) -> Compressed:
        """Return the array of a larger matrix in compressed rows, with these entries in the same memory.

        Raises:
            NotImplementedError: if the array has another layout, or is a batch.
            RuntimeError: if the matrix would not grow.
        """
        bounds, plain = self.indices
        if self.layout is not sparse_csr or bounds.ndim > 1 or len(shape) > 2:
            raise NotImplementedError(no_kernel("resize_", self.layout))
        if len(shape) < 2:
            raise RuntimeError(
                f"torch.resize_: Only batched sparse CSR matrices are supported, but got size {[*shape]}"
            )
        for what, had, wanted in zip(("rows", "columns"), self.shape, shape):
            if wanted < had:
                raise RuntimeError(
                    f"torch.resize_: Resizing {what} of sparse CSR tensors to a smaller value is not supported. The "
                    f"original number of {what} is {had} while the requested new number of {what} is {wanted}."
                )
        bounds = np.concatenate([bounds, np.full(shape[0] - self.shape[0], plain.shape[-1], bounds.dtype)])
        return compressed((bounds, plain), self.values, shape, self.layout)

    def spread(self) -> Coordinates:
        """Return the same array in coordinates; it is coalesced if no index occurs twice."""
        indices, entries = places_of(self), self.values._array_
        values = entries.reshape(indices.shape[1], *self.shape[len(indices) :])
        keys = kernels.numbers(indices, self.shape[: len(indices)])
        ordered = bool((np.diff(keys) > 0).all())
        if not ordered:
            order = kernels.order_of(keys)
            indices, values, keys = indices[:, order], values[order], keys[order]
            ordered = bool((np.diff(keys) > 0).all())
        return coo(indices, values, self.shape, ordered)


def compressed(indices: tuple[Any, Any], values: Tensor, shape: Any, layout: Layout) -> Compressed:
    """Return the array of a compressed sparse tensor.

    Raises:
        RuntimeError: if a dense tensor of that shape could not be addressed.
    """
    result: Compressed = unread(values, shape).view(Compressed)
    result.layout, result.indices, result.values = layout, indices, values
    return result


def no_kernel(name: str, layout: Layout) -> str:
    """Return the error for an operator without a kernel for a layout."""
    return sparse_errors.no_kernel(name, f"{layout.title}CPU")


def is_compressed(value: Any) -> bool:
    """Return whether a value is a compressed sparse tensor."""
    return isinstance(value, Tensor) and isinstance(value._array_, Compressed)


def batches_of(array: Compressed) -> int:
    """Return the number of dimensions of a batch of matrices."""
    return int(array.indices[0].ndim) - 1


def blocks_of(array: Compressed) -> tuple[int, ...]:
    """Return rows and columns of a block; () if entries are not blocks."""
    if not array.layout.blocks:
        return ()
    return tuple(array.values._array_.shape[batches_of(array) + 1 : batches_of(array) + 3])


def with_values(array: Compressed, values: Tensor) -> Tensor:
    """Return a compressed tensor with other entries of the same shape at the same indices."""
    return wrap(compressed(array.indices, values, array.shape, array.layout))


def places_of(array: Compressed) -> Any:
    """Return the indices of the elements of all entries, (dimensions, elements), in their order."""
    return lines.places(*array.indices, array.layout.rows, blocks_of(array))


def of_coordinates(array: Coordinates, layout: Layout, blocks: tuple[int, ...]) -> Compressed:
    """Return the compressed array of a coalesced one with two sparse dimensions."""
    indices, values, shape = array.indices, array.values._array_, array.shape
    if blocks:
        indices, values = lines.in_blocks(indices, values, shape, (blocks[0], blocks[1]))
        counted = (shape[0] // blocks[0], shape[1] // blocks[1])
    else:
        counted = (shape[0], shape[1])
    bounds, plain, values = lines.compressed(indices, values, counted, layout.rows)
    return compressed((bounds, plain), wrap(values), shape, layout)


def without_entries(shape: Any, dtype: Any, layout: Layout) -> Compressed:
    """Return the array of a compressed tensor that is zero everywhere; `dtype` is NumPy's."""
    batch, size = tuple(shape[:-2]), shape[-2 if layout.rows else -1]
    bounds, plain = np.zeros((*batch, size + 1), np.int64), np.zeros((*batch, 0), np.int64)
    return compressed((bounds, plain), wrap(np.zeros((*batch, 0), dtype)), tuple(shape), layout)
