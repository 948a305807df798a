"""Products of two tensors, summed over some of their dimensions, as one product of matrices or of batches of them."""

from __future__ import annotations

import math
from typing import Any

from ... import _kernels as kernels
from ..._core.calls.out import copied, put
from ..._core.cards.arguments import integers
from ..._core.cards.card import Bad, Sample, composite
from ..._core.cards.plain_case import plain_case
from ..._core.out_errors import PAIRS
from ..._core.tensor.base import Tensor
from ..._core.types.devices import contiguous_format
from ..._core.types.sizes import normalise
from ..shapes.view_shape import unsafe_view
from .matrices import as_view

(product,) = kernels.natives("mm")
NATIVE = kernels.natives("expand", "clone", "multiply")
FEW = 4096
"""Largest number of elements that `blocks_of_arrays` computes."""


class Product:
    """Product of two tensors, summed over dimensions that no other tensor has.

    Dimensions are numbered in the same way for both tensors; one that a tensor lacks counts as length 1.

    Args:
        left_places, left_lengths: numbers of the left tensor's dimensions, and their lengths.
        users: for each dimension the number of remaining tensors with another length than 1 there; updated.
        summed: numbers of the dimensions to sum over.
        count: number of dimensions.

    Attributes:
        places, lengths: dimensions of the result, and their lengths.
        sums: dimensions that either tensor is summed over first, keeping them with length 1.
        orders, shapes: permutation and then shape of both tensors; None if they do not change.
        shape: shape of the result, from the product of matrices; None if it does not change, or nothing is summed.
        matrices: "mm", "bmm", or "mul" if nothing is summed.
    """

    def __init__(
        self,
        left_places: list[int],
        left_lengths: list[int],
        right_places: list[int],
        right_lengths: list[int],
        users: list[int],
        summed: Any,
        count: int,
    ) -> None:
        self.order, sizes = (left_places, right_places), (list(left_lengths), list(right_lengths))
        self.sums = self.sum_first(sizes, users, summed)
        known = [dict(zip(places, lengths)) for places, lengths in zip(self.order, sizes)]
        lengths = [(known[0].get(place, 1), known[1].get(place, 1)) for place in range(count)]
        inner = [place for place in summed if place in self.inner]
        if not inner:
            self.multiply(known, count)
            return
        others = [place for place in range(count) if place not in inner and (place in known[0] or place in known[1])]
        both = [place for place in others if lengths[place][0] != 1 != lengths[place][1]]
        first = [place for place in others if place not in both and lengths[place][0] != 1]
        second = [place for place in others if place not in both and lengths[place][0] == 1]
        self.places = both + first + second
        self.lengths = [max(lengths[place]) if 0 not in lengths[place] else 0 for place in self.places]
        batch, rows, columns, width = (
            math.prod([lengths[place][side] for place in places])
            for places, side in ((both, 0), (first, 0), (second, 1), (inner, 0))
        )
        lead = (batch,) if both else ()
        self.matrices = "bmm" if both else "mm"
        self.orders = self.arranged(both + first + inner, 0), self.arranged(both + inner + second, 1)
        shapes = (*lead, rows, width), (*lead, width, columns)
        self.shapes = tuple(
            [None if self.as_it_is(side, shape, sizes[side]) else shape for side, shape in enumerate(shapes)]
        )
        out_shape = (*lead, rows, columns)
        self.shape = None if out_shape == tuple(self.lengths) else tuple(self.lengths)

    def sum_first(self, sizes: Any, users: list[int], summed: Any) -> list[tuple[int, ...]]:
        """Divide the sums into those of the product and those before it; `lengths` is updated."""
        self.inner: set[int] = set()
        alone: tuple[list[int], list[int]] = ([], [])
        for place in summed:
            has = [place in places and size[places.index(place)] != 1 for places, size in zip(self.order, sizes)]
            users[place] -= all(has)
            if users[place] != 1 or not any(has):
                continue
            users[place] = 0
            if all(has):
                self.inner.add(place)
            else:
                dim = self.order[has[1]].index(place)
                alone[has[1]].append(dim)
                sizes[has[1]][dim] = 1
        return [tuple(dims) for dims in alone]

    def multiply(self, known: list[dict[int, int]], count: int) -> None:
        """Multiply element by element: both tensors have all dimensions."""
        self.matrices, self.shape = "mul", None
        self.places = list(range(count))
        shapes = [tuple([sizes.get(place, 1) for place in self.places]) for sizes in known]
        self.lengths = [0 if 0 in pair else max(pair) for pair in zip(*shapes)]
        self.orders = self.arranged(sorted(known[0]), 0), self.arranged(sorted(known[1]), 1)
        self.shapes = tuple([shape if len(sizes) < count else None for shape, sizes in zip(shapes, known)])

    def arranged(self, places: list[int], side: int) -> list[int] | None:
        """Return the permutation of one tensor's dimensions into the order of `places`; None if it changes nothing."""
        dims = self.order[side]
        order = [dims.index(place) for place in places if place in dims]
        order += [dim for dim in range(len(dims)) if dim not in order]
        return None if order == list(range(len(dims))) else order

    def as_it_is(self, side: int, shape: tuple[int, ...], lengths: list[int]) -> bool:
        """Return whether one tensor has a shape after its permutation."""
        order = self.orders[side]
        return tuple(lengths if order is None else [lengths[dim] for dim in order]) == shape

    def apply(self, left: Any, right: Any) -> Any:
        """Compute the product."""
        operands = [left, right]
        for side in range(2):
            if self.sums[side]:
                operands[side] = operands[side].sum(self.sums[side], True)
            if self.orders[side] is not None:
                operands[side] = operands[side].permute(self.orders[side])
            if self.shapes[side] is not None:
                operands[side] = operands[side].reshape(self.shapes[side])
        result = getattr(operands[0], self.matrices)(operands[1])
        return result if self.shape is None else result.view(self.shape)


def read_dims(a: Any, b: Any, dims: Any) -> tuple[Any, Any]:
    """Return the dimensions of either tensor that are summed over.

    Raises:
        RuntimeError: if `dims` is neither a number nor two lists, or the number is too large.
    """
    if isinstance(dims, Tensor):
        dims = dims.tolist() if dims.numel() > 1 else int(dims.item())
    if isinstance(dims, (tuple, list)):
        if len(dims) != 2:
            raise ValueError(f"tensordot expects dims to be an int or two lists of dimensions, but got {dims=}")
        first, second = (integers("tensordot", name, value) for name, value in zip(("dims_self", "dims_other"), dims))
        return first, second
    if not isinstance(dims, int):
        raise RuntimeError(
            "tensordot expects dims to be int or tuple[list[int], list[int]] or list[list[int]] containing two lists, "
            f"but got {dims=}"
        )
    if dims < 0:
        raise RuntimeError(f"tensordot expects dims >= 0, but got {dims=}")
    if dims > min(a.ndim, b.ndim):
        raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got {dims=}")
    return tuple(range(a.ndim - dims, a.ndim)), tuple(range(dims))


@composite(method=False)
def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Any = None) -> Any:
    """The sum of products over dimensions of two tensors.

    Args:
        a, b: tensors of the same dtype.
        dims: number of dimensions, the last of `a` and the first of `b`; or two lists, of dimensions of `a` and of `b`.
        out: a tensor to write into.

    Returns:
        A new tensor with the other dimensions of `a`, then those of `b`.

    Raises:
        RuntimeError: if lengths or dtypes differ, or there are fewer dimensions.

    Examples:
        >>> import wengert as wg
        >>> wg.tensordot(wg.ones(2, 3, 5), wg.ones(3, 5, 4), 2).shape
        torch.Size([2, 4])
    """
    first, second = read_dims(a, b, dims)
    shift = a.ndim if isinstance(dims, int) else 0  # torch then counts from the end
    if len(first) != len(second):
        raise RuntimeError("both dimension lists should have same length")
    if a.dtype is not b.dtype:
        raise RuntimeError("both inputs should have same dtype")
    first, second, inner = list(first), list(second), 1
    for at in range(len(first)):
        own_dim, other = first[at], second[at] = normalise(first[at], a.ndim), normalise(second[at], b.ndim)
        length, width = a.shape[own_dim], b.shape[other]
        if width == 1:
            a = a.sum(own_dim, True, dtype=a.dtype)
        elif length == 1:
            b = b.sum(other, True, dtype=b.dtype)
        elif length == width:
            inner *= length
        else:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {length} in dim {own_dim - shift} and second "
                f"has size {width} in dim {other}"
            )
    for dims in (first, second):
        if len(set(dims)) < len(dims):
            twice = next(dim for at, dim in enumerate(dims) if dim in dims[:at])
            raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    rows = [dim for dim in range(a.ndim) if dim not in first]
    columns = [dim for dim in range(b.ndim) if dim not in second]
    shape = [a.shape[dim] for dim in rows] + [b.shape[dim] for dim in columns]
    height, width = math.prod(shape[: len(rows)]), math.prod(shape[len(rows) :])
    left = a.permute(rows + first).reshape((height, inner))
    right = b.permute(second + columns).reshape((inner, width))
    return copied("tensordot", out, left.mm(right).reshape(shape), words=PAIRS)


def product_of_arrays(a: Any, b: Any, dims: Any) -> Any:
    """`tensordot` of two matrices over one dimension, if nothing is recorded."""
    plain = type(dims) is int and dims == 1 and a.ndim == b.ndim == 2 and b.shape[0] != 1
    return product(a, b) if plain else NotImplemented


plain_case(tensordot, arrays=product_of_arrays, needs=(product,), then=(as_view,))


@tensordot.samples
def tensordot_samples(make: Any) -> Any:
    yield Sample(make(2, 3, 4), make(3, 4, 2))
    yield Sample(make(2, 3), make(3, 2), 1)
    yield Sample(make(2, 3), make(2), 0)
    yield Sample(make(2, 3, 4), make(4, 2, 3), ([0, 2], [1, 0]))
    yield Sample(make(2, 3), make(2, 1), ([0, 1], [0, 1]))
    yield Bad(make(2, 3), make(2, 3), 1, raises=RuntimeError, says="contracted dimensions need to match, but first has")
    yield Bad(make(2, 3), make(2, 3), 3, raises=RuntimeError, says="tensordot expects dims < ndim_a or ndim_b")


@composite()
def kron(self: Tensor, other: Tensor, *, out: Any = None) -> Any:
    """The Kronecker product: each element of `self` times all of `other`, as blocks.

    Args:
        self, other: tensors; the one with fewer dimensions counts as having dimensions of length 1 before its own.
        out: a tensor to write into.

    Returns:
        A new tensor, whose lengths are the products of both tensors' lengths.

    Examples:
        >>> import wengert as wg
        >>> wg.kron(wg.tensor([[1, 2]]), wg.tensor([[1, 0], [0, 1]]))
        tensor([[1, 0, 2, 0],
                [0, 1, 0, 2]])
    """
    one, two = self._array_.shape, other._array_.shape
    if len(one) != len(two):
        depth = max(len(one), len(two))
        one, two = (1,) * (depth - len(one)) + one, (1,) * (depth - len(two)) + two
    left = self.reshape(tuple([length for size in one for length in (size, 1)]))
    right = other.reshape(tuple([length for size in two for length in (1, size)]))
    return put(
        "kron",
        out,
        unsafe_view(left * right, tuple([x * y for x, y in zip(one, two)])),
        read=(self, other),
        wholly=True,
        writer="mul",
    )


def blocks_of_arrays(one: Any, two: Any) -> Any:
    """`kron` of two vectors or two matrices, if nothing is recorded."""
    if one.ndim != two.ndim or not 1 <= one.ndim <= 2 or one.size * two.size > FEW:
        return NotImplemented
    if not (one.flags.c_contiguous and two.flags.c_contiguous):  # the product keeps their order
        return NotImplemented
    expand, copy, multiply = NATIVE
    if one.ndim == 1:
        left = copy(expand(one[:, None], (one.size, two.size), False), contiguous_format)
        return multiply(left, two).reshape(-1)
    (rows, columns), (high, wide) = one.shape, two.shape
    shape = rows, high, columns, wide
    left = copy(expand(one[:, None, :, None], shape, False), contiguous_format)
    right = copy(expand(two[:, None, :], shape, False), contiguous_format)
    return multiply(left, right).reshape((rows * high, columns * wide))


plain_case(kron, arrays=blocks_of_arrays, needs=NATIVE)


@kron.samples
def kron_samples(make: Any) -> Any:
    yield Sample(make(2, 3), make(3, 2))
    yield Sample(make(3), make(2, 2))
    yield Sample(make(), make(2))
