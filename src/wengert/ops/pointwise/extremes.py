"""Elementwise maximum and minimum of two tensors."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import COMPLEXES, ORDERED, Array, Sample, pointwise
from ..dtype_checks import refuse_complex
from .binary import PAIRS, native, tensor_pairs


def pairs_with_ties(make: Any) -> Any:
    """Samples with equal and special values."""
    yield from tensor_pairs(make)
    if make.dtype.category < 2:
        yield Sample(make(3, 4, kind="ties"), make(3, 4, kind="ties"))
    yield Sample(make(8, kind="special"), make(8))


extreme = partial(
    pointwise,
    dtypes=ORDERED,
    explained=COMPLEXES,
    numbers=False,
    samples=pairs_with_ties,
    describes=PAIRS.format(kind="real tensor", errors=", or the operands are complex"),
)
"""Card decorator for an elementwise maximum or minimum."""


COMPLEX = "{} not implemented for complex tensors."


@extreme(native=native("maximum"))
def maximum(self: Array, other: Array, *, out: Any = None) -> Any:
    """The larger of `self` and `other`, element by element; NaN if one is NaN.

    Derivative:
        Half for each operand where they are equal.

    Examples:
        >>> import wengert as wg
        >>> wg.maximum(wg.tensor([1, 5]), wg.tensor([3, 2]))
        tensor([3, 5])
    """
    refuse_complex("maximum", self, COMPLEX)
    return kernels.maximum(self, other, out=out)


def without(grad: Any, lost: Any) -> Any:
    """Return a gradient with zeros where the other operand was chosen, with the strides of the gradient."""
    return grad.masked_fill(lost, 0) if grad.is_contiguous() else grad.where(~lost, 0)  # keeps the strides


def shared(self_tangent: Any, other_tangent: Any, taken: Any, equal: Any = None) -> Any:
    """Return the tangent of the chosen operand; the mean of both where they are equal."""
    gap = self_tangent - other_tangent
    share = taken.to(gap.dtype)
    return other_tangent + (share if equal is None else share.where(~equal, 0.5)) * gap


@maximum.vjp("self", native=native("larger_rule"))
def larger_vjp(grad: Any, self: Any, other: Any) -> Any:
    return without((grad / 2).where(self == other, grad), self < other)


@maximum.vjp("other", native=native("smaller_rule"))
def smaller_vjp(grad: Any, self: Any, other: Any) -> Any:
    return without((grad / 2).where(self == other, grad), self > other)


@maximum.jvp("self", "other")
def maximum_jvp(self_tangent: Any, other_tangent: Any, self: Any, other: Any) -> Any:
    return shared(self_tangent, other_tangent, self > other, self == other)


@extreme(native=native("minimum"))
def minimum(self: Array, other: Array, *, out: Any = None) -> Any:
    """The smaller of `self` and `other`, element by element; NaN if one is NaN.

    Derivative:
        Half for each operand where they are equal.

    Examples:
        >>> import wengert as wg
        >>> wg.minimum(wg.tensor([1, 5]), wg.tensor([3, 2]))
        tensor([1, 2])
    """
    refuse_complex("minimum", self, COMPLEX)
    return kernels.minimum(self, other, out=out)


minimum.vjp("self", native=native("smaller_rule"))(smaller_vjp)
minimum.vjp("other", native=native("larger_rule"))(larger_vjp)


@minimum.jvp("self", "other")
def minimum_jvp(self_tangent: Any, other_tangent: Any, self: Any, other: Any) -> Any:
    return shared(self_tangent, other_tangent, self < other, self == other)


@extreme(native=native("fmax"), kernel="maximum_cpu")
def fmax(self: Array, other: Array, *, out: Any = None) -> Any:
    """The larger of `self` and `other`, element by element; a number if only one is NaN.

    Derivative:
        Where they are equal it goes to `self`.

    Examples:
        >>> import wengert as wg
        >>> wg.fmax(wg.tensor([1.0, float("nan")]), wg.tensor([3.0, 2.0]))
        tensor([3., 2.])
    """
    refuse_complex("fmax", self, COMPLEX)
    return np.fmax(self, other, out=out)


@fmax.vjp("self")
def fmax_vjp_self(grad: Any, self: Any, other: Any) -> Any:
    return grad.masked_fill(~((self >= other) | other.isnan()), 0)


@fmax.vjp("other")
def fmax_vjp_other(grad: Any, self: Any, other: Any) -> Any:
    return grad.masked_fill((self >= other) | other.isnan(), 0)


@fmax.jvp("self", "other")
def fmax_jvp(self_tangent: Any, other_tangent: Any, self: Any, other: Any) -> Any:
    return shared(self_tangent, other_tangent, (self > other) | other.isnan())


@extreme(native=native("fmin"), kernel="minimum_cpu")
def fmin(self: Array, other: Array, *, out: Any = None) -> Any:
    """The smaller of `self` and `other`, element by element; a number if only one is NaN.

    Derivative:
        Where they are equal it goes to `self`.

    Examples:
        >>> import wengert as wg
        >>> wg.fmin(wg.tensor([1.0, float("nan")]), wg.tensor([3.0, 2.0]))
        tensor([1., 2.])
    """
    refuse_complex("fmin", self, COMPLEX)
    return np.fmin(self, other, out=out)


@fmin.vjp("self")
def fmin_vjp_self(grad: Any, self: Any, other: Any) -> Any:
    return grad.masked_fill(~((self <= other) | other.isnan()), 0)


@fmin.vjp("other")
def fmin_vjp_other(grad: Any, self: Any, other: Any) -> Any:
    return grad.masked_fill((self <= other) | other.isnan(), 0)


@fmin.jvp("self", "other")
def fmin_jvp(self_tangent: Any, other_tangent: Any, self: Any, other: Any) -> Any:
    return shared(self_tangent, other_tangent, (self <= other) | other.isnan())
