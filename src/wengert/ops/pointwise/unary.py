"""Functions of one operand: exponentials, logarithms, roots, negation, conjugate, absolute value and sign."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors, flags
from ..._core.cards.card import (
    ALL,
    BOOLS,
    COMPLEXES,
    FLOATS,
    NUMBERS,
    ORDERED,
    Array,
    Out,
    Sample,
    alias,
    composite,
    op,
    pointwise,
)
from ..._core.operators.batch_rules import elementwise
from ..._core.out_errors import FOUND
from ..._core.recording.recorded import conjugate
from ..._core.tensor.base import OPERATORS
from ..._core.types.dtypes import from_numpy
from .binary import check_tensor
from .power import any_tensor, nonzero_tensor, single
from .rounding import constant, flat

_IN_PACKAGE = (
    "abs_",
    "exp2_",
    "exp_",
    "expm1_",
    "log10_",
    "log1p_",
    "log2_",
    "log_",
    "neg_",
    "negative_",
    "rsqrt_",
    "sqrt_",
)

native = kernels.direct_function
function = partial(
    pointwise,
    promote="float",
    dtypes=FLOATS,
    numbers=False,
    inplace=True,
    samples=any_tensor,
    describes="""
    Args:
        self: tensor; integers become the default dtype.

    Returns:
        A new tensor of the same shape.
    """,
)
"""Card decorator for a function with floating-point results for integers."""

LOG_2, LOG_10 = float(np.log(2)), float(np.log(10))


def positive_tensor(make: Any) -> Any:
    """Samples of a function of positive numbers."""
    yield Sample(make(3, 4, kind="positive"))
    yield Sample(make(kind="positive"))
    yield Sample(make(0, 2, kind="positive"))


@function(native=native("exp"))
def exp(self: Array, *, out: Any = None) -> Any:
    """e to the power of `self`, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.exp(wg.tensor([0.0, 1.0]))
        tensor([1.0000, 2.7183])
    """
    return kernels.exp(self, out=out)


exp.partials(self=lambda out: out)


@exp.vjp("self", native=native("multiply_rule"))
def exp_vjp(grad: Any, out: Any) -> Any:
    return grad * conjugate(out)


@function(native=native("exp2"))
def exp2(self: Array, *, out: Any = None) -> Any:
    """2 to the power of `self`, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.exp2(wg.tensor([0.0, 0.5]))
        tensor([1.0000, 1.4142])
    """
    return np.exp2(self, out=out)


exp2.partials(self=lambda out: out * LOG_2)


@function(native=native("expm1"))
def expm1(self: Array, *, out: Any = None) -> Any:
    """exp(self) - 1, element by element, accurate near 0.

    Examples:
        >>> import wengert as wg
        >>> wg.expm1(wg.tensor([0.0, 1e-6, 1.0]))
        tensor([0.0000e+00, 1.0000e-06, 1.7183e+00])
    """
    return kernels.expm1(self, out=out)


expm1.saturates(kernels.expm1_saturates)


@expm1.vjp("self", native=native("expm1_rule"))
def expm1_vjp(grad: Any, out: Any, self_tail: Any) -> Any:
    return grad * conjugate(expm1_derivative(out, self_tail))


@expm1.jvp("self")
def expm1_jvp(tangent: Any, self: Any, out: Any) -> Any:
    return tangent * expm1_derivative(out, self.detach())


def expm1_derivative(out: Any, tail: Any) -> Any:
    """out + 1, the derivative by the result; `tail`, if there is one, holds the digits that the result has lost."""
    derivative = out + 1
    if tail is None:
        return derivative
    return derivative + (tail.exp() - derivative).detach().where(derivative.abs() < math.inf, 0)


@function(native=native("log"))
def log(self: Array, *, out: Any = None) -> Any:
    """Natural logarithm of `self`, element by element; NaN for negative real numbers.

    Examples:
        >>> import wengert as wg
        >>> wg.log(wg.tensor([1.0, 10.0]))
        tensor([0.0000, 2.3026])
    """
    return kernels.log(self, out=out)


log.partials(self=lambda self: self.reciprocal())


@log.vjp("self", native=native("divide_rule"))
def log_vjp(grad: Any, self: Any) -> Any:
    return grad / conjugate(self)


log.samples(positive_tensor)


@function(native=native("log1p"), node="Log1PBackward0")
def log1p(self: Array, *, out: Any = None) -> Any:
    """log(1 + self), element by element, accurate near 0.

    Examples:
        >>> import wengert as wg
        >>> wg.log1p(wg.tensor([0.0, 1e-6, 1.0]))
        tensor([0.0000e+00, 1.0000e-06, 6.9315e-01])
    """
    return kernels.log1p(self, out=out)


log1p.partials(self=lambda self: (self + 1).reciprocal())


@log1p.vjp("self", native=native("log1p_rule"))
def log1p_vjp(grad: Any, self: Any) -> Any:
    if self._flags_ & flags.SPARSE and not self.is_meta:  # it cannot be added to a number
        return grad * conjugate(self.to_dense() + 1).reciprocal()
    return grad / conjugate(self + 1)


log1p.samples(positive_tensor)


@function(native=native("log2"))
def log2(self: Array, *, out: Any = None) -> Any:
    """Logarithm of `self` to the base 2, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.log2(wg.tensor([1.0, 10.0]))
        tensor([0.0000, 3.3219])
    """
    return kernels.log2(self, out=out)


log2.partials(self=lambda self: (self * LOG_2).reciprocal())


@log2.vjp("self", native=native("log2_rule"))
def log2_vjp(grad: Any, self: Any) -> Any:
    return grad / conjugate(self * LOG_2)


log2.samples(positive_tensor)


@function(native=native("log10"))
def log10(self: Array, *, out: Any = None) -> Any:
    """Logarithm of `self` to the base 10, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.log10(wg.tensor([1.0, 50.0]))
        tensor([0.0000, 1.6990])
    """
    return kernels.log10(self, out=out)


log10.partials(self=lambda self: (self * LOG_10).reciprocal())


@log10.vjp("self", native=native("log10_rule"))
def log10_vjp(grad: Any, self: Any) -> Any:
    return grad / conjugate(self * LOG_10)


log10.samples(positive_tensor)


@function(native=native("sqrt"))
def sqrt(self: Array, *, out: Any = None) -> Any:
    """Square root of `self`, element by element; NaN for negative real numbers.

    Examples:
        >>> import wengert as wg
        >>> wg.sqrt(wg.tensor([4.0, 2.0]))
        tensor([2.0000, 1.4142])
    """
    return kernels.sqrt(self, out=out)


sqrt.partials(self=lambda out: (out * 2).reciprocal())


@sqrt.vjp("self", native=native("sqrt_rule"))
def sqrt_vjp(grad: Any, out: Any) -> Any:
    return grad / conjugate(out * 2)


sqrt.samples(positive_tensor)


@function(native=native("rsqrt"))
def rsqrt(self: Array, *, out: Any = None) -> Any:
    """1 / sqrt(self), element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.rsqrt(wg.tensor([4.0, 2.0]))
        tensor([0.5000, 0.7071])
    """
    return kernels.rsqrt(self, out=out)


@rsqrt.vjp("self", native=native("rsqrt_rule"))
def rsqrt_vjp(grad: Any, out: Any) -> Any:
    root = conjugate(out)
    return grad * root * root * root * -0.5  # one by one: their product may underflow if the gradient is large


@rsqrt.jvp("self")
def rsqrt_jvp(tangent: Any, out: Any) -> Any:
    return tangent * out * out * out * -0.5


rsqrt.samples(positive_tensor)


@single(dtypes=NUMBERS, explained=BOOLS, linear="self", native=native("negative"), out=Out(words=FOUND))
def neg(self: Array, *, out: Any = None) -> Any:
    """The negative of `self`, element by element.

    Args:
        self: tensor of any dtype but bool.

    Raises:
        RuntimeError: if `self` is bool.

    Examples:
        >>> import wengert as wg
        >>> wg.neg(wg.tensor([1.0, -2.0]))
        tensor([-1.,  2.])
    """
    if self.dtype.kind == "b":
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, "
            "use the `~` or `logical_not()` operator instead."
        )
    return kernels.negative(self, out=out)


@neg.vjp("self", native=native("negative"))
def neg_vjp(grad: Any) -> Any:
    return -grad


@composite()
def positive(input: Any) -> Any:
    """`input` itself, as `+input`.

    Args:
        input: tensor of any dtype but bool.

    Returns:
        `input`.

    Raises:
        RuntimeError: if `input` is bool.

    Examples:
        >>> import wengert as wg
        >>> wg.positive(wg.tensor([1.0, -2.0]))
        tensor([ 1., -2.])
    """
    check_tensor("positive", input)
    if input._array_.dtype.kind == "b":
        raise RuntimeError(errors.POSITIVE_BOOL)
    return input


positive.samples(any_tensor)


def words_of_size(args: tuple[Any, ...], result: Any) -> str:
    """Refuse an output of another dtype, unless the numbers are complex."""
    return "" if args[0].is_complex() else FOUND


@single(dtypes=NUMBERS, samples=nonzero_tensor, native=native("absolute"), out=Out(words=words_of_size))
def abs(self: Array, *, out: Any = None) -> Any:
    """Absolute value of `self`, element by element; real for complex numbers.

    Args:
        self: tensor of any dtype but bool.

    Returns:
        A new tensor of the same shape.

    Raises:
        RuntimeError: if the in-place form is called for complex numbers.

    Derivative:
        0 at 0.

    Examples:
        >>> import wengert as wg
        >>> wg.abs(wg.tensor([-1.5, 2.0]))
        tensor([1.5000, 2.0000])
    """
    if out is not None and self.dtype.kind == "c":
        raise RuntimeError("In-place abs is not supported for complex tensors.")
    return kernels.absolute(self, out=out)


@abs.vjp("self", native=native("absolute_rule"))
def absolute_vjp(grad: Any, self: Any) -> Any:
    return grad * self.sgn()


@abs.jvp("self")
def absolute_jvp(tangent: Any, self: Any) -> Any:
    return (tangent * conjugate(self.sgn())).real if self.dtype.is_complex else tangent * self.sgn()


@single(
    dtypes=ORDERED,
    explained=COMPLEXES,
    samples=nonzero_tensor,
    rules=constant,
    native=native("sign"),
    out=Out(words=FOUND),
)
def sign(self: Array, *, out: Any = None) -> Any:
    """-1, 0 or 1 by the sign of `self`, element by element; 0 for NaN.

    Args:
        self: real tensor.

    Raises:
        NotImplementedError: if `self` is complex.

    Derivative:
        0 everywhere, also at 0.

    Examples:
        >>> import wengert as wg
        >>> wg.sign(wg.tensor([-1.5, 0.0, 2.0]))
        tensor([-1.,  0.,  1.])
    """
    if self.dtype.kind == "c":
        raise NotImplementedError(
            "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use torch.sgn instead."
        )
    return kernels.sign(self, out=out)


@single(dtypes=ALL, samples=nonzero_tensor, native=native("sgn"), out=Out(words=FOUND), kernel="sign_cpu")
def sgn(self: Array, *, out: Any = None) -> Any:
    """The sign of `self`, element by element; self / |self| for complex numbers, and 0 for 0.

    Derivative:
        0 for real numbers and at 0.

    Examples:
        >>> import wengert as wg
        >>> wg.sgn(wg.tensor([3 + 4j, 0j]))
        tensor([0.6000+0.8000j, 0.0000+0.0000j])
    """
    if self.dtype.kind != "c":
        return kernels.sign(self, out=out)
    size = np.abs(self)
    result = np.empty_like(self) if out is None else out
    zero = size == 0
    for part, source in ((result.real, self.real), (result.imag, self.imag)):  # infinity belongs to one part alone
        np.divide(source, size, out=part)
    np.copyto(result, 0, where=zero)
    return result


@sgn.vjp("self")
def sgn_vjp(grad: Any, self: Any, out: Any) -> Any:
    if not self.dtype.is_complex:
        return flat(grad)
    across = (grad - (grad * conjugate(out)).real * out) / self.abs()
    return across.where(self != 0, 0)


sgn.jvp("self")(sgn_vjp)  # the Jacobian, for pairs of real numbers, is symmetric


def complex_tensor(make: Any) -> Any:
    """Samples of a function of complex numbers."""
    yield Sample(make(3, 4))
    yield Sample(make())
    yield Sample(make(0, 2))


@op(
    layout="like",
    dtypes=COMPLEXES,
    node="ConjBackward0",
    public="neither",
    batching=elementwise,
    native=native("conjugate"),
)
def conjugate_complex(self: Array) -> Any:
    """Complex conjugate of `self`, element by element; new memory.

    Raises:
        NotImplementedError: if `self` is not complex (`conj` returns such a tensor itself).
    """
    if self.dtype.kind != "c":
        raise NotImplementedError(errors.no_kernel("conjugate", from_numpy(self.dtype)))
    return kernels.conjugate(self)


@conjugate_complex.vjp("self")
def conjugate_complex_vjp(grad: Any) -> Any:
    return conjugate(grad)


@conjugate_complex.jvp("self")
def conjugate_complex_jvp(tangent: Any) -> Any:
    return conjugate(tangent)


conjugate_complex.samples(complex_tensor)


alias("negative", neg)
alias("absolute", abs)
OPERATORS.abs = abs
OPERATORS.conjugate = conjugate_complex
OPERATORS.neg = neg
