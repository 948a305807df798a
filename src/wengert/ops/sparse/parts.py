"""Parts of sparse tensors, and sparse tensors from parts."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..._core import flags
from ..._core.cards.card import op
from ..._core.tensor.base import Tensor, wrap
from ..._core.tensor.coordinates import Coordinates, coordinates
from ..._core.tensor.standins import StandIn
from ..._kernels import sparse as kernels
from . import unsupported as unsupported


def is_sparse(value: Any) -> bool:
    """Return whether a value is a sparse tensor, in coordinates or compressed."""
    return isinstance(value, Tensor) and value._flags_ & flags.SPARSE != 0


def coo(indices: Any, values: Any, shape: Any, coalesced: bool) -> Coordinates:
    """Return the array of a sparse tensor whose entries are an array."""
    return coordinates(indices, wrap(values), tuple(shape), coalesced)


def tensor_of(indices: Any, values: Tensor, shape: Any, coalesced: bool) -> Tensor:
    """Return a sparse tensor without history; its entries are a tensor without history."""
    return wrap(coordinates(indices, values, tuple(shape), coalesced))


def entries_of(array: Coordinates) -> tuple[Any, Any]:
    """Return the arrays of indices and entries."""
    return array.indices, array.values._array_


def sparse_lengths(array: Coordinates) -> tuple[int, ...]:
    """Return the lengths of the sparse dimensions."""
    return array.shape[: len(array.indices)]


def spread(array: Any) -> Any:
    """Convert a compressed sparse array to coordinates; return any other unchanged."""
    return array.spread() if isinstance(array, StandIn) and not isinstance(array, Coordinates) else array  # type: ignore[attr-defined]


def in_order(array: Any) -> Coordinates:
    """Coalesce a sparse array in coordinates; return a coalesced one unchanged."""
    array = spread(array)
    if array.coalesced:
        return array
    indices, values = kernels.coalesced(*entries_of(array), sparse_lengths(array))
    return coo(indices, values, array.shape, True)


def with_values(array: Coordinates, values: Tensor, coalesced: bool | None = None) -> Tensor:
    """Return a sparse tensor with other entries at the same indices."""
    known = array.coalesced if coalesced is None else coalesced
    return tensor_of(array.indices, values, (*sparse_lengths(array), *values._array_.shape[1:]), known)


def densified(array: Any) -> Any:
    """Return the dense array of a sparse one; any other unchanged."""
    array = spread(array)
    if not isinstance(array, Coordinates):
        return array
    return kernels.dense(*entries_of(array), array.shape)


def none(make: Any) -> Any:
    """No samples: operators on sparse tensors have tests of their own."""
    return iter(())


of_sparse = partial(op, layout="own", public="function", samples=none)
"""Card decorator of the operators behind functions and methods of sparse tensors."""
