"""Powers, squares and reciprocals."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors
from ..._core.cards.card import BOOLS, FLOATS, NUMBERS, Array, Bad, InPlace, Out, Sample, nodes, pointwise
from ..._core.operators.choices import number_among_two
from ..._core.recording.recorded import conjugate
from ..._core.tensor.base import OPERATORS, Tensor
from ..._core.types import dtypes
from ..dtype_checks import checked_number
from .binary import arithmetic, native

_IN_PACKAGE = ("reciprocal_", "square_")

NEGATIVE_POWER = "Integers to negative integer powers are not allowed."


def any_tensor(make: Any) -> Any:
    """Samples of a function defined for all numbers: usual, 0-dim, empty."""
    yield Sample(make(3, 4))
    yield Sample(make())
    yield Sample(make(0, 2))
    yield Bad(2, raises=TypeError, says="must be Tensor, not int")


def nonzero_tensor(make: Any) -> Any:
    """Samples of a function with a pole or kink at 0."""
    yield Sample(make(3, 4, kind="nonzero"))
    yield Sample(make(kind="nonzero"))
    yield Sample(make(0, 2))
    yield Bad(2, raises=TypeError, says="must be Tensor, not int")


single = partial(
    pointwise,
    numbers=False,
    inplace=True,
    samples=any_tensor,
    describes="""
    Returns:
        A new tensor of the same shape and dtype.
    """,
)
"""Card decorator for a function of one operand that keeps its dtype."""


def power_by_number(self: Any, exponent: Any, out: Any) -> Any:
    """Raise a floating or complex array to a power that is a Python number; the common exponents without `pow`."""
    if exponent == 2:
        return kernels.square(self, out=out)
    if exponent == 3:
        return kernels.multiply(kernels.square(self), self, out=out)
    if exponent == 0.5:
        return kernels.sqrt(self, out=out)
    if exponent == -0.5:
        return kernels.rsqrt(self, out=out)
    if exponent == -1:
        return kernels.reciprocal(self, out=out)
    return kernels.power(self, exponent, out=out)


@arithmetic(
    numbers=True,
    promote="beside",
    layout="power",
    dtypes=NUMBERS,
    explained=BOOLS,
    node=nodes("PowBackward0", "PowBackward1", "PowBackward2", by=number_among_two),
    native=native("pow"),
    inplace=InPlace(native=native("pow_")),
    kernel="pow",
)
def pow(self: Array, exponent: Array, *, out: Any = None) -> Any:
    """`self` to the power `exponent`, element by element.

    Args:
        self: tensor or number, the base.
        exponent: tensor or number that broadcasts with `self`.

    Raises:
        RuntimeError: if the shapes do not broadcast, if integers are raised to the power of a negative number (with a
            tensor of exponents the result is the integer part: 0 unless the base is 1 or -1), or if the dtype, of
            integers or halves, cannot represent the exponent.

    Derivative:
        0 for an exponent of 0. With respect to an exponent that is not negative it is 0 where the base is 0, as in
        torch.

    Examples:
        >>> import wengert as wg
        >>> wg.pow(wg.tensor([1.0, 2.0, 3.0]), 2)
        tensor([1., 4., 9.])
    """
    if isinstance(exponent, (int, float)) and hasattr(self, "dtype"):
        if self.dtype.kind == "b":  # with exponents True or False
            return np.logical_or(self, not exponent, out=out)
        if exponent < 0 and self.dtype.kind in "iu":
            raise RuntimeError(NEGATIVE_POWER)
        if not -128 <= exponent <= 127 and (self.dtype.kind in "iu" or self.dtype.itemsize == 2):
            checked_number(exponent, dtypes.from_numpy(self.dtype))
        return power_by_number(self, exponent, out)
    if (self if hasattr(self, "dtype") else exponent).dtype.kind == "b":
        raise NotImplementedError(errors.no_kernel("pow", dtypes.bool_))
    raised = kernels.power(self, exponent, out=out)
    if not hasattr(self, "dtype") and self == 1:  # whatever the exponent is
        raised[...] = 1
    return raised


pow.keeps_numbers = True
pow.nodes.hides = {"PowBackward0": ("result",)}


@pow.vjp("self", native=native("pow_rule"))
def power_vjp_self(grad: Any, self: Any, exponent: Any) -> Any:
    if isinstance(exponent, Tensor):
        less = exponent + -1  # for bools, too: True - 1 is refused
        return grad * conjugate(self.pow(less.where(~is_constant(self, exponent), 0)) * exponent)
    if exponent == 0:
        return grad.new_zeros(grad.shape)
    return grad * conjugate(self.pow(exponent - 1) * exponent)


@pow.vjp("exponent")
def power_vjp_exponent(grad: Any, self: Any, exponent: Any, out: Any) -> Any:
    if isinstance(self, Tensor):
        base = self if self.dtype is out.dtype else self.to(dtype=out.dtype)
        vanishes = (self == 0) & at_least_zero(exponent)
        return grad * conjugate(out * base.where(~vanishes, 1).log())  # so that no rule reaches the logarithm of 0
    derivative = conjugate(out * number_log(self, out.dtype.is_complex))
    return grad * (derivative if self != 0 else derivative.where(~at_least_zero(exponent), 0))


def is_constant(self: Any, exponent: Any) -> Any:
    """Mask of elements whose exponent is 0, where lowering it by 1 would divide by zero or by NaN."""
    return (exponent == 0) & ~(self.abs() >= dtypes.finfo(self.dtype).tiny)


def number_log(base: Any, is_complex: bool) -> Any:
    """Logarithm of a Python number like that of a tensor: -inf for 0, NaN for negative real numbers."""
    if base == 0:
        return -math.inf
    if is_complex:
        import cmath

        return cmath.log(base)
    return math.log(base) if base > 0 else math.nan


def at_least_zero(exponent: Any) -> Any:
    """Mask of exponents (tensor or number) that are real and not negative."""
    if isinstance(exponent, Tensor) and exponent.dtype.is_complex:
        return (exponent.imag == 0) & (exponent.real >= 0)
    if isinstance(exponent, complex):
        return exponent.imag == 0 and exponent.real >= 0
    return exponent >= 0


@pow.samples
def power_samples(make: Any) -> Any:
    for exponent in (0, 1, 2, 3, 5):
        yield Sample(make(3, kind="nonzero"), exponent)
    yield Sample(make(3, 4, kind="positive"), make(3, 4, kind="positive"))
    yield Sample(make(3, 1, kind="positive"), make(4, kind="positive"))
    yield Sample(make(kind="positive"), make(2, kind="positive"))
    yield Sample(2, make(3, kind="positive"))
    yield Sample(make(0, 3), make(3, kind="positive"))
    if make.dtype.category >= 2:
        for fraction in (0.5, -0.5, -1, 2.5):
            yield Sample(make(3, kind="positive"), fraction)
    elif make.dtype.category == dtypes.INTEGER:
        yield Bad(make(2), -2, raises=RuntimeError, says="Integers to negative integer powers are not allowed")
        yield Bad(make(2), 2**63, raises=RuntimeError, says="without overflow")
    yield Bad(
        make(2, kind="positive"), make(3, kind="positive"), raises=RuntimeError, says="must match the size of tensor b"
    )
    yield Bad(make(2), "a", raises=TypeError, says="must be Tensor, not str")


@single(node="PowBackward0", native=native("square"), out=Out(writer="pow"), kernel="pow")
def square(self: Array, *, out: Any = None) -> Any:
    """Square of `self`, element by element; integers for bools, as any power.

    Returns:
        A new tensor of the same shape.

    Examples:
        >>> import wengert as wg
        >>> wg.square(wg.tensor([-2.0, 3.0]))
        tensor([4., 9.])
    """
    if self.dtype.kind == "b":
        if out is not None:
            raise RuntimeError(errors.uncastable(dtypes.int64, dtypes.bool_))
        return self.astype(np.int64)
    return kernels.square(self, out=out)


square.partials(self=lambda self: self.pow(1) * 2, native=native("square_rule"))


@pointwise(promote="float", dtypes=FLOATS, numbers=False, inplace=True, native=native("reciprocal"))
def reciprocal(self: Array, *, out: Any = None) -> Any:
    """1 divided by `self`, element by element; integers become the default dtype.

    Returns:
        A new tensor of the same shape.

    Examples:
        >>> import wengert as wg
        >>> wg.reciprocal(wg.tensor([2.0, -4.0]))
        tensor([ 0.5000, -0.2500])
    """
    return kernels.reciprocal(self, out=out)


@reciprocal.vjp("self", native=native("reciprocal_rule"))
def reciprocal_vjp(grad: Any, out: Any) -> Any:
    inverse = conjugate(out)
    return -(grad * inverse * inverse)  # one by one: the square may underflow or overflow where the product does not


@reciprocal.jvp("self")
def reciprocal_jvp(tangent: Any, out: Any) -> Any:
    return -(tangent * out * out)


reciprocal.samples(nonzero_tensor)

OPERATORS.pow, OPERATORS.ipow = pow, pow.in_place
OPERATORS.reciprocal = reciprocal
