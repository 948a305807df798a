"""Sorting and largest elements: sort, argsort, msort, topk."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..._core.cards.arguments import integer
from ..._core.cards.card import BOOLS, COMPLEXES, ORDERED, WIDE, Array, Bad, Out, Sample, composite, nodes
from ..._core.cards.plain_case import plain_case
from ..._core.tensor.base import Tensor
from ..._kernels import direct_function as native, order as kernels
from .. import return_types
from ..axes import read_dim
from ..dtype_checks import check_ordered
from ..reductions.maxima import with_indices


def as_line(array: Any) -> Any:
    """Return an array with at least one dimension."""
    return array if array.ndim else array.reshape((1,))


def picked(array: Any, places: Any, axis: int, shape: tuple[int, ...]) -> tuple[Any, Any]:
    """Return the elements at `places` along an axis, and the places."""
    return kernels.along(as_line(array), places, axis).reshape(shape), places.reshape(shape)


def placed_vjp(grads: Any, self_shape: Any, indices: Any, dim: int) -> Any:
    return grads[0].new_zeros(self_shape).scatter(dim, indices, grads[0])


def placed_jvp(tangent: Any, indices: Any, dim: int) -> Any:
    return tangent.gather(dim, indices), None


def placed_rules(card: Any) -> None:
    """Add the rules of elements that are moved along a dimension, from `indices`."""
    card.vjp("self")(placed_vjp)
    card.jvp("self")(placed_jvp)


moved = partial(with_indices, rules=placed_rules, out=Out(apart="partly"))
"""Card decorator for elements that are moved along a dimension."""


@moved(
    dtypes=WIDE - COMPLEXES,
    layout="like",
    node=nodes("SortBackward0", "SortBackward1", by=lambda args: int(args[1] is not None)),
    native=native("sort_along"),
)
def sort_along(self: Array, stable: Any, dim: int, descending: bool) -> Any:
    """Sorted elements along a dimension and their indices; equal ones keep their order."""
    axis = read_dim("sort", dim, self.ndim)
    if self.dtype.kind == "c":
        raise RuntimeError("sort(): Sort does not support complex dtypes on CPU")
    return picked(self, kernels.sorted_places(as_line(self), axis, descending), axis, self.shape)


@sort_along.samples
def sort_along_samples(make: Any) -> Any:
    yield Sample(make(3, 4), None, 0, False)
    yield Sample(make(3, 4), True, -1, True)
    yield Sample(make(), None, 0, False)
    yield Sample(make(2, 0), None, -1, False)
    yield Bad(make(3), None, 1, False, raises=IndexError, says="Dimension out of range")


@composite()
def sort(
    input: Any,
    dim: int = -1,
    descending: bool = False,
    *,
    stable: bool | None = None,
    out: tuple[Tensor, Tensor] | None = None,
) -> Any:
    """Sort elements along a dimension; NaN is the largest.

    Args:
        input: real tensor.
        dim: the dimension.
        descending: put the largest first.
        stable: has no effect: equal elements always keep their order.
        out: a tuple of two tensors to write into.

    Returns:
        A tuple (values, indices): new tensors of the shape of `input`.

    Raises:
        IndexError: if `dim` is out of range.
        RuntimeError: if `input` is complex.

    Examples:
        >>> import wengert as wg
        >>> wg.sort(wg.tensor([2., 3., 1.])).indices
        tensor([2, 0, 1])
    """
    return return_types.named(return_types.sort, sort_along(input, stable, dim, descending, out=out), out)


@composite()
def argsort(input: Any, dim: int = -1, descending: bool = False, *, stable: bool = False, out: Any = None) -> Any:
    """The indices that sort a tensor along a dimension.

    Args:
        input: real tensor.
        dim: the dimension.
        descending: put the largest first.
        stable: has no effect: equal elements always keep their order.
        out: an int64 tensor to write into.

    Returns:
        A new int64 tensor of the shape of `input`.

    Examples:
        >>> import wengert as wg
        >>> wg.argsort(wg.tensor([2., 3., 1.]), descending=True)
        tensor([1, 0, 2])
    """
    if out is not None:
        sort_along(input.detach(), stable, dim, descending, out=(input.new_empty((0,)), out))
        return out
    return sort_along(input.detach(), stable, dim, descending)[1]


@sort.samples
@argsort.samples
def sort_samples(make: Any) -> Any:
    yield Sample(make(3, 4))
    yield Sample(make(3, 4), 0, True)
    yield Sample(make(3, 4), dim=1, stable=True)
    yield Bad(make(3), 1, raises=IndexError, says="Dimension out of range")


@composite()
def msort(input: Any, *, out: Any = None) -> Any:
    """Sort elements along the first dimension.

    Args:
        input: real tensor.
        out: a tensor to write into.

    Returns:
        A new tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.msort(wg.tensor([[3, 1], [2, 4]]))
        tensor([[2, 1],
                [3, 4]])
    """
    if out is not None:
        sort_along(input, None, 0, False, out=(out, input.new_empty((0,), dtype=int)))
        return out
    return sort_along(input, None, 0, False)[0]


@msort.samples
def msort_samples(make: Any) -> Any:
    yield Sample(make(3, 4))
    yield Sample(make())


def top_shape(shape: tuple[int, ...], k: Any, axis: int) -> tuple[tuple[int, ...], int]:
    """Return the shape of the `k` largest or smallest elements along a dimension, and their number.

    Raises:
        RuntimeError: if there are fewer elements.
    """
    length, k = (shape or (1,))[axis], integer("topk", "k", k)
    if not 0 <= k <= length:
        raise RuntimeError(f"topk(): selected index k out of range: {k} of {length} along dimension {axis}")
    if not shape and not k:
        raise RuntimeError("topk(): k must be 1 for a tensor without dimensions")
    return (*shape[:axis], k, *shape[axis + 1 :]) if shape else (), k


@moved(dtypes=ORDERED - BOOLS, node="TopkBackward0", native=native("topk_along"))
def topk_along(self: Array, k: int, dim: int, largest: bool, sorted: bool) -> Any:
    """The `k` largest or smallest elements along a dimension and their indices."""
    axis = read_dim("topk", dim, self.ndim)
    for kind, word in (("c", "complex"), ("b", "bool")):
        if self.dtype.kind == kind:
            raise RuntimeError(f"topk(): topk does not support {word} dtypes on CPU")
    if self.ndim:
        check_ordered("topk", "topk_cpu", self)
    shape, k = top_shape(self.shape, k, axis)
    return picked(self, kernels.top_places(as_line(self), k, axis, largest), axis, shape)


@topk_along.samples
def topk_along_samples(make: Any) -> Any:
    yield Sample(make(3, 4), 2, 0, True, True)
    yield Sample(make(2, 80), 3, -1, False, True)
    yield Sample(make(2, 80), 3, -1, True, True)
    yield Sample(make(), 1, 0, True, True)


@composite()
def topk(
    input: Any,
    k: int,
    dim: int = -1,
    largest: bool = True,
    sorted: bool = True,
    *,
    out: tuple[Tensor, Tensor] | None = None,
) -> Any:
    """The `k` largest elements along a dimension, or the smallest; NaN is the largest.

    Args:
        input: real tensor.
        k: number of elements.
        dim: the dimension.
        largest: return the largest elements, not the smallest.
        sorted: has no effect: the most extreme always comes first.
        out: a tuple of two tensors to write into.

    Returns:
        A tuple (values, indices) of new tensors with length `k` along `dim`.

    Raises:
        RuntimeError: if there are fewer than `k` elements, or `input` is bool or complex.

    Examples:
        >>> import wengert as wg
        >>> wg.topk(wg.tensor([2., 3., 1.]), 2).values
        tensor([3., 2.])
    """
    return return_types.named(return_types.topk, topk_along(input, k, dim, largest, sorted, out=out), out)


plain_case(topk, topk_along, topk_along.native, then=(return_types.topk,))


@topk.samples
def topk_samples(make: Any) -> Any:
    yield Sample(make(3, 4), 2)
    yield Sample(make(3, 4), 1, 0, False)
    yield Bad(make(3), 4, raises=RuntimeError, says="selected index k out of range")
    yield Bad(make(3), -1, raises=RuntimeError, says="selected index k out of range")
