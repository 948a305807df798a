"""Equality and closeness of tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import WIDE, Array, Bad, Sample, composite, op
from ..._core.cards.plain_case import plain_case
from ..._core.operators.batch_rules import elementwise
from ..._core.tensor.base import Tensor
from ..._core.tensor.meta_array import is_meta
from ..._core.tensor.tracing import decided
from ..._core.types.dtypes import from_numpy
from ..._core.types.sizes import broadcast
from .compare import WHY, eq


@op(layout="iterator", dtypes=WIDE, why=WHY, batching=elementwise)
def isclose(self: Array, other: Array, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Return whether |self - other| <= atol + rtol * |other|, element by element; equal infinities are close.

    Args:
        other: tensor of the same dtype that broadcasts with `self`.
        rtol: tolerance relative to `other`.
        atol: absolute tolerance.
        equal_nan: whether NaN is close to NaN.

    Returns:
        A new bool tensor of the broadcast shape.

    Raises:
        RuntimeError: if dtypes differ, the shapes do not broadcast, or a tolerance is negative.

    Examples:
        >>> import wengert as wg
        >>> wg.isclose(wg.tensor([1.0, 2.0]), wg.tensor([1.0000001, 2.1]))
        tensor([ True, False])
    """
    if self.dtype != other.dtype:
        names = [from_numpy(operand.dtype).legacy.removesuffix("Tensor") for operand in (self, other)]
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
    distance = np.abs(self - other)
    return close | (np.isfinite(distance) & (distance <= atol + np.abs(rtol * other)))


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
    """Return whether all elements are close in the sense of `isclose`.

    Args:
        input: tensor.
        other: tensor of the same dtype that broadcasts with `input`.
        rtol, atol, equal_nan: as in `isclose`.

    Returns:
        A Python bool.

    Raises:
        RuntimeError: if `isclose` refuses the operands.

    Examples:
        >>> import wengert as wg
        >>> wg.allclose(wg.tensor([1.0, 2.0]), wg.tensor([1.0000001, 2.0]))
        True
    """
    return are_all("allclose", isclose(input, other, rtol, atol, equal_nan))


allclose.samples(isclose_samples)


def are_all(name: str, truths: Tensor) -> bool:
    """Return whether all elements are true.

    Raises:
        NotImplementedError: if the tensor is on the device "meta".
    """
    if is_meta(truths):
        from ..._core.calls.meta import unknown

        raise unknown(name, "it tells whether all of them are alike")
    return bool(decided(np.all, (truths,)))


@composite()
def equal(input: Any, other: Tensor) -> bool:
    """Return whether two tensors have the same shape and equal elements; NaN is not equal to itself.

    Args:
        input: tensor.
        other: tensor.

    Returns:
        A Python bool.

    Examples:
        >>> import wengert as wg
        >>> wg.equal(wg.tensor([1, 2]), wg.tensor([1, 2])), wg.equal(wg.tensor([1, 2]), wg.tensor([1, 3]))
        (True, False)
    """
    if input._array_.shape != other._array_.shape:
        return False
    return are_all("equal", eq(input, other))


@equal.samples
def equal_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(3, 4))
    yield Sample(make(2), make(3))


def truth(result: Tensor) -> bool:
    """Return the bool of a tensor without dimensions."""
    return bool(result)


plain_case(equal, eq, kernels.direct_function("all_equal"), then=(truth,))
