"""Variance and standard deviation, alone and with the mean."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from ... import _kernels as kernels
from ..._core.cards.card import FLOATS, Array, Bad, Out, Sample, op
from ..._core.graph import anomaly
from ..._core.operators.batch_rules import along
from ..._core.types import dtypes
from ..axes import count_along, read_dims, real_part, restored, summed
from ..dtype_checks import checked_number
from ..pointwise.binary import native

TOO_FEW = (
    "{}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel "
    "divided by output numel)."
)

Spread = tuple[Any, float, bool]
"""dim, correction, keepdim."""


def read_spread(name: str, dim: Any, unbiased: Any, keepdim: bool, correction: Any) -> Spread:
    """Read the arguments of a variance in both of torch's forms: `correction`, and the older `unbiased`.

    Raises:
        TypeError: if both forms are mixed, or `unbiased` is not a bool.
    """
    if isinstance(dim, bool):
        if unbiased is not None or keepdim:
            raise TypeError(f"{name}() received an invalid combination of arguments: dim must be int, not bool")
        dim, unbiased = None, dim
    if unbiased is not None:
        if correction is not None or not isinstance(unbiased, bool):
            raise TypeError(
                f"{name}() received an invalid combination of arguments: give correction or unbiased, a bool, not both"
            )
        correction = 1 if unbiased else 0
    return dim, 1 if correction is None else checked_number(correction, dtypes.float64), keepdim


def check_inexact(name: str, array: Any) -> None:
    """Refuse the variance of integers.

    Raises:
        RuntimeError: if the array is of integers.
    """
    if array.dtype.kind not in "fcV":
        title = name if "mean" in name else "std and var"
        raise RuntimeError(f"{title} only support floating point and complex dtypes")


def variance(array: Any, spread: Spread, name: str, root: bool = False) -> Any:
    """Variance of an array, or its root; with a warning if there are too few elements.

    Raises:
        RuntimeError: if the array is of integers.
    """
    dim, correction, keepdim = spread
    check_inexact(name, array)
    axes = read_dims("var", dim, array.ndim)
    if correction >= count_along(array.shape, dim):
        anomaly.warn(TOO_FEW.format(name))
    return kernels.variance(array, axes, correction, keepdim, root)


def variance_gradient(grad: Any, self: Any, spread: Spread) -> Any:
    """Gradient of a variance: grad * 2 / (n - correction) * (self - mean)."""
    dim, correction, keepdim = spread
    shape = self.shape
    freedom = count_along(shape, dim) - correction
    if not shape:
        dim = None
    if dim is None and freedom <= 0:
        # 2 / 0 is infinite: NaN for elements that equal the mean, else infinity.
        return grad * (self - self.mean()).detach().abs().mul(math.inf)
    centre = self.mean(dim, True) if dim is not None else self.mean()
    factor = 2.0 / freedom if freedom else math.inf
    return restored(grad, shape, dim, keepdim) * factor * (self - centre)


def deviation_gradient(grad: Any, deviation: Any, self: Any, spread: Spread) -> Any:
    """Gradient of a standard deviation; zero where the deviation is zero."""
    return variance_gradient((grad / (deviation * 2)).masked_fill(deviation == 0, 0), self, spread)


def spread_tangent(tangent: Any, grad: Any, spread: Spread) -> Any:
    """Tangent of a variance or standard deviation."""
    return real_part(summed(tangent, grad, spread[0], spread[2]))


def spread_samples(make: Any) -> Any:
    """Samples of a variance."""
    yield Sample(make(3, 4))
    yield Sample(make(3, 4), 0)
    yield Sample(make(3, 4), False)
    yield Sample(make(3, 4), 0, True, True)
    yield Sample(make(2, 3, 4), (0, -1), keepdim=True, correction=0)
    yield Bad(make(3), 2, raises=IndexError, says="Dimension out of range")
    yield Bad(make(3), 0, unbiased=True, correction=1, raises=TypeError, says="invalid combination of arguments")
    yield Bad(make(3), 0, 1, raises=TypeError, says="invalid combination of arguments")
    yield Bad(make(3), True, True, raises=TypeError, says="invalid combination of arguments")


def moment_batched(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of a variance or standard deviation."""
    dim, correction, keepdim = read_spread(op.name, *args[1:])
    return along("dim")(op, size, [args[0], dim, None, keepdim, correction], carried)


moment = partial(
    op,
    batching=moment_batched,
    dtypes=FLOATS,
    samples=spread_samples,
    describes="""
    Args:
        self: floating or complex tensor.
        dim: the dimension or dimensions; None or () for all of them.
        unbiased: the older form of `correction`: True for 1, False for 0; it may be passed in place of `dim`.
        correction: number subtracted from the number of elements before dividing by it; 1 by default.

    Returns:
        A new real tensor; NaN or infinite where the divisor is not positive.

    Raises:
        RuntimeError: if `self` is of integers.
    """,
)
"""Card decorator for a variance or standard deviation."""


@moment(native=native("var"), out=Out(words=None))
def var(self: Array, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Any:
    """Variance over dimensions.

    Examples:
        >>> import wengert as wg
        >>> wg.var(wg.tensor([1.0, 2.0, 3.0, 4.0]))
        tensor(1.6667)
    """
    return variance(self, read_spread("var", dim, unbiased, keepdim, correction), "var")


var.shows(dim="as dimensions of variance", correction="as correction")


@var.vjp("self", native=native("var_rule"))
def var_vjp(grad: Any, self: Any, dim: Any, unbiased: Any, keepdim: bool, correction: Any) -> Any:
    return variance_gradient(grad, self, read_spread("var", dim, unbiased, keepdim, correction))


@var.jvp("self")
def var_jvp(tangent: Any, self: Any, out: Any, dim: Any, unbiased: Any, keepdim: bool, correction: Any) -> Any:
    spread = read_spread("var", dim, unbiased, keepdim, correction)
    return spread_tangent(tangent, variance_gradient(out.new_ones(out.shape), self, spread), spread)


@moment(native=native("std"), out=Out(words=None))
def std(self: Array, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Any:
    """Standard deviation over dimensions.

    Derivative:
        Zero where the deviation is zero.

    Examples:
        >>> import wengert as wg
        >>> wg.std(wg.tensor([1.0, 2.0, 3.0, 4.0]), correction=0)
        tensor(1.1180)
    """
    return variance(self, read_spread("std", dim, unbiased, keepdim, correction), "std", True)


std.shows(dim="as dimensions of variance", correction="as correction")


@std.vjp("self", native=native("std_rule"))
def std_vjp(grad: Any, self: Any, out: Any, dim: Any, unbiased: Any, keepdim: bool, correction: Any) -> Any:
    return deviation_gradient(grad, out, self, read_spread("std", dim, unbiased, keepdim, correction))


@std.jvp("self")
def std_jvp(tangent: Any, self: Any, out: Any, dim: Any, unbiased: Any, keepdim: bool, correction: Any) -> Any:
    spread = read_spread("std", dim, unbiased, keepdim, correction)
    return spread_tangent(tangent, deviation_gradient(out.new_ones(out.shape), out, self, spread), spread)


def mean_gradient(grad: Any, self: Any, spread: Spread) -> Any:
    """Gradient of the mean that is returned beside a variance."""
    dim, _, keepdim = spread
    return restored(grad / max(1, count_along(self.shape, dim)), self.shape, dim, keepdim).expand(self.shape)


def total(first: Any, second: Any) -> Any:
    """Sum of two gradients, each of which may be None."""
    if first is None or second is None:
        return second if first is None else first
    return first + second


@moment(public="function", outputs={"spread": True, "centre": True}, native=native("var_mean"))
def var_mean(
    self: Array, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
) -> Any:
    """Variance and mean over dimensions.

    Returns:
        Two new tensors.

    Examples:
        >>> import wengert as wg
        >>> wg.var_mean(wg.tensor([1.0, 2.0, 3.0, 4.0]))
        (tensor(1.6667), tensor(2.5000))
    """
    spread = read_spread("var_mean", dim, unbiased, keepdim, correction)
    return variance(self, spread, "var_mean"), kernels.mean(self, read_dims("var_mean", spread[0], self.ndim), keepdim)


var_mean.shows(dim="as dimensions of variance", correction="as correction")


@var_mean.vjp("self")
def var_mean_vjp(grads: Any, self: Any, dim: Any, unbiased: Any, keepdim: bool, correction: Any) -> Any:
    spread = read_spread("var_mean", dim, unbiased, keepdim, correction)
    of_variance = None if grads[0] is None else variance_gradient(grads[0], self, spread)
    return total(of_variance, None if grads[1] is None else mean_gradient(grads[1], self, spread))


@var_mean.jvp("self")
def var_mean_jvp(tangent: Any, self: Any, spread: Any, dim: Any, unbiased: Any, keepdim: bool, correction: Any) -> Any:
    moved = var_jvp(tangent, self, spread, dim, unbiased, keepdim, correction)
    return moved, tangent.mean(read_spread("var_mean", dim, unbiased, keepdim, correction)[0], keepdim)


@moment(public="function", outputs={"spread": True, "centre": True}, native=native("std_mean"))
def std_mean(
    self: Array, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
) -> Any:
    """Standard deviation and mean over dimensions.

    Returns:
        Two new tensors.

    Examples:
        >>> import wengert as wg
        >>> wg.std_mean(wg.tensor([1.0, 2.0, 3.0, 4.0]))
        (tensor(1.2910), tensor(2.5000))
    """
    spread = read_spread("std_mean", dim, unbiased, keepdim, correction)
    deviation = variance(self, spread, "std_mean", True)
    return deviation, kernels.mean(self, read_dims("std_mean", spread[0], self.ndim), keepdim)


std_mean.shows(dim="as dimensions of variance", correction="as correction")


@std_mean.vjp("self")
def std_mean_vjp(grads: Any, self: Any, spread: Any, dim: Any, unbiased: Any, keepdim: bool, correction: Any) -> Any:
    arguments = read_spread("std_mean", dim, unbiased, keepdim, correction)
    of_deviation = None if grads[0] is None else deviation_gradient(grads[0], spread, self, arguments)
    return total(of_deviation, None if grads[1] is None else mean_gradient(grads[1], self, arguments))


@std_mean.jvp("self")
def std_mean_jvp(tangent: Any, self: Any, spread: Any, dim: Any, unbiased: Any, keepdim: bool, correction: Any) -> Any:
    moved = std_jvp(tangent, self, spread, dim, unbiased, keepdim, correction)
    return moved, tangent.mean(read_spread("std_mean", dim, unbiased, keepdim, correction)[0], keepdim)
