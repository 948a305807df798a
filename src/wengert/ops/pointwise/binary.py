"""Arithmetic of two operands: sums, differences, products and exact quotients. Rounded quotients are in `rounding`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core import errors
from ..._core.cards.card import BOOLS, FLOATS, NUMBERS, WIDE, Array, Bad, Number, Out, Sample, alias, nodes, pointwise
from ..._core.operators.choices import second_is_number
from ..._core.operators.declaration import OLDER
from ..._core.operators.promotion import is_bool
from ..._core.recording.recorded import conjugate
from ..._core.tensor.base import OPERATORS, Tensor
from ..._core.types.dtypes import from_numpy
from ..dtype_checks import checked_number

native = kernels.direct_function

SUBTRACT_BOOLS = (
    "Subtraction, the `-` operator, with two bool tensors is not supported. "
    "Use the `^` or `logical_xor()` operator instead."
)
SUBTRACT_BOOL = (
    "Subtraction, the `-` operator, with a bool tensor is not supported. "
    "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."
)


def broadcast_pairs(make: Any) -> Any:
    """Samples of a two-operand operator: equal shapes, broadcast, 0-dim, empty, numbers."""
    yield Sample(make(3, 4), make(3, 4, kind="nonzero"))
    yield Sample(make(3, 4), make(4, kind="nonzero"))
    yield Sample(make(3, 1), make(1, 4, kind="nonzero"))
    yield Sample(make(), make(2, 3, kind="nonzero"))
    yield Sample(make(), make(kind="nonzero"))
    yield Sample(make(0, 3), make(3, kind="nonzero"))
    yield Sample(make(3), 2)
    yield Bad(make(2), make(3, kind="nonzero"), raises=RuntimeError, says="must match the size of tensor b")
    yield Bad(make(2), "a", raises=TypeError, says="must be Tensor, not str")


def tensor_pairs(make: Any) -> Any:
    """Samples of a two-operand operator that takes no numbers."""
    for sample in broadcast_pairs(make):
        if isinstance(sample, Bad) or not isinstance(sample.args[1], int):
            yield sample
    yield Bad(make(2), 2, raises=TypeError, says="must be Tensor, not int")


def with_alpha(make: Any) -> Any:
    """Samples of a sum or difference."""
    yield from broadcast_pairs(make)
    yield Sample(make(3), make(2, 1), alpha=3)
    yield Sample(make(3), 2, alpha=3)


PAIRS = """
    Args:
        self: {kind}.
        other: {kind} that broadcasts with `self`.

    Returns:
        A new tensor of the broadcast shape and the promoted dtype.

    Raises:
        RuntimeError: if the shapes do not broadcast{errors}.
    """
"""Sections of a function of two operands."""
FLOATING = """
    Returns:
        A new tensor of the broadcast shape; integers become the default dtype.

    Raises:
        RuntimeError: if the shapes do not broadcast.
    """
"""Sections of a function of two operands whose result is not of integers."""
NUMBERS_TOO = PAIRS.format(kind="tensor or number", errors="")
arithmetic = partial(pointwise, inplace=True, numbers="alone", samples=broadcast_pairs, describes=NUMBERS_TOO)
"""Card decorator for an operator of arithmetic of two operands."""


def is_number(value: Any) -> bool:
    """Return whether an operand is a number, not a tensor: torch has separate nodes for that."""
    return not isinstance(value, Tensor)


def check_tensor(name: str, value: Any, argument: str = "input") -> None:
    """Refuse anything but a tensor as the first argument of a composite.

    Raises:
        TypeError: if `value` is not a tensor.
    """
    if not isinstance(value, Tensor):
        raise TypeError(errors.wrong_type(name, argument, 1, "Tensor", value))


def as_number(operand: Any) -> Any:
    """Return an operand of a rule that can be negated and subtracted: bools become the integers 0 and 1."""
    if isinstance(operand, Tensor) and operand._array_.dtype.kind == "b":
        return operand.to(dtype=from_numpy(np.dtype(np.int64)))
    return operand


def unsigned(factor: Any, array: Any) -> Any:
    """Convert a factor for unsigned integers: negative numbers wrap around, as in C."""
    return factor % 256**array.dtype.itemsize if factor < 0 else factor


def is_one(alpha: Any) -> bool:
    """Return whether a factor is the number 1, as it almost always is; True does not count."""
    return alpha is not True and alpha == 1


def scaled(name: str, self: Any, other: Any, alpha: Any) -> Any:
    """`alpha * other` for promoted operands of `name`.

    Raises:
        TypeError: if `alpha` is not a number.
        RuntimeError: if `alpha` is of a higher category than the operands.
    """
    if not isinstance(alpha, (int, float, complex, np.number, np.bool_)):
        raise TypeError(errors.wrong_type(name, "alpha", 0, "Number", alpha))
    if isinstance(alpha, np.generic):
        alpha = alpha.item()
    element = (self if hasattr(self, "dtype") else other).dtype
    kind = element.kind
    if isinstance(alpha, bool) and kind != "b":
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and kind in "iub":
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(alpha, complex) and kind != "c":
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    if kind == "b":
        return kernels.logical_and(other, bool(alpha))
    if kind in "iu":
        alpha = checked_number(alpha, from_numpy(element))
    return kernels.multiply(other, alpha) if hasattr(other, "dtype") else other * alpha


def are_floats(self: Any, other: Any, alpha: Any) -> bool:
    """Return whether both operands are float arrays and the factor is a number, so that one pass suffices."""
    return type(alpha) in (float, int) and all(
        hasattr(operand, "dtype") and operand.dtype.kind == "f" for operand in (self, other)
    )


@arithmetic(samples=with_alpha, native=native("add"), kernel="add_stub")
def add(self: Array, other: Array, *, alpha: Number = 1, out: Any = None) -> Any:
    """Sum of `self` and `alpha * other`, element by element.

    Args:
        alpha: multiplier of `other`.

    Raises:
        RuntimeError: if the shapes do not broadcast, or `alpha` does not fit the dtype.

    Examples:
        >>> import wengert as wg
        >>> wg.add(wg.tensor([1.0, 2.0]), wg.tensor([10.0, 20.0]), alpha=2)
        tensor([21., 42.])
    """
    if is_one(alpha):
        return kernels.add(self, other, out=out)
    if are_floats(self, other, alpha):
        return kernels.add_scaled(self, other, alpha, out)
    return kernels.add(self, scaled("add", self, other, alpha), out=out)


OLDER[add.name] = {"TNT": ("alpha",)}


@add.vjp("self", passes=True)
def add_vjp_self(grad: Any) -> Any:
    return grad


@add.vjp("other", passes=True)
def add_vjp_other(grad: Any, alpha: Any) -> Any:
    return grad if alpha == 1 else grad * conjugate(alpha)


@arithmetic(
    promote="numbers", dtypes=NUMBERS, explained=BOOLS, samples=with_alpha, native=native("subtract"), kernel="add_stub"
)
def sub(self: Array, other: Array, *, alpha: Number = 1, out: Any = None) -> Any:
    """Difference of `self` and `alpha * other`, element by element.

    Args:
        alpha: multiplier of `other`.

    Raises:
        RuntimeError: if the shapes do not broadcast, an operand is bool, or `alpha` does not fit the dtype.

    Examples:
        >>> import wengert as wg
        >>> wg.sub(wg.tensor([5.0, 7.0]), wg.tensor([1.0, 2.0]))
        tensor([4., 5.])
    """
    if is_bool(self) or is_bool(other):
        raise RuntimeError(SUBTRACT_BOOLS if is_bool(self) and is_bool(other) else SUBTRACT_BOOL)
    if is_one(alpha):
        return kernels.subtract(self, other, out=out)
    if are_floats(self, other, alpha):
        return kernels.add_scaled(self, other, -alpha, out)
    return kernels.subtract(self, scaled("sub", self, other, alpha), out=out)


OLDER[sub.name] = {"TNT": ("alpha",)}


@sub.vjp("self", passes=True)
def sub_vjp_self(grad: Any) -> Any:
    return grad


@sub.vjp("other", native=native("negated_rule"))
def sub_vjp_other(grad: Any, alpha: Any) -> Any:
    return -grad if alpha == 1 else grad * conjugate(-alpha)


@arithmetic(
    layout="reversed",
    promote="numbers",
    dtypes=NUMBERS,
    explained=BOOLS,
    inplace=False,
    numbers="other",
    public="function",
    samples=with_alpha,
    node=nodes("RsubBackward0", "RsubBackward1", by=second_is_number),
    native=native("rsub"),
    kernel="add_stub",
)
def rsub(self: Array, other: Array, *, alpha: Number = 1) -> Any:
    """Difference of `other` and `alpha * self`: subtraction with the operands exchanged.

    Args:
        alpha: multiplier of `self`.

    Raises:
        RuntimeError: if `sub` refuses the operands.

    Examples:
        >>> import wengert as wg
        >>> wg.rsub(wg.tensor([1.0, 2.0]), 10)
        tensor([9., 8.])
    """
    if is_bool(self) or is_bool(other):
        raise RuntimeError(SUBTRACT_BOOLS if is_bool(self) and is_bool(other) else SUBTRACT_BOOL)
    return kernels.subtract(other, self if is_one(alpha) else scaled("rsub", other, self, alpha))


@rsub.vjp("self", native=native("negated_rule"))
def rsub_vjp_self(grad: Any, alpha: Any) -> Any:
    return sub_vjp_other(grad, alpha)


@rsub.vjp("other", passes=True)
def rsub_vjp_other(grad: Any) -> Any:
    return grad


@arithmetic(dtypes=WIDE, native=native("multiply"))
def mul(self: Array, other: Array, *, out: Any = None) -> Any:
    """Product of `self` and `other`, element by element.

    Examples:
        >>> import wengert as wg
        >>> wg.mul(wg.tensor([[1.0], [2.0]]), wg.tensor([3.0, 4.0]))
        tensor([[3., 4.],
                [6., 8.]])
    """
    return kernels.multiply(self, other, out=out)


mul.keeps_numbers = True


mul.shows(other="as operand")


mul.partials(self=lambda other: other, other=lambda self: self)


@mul.vjp("self", native=native("multiply_rule"))
def mul_vjp_self(grad: Any, other: Any) -> Any:
    return grad * conjugate(other)


@mul.vjp("other", native=native("multiply_rule"))
def mul_vjp_other(grad: Any, self: Any) -> Any:
    return grad * conjugate(self)


@arithmetic(
    promote="float", dtypes=FLOATS, native=native("divide"), linear="self", node="DivBackward0", out=Out(writer="div")
)
def true_divide(self: Array, other: Array, *, out: Any = None) -> Any:
    """Quotient of `self` and `other`, element by element; integers become the default dtype.

    Examples:
        >>> import wengert as wg
        >>> wg.true_divide(wg.tensor([1.0, 3.0]), 2)
        tensor([0.5000, 1.5000])
    """
    return kernels.divide(self, other, out=out)


true_divide.keeps_numbers = True


true_divide.shows(other="as operand")


@true_divide.vjp("self", native=native("divide_rule"))
def true_divide_vjp_self(grad: Any, other: Any) -> Any:
    return grad / conjugate(other)


@true_divide.vjp("other", native=native("divisor_rule"))
def true_divide_vjp_other(grad: Any, self: Any, other: Any) -> Any:
    return -(grad / conjugate(other)) * conjugate(self / other)


@true_divide.jvp("other")
def true_divide_jvp_other(tangent: Any, self: Any, other: Any) -> Any:
    return -((tangent / other) * (self / other))


inner = partial(pointwise, numbers="other", linear="self", public="hidden")
"""Card decorator for arithmetic with a number in a composite, for which torch has separate nodes."""


@inner(name="_times", node=nodes("MulBackward0", "MulBackward1", by=second_is_number), native=native("multiply"))
def times(self: Array, other: Array) -> Any:
    """Product of `self` and a number."""
    return kernels.multiply(self, other)


times.vjp("self", native=native("multiply_rule"))(mul_vjp_self)


@inner(
    name="_over",
    node=nodes("DivBackward0", "DivBackward1", by=second_is_number),
    promote="float",
    dtypes=FLOATS,
    native=native("divide"),
)
def over(self: Array, other: Array) -> Any:
    """Quotient of `self` and a number."""
    return kernels.divide(self, other)


over.vjp("self", native=native("divide_rule"))(true_divide_vjp_self)


alias("subtract", sub)
alias("multiply", mul)
OPERATORS.add, OPERATORS.iadd = add, add.in_place
OPERATORS.add_into = kernels.add
OPERATORS.copy_into = kernels.copy_into
OPERATORS.converted = kernels.converted
OPERATORS.sub, OPERATORS.isub = sub, sub.in_place
OPERATORS.rsub = rsub
OPERATORS.mul, OPERATORS.imul = mul, mul.in_place
OPERATORS.div, OPERATORS.idiv = true_divide, true_divide.in_place
