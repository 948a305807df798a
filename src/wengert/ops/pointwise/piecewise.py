"""Piecewise activation functions: straight lines and exponentials that meet in kinks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core.cards.card import BOOLS, INTEGERS, REALS, Array, Bad, InPlace, Number, Out, Sample, composite, pointwise
from ..._core.cards.plain_case import plain_case
from ..._core.out_errors import FOUND
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._kernels.activation import narrowed, widened
from ..dtype_checks import checked_number
from .activation import floating, hardswish_backward, kept_gradient
from .binary import native
from .piecewise_backward import (
    hardshrink_backward,
    hardtanh_backward,
    leaky_relu_backward,
    prelu_kernel_backward,
    prelu_weight_backward,
    softshrink_backward,
    threshold_backward,
)
from .power import nonzero_tensor
from .smooth_backward import elu_backward

_IN_PACKAGE = ("celu_", "threshold_")


def signed_kinked(make: Any) -> Any:
    """Samples of a function with kinks at whole numbers, for dtypes with negative numbers."""
    if make.dtype.is_signed:
        yield from kinked(make)


def kinked(make: Any) -> Any:
    """Samples of a function with kinks at whole numbers and at 0."""
    yield from nonzero_tensor(make)
    yield Sample(make(3, 4, low=-8, high=8))
    yield Sample(make(8, kind="special"))


@floating(
    layout="like",
    dtypes=REALS | INTEGERS,
    explained=BOOLS,
    samples=signed_kinked,
    native=native("hardtanh"),
    inplace=InPlace(native=native("hardtanh_")),
    kernel="clamp_scalar_cpu",
)
def hardtanh(self: Array, min_val: Number = -1.0, max_val: Number = 1.0, *, out: Any = None) -> Any:
    """`self` limited to the range from `min_val` to `max_val`, element by element.

    Args:
        self: real tensor.
        min_val: lower limit.
        max_val: upper limit.

    Raises:
        ValueError: if `min_val` is greater than `max_val`.
        RuntimeError: if `self` is bool, or unsigned and a limit negative.

    Derivative:
        0 at the limits (`clamp` has 1 there).
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    if self.dtype.kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if self.dtype.kind in "iu":
        min_val, max_val = (checked_number(bound, dtypes.int64) for bound in (min_val, max_val))  # -0.5 becomes 0
        if self.dtype.kind == "u" and min_val < 0:
            raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
        min_val, max_val = (checked_number(bound, dtypes.from_numpy(self.dtype)) for bound in (min_val, max_val))
    return np.minimum(np.maximum(self, self.dtype.type(min_val)), self.dtype.type(max_val), out=out)


@hardtanh.vjp("self", native=native("hardtanh_rule"))
def hardtanh_vjp(grad: Any, self: Any, min_val: float, max_val: float) -> Any:
    return hardtanh_backward(grad, self, min_val, max_val)


@composite(method=False, function=False)
def relu6(input: Any) -> Any:
    """`input` limited to the range from 0 to 6, element by element.

    Args:
        input: real tensor.

    Returns:
        A new tensor of the same shape and dtype.
    """
    return hardtanh(input, 0.0, 6.0)


relu6.samples(kinked)


@floating(inplace=InPlace(native=native("leaky_relu_"), renamed=True), native=native("leaky_relu"))
def leaky_relu(self: Array, negative_slope: Number = 0.01, *, out: Any = None) -> Any:
    """`self` where it is positive, else `negative_slope * self`, element by element.

    Args:
        negative_slope: derivative below 0.

    Derivative:
        `negative_slope` at 0.
    """
    return narrowed(np.where(self > 0, self, self * negative_slope), self, out)


@leaky_relu.vjp("self", native=native("leaky_relu_rule"))
def leaky_relu_vjp(grad: Any, self: Any, negative_slope: float) -> Any:
    return leaky_relu_backward(grad, self, negative_slope)


@leaky_relu.samples
def leaky_relu_samples(make: Any) -> Any:
    yield from kinked(make)
    yield Sample(make(3, kind="nonzero"), 0.5)


@floating(inplace=InPlace(native=native("elu_"), renamed=True), native=native("elu"))
def elu(self: Array, alpha: Number = 1.0, scale: Number = 1.0, input_scale: Number = 1.0, *, out: Any = None) -> Any:
    """scale * self where `self` is positive, else scale * alpha * (exp(input_scale * self) - 1), element by element.

    Args:
        alpha: minus the limit far below 0.
        scale: multiplier of the result.
        input_scale: multiplier in the exponent.

    Derivative:
        At 0 it is that of the exponential part.

    Source:
        Clevert, Unterthiner and Hochreiter, Fast and accurate deep network learning by exponential linear units, 2016.
    """
    wide = widened(self)
    below = np.expm1(np.minimum(wide, 0) * input_scale) * (alpha * scale)
    return narrowed(np.where(wide < 0, below, wide * scale), self, out)  # 0 keeps its sign, whatever alpha is


@elu.vjp("self", native=native("elu_rule"))
def elu_vjp(grad: Any, self: Any, alpha: float, scale: float, input_scale: float) -> Any:
    return elu_backward(grad, self, alpha, scale, input_scale)


@elu.samples
def elu_samples(make: Any) -> Any:
    yield from nonzero_tensor(make)
    yield Sample(make(3, 4, kind="nonzero"), 1.5, 2.0, 0.5)
    yield Sample(make(8, kind="special"))


SELU_ALPHA, SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
"""With these, layers keep mean 0 and variance 1 (Klambauer and others, Self-normalizing neural networks, 2017)."""


@composite(method=False)
def selu(input: Any) -> Any:
    """The self-normalizing exponential linear unit: `elu` with constants that keep mean 0 and variance 1.

    Args:
        input: floating-point tensor.

    Returns:
        A new tensor of the same shape and dtype.

    Examples:
        >>> import wengert as wg
        >>> wg.selu(wg.tensor([-1.0, 0.0, 1.0]))
        tensor([-1.1113,  0.0000,  1.0507])
    """
    return elu(input, SELU_ALPHA, SELU_SCALE)


def selu_(input: Tensor) -> Any:
    """In-place form of `selu`.

    Args:
        input: floating-point tensor.

    Returns:
        `input`.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.selu_(wg.tensor([-1.0, 0.0, 1.0]))
        tensor([-1.1113,  0.0000,  1.0507])
    """
    in_place: Any = elu.in_place
    return in_place(input, SELU_ALPHA, SELU_SCALE)


selu.samples(nonzero_tensor)


@floating(
    public="function", inplace=InPlace(native=native("celu_"), renamed=True), native=native("celu"), kernel="elu_cpu"
)
def celu(self: Array, alpha: Number = 1.0, *, out: Any = None) -> Any:
    """`self` where it is positive, else alpha * (exp(self / alpha) - 1), element by element.

    Args:
        alpha: minus the limit far below 0; not 0.

    Raises:
        RuntimeError: if `alpha` is 0.

    Examples:
        >>> import wengert as wg
        >>> wg.celu(wg.tensor([-1.0, 0.0, 1.0]))
        tensor([-0.6321,  0.0000,  1.0000])
    """
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    wide = widened(self)
    return narrowed(np.where(wide < 0, np.expm1(np.minimum(wide, 0) / alpha) * alpha, wide), self, out)


@celu.vjp("self", native=native("celu_rule"))
def celu_vjp(grad: Any, self: Any, alpha: float) -> Any:
    return elu_backward(grad, self, alpha, 1.0, 1 / alpha)


@celu.samples
def celu_samples(make: Any) -> Any:
    yield from nonzero_tensor(make)
    yield Sample(make(3, kind="nonzero"), 2.0)
    yield Bad(make(2), 0, raises=RuntimeError, says="alpha cannot be 0 for CELU")


@floating(samples=kinked, native=native("hardsigmoid"), inplace=InPlace(by_result=True))
def hardsigmoid(self: Array, *, out: Any = None) -> Any:
    """self / 6 + 1/2 limited to the range from 0 to 1, element by element.

    Derivative:
        0 at -3 and 3.
    """
    wide = widened(self)
    return narrowed(np.minimum(np.maximum(wide + 3, 0), 6) / 6, self, out)


@hardsigmoid.vjp("self", native=native("hardsigmoid_rule"))
def hardsigmoid_vjp(grad: Any, self: Any) -> Any:
    return kept_gradient(grad / 6, (self > -3) & (self < 3))


@floating(samples=kinked, native=native("hardswish"), inplace=InPlace(by_result=True))
def hardswish(self: Array, *, out: Any = None) -> Any:
    """self * hardsigmoid(self), element by element."""
    wide = widened(self)
    return narrowed(wide * np.minimum(np.maximum(wide + 3, 0), 6) / 6, self, out)


@hardswish.vjp("self", native=native("hardswish_backward"))
def hardswish_vjp(grad: Any, self: Any) -> Any:
    return hardswish_backward(grad, self)


@floating(
    dtypes=REALS | INTEGERS,
    public="function",
    inplace=InPlace(apart="never", native=native("threshold_"), renamed=True),
    native=native("threshold"),
)
def threshold(self: Array, threshold: Number, value: Number, *, out: Any = None) -> Any:
    """`self` where it is above `threshold`, else `value`, element by element.

    Args:
        self: real tensor.
        threshold: limit that `self` is compared with.
        value: result where `self` is not above it.

    Returns:
        A new tensor of the same shape and dtype. The in-place form may write memory that elements share.

    Raises:
        RuntimeError: if a number does not fit the dtype.

    Examples:
        >>> import wengert as wg
        >>> wg.threshold(wg.tensor([0.5, 1.5]), 1, -1)
        tensor([-1.0000,  1.5000])
    """
    element = dtypes.from_numpy(self.dtype)
    threshold, value = checked_number(threshold, element), checked_number(value, element)
    return narrowed(np.where(self <= threshold, self.dtype.type(value), self), self, out)


@threshold.vjp("self", native=native("threshold_rule"))
def threshold_vjp(grad: Any, self: Any, threshold: float) -> Any:
    return threshold_backward(grad, self, threshold)


@threshold.samples
def threshold_samples(make: Any) -> Any:
    yield Sample(make(3, 4, kind="nonzero"), threshold=0, value=1)
    yield Sample(make(0, 2), threshold=0, value=1)
    yield Sample(make(8, kind="special"), threshold=0, value=2)
    yield Bad(make(2, dtype=dtypes.int8), threshold=0, value=300, raises=RuntimeError, says="without overflow")


@pointwise(
    layout="like", name="_prelu_kernel", dtypes=REALS, numbers=False, public="neither", native=native("prelu_kernel")
)
def prelu_kernel(self: Array, weight: Array) -> Any:
    """`self` where it is positive, else `weight * self`; shapes broadcast."""
    return np.where(self > 0, self, weight * self)


@prelu_kernel.vjp("self", native=native("prelu_rule"))
def prelu_vjp_self(grad: Any, self: Any, weight: Any) -> Any:
    return prelu_kernel_backward(grad, self, weight)


@prelu_kernel.vjp("weight", native=native("prelu_weight_rule"))
def prelu_vjp_weight(grad: Any, self: Any) -> Any:
    return prelu_weight_backward(grad, self)


@prelu_kernel.samples
def prelu_kernel_samples(make: Any) -> Any:
    yield Sample(make(3, 4, kind="nonzero"), make(1, 4))
    yield Sample(make(0, 2), make(1, 2))


@composite()
def prelu(input: Any, weight: Tensor) -> Any:
    """`input` where it is positive, else `weight * input`, element by element.

    Args:
        input: floating-point tensor.
        weight: one number, or one for each channel (dimension 1 of `input`).

    Returns:
        A new tensor of the same shape and dtype.

    Raises:
        RuntimeError: if the number of weights does not fit, or their dtype differs.

    Examples:
        >>> import wengert as wg
        >>> wg.prelu(wg.tensor([-2.0, 3.0]), wg.tensor([0.1]))
        tensor([-0.2000,  3.0000])
    """
    shape, count = input._array_.shape, weight._array_.size
    if weight.ndim > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.ndim}")
    if count != 1:
        if not shape:
            raise RuntimeError("Not allow zero-dim input tensor.")
        channels = shape[1] if len(shape) > 1 else 1
        if count != channels:
            raise RuntimeError(
                "Mismatch of parameter numbers and input channel size. "
                f"Found parameter numbers = {count} and channel size = {channels}."
            )
    if weight.dtype is not input.dtype:
        names = [operand.dtype.legacy[:-6] for operand in (input, weight)]
        raise RuntimeError(f"prelu: Type promoting not supported. Got {names[0]} and {names[1]}")
    if len(shape) == weight.ndim:
        return prelu_kernel(input, weight)
    lead = min(len(shape), 2)
    return prelu_kernel(input, weight.reshape((1,) * (lead - 1) + (count,) * (lead > 0) + (1,) * (len(shape) - 2)))


@prelu.samples
def prelu_samples(make: Any) -> Any:
    yield Sample(make(3, 4, 2, kind="nonzero"), make(4))
    yield Sample(make(3, kind="nonzero"), make(1))
    yield Bad(make(2, 3), make(2), raises=RuntimeError, says="Mismatch of parameter numbers and input channel size")


prelu = plain_case(prelu, prelu_kernel, native("prelu"))


@floating(samples=kinked, public="both", out=Out(words=FOUND), native=native("hardshrink"))
def hardshrink(self: Array, lambd: Number = 0.5, *, out: Any = None) -> Any:
    """0 where `self` is between -lambd and lambd, else `self`, element by element.

    Args:
        lambd: half the width of the gap.

    Examples:
        >>> import wengert as wg
        >>> wg.hardshrink(wg.tensor([-2.0, 0.3, 1.0]))
        tensor([-2.,  0.,  1.])
    """
    return narrowed(np.where((self >= -lambd) & (self <= lambd), self.dtype.type(0), self), self, out)


@hardshrink.vjp("self", native=native("shrink_rule"))
def hardshrink_vjp(grad: Any, self: Any, lambd: float) -> Any:
    return hardshrink_backward(grad, self, lambd)


@floating(samples=kinked, out=Out(words=FOUND), native=native("softshrink"), kernel="softshrink_check")
def softshrink(self: Array, lambd: Number = 0.5, *, out: Any = None) -> Any:
    """`self` moved towards 0 by `lambd`, but not beyond 0, element by element.

    Args:
        lambd: distance; finite and not negative.

    Raises:
        RuntimeError: if `lambd` is negative or not finite.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.softshrink(wg.tensor([-2.0, 0.3, 1.0]))
        tensor([-1.5000,  0.0000,  0.5000])
    """
    if not 0 <= lambd < math.inf:
        most = np.finfo(np.float32 if self.dtype == np.float16 else self.dtype).max
        raise RuntimeError(
            f"lambda must be in range [0, {most:g}] for input dtype {dtypes.from_numpy(self.dtype).legacy[:-6]}, but "
            f"found {lambd:g}."
        )
    moved = np.where(self > lambd, self - lambd, np.where(self < -lambd, self + lambd, self * 0))
    return narrowed(moved, self, out)


@softshrink.vjp("self", native=native("shrink_rule"))
def softshrink_vjp(grad: Any, self: Any, lambd: float) -> Any:
    return softshrink_backward(grad, self, lambd)
