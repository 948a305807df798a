"""Initialisation of parameters. All functions write in place, outside of the graph, and return the tensor."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from .._start.boundary import boundary
from .._tensor import Tensor
from ..autograd import no_grad
from ..ops import asking_by_name
from ..ops.create.interchange import from_numpy
from ..ops.randomness.random import randperm
from ..ops.warned import warn

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]

_CONVOLUTIONS = [f"conv{form}{count}d" for form in ("", "_transpose") for count in (1, 2, 3)]
_GAIN_ONE = frozenset(["linear", "sigmoid", *_CONVOLUTIONS])
_GAINS = {"tanh": 5 / 3, "relu": math.sqrt(2), "selu": 3 / 4}
_LEAST_ACCEPTED = 0.3
_FEWEST_PROPOSALS = 1e-3
"""Least acceptance rates of normal and of uniform proposals for which rejected numbers are drawn again."""

NOTHING_TO_DRAW = "Initializing zero-element tensors is a no-op"


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the factor of weights that keeps the variance through a nonlinear function.

    Args:
        nonlinearity: name of the function, as in `functional`.
        param: `negative_slope` of "leaky_relu", 0.01 if not given.

    Raises:
        ValueError: if the function is unknown, or `param` is not a number.
    """
    if nonlinearity in _GAIN_ONE:
        return 1
    if nonlinearity in _GAINS:
        return _GAINS[nonlinearity]
    if nonlinearity == "leaky_relu":
        if param is not None and (isinstance(param, bool) or not isinstance(param, int | float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        a = 0.01 if param is None else param
        return math.sqrt(2.0 / (1 + a**2))
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


@asking_by_name
@no_grad()
def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with uniform numbers in [a, b)."""
    return tensor.uniform_(a, b, generator=generator)


@asking_by_name
@no_grad()
def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with normal numbers."""
    return tensor.normal_(mean, std, generator=generator)


@no_grad()
def filled(tensor: Tensor, value: float) -> Tensor:
    """Fill a tensor with one value."""
    return tensor.fill_(value)


@asking_by_name
def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with the value `val`."""
    return filled(tensor, val)


@boundary
def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    return filled(tensor, 1.0)


@boundary
def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    return filled(tensor, 0.0)


@boundary
@no_grad()
def eye_(tensor: Tensor) -> Tensor:
    """Fill with the identity matrix.

    Raises:
        ValueError: if `tensor` is not 2-D.
    """
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return _write(tensor, np.eye(*tensor.shape))


@boundary
@no_grad()
def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill a convolution weight such that it passes as many input channels unchanged as possible.

    Args:
        tensor: weight of 3 to 5 dimensions.
        groups: number of groups of the convolution.

    Raises:
        ValueError: if `tensor` is not 3-D to 5-D, or the output channels are not divisible by `groups`.
    """
    if tensor.ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    outputs, inputs, *kernel = tensor.shape
    if outputs % groups:
        raise ValueError("dim 0 must be divisible by groups")
    values = np.zeros(tensor.shape)
    centre = tuple(length // 2 for length in kernel)
    per_group = outputs // groups
    for group in range(groups):
        for channel in range(min(per_group, inputs)):
            values[(group * per_group + channel, channel, *centre)] = 1
    return _write(tensor, values)


@boundary
@no_grad()
def trunc_normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Any = None
) -> Tensor:
    """Fill with normal numbers truncated to [a, b].

    Args:
        tensor: tensor to fill.
        mean: mean of the distribution before truncation.
        std: standard deviation before truncation.
        a: lower bound.
        b: upper bound.
        generator: source of random numbers.

    Raises:
        RuntimeError: if `b` is less than `a`.
        NotImplementedError: if `tensor` is complex, because complex numbers have no order; it is not written to.
    """
    if tensor.dtype.is_complex:
        raise NotImplementedError(f"\"lt_cpu\" not implemented for '{tensor.dtype.legacy[:-6]}'")
    import statistics  # costs too much to be loaded with the package

    mean, std, a, b = float(mean), float(std), float(a), float(b)
    normal = statistics.NormalDist()
    low, high = normal.cdf((a - mean) / std), normal.cdf((b - mean) / std)
    if mean < a - 2 * std or mean > b + 2 * std:
        warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect."
            " (wengert draws it right, but slowly.)"
        )
    if high - low > _LEAST_ACCEPTED:
        return _drawn_again(tensor, mean, std, a, b, generator)
    peak = normal.pdf((max(a, min(mean, b)) - mean) / std)
    if b > a and high - low > _FEWEST_PROPOSALS * peak * (b - a) / std:
        return _proposed(tensor, mean, std, a, b, generator)
    least = np.finfo(np.float64).tiny
    tensor.uniform_(low, high if b < a else max(high, low + least), generator=generator)
    flat = [normal.inv_cdf(min(max(float(p), least), 1 - 2**-53)) for p in tensor._array_.ravel()]
    return _write(tensor, np.clip(np.reshape(flat, tensor.shape) * std + mean, a, b))


def _drawn_again(tensor: Any, mean: float, std: float, a: float, b: float, generator: Any) -> Tensor:
    """Draw normal numbers; replace those outside of [a, b] by further draws."""
    tensor.normal_(mean, std, generator=generator)
    low, high, values = tensor._array_.dtype.type(a), tensor._array_.dtype.type(b), tensor._array_.copy()
    while (outside := (values < low) | (values > high)).any():
        again = tensor.new_empty(tensor.shape).normal_(mean, std, generator=generator)
        values = np.where(outside, again._array_, values)
    return _write(tensor, values)


def _proposed(tensor: Any, mean: float, std: float, a: float, b: float, generator: Any) -> Tensor:
    """Draw uniform numbers in [a, b), and accept them by rejection sampling with the normal density."""
    largest = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    proposal, chance = tensor.new_empty(tensor.shape), tensor.new_empty(tensor.shape)
    values, pending = tensor._array_.copy(), np.ones(tensor.shape, bool)
    while pending.any():
        values = np.where(pending, proposal.uniform_(a, b, generator=generator)._array_, values)
        density = ((proposal - mean) / std) ** 2 * -0.5 - largest
        pending &= chance.uniform_(generator=generator).log()._array_ > density._array_
    return _write(tensor, values)


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """Return the number of input values per output value, and of output values per input value.

    Raises:
        ValueError: if `tensor` has fewer than two dimensions.
    """
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    """Return the fan that `mode` names.

    Raises:
        ValueError: if `mode` is neither "fan_in" nor "fan_out".
    """
    modes = ["fan_in", "fan_out"]
    if mode.lower() not in modes:
        raise ValueError(f"Mode {mode} not supported, please use one of {modes}")
    return _calculate_fan_in_and_fan_out(tensor)[modes.index(mode.lower())]


@boundary
def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with uniform numbers of variance `2 * gain**2 / (fan_in + fan_out)`.

    Source: Glorot and Bengio, Understanding the difficulty of training deep feedforward neural networks, 2010.
    """
    bound = gain * math.sqrt(6.0 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return uniform_(tensor, -bound, bound, generator)


@boundary
def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """Fill with normal numbers of variance `2 * gain**2 / (fan_in + fan_out)`; source as of `xavier_uniform_`."""
    std = gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return normal_(tensor, 0.0, std, generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float | None:
    """Return the standard deviation; None, with a warning, for a tensor without elements."""
    if 0 in tensor.shape:
        warn(NOTHING_TO_DRAW)
        return None
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


@asking_by_name
def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Fill with uniform numbers of variance `gain**2 / fan`.

    Args:
        tensor: weight, output channels first.
        a: `negative_slope` of "leaky_relu".
        mode: "fan_in" keeps the variance in the forward pass, "fan_out" that of gradients in the backward pass.
        nonlinearity: the nonlinear function that follows, see `calculate_gain`.
        generator: source of random numbers.

    Source: He et al., Delving Deep into Rectifiers, 2015.
    """
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    return tensor if std is None else uniform_(tensor, -math.sqrt(3.0) * std, math.sqrt(3.0) * std, generator)


@boundary
def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    """Fill with normal numbers of variance `gain**2 / fan`; arguments and source as of `kaiming_uniform_`."""
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    return tensor if std is None else normal_(tensor, 0.0, std, generator)


@boundary
@no_grad()
def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """Fill with a random matrix with orthonormal rows or columns, whichever are fewer, times `gain`.

    Args:
        tensor: tensor of 2 or more dimensions; all but the first are flattened.
        gain: factor.
        generator: source of random numbers.

    Raises:
        ValueError: if `tensor` has fewer than two dimensions.

    Source: Saxe, McClelland and Ganguli, Exact solutions to the nonlinear dynamics of learning, 2014.
    """
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if 0 in tensor.shape:
        return tensor
    rows, columns = tensor.shape[0], math.prod(tensor.shape[1:])
    drawn = tensor.new_empty((rows, columns)).normal_(generator=generator)._array_.astype(np.float64)
    q, r = np.linalg.qr(drawn.T if rows < columns else drawn)
    q *= np.sign(np.diag(r))  # makes the distribution uniform over all such matrices
    return _write(tensor, gain * (q.T if rows < columns else q).reshape(tensor.shape))


@boundary
@no_grad()
def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """Fill with normal numbers and a fraction of zeros in each column.

    Args:
        tensor: a matrix.
        sparsity: fraction of zeros in each column.
        std: standard deviation of the normal numbers.
        generator: source of random numbers.

    Raises:
        ValueError: if `tensor` is not 2-D.

    Source: Martens, Deep learning via Hessian-free optimization, 2010.
    """
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    tensor.normal_(0, std, generator=generator)
    values = tensor._array_.copy()
    for column in range(columns):
        values[randperm(rows)._array_[:zeros], column] = 0  # from the default generator, as in torch
    return _write(tensor, values)


def uniform_within_fan_in(weight: Tensor, bias: Tensor | None) -> None:
    """Initialise a linear layer or convolution: both tensors uniform in [-1/sqrt(fan_in), 1/sqrt(fan_in))."""
    fan_in, _ = _calculate_fan_in_and_fan_out(weight)
    if 0 in weight.shape:
        warn(NOTHING_TO_DRAW)
    bound = 1 / math.sqrt(fan_in) if fan_in else 0.0
    uniform_(weight, -bound, bound)
    if bias is not None:
        uniform_(bias, -bound, bound)


_no_grad_uniform_, _no_grad_normal_, _no_grad_trunc_normal_ = uniform_, normal_, trunc_normal_
_no_grad_fill_, _no_grad_zero_ = constant_, zeros_


def _write(tensor: Tensor, values: np.ndarray[Any, Any]) -> Tensor:
    """Copy values into a tensor."""
    return tensor.copy_(from_numpy(np.asarray(values, order="C")))


def _older(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Warn that a name is deprecated: the one of today ends in an underscore. Decorates the function."""
    name = function.__name__

    @wraps(function)
    def warned(*args: Any, **kwargs: Any) -> Tensor:
        warn(f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.", FutureWarning)
        return function(*args, **kwargs)

    return boundary(warned)


@_older
def uniform(*args: Any, **kwargs: Any) -> Tensor:
    """An older name of `uniform_`."""
    return uniform_(*args, **kwargs)


@_older
def normal(*args: Any, **kwargs: Any) -> Tensor:
    """An older name of `normal_`."""
    return normal_(*args, **kwargs)


@_older
def constant(*args: Any, **kwargs: Any) -> Tensor:
    """An older name of `constant_`."""
    return constant_(*args, **kwargs)


@_older
def eye(*args: Any, **kwargs: Any) -> Tensor:
    """An older name of `eye_`."""
    return eye_(*args, **kwargs)


@_older
def dirac(*args: Any, **kwargs: Any) -> Tensor:
    """An older name of `dirac_`."""
    return dirac_(*args, **kwargs)


@_older
def xavier_uniform(*args: Any, **kwargs: Any) -> Tensor:
    """An older name of `xavier_uniform_`."""
    return xavier_uniform_(*args, **kwargs)


@_older
def xavier_normal(*args: Any, **kwargs: Any) -> Tensor:
    """An older name of `xavier_normal_`."""
    return xavier_normal_(*args, **kwargs)


@_older
def kaiming_uniform(*args: Any, **kwargs: Any) -> Tensor:
    """An older name of `kaiming_uniform_`."""
    return kaiming_uniform_(*args, **kwargs)


@_older
def kaiming_normal(*args: Any, **kwargs: Any) -> Tensor:
    """An older name of `kaiming_normal_`."""
    return kaiming_normal_(*args, **kwargs)


@_older
def orthogonal(*args: Any, **kwargs: Any) -> Tensor:
    """An older name of `orthogonal_`."""
    return orthogonal_(*args, **kwargs)


@_older
def sparse(*args: Any, **kwargs: Any) -> Tensor:
    """An older name of `sparse_`."""
    return sparse_(*args, **kwargs)
