"""Largest and smallest elements of a tensor: amax, amin, aminmax, max, min."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors, out_errors
from ..._core.calls.out import put
from ..._core.cards.card import ORDERED, Array, Bad, Card, Out, Sample, composite, op
from ..._core.cards.plain_case import plain_case
from ..._core.operators.batch_rules import along
from ..._core.out_errors import EXACT
from ..._core.tensor.base import Tensor
from ..._core.tensor.batches import is_batched
from ..._core.tensor.meta_array import is_meta
from .. import return_types
from ..axes import read_dim, read_dims, restored, summed
from ..dtype_checks import check_ordered
from ..pointwise.binary import native
from ..pointwise.extremes import maximum, minimum


def check_some(name: str, array: Any, axes: tuple[int, ...] | None) -> None:
    """Refuse the extreme of no elements.

    Raises:
        RuntimeError: if the array is empty, and no dimension is given.
        IndexError: if a reduced dimension has length 0.
    """
    if array.size:
        return
    if axes is None:
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with "
            "the 'dim' argument."
        )
    for axis in axes:
        if not array.shape[axis]:
            raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")


def extreme(name: str, kernel: Callable[..., Any], array: Any, dim: Any, keepdim: bool) -> Any:
    """The kernel's result over `dim`, for checked arguments."""
    axes = read_dims(name, dim, array.ndim)
    check_some(name, array, axes)
    check_ordered(name, f"{name[1:]}_values_cpu", array)
    return kernel(array, axes, keepdim)


def shared_gradient(grad: Any, self: Any, out: Any, dim: Any, keepdim: bool) -> Any:
    """Gradient of an extreme, in equal parts for all elements that equal it."""
    extreme = restored(out, self.shape, dim, keepdim)
    hits = self == extreme
    count = hits.sum(dim, True) if dim is not None else hits.sum()
    return restored(grad, self.shape, dim, keepdim) / count * hits


def extreme_samples(make: Any) -> Any:
    """Samples of an extreme over any dimensions."""
    yield Sample(make(3, 4))
    yield Sample(make(3, 4), 0)
    yield Sample(make(2, 3, 4), (0, -1), True)
    yield Sample(make())
    yield Bad(make(0), raises=RuntimeError, says="Expected reduction dim to be specified")
    yield Bad(make(0, 2), 0, raises=IndexError, says="Expected reduction dim 0 to have non-zero size")


def extreme_vjp(grad: Any, self: Any, out: Any, dim: Any, keepdim: bool) -> Any:
    return shared_gradient(grad, self, out, dim, keepdim)


def extreme_jvp(tangent: Any, self: Any, out: Any, dim: Any, keepdim: bool) -> Any:
    return summed(tangent, shared_gradient(out.new_ones(out.shape), self, out, dim, keepdim), dim, keepdim)


def extreme_rules(card: Card) -> None:
    """Add the rules of an extreme: equal elements share the gradient."""
    card.vjp("self", native=native("extreme_rule"))(extreme_vjp)
    card.jvp("self")(extreme_jvp)


extreme_over = partial(
    op,
    dtypes=ORDERED,
    batching=along("dim"),
    shape="reduction",
    samples=extreme_samples,
    rules=extreme_rules,
    out=Out(words=out_errors.MATCHING),
    describes="""
    Args:
        self: real tensor.
        dim: the dimension or dimensions; () for all of them.

    Raises:
        IndexError: if a dimension has length 0.

    Derivative:
        In equal parts for all elements that equal the result.
    """,
)
"""Card decorator for an extreme over any dimensions."""


@extreme_over(native=native("amax"))
def amax(self: Array, dim: Any = (), keepdim: bool = False) -> Any:
    """Largest element over dimensions; NaN wins.

    Examples:
        >>> import wengert as wg
        >>> wg.amax(wg.tensor([[1.0, 5.0], [3.0, 2.0]]), 1)
        tensor([5., 3.])
    """
    return extreme("amax", kernels.amax, self, dim, keepdim)


amax.shows(dim="as dimensions")


@extreme_over(native=native("amin"))
def amin(self: Array, dim: Any = (), keepdim: bool = False) -> Any:
    """Smallest element over dimensions; NaN wins.

    Examples:
        >>> import wengert as wg
        >>> wg.amin(wg.tensor([[1.0, 5.0], [3.0, 2.0]]), 1)
        tensor([1., 2.])
    """
    return extreme("amin", kernels.amin, self, dim, keepdim)


amin.shows(dim="as dimensions")


@op(
    dtypes=ORDERED,
    outputs={"low": True, "high": True},
    public="neither",
    name="_aminmax",
    node="AminmaxBackward0",
    batching=along("dim", flat=True),
    native=native("aminmax"),
)
def aminmax_both(self: Array, dim: Any, keepdim: bool) -> Any:
    """Smallest and largest element along one dimension or over all."""
    axes = None if dim is None else (read_dim("aminmax", dim, self.ndim),)
    if not self.size and axes is None:
        raise RuntimeError(
            "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
        )
    if axes is not None and not self.size and not self.shape[axes[0]]:
        raise IndexError(f"aminmax: Expected reduction dim {axes[0]} to have non-zero size.")
    check_ordered("aminmax", "aminmax_cpu", self)
    axes = axes if self.ndim else None
    return kernels.amin(self, axes, keepdim), kernels.amax(self, axes, keepdim)


@aminmax_both.vjp("self")
def aminmax_vjp(grads: Any, self: Any, low: Any, high: Any, dim: Any, keepdim: bool) -> Any:
    parts = [
        shared_gradient(grad, self, value, dim, keepdim) for grad, value in zip(grads, (low, high)) if grad is not None
    ]
    return parts[0] if len(parts) == 1 else parts[0] + parts[1]


@aminmax_both.jvp("self")
def aminmax_jvp(tangent: Any, self: Any, low: Any, high: Any, dim: Any, keepdim: bool) -> Any:
    return tuple([extreme_jvp(tangent, self, value, dim, keepdim) for value in (low, high)])


@aminmax_both.samples
def aminmax_both_samples(make: Any) -> Any:
    yield Sample(make(3, 4), None, False)
    yield Sample(make(3, 4), 1, True)


@composite()
def aminmax(self: Any, *, dim: int | None = None, keepdim: bool = False, out: Any = None) -> Any:
    """Smallest and largest element along a dimension, or of all.

    Args:
        self: real tensor.
        dim: the dimension; None for all.
        keepdim: leave it with length 1.
        out: where to write the result, a tuple for several results.

    Returns:
        A tuple (min, max).

    Raises:
        RuntimeError: if there are no elements.

    Examples:
        >>> import wengert as wg
        >>> wg.aminmax(wg.tensor([3.0, 1.0, 2.0])).max
        tensor(3.)
    """
    return put("aminmax", out, return_types.aminmax(aminmax_both(self, dim, keepdim)), words=EXACT, read=(self,))


plain_case(aminmax, aminmax_both, aminmax_both.native, then=(return_types.aminmax,))


@aminmax.samples
def aminmax_samples(make: Any) -> Any:
    yield Sample(make(3, 4))
    yield Sample(make(3, 4), dim=0)


def whole_gradient(grad: Any, self: Any, out: Any) -> Any:
    """Gradient of the extreme of a whole tensor, in equal parts for all elements equal to it; NaN equals NaN here."""
    if is_batched(out) or is_meta(out):  # one may be NaN, the other not
        hits = (self == out).logical_or(self.isnan().logical_and(out.isnan()))
    else:
        hits = self.isnan() if out.isnan() else self == out
    return grad.new_zeros(()).masked_fill(hits, grad / hits.sum())


def placed_gradient(grad: Any, shape: Any, indices: Any, dim: int, keepdim: bool) -> Any:
    """Return zeros of `shape` with a gradient at `indices` along `dim`."""
    if shape and not keepdim:
        grad, indices = grad.unsqueeze(dim), indices.unsqueeze(dim)
    return grad.new_zeros(shape).scatter(dim, indices, grad)


def whole_extreme(name: str, kernel: Callable[..., Any], array: Any) -> Any:
    """Extreme of a whole array; refuse an empty one."""
    check_some(name, array, None)
    check_ordered(name, f"{name}_all", array)
    return kernel(array)


def indexed_extreme(
    name: str, kernel: Callable[..., Any], places: Callable[..., Any], array: Any, dim: Any, keepdim: bool
) -> Any:
    """Extreme along one dimension and its index, for checked arguments."""
    axis = read_dim(name, dim, array.ndim)
    check_some(name, array, (axis,))
    if array.dtype.kind == "c":
        raise RuntimeError(f"{name}(): does not support complex input")
    check_ordered(name, f"{name}_cpu", array)
    if not array.ndim:
        return array.copy(), np.zeros((), np.int64)
    # Two passes are faster than selecting the values by the indices.
    return kernel(array, axis, keepdim), places(array, axis, keepdim)


def whole_vjp(grad: Any, self: Any, out: Any) -> Any:
    return whole_gradient(grad, self, out)


def whole_jvp(tangent: Any, self: Any, out: Any) -> Any:
    return (tangent / (self == out).sum() * (self == out)).sum()  # NaN equals nothing


def whole_rules(card: Card) -> None:
    """Add the rules of the extreme of all elements."""
    card.vjp("self", native=native("whole_extreme_rule"))(whole_vjp)
    card.jvp("self")(whole_jvp)


def full_samples(make: Any) -> Any:
    """Samples of an extreme of all elements."""
    yield Sample(make(3, 4))
    yield Sample(make())
    yield Bad(make(0), raises=RuntimeError, says="Expected reduction dim to be specified")


extreme_of_all = partial(op, dtypes=ORDERED, public="neither", samples=full_samples, rules=whole_rules)
"""Card decorator for an extreme of all elements."""


def of_all(extreme_over_dims: Card) -> Any:
    """Batching rule of an extreme of all elements."""

    def rule(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
        whole = args[0]
        return whole.clone() if whole.ndim == 1 else extreme_over_dims(whole, tuple(range(1, whole.ndim)))

    return rule


@extreme_of_all(node="MaxBackward1", batching=of_all(amax), native=native("max_full"))
def max_full(self: Array) -> Any:
    """Largest of all elements."""
    return whole_extreme("max", kernels.amax, self)


@extreme_of_all(node="MinBackward1", batching=of_all(amin), native=native("min_full"))
def min_full(self: Array) -> Any:
    """Smallest of all elements."""
    return whole_extreme("min", kernels.amin, self)


def dim_vjp(grads: Any, self_shape: Any, indices: Any, dim: int, keepdim: bool) -> Any:
    return placed_gradient(grads[0], self_shape, indices, dim, keepdim)


def dim_jvp(tangent: Any, indices: Any, dim: int, keepdim: bool) -> Any:
    if keepdim or not tangent.ndim:
        return tangent.gather(dim, indices), None
    return tangent.gather(dim, indices.unsqueeze(dim)).squeeze(dim), None


def dim_rules(card: Card) -> None:
    """Add the rules of an extreme along a dimension: the first of equal elements counts."""
    card.vjp("self", native=native("value_selecting_rule"))(dim_vjp)
    card.jvp("self")(dim_jvp)


def dim_samples(make: Any) -> Any:
    """Samples of an extreme along one dimension."""
    yield Sample(make(3, 4), 0, False)
    yield Sample(make(3, 4), -1, True)
    yield Sample(make(), 0, False)
    yield Bad(make(3), 1, False, raises=IndexError, says="Dimension out of range")


with_indices = partial(op, batching=along("dim"), outputs={"values": True, "indices": False}, public="neither")
"""Card decorator for elements chosen along a dimension, and their indices."""

extreme_along = partial(with_indices, dtypes=ORDERED, samples=dim_samples, rules=dim_rules)
"""Card decorator for an extreme along one dimension, with its index."""


@extreme_along(node="MaxBackward0", native=native("max_dim"))
def max_dim(self: Array, dim: int, keepdim: bool) -> Any:
    """Largest elements along a dimension and their indices, the first of equals."""
    return indexed_extreme("max", kernels.amax, kernels.argmax, self, dim, keepdim)


@extreme_along(node="MinBackward0", native=native("min_dim"))
def min_dim(self: Array, dim: int, keepdim: bool) -> Any:
    """Smallest elements along a dimension and their indices, the first of equals."""
    return indexed_extreme("min", kernels.amin, kernels.argmin, self, dim, keepdim)


def choose(name: str, self: Any, dim: Any, keepdim: Any, other: Any, out: Any) -> Any:
    """Choose among the three forms of `max` and `min`; values with their indices need an `out` of just their dtypes."""
    if isinstance(dim, Tensor) and other is None and keepdim is False:
        dim, other = None, dim
    if other is not None:
        if dim is not None or not isinstance(other, Tensor):
            raise TypeError(f"{name}() received an invalid combination of arguments: give a Tensor, other, or dim")
        return put(f"{name}imum", out, getattr(self, f"{name}imum")(other), read=(self, other))
    if dim is None:
        if keepdim:
            raise TypeError(f"{name}() received an invalid combination of arguments: keepdim without dim")
        return put(name, out, (max_full if name == "max" else min_full)(self))
    if not isinstance(keepdim, bool):
        raise TypeError(errors.wrong_type(name, "keepdim", 2, "bool", keepdim))
    form, along = (return_types.max, max_dim) if name == "max" else (return_types.min, min_dim)
    return put(name, out, form(along(self, dim, keepdim)), words=EXACT, read=(self,))


@composite()
def max(self: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None, out: Any = None) -> Any:
    """Largest element of a tensor, along a dimension, or of two tensors element by element; NaN wins.

    Args:
        self: real tensor.
        dim: the dimension, or the other tensor; None for all elements.
        keepdim: leave the dimension with length 1.
        other: a second tensor, which broadcasts with `self`.
        out: where to write the result, a tuple for several results.

    Returns:
        A new tensor; along a dimension a tuple (values, indices) with the first index of equals.

    Raises:
        RuntimeError, IndexError: if there are no elements.

    Derivative:
        For all elements: in equal parts for those that equal the result. Along a dimension: for the element at the
            index.

    Examples:
        >>> import wengert as wg
        >>> wg.max(wg.tensor([[1.0, 5.0], [3.0, 2.0]]), 1).indices
        tensor([1, 0])
    """
    return choose("max", self, dim, keepdim, other, out)


@composite()
def min(self: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None, out: Any = None) -> Any:
    """Smallest element of a tensor, along a dimension, or of two tensors element by element; NaN wins.

    Args:
        self, dim, keepdim, other: as for `max`.
        out: where to write the result, a tuple for several results.

    Returns:
        A new tensor; along a dimension a tuple (values, indices) with the first index of equals.

    Examples:
        >>> import wengert as wg
        >>> wg.min(wg.tensor([[1.0, 5.0], [3.0, 2.0]]), 1).values
        tensor([1., 2.])
    """
    return choose("min", self, dim, keepdim, other, out)


@max.samples
@min.samples
def max_samples(make: Any) -> Any:
    yield Sample(make(3, 4))
    yield Sample(make(3, 4), 0)
    yield Sample(make(3, 4), dim=-1, keepdim=True)
    yield Sample(make(3, 4), make(4))
    yield Bad(make(3), "a", raises=TypeError, says="must be int, not str")


for choice, over, over_all, pair in ((max, max_dim, max_full, maximum), (min, min_dim, min_full, minimum)):
    word = choice.__name__
    plain_case(
        choice,
        over,
        over.native,
        further=((over_all, native(f"{word}_whole")), (pair, native(f"{word}_pair"))),
        then=(getattr(return_types, word),),
    )
