"""Functions of two numbers: distances, neighbours, sums of exponentials, steps, products with logarithms."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ..._core.cards.card import COMPLEXES, ORDERED, REALS, Array, Bad, InPlace, Out, Sample, nodes, op, pointwise
from ..._core.operators.batch_rules import elementwise
from ..._core.operators.choices import second_is_number
from ..._core.tensor.base import Tensor
from ..._core.types.dtypes import from_numpy
from ..._core.types.sizes import broadcast
from ..._kernels import exponentials
from ..._kernels.activation import narrowed, widened
from ..dtype_checks import check_ordered
from .binary import PAIRS, as_number, broadcast_pairs, native, tensor_pairs
from .rounding import flat
from .unary import LOG_2

_IN_PACKAGE = ("xlogy_",)


def pairs_of_any(make: Any) -> Any:
    """Samples of a function of two real tensors, with special values on both sides."""
    yield from tensor_pairs(make)
    yield Sample(make(8, kind="special"), make(8))
    yield Sample(make(8), make(8, kind="special"))
    yield Sample(make(8, kind="special"), make(8, kind="special"))


of_two_reals = partial(
    pointwise,
    dtypes=REALS,
    numbers=False,
    samples=pairs_of_any,
    describes=PAIRS.format(
        kind="floating-point tensor",
        errors=".\n        NotImplementedError: if the operands are not floating-point numbers",
    ),
)
"""Card decorator for a function of two real tensors."""


@of_two_reals(inplace=InPlace(by_result=True), native=native("hypot"))
def hypot(self: Array, other: Array, *, out: Any = None) -> Any:
    """sqrt(self^2 + other^2), element by element, without overflow.

    Examples:
        >>> import wengert as wg
        >>> wg.hypot(wg.tensor([3.0, 5.0]), wg.tensor([4.0, 12.0]))
        tensor([ 5., 13.])
    """
    return np.hypot(self, other, out=out)


hypot.partials(self=lambda self, out: self / out, other=lambda other, out: other / out)


@hypot.vjp("self")
def hypot_vjp_self(grad: Any, self: Any, out: Any) -> Any:
    return grad * (self / out)


@hypot.vjp("other")
def hypot_vjp_other(grad: Any, other: Any, out: Any) -> Any:
    return grad * (other / out)


@of_two_reals(inplace=True, takes_halves=True, native=native("nextafter"))
def nextafter(self: Array, other: Array, *, out: Any = None) -> Any:
    """The number next to `self` in the direction of `other`, element by element.

    Derivative:
        1 with respect to `self` where the two differ, otherwise 0, as in torch.

    Examples:
        >>> import wengert as wg
        >>> wg.nextafter(wg.tensor([1.0]), wg.tensor([2.0])) - 1
        tensor([1.1921e-07])
    """
    return np.nextafter(self, other, out=out)


@nextafter.vjp("self")
def nextafter_vjp_self(grad: Any, self: Any, other: Any) -> Any:
    return grad.where(self != other, 0)


nextafter.vjp("other")(flat)


def share(one: Any, other: Any) -> Any:
    """Derivative of log(exp(one) + exp(other)) with respect to `one`, of any order, without overflow."""
    return (as_number(one) - as_number(other)).sigmoid()


@of_two_reals(dtypes=REALS | COMPLEXES, native=native("logaddexp"))
def logaddexp(self: Array, other: Array, *, out: Any = None) -> Any:
    """log(exp(self) + exp(other)), element by element, without overflow.

    Args:
        self: floating-point or complex tensor.
        other: floating-point or complex tensor that broadcasts with `self`.

    Examples:
        >>> import wengert as wg
        >>> wg.logaddexp(wg.tensor([0.0, 1000.0]), wg.tensor([0.0, 1000.0]))
        tensor([6.9315e-01, 1.0007e+03])
    """
    return exponentials.logaddexp(self, other, out=out)


logaddexp.partials(self=lambda self, other: share(self, other), other=lambda self, other: share(other, self))


def share_of_two(one: Any, other: Any) -> Any:
    """Derivative of log2(2^one + 2^other) with respect to `one`, as `share`."""
    return ((as_number(one) - as_number(other)) * LOG_2).sigmoid()


@of_two_reals(native=native("logaddexp2"))
def logaddexp2(self: Array, other: Array, *, out: Any = None) -> Any:
    """Logarithm to the base 2 of 2^self + 2^other, element by element, without overflow.

    Examples:
        >>> import wengert as wg
        >>> wg.logaddexp2(wg.tensor([0.0, 10.0]), wg.tensor([0.0, 10.0]))
        tensor([ 1., 11.])
    """
    return exponentials.logaddexp2(self, other, out=out)


logaddexp2.partials(
    self=lambda self, other: share_of_two(self, other), other=lambda self, other: share_of_two(other, self)
)


@pointwise(
    promote="float",
    dtypes=REALS,
    numbers="other",
    inplace=True,
    node=nodes("CopysignBackward0", "CopysignBackward1", by=second_is_number),
    native=native("copysign"),
)
def copysign(self: Array, other: Array, *, out: Any = None) -> Any:
    """`self` with the sign of `other`, element by element; -0.0 counts as negative.

    Args:
        self: real tensor; integers become the default dtype.
        other: real tensor that broadcasts with `self`, or number.

    Returns:
        A new tensor of the broadcast shape.

    Raises:
        RuntimeError: if the shapes do not broadcast.

    Derivative:
        0 where `self` is 0, and with respect to `other`.

    Examples:
        >>> import wengert as wg
        >>> wg.copysign(wg.tensor([1.0, -2.0]), wg.tensor([-0.0, 3.0]))
        tensor([-1.,  2.])
    """
    return np.copysign(self, other, out=out)


@copysign.vjp("self")
def copysign_vjp_self(grad: Any, self: Any, out: Any) -> Any:
    return grad.where(self.signbit() == out.signbit(), -grad).where(self != 0, 0)


copysign.vjp("other")(flat)


@copysign.samples
def copysign_samples(make: Any) -> Any:
    yield from broadcast_pairs(make)
    yield Sample(make(3), -2.5)
    yield Sample(make(8, kind="special"), make(8))
    yield Sample(make(8), make(8, kind="special"))


def of_steps(args: tuple[Any, ...], result: Any) -> str:
    """Refuse an output of `heaviside` of another dtype."""
    kind = "complex tensors" if result.is_complex else "tensors with different dtypes"
    return f"heaviside is not yet implemented for {kind}."


@op(
    batching=elementwise,
    layout="iterator",
    dtypes=ORDERED,
    explained=COMPLEXES,
    larger=True,
    inplace=True,
    node="torch::autograd::NotImplemented",
    out=Out(apart="partly", words=of_steps, recorded=False),
    native=native("heaviside"),
)
def heaviside(self: Array, values: Array) -> Any:
    """The step function: 0 where `self` is negative (or NaN), `values` where it is 0, 1 where it is positive.

    Args:
        self: real tensor.
        values: tensor of the same dtype that broadcasts with `self`.

    Returns:
        A new tensor of the broadcast shape.

    Raises:
        RuntimeError: if the shapes do not broadcast, the dtypes differ, or they are complex.

    Derivative:
        None, as in torch: a backward pass through it raises.

    Examples:
        >>> import wengert as wg
        >>> wg.heaviside(wg.tensor([-1.0, 0.0, 2.0]), wg.tensor(0.5))
        tensor([0.0000, 0.5000, 1.0000])
    """
    if "c" in (self.dtype.kind, values.dtype.kind):
        raise RuntimeError("heaviside is not yet implemented for complex tensors.")
    check_ordered("heaviside", "heaviside_cpu", self)
    if self.dtype != values.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    broadcast(self.shape, values.shape)
    return np.where(self == 0, values, (self > 0).astype(self.dtype))


@heaviside.vjp("self", "values")
def heaviside_vjp(grad: Any) -> Any:
    raise RuntimeError(
        "derivative for aten::heaviside is not implemented. It is 0 wherever there is one: detach() the operands."
    )


@heaviside.jvp("self", "values")
def heaviside_jvp(self_tangent: Any, values_tangent: Any, self: Any, out: Any) -> Any:
    return flat(out) + values_tangent * (self == 0)  # torch refuses this


@heaviside.samples
def heaviside_samples(make: Any) -> Any:
    for sample in pairs_of_any(make):
        sample.args = tuple(value.detach() if isinstance(value, Tensor) else value for value in sample.args)
        yield sample
    yield Bad(
        make(2),
        make(2).to(dtype=from_numpy(np.dtype(np.complex64))),
        raises=RuntimeError,
        says="heaviside is not yet implemented for complex tensors",
    )


def number_among_pair(args: tuple[Any, ...]) -> int:
    """Return 0 for two tensors, 1 if the first operand is a number, 2 if the second one is."""
    if not isinstance(args[0], Tensor):
        return 1
    return 0 if isinstance(args[1], Tensor) else 2


def pairs_with_positive(make: Any) -> Any:
    """Samples of a product with a logarithm."""
    yield Sample(make(3, 4), make(3, 4, kind="positive"))
    yield Sample(make(3, 1), make(4, kind="positive"))
    yield Sample(make(), make(2, kind="positive"))
    yield Sample(make(0, 3), make(3, kind="positive"))
    yield Sample(make(3), 2)
    yield Sample(2, make(3, kind="positive"))
    yield Sample(make(8, kind="special").detach(), make(8, kind="positive"))
    yield Sample(make(8).detach(), make(8, kind="special").detach())
    yield Sample(make(8, kind="special").detach(), make(8, kind="special").detach())
    yield Bad(make(2), make(3, kind="positive"), raises=RuntimeError, says="must match the size of tensor b")
    yield Bad(make(2), "a", raises=TypeError, says="must be Tensor, not str")


times_logarithm = partial(
    pointwise,
    promote="float",
    dtypes=REALS,
    samples=pairs_with_positive,
    describes="""
    Args:
        self: real tensor or number.
        other: real tensor that broadcasts with `self`, or number.

    Returns:
        A new tensor of the broadcast shape; integers become the default dtype.

    Raises:
        RuntimeError: if the shapes do not broadcast.
    """,
)
"""Card decorator for a product with a logarithm."""


def product_with(self: Any, other: Any, logarithm: Any, out: Any) -> Any:
    """self * logarithm(other): 0 where `self` is 0; NaN where `other` is NaN."""
    like = self if hasattr(self, "dtype") else other
    wide, logs = (
        widened(operand) if hasattr(operand, "dtype") else operand + 0 for operand in (self, other)
    )  # no bools
    result = np.asarray(wide * logarithm(logs))
    np.copyto(result, 0, where=(wide == 0) & (logs == logs))  # but NaN
    return narrowed(result, like, out)


@times_logarithm(
    inplace=True,
    native=native("xlogy"),
    node=nodes("XlogyBackward0", "XlogyBackward1", "XlogyBackward2", by=number_among_pair),
)
def xlogy(self: Array, other: Array, *, out: Any = None) -> Any:
    """self * log(other), element by element; 0 where `self` is 0.

    Examples:
        >>> import wengert as wg
        >>> wg.xlogy(wg.tensor([0.0, 2.0]), wg.tensor([0.0, 3.0]))
        tensor([0.0000, 2.1972])
    """
    return product_with(self, other, np.log, out)


@xlogy.vjp("self")
def xlogy_vjp_self(grad: Any, self: Any, other: Any) -> Any:
    return xlogy(grad, other).masked_fill((self == 0) & (other <= 0), 0)  # without a logarithm, which does not count


@xlogy.vjp("other")
def xlogy_vjp_other(grad: Any, self: Any, other: Any) -> Any:
    return grad * self / divisor(self, other, 0)


def divisor(self: Any, other: Any, pole: int) -> Any:
    """`other`, but 1 - `pole` at the pole of a logarithm that does not count, because `self` is 0."""
    if not isinstance(other, Tensor):
        return other if other != pole else other + (self == 0)
    return other.where(~((self == 0) & (other == pole)), 1 + pole)


@times_logarithm(
    name="special_xlog1py",
    public="neither",
    native=native("xlog1py"),
    node=nodes("SpecialXlog1PyBackward0", "SpecialXlog1PyBackward1", "SpecialXlog1PyBackward2", by=number_among_pair),
)
def xlog1py(self: Array, other: Array, *, out: Any = None) -> Any:
    """self * log(1 + other), element by element; 0 where `self` is 0.

    Examples:
        >>> import wengert as wg
        >>> wg.special.xlog1py(wg.tensor([0.0, 2.0]), wg.tensor([-1.0, 3.0]))
        tensor([0.0000, 2.7726])
    """
    return product_with(self, other, np.log1p, out)


@xlog1py.vjp("self")
def xlog1py_vjp_self(grad: Any, self: Any, other: Any) -> Any:
    return xlog1py(grad, other).masked_fill((self == 0) & (other <= -1), 0)


@xlog1py.vjp("other")
def xlog1py_vjp_other(grad: Any, self: Any, other: Any) -> Any:
    return grad * self / (divisor(self, other, -1) + 1)
