"""Logical and bitwise operators, and shifts. No derivatives."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors
from ..._core.cards.card import ALL, BOOLS, FLOATS, INTEGERS, WIDE, Array, Bad, Out, Sample, op, pointwise
from ..._core.operators.batch_rules import elementwise
from ..._core.out_errors import FOUND
from ..._core.tensor.base import OPERATORS
from ..._core.types.dtypes import from_numpy, result_type
from ..._core.types.sizes import broadcast
from .binary import broadcast_pairs, native, tensor_pairs
from .power import any_tensor

NO_LOOPS = WIDE - ALL
WHY = "a truth value is constant almost everywhere"
logical = partial(
    op,
    batching=elementwise,
    layout="iterator",
    dtypes=ALL,
    inplace=True,
    out=Out(apart="partly", words=None),
    why=WHY,
    samples=tensor_pairs,
    describes="""
    Args:
        self: tensor of any dtype.
        other: tensor of any dtype that broadcasts with `self`.

    Returns:
        A new bool tensor of the broadcast shape.

    Raises:
        RuntimeError: if the shapes do not broadcast.
    """,
)
"""Card decorator for a logical function: every dtype is read as bool, nothing is promoted."""
bitwise = partial(
    pointwise,
    dtypes=INTEGERS | BOOLS,
    inplace=True,
    why="integer result",
    samples=broadcast_pairs,
    describes="""
    Args:
        self: integer or bool tensor, or number.
        other: integer or bool tensor or number that broadcasts with `self`.

    Returns:
        A new tensor of the broadcast shape and the promoted dtype.

    Raises:
        RuntimeError: if the shapes do not broadcast, or an operand is not of integers or bools.
    """,
)
"""Card decorator for a bitwise function."""


def check_loops(name: str, *operands: Any) -> None:
    """Refuse operands that do not broadcast, or whose common dtype has no loop in torch."""
    broadcast(operands[0].shape, operands[-1].shape)
    common = result_type(operands)
    if common in NO_LOOPS:
        raise NotImplementedError(errors.no_kernel(f"{name}_cpu", common))


@logical(native=native("logical_and"))
def logical_and(self: Array, other: Array) -> Any:
    """Return whether both `self` and `other` are true (not 0), element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.logical_and(wg.tensor([True, False, True]), wg.tensor([True, True, False]))
        tensor([ True, False, False])
    """
    check_loops("logical_and", self, other)
    return kernels.logical_and(self, other)


@logical(native=native("logical_or"))
def logical_or(self: Array, other: Array) -> Any:
    """Return whether `self` or `other` is true (not 0), element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.logical_or(wg.tensor([True, False, False]), wg.tensor([True, True, False]))
        tensor([ True,  True, False])
    """
    check_loops("logical_or", self, other)
    return kernels.logical_or(self, other)


@logical(native=native("logical_xor"))
def logical_xor(self: Array, other: Array) -> Any:
    """Return whether exactly one of `self` and `other` is true (not 0), element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.logical_xor(wg.tensor([True, False, True]), wg.tensor([True, True, False]))
        tensor([False,  True,  True])
    """
    check_loops("logical_xor", self, other)
    return kernels.logical_xor(self, other)


@logical(samples=any_tensor, describes="", native=native("logical_not"))
def logical_not(self: Array) -> Any:
    """Return whether `self` is not true (0), element by element.

    Args:
        self: tensor of any dtype.

    Returns:
        A new bool tensor of the same shape.

    Examples:
        >>> import wengert as wg
        >>> wg.logical_not(wg.tensor([True, False]))
        tensor([False,  True])
    """
    check_loops("logical_not", self)
    return kernels.logical_not(self)


@bitwise(dtypes=WIDE - FLOATS, native=native("bitwise_and"))
def bitwise_and(self: Array, other: Array, *, out: Any = None) -> Any:
    """Bits set in both `self` and `other`, element by element; the logical form for bools.

    Examples:
        >>> import wengert as wg
        >>> wg.bitwise_and(wg.tensor([6, 5]), wg.tensor([3, 4]))
        tensor([2, 4])
    """
    return kernels.bitwise_and(self, other, out=out)


@bitwise(dtypes=WIDE - FLOATS, native=native("bitwise_or"))
def bitwise_or(self: Array, other: Array, *, out: Any = None) -> Any:
    """Bits set in `self` or `other`, element by element; the logical form for bools.

    Examples:
        >>> import wengert as wg
        >>> wg.bitwise_or(wg.tensor([6, 5]), wg.tensor([3, 4]))
        tensor([7, 5])
    """
    return kernels.bitwise_or(self, other, out=out)


@bitwise(dtypes=WIDE - FLOATS, native=native("bitwise_xor"))
def bitwise_xor(self: Array, other: Array, *, out: Any = None) -> Any:
    """Bits set in exactly one of `self` and `other`, element by element; the logical form for bools.

    Examples:
        >>> import wengert as wg
        >>> wg.bitwise_xor(wg.tensor([6, 5]), wg.tensor([3, 4]))
        tensor([5, 1])
    """
    return kernels.bitwise_xor(self, other, out=out)


@bitwise(explained=FLOATS, numbers=False, samples=any_tensor, out=Out(words=FOUND), native=native("invert"))
def bitwise_not(self: Array, *, out: Any = None) -> Any:
    """All bits of `self` inverted, element by element; the logical form for bools.

    Args:
        self: integer or bool tensor.

    Returns:
        A new tensor of the same shape and dtype.

    Raises:
        NotImplementedError: if `self` is not of integers or bools; written as `~` it is a TypeError.

    Examples:
        >>> import wengert as wg
        >>> wg.bitwise_not(wg.tensor([0, 5]))
        tensor([-1, -6])
    """
    if self.dtype.kind not in "iub":
        raise NotImplementedError(errors.no_kernel("bitwise_not_cpu", from_numpy(self.dtype)))
    return np.invert(self, out=out)


def shift_samples(make: Any) -> Any:
    """Samples of a shift: in range, out of range, by negative counts."""
    yield from broadcast_pairs(make)
    yield Sample(make(4), 70)
    yield Sample(make(4), 0)
    if make.dtype.is_signed:
        yield Sample(make(4), -1)
    yield Sample(3, make(4))
    yield Bad(make(2), make(3, kind="nonzero"), raises=RuntimeError, says="must match the size of tensor b")
    yield Bad(make(2), 1.5, raises=NotImplementedError, says="not implemented for 'Float'")


shifted = partial(
    bitwise,
    dtypes=INTEGERS,
    samples=shift_samples,
    describes="""
    Args:
        self: integer tensor, or number.
        other: integer tensor that broadcasts with `self`, or number.

    Returns:
        A new tensor of the broadcast shape and the promoted dtype.

    Raises:
        RuntimeError: if the shapes do not broadcast.
        NotImplementedError: if the operands are not integers.
    """,
)
"""Card decorator for a shift."""


@shifted(native=native("left_shift"), kernel="lshift_cpu")
def bitwise_left_shift(self: Array, other: Array, *, out: Any = None) -> Any:
    """The bits of `self` moved up by `other` places, element by element; 0 if `other` is out of range.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1, 2, 3]) << 4
        tensor([16, 32, 48])
    """
    return np.left_shift(self, other, out=out)


@shifted(native=native("right_shift"), kernel="rshift_cpu")
def bitwise_right_shift(self: Array, other: Array, *, out: Any = None) -> Any:
    """The bits of `self` moved down by `other` places, element by element; the sign is kept.

    0 (-1 for negative numbers) if `other` is out of range.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([64, 5, -5]) >> 1
        tensor([32,  2, -3])
    """
    return np.right_shift(self, other, out=out)


OPERATORS.bitwise_and, OPERATORS.iand = bitwise_and, bitwise_and.in_place
OPERATORS.bitwise_or, OPERATORS.ior = bitwise_or, bitwise_or.in_place
OPERATORS.bitwise_xor, OPERATORS.ixor = bitwise_xor, bitwise_xor.in_place
OPERATORS.bitwise_not = bitwise_not
OPERATORS.lshift, OPERATORS.ilshift = bitwise_left_shift, bitwise_left_shift.in_place
OPERATORS.rshift, OPERATORS.irshift = bitwise_right_shift, bitwise_right_shift.in_place
