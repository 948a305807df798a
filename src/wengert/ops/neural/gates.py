"""Gated and randomised activations: glu, rrelu; and channel_shuffle."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import REALS, WIDE, Array, Bad, Index, InPlace, Number, Sample, composite, op, pointwise
from ..._core.errors import shown, wrong_type
from ..._core.operators.batch_rules import along, folded
from ..._core.tensor.base import Tensor
from ..._core.types.sizes import normalise
from ..._kernels.activation import narrowed
from ..dtype_checks import check_floating
from ..pointwise.piecewise_backward import flat
from ..randomness.generator import default_generator

STEEP = 1e-6
"""Width of the range below which the factors of `rrelu` are not random."""


def check_half(array: Any, dim: int) -> int:
    """Return the dimension that `glu` halves, counted from the front.

    Raises:
        RuntimeError: if its length is odd, or the array has no dimensions.
        NotImplementedError: if the dtype is not floating-point.
    """
    if not array.ndim:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    axis = normalise(dim, array.ndim)
    if array.shape[axis] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {axis} is size {array.shape[axis]}")
    check_floating("glu", "glu_cpu", array)
    return axis


@op(dtypes=REALS, batching=along("dim"), layout="iterator", public="neither", native=kernels.direct_function("glu"))
def glu(self: Array, dim: int = -1, *, out: Any = None) -> Any:
    """First half along a dimension times the sigmoid of the second half.

    Args:
        self: floating tensor.

    Returns:
        A new tensor, half as long along `dim`.

    Raises:
        RuntimeError: if the length is odd.

    Source:
        Dauphin et al., Language modeling with gated convolutional networks (2017).
    """
    axis = check_half(self, dim)
    half, before = self.shape[axis] // 2, (slice(None),) * axis
    first, second = self[(*before, slice(half))], self[(*before, slice(half, None))]
    return np.multiply(first, kernels.sigmoid(second), out=out)


def halves(self: Any, dim: int) -> tuple[Any, Any]:
    """Return the first half along a dimension, and the sigmoid of the second."""
    first, second = self.chunk(2, dim)
    return first, second.sigmoid()


@op(
    dtypes=REALS, batching=along("dim"), linear="grad", public="neither", native=kernels.direct_function("glu_backward")
)
def glu_backward(grad: Array, self: Array, dim: int) -> Any:
    """`grad` times the derivatives of `glu` for both halves of `self`."""
    check_floating("glu_backward", "glu_backward_cpu", grad)
    first, second = np.split(self, 2, dim)
    gate = kernels.sigmoid(second)
    return np.concatenate([grad * gate, kernels.sigmoid_backward(grad * first, gate)], dim)


@glu_backward.vjp("grad")
def glu_backward_vjp_grad(grad_output: Any, self: Any, dim: int) -> Any:
    return glu_jvp(grad_output, self, dim)


@glu_backward.vjp("self")
def glu_backward_vjp_self(grad_output: Any, grad: Any, self: Any, dim: int) -> Any:
    from ..shapes.join import cat

    first, gate = halves(self, dim)
    value, other = grad_output.chunk(2, dim)
    bend = grad * gate * (1 - gate)
    return cat([other * bend, bend * (value + other * first * (1 - gate * 2))], dim)


glu_backward.jvp("self")(glu_backward_vjp_self)  # a symmetric matrix


@glu_backward.samples
def glu_backward_samples(make: Any) -> Any:
    yield Sample(make(3, 2), make(3, 4), 1)
    yield Sample(make(2, 3), make(4, 3), 0)


@glu.vjp("self", native=kernels.direct_function("glu_backward"))
def glu_vjp(grad: Any, self: Any, dim: int) -> Any:
    return glu_backward(grad, self, dim)


@glu.jvp("self")
def glu_jvp(tangent: Any, self: Any, dim: int) -> Any:
    first, gate = halves(self, dim)
    value, other = tangent.chunk(2, dim)
    return value * gate + other * first * gate * (1 - gate)


@glu.samples
def glu_samples(make: Any) -> Any:
    yield Sample(make(3, 4))
    yield Sample(make(4, 3), 0)
    yield Bad(make(3), raises=RuntimeError, says="Halving dimension must be even, but dimension 0 is size 3")


@op(dtypes=REALS, random="like", why="random numbers", public="neither")
def rrelu_noise(input: Index, lower: float, upper: float) -> Any:
    """Factors drawn evenly from [lower, upper) where `input` is not positive, and ones elsewhere."""
    check_floating("rrelu_noise", "rrelu_with_noise_out_cpu", input)
    negative = input <= 0
    noise = np.ones(input.shape, input.dtype)
    drawn = default_generator.draw(kernels.uniform, (int(negative.sum()),), np.float64)
    noise[negative] = lower + (upper - lower) * drawn
    return noise


@rrelu_noise.batched
def rrelu_noise_batched(input: Any, lower: float, upper: float) -> Any:
    return rrelu_noise.call((input, lower, upper))


@rrelu_noise.samples
def rrelu_noise_samples(make: Any) -> Any:
    yield Sample(make(3, kind="positive"), 0.1, 0.3)


@pointwise(dtypes=REALS, linear="grad", layout="like", numbers=False, public="neither")
def rrelu_with_noise_backward(grad: Array, self: Array, noise: Index = None, slope: float = 0.0) -> Any:
    """`grad` where `self` is positive, else times `noise`, or `slope` without noise."""
    return narrowed(np.where(self > 0, grad, grad * (slope if noise is None else noise)), grad, None)


@rrelu_with_noise_backward.vjp("grad")
def rrelu_with_noise_backward_vjp(grad_output: Any, self: Any, noise: Any, slope: float) -> Any:
    return rrelu_with_noise_backward(grad_output, self, noise, slope)


rrelu_with_noise_backward.vjp("self")(flat)


@rrelu_with_noise_backward.samples
def rrelu_with_noise_backward_samples(make: Any) -> Any:
    for noise in (make(3, 4, kind="positive", requires_grad=False), None):
        yield Sample(make(3, 4), make(3, 4, kind="nonzero"), noise, 0.2)


@pointwise(
    name="_rrelu",
    node="RreluWithNoiseBackward0",
    dtypes=REALS,
    inplace=InPlace(renamed=True),
    layout="like",
    numbers=False,
    public="neither",
    kernel="leaky_relu_cpu",
)
def scaled_below(self: Array, noise: Index = None, slope: float = 0.0) -> Any:
    """`self` where it is positive, else times `noise`, or `slope` without noise."""
    check_floating("rrelu", "rrelu_with_noise_out_cpu", self)
    return narrowed(np.where(self > 0, self, self * (slope if noise is None else noise)), self, None)


@scaled_below.vjp("self")
def scaled_below_vjp(grad: Any, self: Any, noise: Any, slope: float) -> Any:
    return rrelu_with_noise_backward(grad, self, noise, slope)


@scaled_below.samples
def scaled_below_samples(make: Any) -> Any:
    yield Sample(make(3, 4, kind="nonzero"), make(3, 4, kind="positive", requires_grad=False), 0.2)
    yield Sample(make(3, 4, kind="nonzero"), None, 0.2)


def read_rrelu(input: Tensor, lower: float, upper: float, training: bool) -> tuple[Any, float]:
    """Return the factors of `rrelu`: a tensor of them, or a single one."""
    for name, value in (("lower", lower), ("upper", upper)):
        if isinstance(value, Tensor) and value.ndim:
            raise TypeError(wrong_type("rrelu", name, 0, "Number", value))
    lower, upper = float(lower), float(upper)
    for name, bound in (("lower", lower), ("upper", upper)):
        if not math.isfinite(bound):
            raise RuntimeError(f"rrelu: {name} bound must be finite, got {bound}")
    if not lower <= upper:
        raise RuntimeError(f"Lower bound should be less than or equal to the upper bound, but got {lower} and {upper}")
    random = training and upper - lower > STEEP
    return (rrelu_noise(input, lower, upper) if random else None), (lower + upper) / 2


@composite(method=False)
def rrelu(
    input: Tensor, lower: Number = 1 / 8, upper: Number = 1 / 3, training: bool = False, generator: Any = None
) -> Any:
    """`input` where it is positive, else times a factor: in training a random one for each element.

    Args:
        input: floating tensor.
        lower: smallest factor.
        upper: largest factor.
        training: if False, all factors are the mean of both.
        generator: must be None.

    Returns:
        A new tensor.

    Raises:
        RuntimeError: if `lower` is greater than `upper`, or one is not finite.

    Source:
        Xu et al., Empirical evaluation of rectified activations in convolutional network (2015).

    Examples:
        >>> import wengert as wg
        >>> wg.rrelu(wg.tensor([-2.0, 3.0]), 0.1, 0.3)
        tensor([-0.4000,  3.0000])
    """
    return scaled_below(input, *read_rrelu(input, lower, upper, training))


def rrelu_(input: Tensor, lower: Number = 1 / 8, upper: Number = 1 / 3, training: bool = False) -> Any:
    """In-place form of `rrelu`.

    Args:
        input: floating tensor.
        lower, upper, training: as for `rrelu`.

    Returns:
        `input`.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.rrelu_(wg.tensor([-2.0, 3.0]), 0.1, 0.3)
        tensor([-0.4000,  3.0000])
    """
    in_place: Any = scaled_below.in_place
    return in_place(input, *read_rrelu(input, lower, upper, training))


@rrelu.samples
def rrelu_samples(make: Any) -> Any:
    yield Sample(make(3, 4, kind="nonzero"))
    yield Sample(make(3, 4, kind="nonzero"), 0.2, 0.2, True)
    yield Bad(make(3), 0.5, 0.3, True, raises=RuntimeError, says="Lower bound should be less than or equal")
    yield Bad(make(3), 0.5, math.inf, raises=RuntimeError, says="rrelu: upper bound must be finite, got inf")


@op(
    dtypes=WIDE,
    linear="self",
    batching=folded(),
    layout="suggested",
    public="function",
    native=kernels.direct_function("channel_shuffle"),
)
def channel_shuffle(self: Array, groups: int) -> Any:
    """Reorder the channels of (N, C, ...): first the first channel of each group, and so on.

    Args:
        self: tensor (N, C, ...) with 3 dimensions or more.
        groups: number of groups of channels.

    Returns:
        A new tensor.

    Raises:
        RuntimeError: if the number of channels is not a multiple of `groups`.

    Examples:
        >>> import wengert as wg
        >>> wg.channel_shuffle(wg.arange(4).reshape(1, 4, 1), 2).flatten()
        tensor([0, 2, 1, 3])
    """
    groups = int(groups)
    check_groups(self.shape, groups)
    items, channels, *rest = self.shape
    parts = self.reshape(items, groups, channels // groups, *rest)
    return np.ascontiguousarray(parts.swapaxes(1, 2)).reshape(self.shape)


def check_groups(shape: tuple[int, ...], groups: int) -> None:
    """Refuse inputs without channels, and a number of channels that is not a multiple of `groups`."""
    if len(shape) < 3:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {shown(shape)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if shape[1] % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {shape[1]} channels and {groups} groups."
        )


@channel_shuffle.vjp("self")
def channel_shuffle_vjp(grad: Any, self_shape: Any, groups: int) -> Any:
    return channel_shuffle(grad, self_shape[1] // int(groups) if self_shape[1] else groups)


@composite(method=False)
def native_channel_shuffle(input: Tensor, groups: int) -> Any:
    """Alias of `channel_shuffle`, which is to be used instead.

    Args:
        input, groups: as for `channel_shuffle`.

    Returns:
        A new tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.native_channel_shuffle(wg.arange(4).reshape(1, 4, 1), 2).flatten()
        tensor([0, 2, 1, 3])
    """
    return channel_shuffle(input, groups)


@channel_shuffle.samples
@native_channel_shuffle.samples
def shuffle_samples(make: Any) -> Any:
    yield Sample(make(2, 6, 3), 3)
    yield Sample(make(1, 4, 2, 2), 2)
    yield Bad(make(2, 5, 3), 2, raises=RuntimeError, says="Got 5 channels and 2 groups")
    yield Bad(make(2, 4), 2, raises=RuntimeError, says="channel_shuffle expects input with > 2 dims")
