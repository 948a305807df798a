"""Rounding, and quotients and remainders that round."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors
from ..._core.calls.asking import asks_itself
from ..._core.cards import late
from ..._core.cards.arguments import asked_or_raised
from ..._core.cards.card import (
    ALL,
    COMPLEXES,
    INTEGERS,
    REALS,
    WIDE,
    Array,
    Bad,
    Card,
    InPlace,
    Out,
    Sample,
    alias,
    composite,
    nodes,
)
from ..._core.operators.choices import number_among_two, second_is_tensor
from ..._core.out_errors import FOUND
from ..._core.tensor.base import OPERATORS, Tensor, bind
from ..._core.types.dtypes import from_numpy
from ..._kernels.pointwise import refuse_zero_divisor
from ..dtype_checks import refuse_complex
from .binary import PAIRS, arithmetic, broadcast_pairs, is_number, native, true_divide
from .power import any_tensor, single

_IN_PACKAGE = ("ceil_", "fix_", "floor_", "frac_", "round_", "trunc_")

ORDERED_NUMBERS = REALS | INTEGERS


def flat(grad: Any) -> Any:
    """Return zeros: the gradient of a function that is constant almost everywhere (0 * inf would be NaN)."""
    return grad.new_zeros(grad.shape)


def unmoved(card: Card) -> None:
    """Add the rules of a function whose result does not depend on `self`, or changes in steps only."""
    card.vjp("self")(flat)
    card.jvp("self")(flat)


def constant(card: Card) -> None:
    """Add the rules of a function of one operand that is constant almost everywhere."""
    card.partials(self=lambda: 0)
    card.vjp("self")(flat)


COMPLEX = "{} is not supported for complex inputs"


rounding = partial(
    single,
    dtypes=ORDERED_NUMBERS | (WIDE - ALL),
    rules=constant,
    out=Out(words=FOUND),
    describes="""
    Args:
        self: real tensor; integers do not change.

    Returns:
        A new tensor of the same shape and dtype.

    Raises:
        NotImplementedError: if `self` is complex.

    Derivative:
        0 everywhere, even at the jumps.
    """,
)
"""Card decorator for a function that rounds."""
quotient = partial(
    arithmetic,
    dtypes=ORDERED_NUMBERS,
    describes=PAIRS.format(kind="tensor or number", errors=", or integers divided by zero"),
)
"""Card decorator for a quotient or remainder that rounds."""


def integers(self: Any, out: Any) -> Any:
    """Return integers, which rounding does not change."""
    return self.copy() if out is None else np.add(self, 0, out=out)


@rounding(explained=COMPLEXES, native=native("floor"), kernel="floor_vml_cpu")
def floor(self: Array, *, out: Any = None) -> Any:
    """The largest whole number not above `self`, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.floor(wg.tensor([-1.5, 2.7]))
        tensor([-2.,  2.])
    """
    refuse_complex("floor", self, COMPLEX, NotImplementedError)
    return integers(self, out) if self.dtype.kind in "iu" else kernels.floor(self, out=out)


@rounding(explained=COMPLEXES, native=native("ceil"), kernel="ceil_vml_cpu")
def ceil(self: Array, *, out: Any = None) -> Any:
    """The smallest whole number not below `self`, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.ceil(wg.tensor([-1.5, 2.2]))
        tensor([-1.,  3.])
    """
    refuse_complex("ceil", self, COMPLEX, NotImplementedError)
    return integers(self, out) if self.dtype.kind in "iu" else kernels.ceil(self, out=out)


@rounding(explained=COMPLEXES, native=native("trunc"), kernel="trunc_vml_cpu")
def trunc(self: Array, *, out: Any = None) -> Any:
    """The whole part of `self`, element by element: rounded towards zero.

    Examples:
        >>> import wengert as wg
        >>> wg.trunc(wg.tensor([-1.5, 2.7]))
        tensor([-1.,  2.])
    """
    refuse_complex("trunc", self, COMPLEX, NotImplementedError)
    return integers(self, out) if self.dtype.kind in "iu" else kernels.trunc(self, out=out)


@rounding(
    native=native("round"),
    inplace=InPlace(native=native("round_")),
    node=nodes("RoundBackward0", "RoundBackward1", by=lambda args: args[1] is not None),
    kernel="round_vml_cpu",
)
def round(self: Array, *, decimals: int | None = None, out: Any = None) -> Any:
    """The nearest whole number, element by element; ties go to the even one.

    Args:
        decimals: number of decimals to keep, 0 by default; negative: number of digits to drop before the point.

    Raises:
        RuntimeError: if `decimals` is given for integers.

    Examples:
        >>> import wengert as wg
        >>> wg.round(wg.tensor([0.5, 1.5, 2.347]), decimals=1)
        tensor([0.5000, 1.5000, 2.3000])
    """
    if self.dtype.kind in "iu":
        if decimals is not None:
            raise NotImplementedError(errors.no_kernel("round", from_numpy(self.dtype)))
        return integers(self, out)
    if not decimals:
        return kernels.rint(self, out=out)
    scale = 10.0 ** abs(decimals)
    if decimals > 0:
        return np.divide(np.rint(np.multiply(self, scale)), scale, out=out)
    return np.multiply(np.rint(np.divide(self, scale)), scale, out=out)


@round.samples
def round_samples(make: Any) -> Any:
    yield from any_tensor(make)
    if make.dtype.category >= 2:
        yield Sample(make(3), decimals=1)
        yield Sample(make(3), decimals=-1)
    yield Bad(make(3), decimals=0.5, raises=TypeError, says="must be int, not float")
    yield Bad(make(3), decimals=True, raises=TypeError, says="must be int, not bool")


@single(dtypes=REALS, out=Out(words=FOUND), native=native("frac"))
def frac(self: Array, *, out: Any = None) -> Any:
    """The fractional part of `self`, with its sign, element by element.

    Args:
        self: floating-point tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.frac(wg.tensor([-1.5, 2.25]))
        tensor([-0.5000,  0.2500])
    """
    return np.subtract(self, np.trunc(self), out=out)


@frac.vjp("self", passes=True)
def frac_vjp(grad: Any) -> Any:
    return grad


@quotient(public="neither", node="DivBackward2", out=Out(writer="div"))
def divide_rounded(self: Array, other: Array, rounding_mode: str, *, out: Any = None) -> Any:
    """Quotient rounded by `rounding_mode`, "trunc" or "floor".

    Raises:
        RuntimeError: if the mode is unknown, or integers are divided by zero.
    """
    if rounding_mode == "floor":
        return kernels.floor_divide(self, other, out=out)
    if rounding_mode == "trunc":
        return kernels.trunc_divide(self, other, out=out)
    raise RuntimeError(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'")


divide_rounded.keeps_numbers = True


divide_rounded.partials(self=lambda: 0, other=lambda: 0)


@divide_rounded.vjp("self")
def divide_rounded_vjp_self(grad: Any, rounding_mode: str) -> Any:
    return flat(grad)


@divide_rounded.vjp("other")
def divide_rounded_vjp_other(grad: Any, rounding_mode: str) -> Any:
    return flat(grad)


@divide_rounded.samples
def divide_rounded_samples(make: Any) -> Any:
    for mode in ("floor", "trunc"):
        for sample in broadcast_pairs(make):
            sample.args = (*sample.args, mode)
            yield sample


@composite()
def div(input: Tensor | float, other: Any, *, rounding_mode: str | None = None, out: Any = None) -> Any:
    """Quotient of `input` and `other`, element by element.

    Args:
        input: tensor or number.
        other: tensor or number that broadcasts with `input`.
        rounding_mode: None for the exact quotient, in the default dtype for integers; "trunc" to round towards zero,
            "floor" to round down, both in the promoted dtype.
        out: a tensor to write to.

    Returns:
        A new tensor of the broadcast shape.

    Raises:
        RuntimeError: if the shapes do not broadcast, or `rounding_mode` is unknown.

    Derivative:
        0 where the quotient is rounded.

    Examples:
        >>> import wengert as wg
        >>> wg.div(wg.tensor([7.0, -7.0]), 2, rounding_mode="floor")
        tensor([ 3., -4.])
    """
    if rounding_mode is None:
        return true_divide(input, other) if out is None else true_divide(input, other, out=out)
    return divide_rounded(input, other, rounding_mode, out=out)


@div.samples
def div_samples(make: Any) -> Any:
    if make.dtype.category == 2:
        for mode in (None, "floor", "trunc"):
            yield Sample(make(3, 4), make(4, kind="nonzero"), rounding_mode=mode)
        yield Bad(make(2), make(2, kind="nonzero"), rounding_mode="up", raises=RuntimeError, says="but found 'up'")


def quotient_in_place(name: str) -> Any:
    """Return the method of that name that divides in place."""

    @asks_itself(name)
    def divide_in_place(input: Any, other: Any, *, rounding_mode: str | None = None) -> Any:
        """In-place form of `div`.

        Examples:
            >>> import wengert as wg
            >>> wg.tensor([7.0, -7.0]).div_(2)
            tensor([ 3.5000, -3.5000])
        """
        try:
            if rounding_mode is None:
                return true_divide.in_place(input, other)
            return divide_rounded.in_place(input, other, rounding_mode)
        except TypeError:
            options = {} if rounding_mode is None else {"rounding_mode": rounding_mode}
            return asked_or_raised(name, input, other, **options)

    return divide_in_place


@quotient(
    node=nodes(*("torch::autograd::NotImplemented",) * 3, by=number_among_two),
    native=native("floor_divide"),
    out=Out(recorded=False),
    kernel="div_floor_cpu",
)
def floor_divide(self: Array, other: Array, *, out: Any = None) -> Any:
    """Quotient of `self` and `other` rounded down, element by element.

    Derivative:
        None, as in torch: a backward pass through it raises. `div(..., rounding_mode="floor")` has the derivative 0.

    Examples:
        >>> import wengert as wg
        >>> wg.floor_divide(wg.tensor([7, -7]), 2)
        tensor([ 3, -4])
    """
    return kernels.floor_divide(self, other, out=out)


@floor_divide.vjp("self", "other")
def floor_divide_vjp(grad: Any) -> Any:
    raise RuntimeError(
        "derivative for aten::floor_divide is not implemented. Use div(..., rounding_mode='floor'), whose derivative "
        "is 0, or detach() the operands."
    )


@floor_divide.jvp("self", "other")
def floor_divide_jvp(self_tangent: Any, other_tangent: Any, out: Any) -> Any:
    return flat(out)  # constant almost everywhere; torch refuses this


@floor_divide.samples
def floor_divide_samples(make: Any) -> Any:
    for sample in broadcast_pairs(make):
        sample.args = tuple(value if is_number(value) else value.detach() for value in sample.args)
        yield sample


@quotient(
    numbers=True,
    node=nodes("RemainderBackward0", "RemainderBackward1", "RemainderBackward1", by=number_among_two),
    native=native("remainder"),
)
def remainder(self: Array, other: Array, *, out: Any = None) -> Any:
    """Remainder of `self` divided by `other`, with the sign of `other`, element by element: Python's `%`.

    Examples:
        >>> import wengert as wg
        >>> wg.remainder(wg.tensor([7, -7]), 3)
        tensor([1, 2])
    """
    return kernels.remainder(self, other, out=out)


@remainder.vjp("self", passes=True)
def remainder_vjp_self(grad: Any) -> Any:
    return grad


@remainder.vjp("other")
def remainder_vjp_other(grad: Any, self: Any, other: Any) -> Any:
    return grad * -divide_rounded(self, other, "floor")


@quotient(numbers="other", node=nodes("FmodBackward0", "FmodBackward1", by=second_is_tensor), native=native("fmod"))
def fmod(self: Array, other: Array, *, out: Any = None) -> Any:
    """Remainder of `self` divided by `other`, with the sign of `self`, element by element: C's `fmod`.

    Args:
        self: tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.fmod(wg.tensor([7, -7]), 3)
        tensor([ 1, -1])
    """
    if hasattr(other, "dtype"):
        refuse_zero_divisor(self, other)
    return kernels.fmod(self, other, out=out)


@fmod.vjp("self", passes=True)
def fmod_vjp_self(grad: Any) -> Any:
    return grad


@fmod.vjp("other")
def fmod_vjp_other(grad: Any, self: Any, other: Any) -> Any:
    return grad * -divide_rounded(self, other, "trunc")


def divided_by(input: Any, other: Any) -> Any:
    """`other / input`: Python 2's reflected division."""
    return input.reciprocal() * other


for name in ("div_", "divide_", "__idiv__"):
    bind(name, quotient_in_place(name))
bind("__div__", late.bound("div"))
bind("__rdiv__", divided_by)
alias("divide", div)
alias("fix", trunc)
OPERATORS.floor_divide, OPERATORS.ifloor_divide = floor_divide, floor_divide.in_place
OPERATORS.remainder, OPERATORS.iremainder = remainder, remainder.in_place
