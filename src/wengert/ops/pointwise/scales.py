"""Conversions of scale: degrees and radians, mantissa and exponent, log-odds, powers in double precision, sinc."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from ..._core import errors
from ..._core.calls.out import one_output
from ..._core.cards.arguments import asking
from ..._core.cards.card import (
    CARDS,
    COMPLEXES,
    FLOATS,
    INTEGERS,
    REALS,
    Array,
    Bad,
    Out,
    Sample,
    composite,
    op,
    pointwise,
)
from ..._core.cards.late import bind
from ..._core.cards.plain_case import plain_case
from ..._core.operators.batch_rules import elementwise
from ..._core.recording.recorded import conjugate
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._kernels.activation import narrowed, widened
from .. import return_types
from ..dtype_checks import refuse_complex
from .binary import FLOATING, check_tensor, native, tensor_pairs, times
from .power import any_tensor, pow
from .series import polynomial_at
from .unary import function

_IN_PACKAGE = ("deg2rad_", "ldexp_", "logit_", "rad2deg_", "sinc_")

LOG_2 = math.log(2)


COMPLEX = "{} is not supported for complex tensors."


of_angles = partial(
    function,
    dtypes=REALS,
    explained=COMPLEXES,
    linear="self",
    describes="""
    Args:
        self: real tensor; integers become the default dtype.

    Raises:
        RuntimeError: if `self` is complex.
    """,
)


@of_angles(node="Deg2RadBackward0", native=native("deg2rad"))
def deg2rad(self: Array, *, out: Any = None) -> Any:
    """Convert angles from degrees to radians.

    Examples:
        >>> import wengert as wg
        >>> wg.deg2rad(wg.tensor([180, 90, -45]))
        tensor([ 3.1416,  1.5708, -0.7854])
    """
    refuse_complex("deg2rad", self, COMPLEX)
    return np.multiply(self, self.dtype.type(math.pi / 180), out=out)


@deg2rad.vjp("self")
def deg2rad_vjp(grad: Any) -> Any:
    return times(grad, math.pi / 180)


@of_angles(node="Rad2DegBackward0", native=native("rad2deg"))
def rad2deg(self: Array, *, out: Any = None) -> Any:
    """Convert angles from radians to degrees.

    Examples:
        >>> import wengert as wg
        >>> wg.rad2deg(wg.tensor([wg.pi, wg.pi / 2]))
        tensor([180.,  90.])
    """
    refuse_complex("rad2deg", self, COMPLEX)
    return np.multiply(self, self.dtype.type(180 / math.pi), out=out)


@rad2deg.vjp("self")
def rad2deg_vjp(grad: Any) -> Any:
    return times(grad, 180 / math.pi)


@function(native=native("sinc"))
def sinc(self: Array, *, out: Any = None) -> Any:
    """sin(pi * self) / (pi * self), element by element; 1 at 0.

    Derivative:
        It is that of the power series near 0, in every order: the second one at 0 is -pi^2 / 3 (torch has 0).

    Examples:
        >>> import wengert as wg
        >>> wg.sinc(wg.tensor([0.0, 0.5, 1.5]))
        tensor([ 1.0000,  0.6366, -0.2122])
    """
    wide = widened(self)
    angle = wide * wide.dtype.type(math.pi)
    ratio = np.asarray(np.sin(angle) / angle)
    np.copyto(ratio, 1, where=wide == 0)
    return narrowed(ratio, self, out)


SINC_SERIES = [(-1) ** k * 2 * k * math.pi ** (2 * k) / math.factorial(2 * k + 1) for k in range(1, 14)]
"""Coefficients of the derivative of sinc divided by `self`, as a polynomial of its square."""
SINC_NEAR = 0.5
"""Largest argument of the series: beyond it the difference in the closed form loses few digits in any order."""


def sinc_derivative(self: Any) -> Any:
    """Derivative of sinc: (cos(a) - sin(a) / a) / self with a = pi * self; the power series near 0."""
    near = self.abs() < SINC_NEAR
    outer, inner = self.where(~near, 1), self.where(near, 0)
    angle = outer * math.pi
    derivative = (angle.cos() - angle.sin() / angle) / outer
    return derivative.where(~near, inner * polynomial_at(inner * inner, SINC_SERIES))


@sinc.vjp("self")
def sinc_vjp(grad: Any, self: Any) -> Any:
    return grad * conjugate(sinc_derivative(self))


@sinc.jvp("self")
def sinc_jvp(tangent: Any, self: Any) -> Any:
    return sinc_vjp(tangent, conjugate(self))


@sinc.samples
def sinc_samples(make: Any) -> Any:
    yield from any_tensor(make)
    yield Sample(make(3, kind="special").detach())


@function(dtypes=REALS, native=native("logit"))
def logit(self: Array, eps: float | None = None, *, out: Any = None) -> Any:
    """log(self / (1 - self)), element by element: the logarithm of the odds, and the inverse of `sigmoid`.

    Args:
        self: real tensor of probabilities; integers become the default dtype.
        eps: limits `self` to the range from `eps` to `1 - eps` first; None or negative: NaN outside of 0 to 1.

    Raises:
        TypeError: if `eps` is not a number.

    Derivative:
        0 where `self` was limited; NaN outside of 0 to 1 without limits.

    Examples:
        >>> import wengert as wg
        >>> wg.logit(wg.tensor([0.5, 0.9, 1.0]), eps=0.01)
        tensor([0.0000, 2.1972, 4.5951])
    """
    wide = widened(self)
    if eps is not None and not isinstance(eps, (int, float, np.number)):
        raise TypeError(errors.wrong_type("logit", "eps", 2, "float", eps))
    if eps is not None and not eps < 0:
        wide = np.where(wide < eps, wide.dtype.type(eps), np.where(wide > 1 - eps, wide.dtype.type(1 - eps), wide))
    return narrowed(np.log(wide / (1 - wide)), self, out)


@logit.vjp("self", native=native("logit_rule"))
def logit_vjp(grad: Any, self: Any, eps: float | None) -> Any:
    place = self + 0  # no negative zero: the derivative is positive
    if eps is None or eps < 0:
        return (grad / (place * (1 - place))).masked_fill((self < 0) | (self > 1), math.nan)
    limited = (self < eps) | (self > 1 - eps)
    place = place.masked_fill(limited, 0.5)  # no pole in further derivatives
    return (grad / (place * (1 - place))).masked_fill(limited, 0)


@logit.samples
def logit_samples(make: Any) -> Any:
    if make.dtype.category >= 2:
        yield Sample(make(3, 4, kind="unit"))
        yield Sample(make(3, 4, low=-0.9, high=1.9), 0.2)
        yield Sample(make(kind="unit"), eps=0.3)
    yield Sample(make(0, 2))
    yield Sample(make(8, kind="special"))
    yield Sample(make(8, kind="special"), 0.25)
    yield Bad(2, raises=TypeError, says="must be Tensor, not int")
    yield Bad(make(2), "a", raises=TypeError, says="argument 'eps' (position 2) must be float, not str")


def not_scaled(wanted: Any, result: Any) -> RuntimeError:
    """Refuse an output of `ldexp` whose dtype cannot hold the result's kind of number."""
    if wanted.is_complex and result.is_floating_point:
        return RuntimeError(errors.uncastable(wanted, result))
    return RuntimeError(f"ldexp can't be cast to the desired output type {result.legacy[:-6]}")


@pointwise(
    promote="float",
    dtypes=FLOATS,
    numbers=False,
    inplace=True,
    layout="scaled",
    out=Out(uncastable=not_scaled),
    describes=FLOATING,
)
def ldexp(self: Array, other: Array, *, out: Any = None) -> Any:
    """self * 2^other, element by element.

    Args:
        other: tensor that broadcasts with `self`, often of integers.

    Examples:
        >>> import wengert as wg
        >>> wg.ldexp(wg.tensor([1.0, 3.0]), wg.tensor([4, -1]))
        tensor([16.0000,  1.5000])
    """
    scale = np.exp2(other) if other.dtype.kind == "f" else np.power(other.dtype.type(2), other)
    return np.multiply(self, scale, out=out)


ldexp.partials(other=lambda out: out * LOG_2)


def power_of_two(other: Any, dtype: Any) -> Any:
    """Return 2^other as a factor of a gradient of `dtype`."""
    return 2 ** (other if other.dtype.category >= dtypes.FLOAT else other.to(dtype=dtype))


@ldexp.vjp("self")
def ldexp_vjp_self(grad: Any, other: Any) -> Any:
    return grad * conjugate(power_of_two(other, grad.dtype))


@ldexp.jvp("self")
def ldexp_jvp_self(tangent: Any, other: Any) -> Any:
    return tangent * power_of_two(other, tangent.dtype)


ldexp.samples(tensor_pairs)


@op(
    dtypes=REALS,
    explained=INTEGERS | COMPLEXES,
    outputs={"mantissa": True, "exponent": False},
    batching=elementwise,
    public="neither",
    name="_frexp",
    node="FrexpBackward0",
    layout="like",
    out=Out(
        writer="frexp",
        words=(
            "torch.frexp() expects mantissa to have dtype {wanted_type} but got {found_type}",
            "torch.frexp() expects exponent to have {wanted_type} dtype but got {found_type}",
        ),
    ),
)
def split(self: Array) -> Any:
    """Return the mantissa, from 0.5 to 1 or 0, and the power of two whose product is `self`."""
    if self.dtype.kind != "f":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    mantissa, exponent = np.frexp(self)
    return np.asarray(mantissa), np.asarray(np.where(np.isfinite(self), exponent, 0).astype(np.int32, copy=False))


@split.vjp("self")
def split_vjp(grads: Any, exponent: Any) -> Any:
    return grads[0] / exponent.to(dtype=grads[0].dtype).exp2()


@split.jvp("self")
def split_jvp(tangent: Any, exponent: Any) -> Any:
    return tangent / exponent.to(dtype=tangent.dtype).exp2(), None


@split.samples
def split_samples(make: Any) -> Any:
    if make.dtype in REALS:
        yield from any_tensor(make)
        yield Sample(make(8, kind="special"))


@composite()
def frexp(input: Any, *, out: Any = None) -> Any:
    """Decompose numbers into a mantissa, from 0.5 to 1 (or 0), and a power of two: `mantissa * 2**exponent`.

    Args:
        input: floating-point tensor.
        out: two tensors to write to, the second one of int32.

    Returns:
        A tuple (mantissa, exponent); the exponents are of int32.

    Raises:
        RuntimeError: if the dtype of `input` is not floating-point.

    Examples:
        >>> import wengert as wg
        >>> wg.frexp(wg.tensor([8.0, 0.3]))
        torch.return_types.frexp(
        mantissa=tensor([0.5000, 0.6000]),
        exponent=tensor([ 4, -1], dtype=torch.int32))
    """
    check_tensor("frexp", input)
    if not input.dtype.is_floating_point:
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    if out is not None:
        return return_types.named(return_types.frexp, split(input, out=out), out)
    return return_types.frexp(split(input))


@frexp.samples
def frexp_samples(make: Any) -> Any:
    if make.dtype in REALS:
        yield Sample(make(3, 4))
    yield Bad(make(2).to(dtype=dtypes.int64), raises=RuntimeError, says="only supports floating-point dtypes")


def precise(name: str, operands: Any) -> Any:
    """Return the dtype that a power is computed in: the widest of its kind.

    Raises:
        TypeError: if none of the operands is a tensor.
    """
    tensors = is_complex = False
    for operand in operands:
        if isinstance(operand, Tensor):
            tensors = True
            is_complex = is_complex or operand._array_.dtype.kind == "c"
        else:
            is_complex = is_complex or isinstance(operand, complex)
    if not tensors:
        raise TypeError(f"{name}() received an invalid combination of arguments: one of them must be a Tensor")
    return dtypes.complex128 if is_complex else dtypes.float64


def in_dtype(value: Any, dtype: Any) -> Any:
    """Convert a tensor; return a number unchanged."""
    return value.to(dtype=dtype) if isinstance(value, Tensor) else value


@composite()
def float_power(input: Any, exponent: Any, *, out: Any = None) -> Any:
    """`input` to the power `exponent`, element by element, in double precision.

    Args:
        input: tensor or number, the base.
        exponent: tensor or number that broadcasts with `input`.
        out: a tensor to write to.

    Returns:
        A new tensor of float64, or of complex128 if an operand is complex.

    Raises:
        RuntimeError: if the shapes do not broadcast, or the dtype of `out` differs.

    Examples:
        >>> import wengert as wg
        >>> wg.float_power(wg.tensor([2, 3]), -1)
        tensor([0.5000, 0.3333], dtype=torch.float64)
    """
    wanted = precise("float_power", (input, exponent))
    operands = in_dtype(input, wanted), in_dtype(exponent, wanted)
    if out is None:
        return pow(*operands)
    check_precise("output given to float_power", one_output("float_power", out), wanted)
    return pow(*operands, out=out)


vars(CARDS["float_power"])["public"] = asking(float_power, module="wengert")  # unchecked: the base may be a number


def precise_power_of_array(array: Any, exponent: Any) -> Any:
    """`float_power` of real numbers to a number, if nothing is recorded."""
    if type(exponent) not in (int, float) or array.dtype.kind not in "fiub":
        return NotImplemented
    return pow.native(array.astype(np.float64), exponent)


plain_case(float_power, arrays=precise_power_of_array, needs=(pow.native,))


def check_precise(title: str, tensor: Any, wanted: Any) -> None:
    """Refuse a target of another dtype.

    Raises:
        RuntimeError: if the dtype differs.
    """
    if tensor.dtype is not wanted:
        raise RuntimeError(
            f"the {title} has dtype {tensor.dtype.legacy[:-6]} but the operation's result requires dtype "
            f"{wanted.legacy[:-6]}"
        )


@float_power.samples
def float_power_samples(make: Any) -> Any:
    if make.dtype in (*dtypes.HALVES, dtypes.float32, dtypes.complex64):  # the result is of another dtype
        return
    yield Sample(make(3, kind="positive"), make(3, kind="positive"))
    yield Sample(make(3, 1, kind="positive"), make(4, kind="positive"))
    yield Sample(make(3), 2)
    yield Sample(2, make(3))
    yield Bad(make(2, kind="positive"), make(3), raises=RuntimeError, says="must match the size of tensor b")


def float_power_in_place(input: Any, exponent: Any) -> Any:
    """In-place form of `float_power`.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1.0, 3.0], dtype=wg.float64).float_power_(2)
        tensor([1., 9.], dtype=torch.float64)
    """
    wanted = precise("float_power_", (input, exponent))
    check_precise("base given to float_power_", input, wanted)
    return pow.in_place(input, in_dtype(exponent, wanted))


bind("float_power_", asking(float_power_in_place, "float_power_", method=True))
