"""Comparison of tensors: bool results, no derivatives."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import ALL, ORDERED, WIDE, Array, Bad, Sample, alias, composite, op, pointwise
from ..._core.cards.plain_case import plain_case
from ..._core.operators.batch_rules import elementwise
from ..._core.tensor.base import OPERATORS, Tensor
from ..._core.types.dtypes import from_numpy
from ..._core.types.sizes import broadcast
from .binary import broadcast_pairs, native

WHY = "a truth value is constant almost everywhere"


def comparison_samples(make: Any) -> Any:
    """Samples of a comparison: pairs, with equal values, special values, numbers."""
    yield from broadcast_pairs(make)
    yield Sample(make(3, 4, kind="ties"), make(3, 4, kind="ties"))
    yield Sample(make(8, kind="special"), make(8, kind="special"))
    for other in (3, make(2)):
        yield Bad(2, other, raises=TypeError, says="argument 'input' (position 1) must be Tensor, not int")


COMPARED = """
    Args:
        self: tensor.
        other: tensor or number that broadcasts with `self`.

    Returns:
        A new bool tensor of the broadcast shape.

    Raises:
        RuntimeError: the shapes do not broadcast{}.
    """
comparison = partial(
    pointwise,
    dtypes=ALL,
    numbers="other",
    derivative=None,
    why=WHY,
    samples=comparison_samples,
    describes=COMPARED.format(""),
)
"""The form of a comparison; those in place are in `compared_in_place`."""
ordering = partial(comparison, dtypes=ORDERED, describes=COMPARED.format(", or the operands are complex"))
"""The form of a comparison of what has an order."""


@comparison(dtypes=WIDE, native=native("eq"))
def eq(self: Array, other: Array) -> Any:
    """Whether `self` equals `other`, element by element."""
    return kernels.equal(self, other)


@comparison(dtypes=WIDE, native=native("ne"))
def ne(self: Array, other: Array) -> Any:
    """Whether `self` differs from `other`, element by element."""
    return kernels.not_equal(self, other)


@ordering(native=native("lt"))
def lt(self: Array, other: Array) -> Any:
    """Whether `self` is less than `other`, element by element."""
    return kernels.less(self, other)


@ordering(native=native("le"))
def le(self: Array, other: Array) -> Any:
    """Whether `self` is at most `other`, element by element."""
    return kernels.less_equal(self, other)


@ordering(native=native("gt"))
def gt(self: Array, other: Array) -> Any:
    """Whether `self` is greater than `other`, element by element."""
    return kernels.greater(self, other)


@ordering(native=native("ge"))
def ge(self: Array, other: Array) -> Any:
    """Whether `self` is at least `other`, element by element."""
    return kernels.greater_equal(self, other)


@op(layout="iterator", dtypes=WIDE, derivative=None, why=WHY, batching=elementwise)
def isclose(self: Array, other: Array, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Whether |self - other| <= atol + rtol * |other|, element by element; infinities are close if they are equal.

    Args:
        other: tensor of the same dtype that broadcasts with `self`.
        rtol: tolerance as a share of `other`.
        atol: absolute tolerance.
        equal_nan: whether NaN is close to NaN.

    Returns:
        A new bool tensor of the broadcast shape.

    Raises:
        RuntimeError: dtypes differ, the shapes do not broadcast, or a tolerance is negative.
    """
    if self.dtype != other.dtype:
        names = [from_numpy(each.dtype).legacy.removesuffix("Tensor") for each in (self, other)]
        raise RuntimeError(f"{names[0]} did not match {names[1]}")
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if not tolerance >= 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {tolerance:g}")
    broadcast(self.shape, other.shape)
    close = np.asarray(self == other)
    inexact = self.dtype.kind in "fcV"
    if equal_nan and inexact:
        close = close | (np.isnan(self) & np.isnan(other))
    if rtol == 0 and atol == 0:
        return close
    if not inexact:
        self, other = self.astype(np.float64), other.astype(np.float64)
    apart = np.abs(self - other)
    return close | (np.isfinite(apart) & (apart <= atol + np.abs(rtol * other)))


@isclose.samples
def isclose_samples(make: Any) -> Any:
    yield Sample(make(3, 4, kind="ties"), make(4, kind="ties"))
    yield Sample(make(8, kind="special"), make(8, kind="special"), equal_nan=True)
    yield Sample(make(4), make(4), rtol=0.5, atol=0.5)
    yield Bad(
        make(2), make(2), rtol=-1, raises=RuntimeError, says="rtol must be greater than or equal to zero, but got -1"
    )
    yield Bad(make(2), make(3), raises=RuntimeError, says="must match the size of tensor b")


@composite()
def allclose(input: Any, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are close in the sense of `isclose`.

    Args:
        input: tensor.
        other: tensor of the same dtype that broadcasts with `input`.
        rtol, atol, equal_nan: as in `isclose`.

    Returns:
        A Python bool.

    Raises:
        RuntimeError: as `isclose`.
    """
    return bool(isclose(input, other, rtol, atol, equal_nan)._array_.all())


allclose.samples(isclose_samples)


@composite()
def equal(input: Any, other: Tensor) -> bool:
    """Whether two tensors have the same shape and equal elements; NaN is not equal to itself.

    Args:
        input: tensor.
        other: tensor.

    Returns:
        A Python bool.
    """
    if input._array_.shape != other._array_.shape:
        return False
    return bool(eq(input, other)._array_.all())


@equal.samples
def equal_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(3, 4))
    yield Sample(make(2), make(3))


def truth(found: Tensor) -> bool:
    """The truth value that a tensor without dimensions holds."""
    return bool(found._array_)


plain_case(equal, eq, kernels.direct_function("all_equal"), then=(truth,))

for name, function in (
    ("not_equal", ne), ("less", lt), ("less_equal", le), ("greater", gt), ("greater_equal", ge),
):  # fmt: skip
    alias(name, function)
OPERATORS.eq, OPERATORS.ne = eq, ne
OPERATORS.lt, OPERATORS.le, OPERATORS.gt, OPERATORS.ge = lt, le, gt, ge
