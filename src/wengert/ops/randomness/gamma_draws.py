"""Numbers of the gamma, Dirichlet and binomial distributions, which `distributions` draws from."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..._core.cards.card import REALS, Array, Bad, Index, Sample, op
from ..._core.operators.batch_rules import elementwise
from ..._core.types import dtypes
from ..._core.types.dtypes import from_numpy
from ..._core.types.sizes import broadcast
from ..._kernels.implicit import dirichlet_grad, standard_gamma_grad
from ..create.factory import refuse_dtype
from .batches import at_once
from .generator import chosen
from .random import normal_array, uniform_array

drawing = partial(op, dtypes=REALS, random=True, method=False, batching=at_once)
"""The form of numbers drawn with parameters that are tensors."""


def draw_gamma(source: Any, concentration: Any) -> Any:
    """Numbers of the gamma distribution with rate 1, in double precision.

    Source: Marsaglia and Tsang, A simple method for generating gamma variables (2000): the cube of a normal number,
    taken or refused; below a concentration of 1 that of one more, times a power of a uniform number.
    """
    wanted = concentration.astype(np.float64).reshape(-1)
    a = np.where(wanted < 1, wanted + 1, wanted)
    d = a - 1 / 3
    found = np.full(a.shape, np.nan)
    waiting = np.flatnonzero(np.isfinite(a) & (wanted > 0))
    while waiting.size:
        x = normal_array(source, waiting.shape, dtypes.float64)
        u = 1 - uniform_array(source, waiting.shape, dtypes.float64)
        depth = d[waiting]
        v = (1 + x / np.sqrt(9 * depth)) ** 3
        with np.errstate(invalid="ignore"):
            taken = (v > 0) & (np.log(u) < 0.5 * x * x + depth * (1 - v + np.log(v)))
        found[waiting[taken]] = (depth * v)[taken]
        waiting = waiting[~taken]
    small = np.flatnonzero((wanted < 1) & (wanted > 0))
    if small.size:
        u = 1 - uniform_array(source, small.shape, dtypes.float64)
        found[small] *= np.exp(np.log(u) / wanted[small])
    found[wanted == 0] = 0
    return found.reshape(concentration.shape)


def at_least_tiny(drawn: Any, element: Any) -> Any:
    """Numbers in the dtype wanted, none of them 0: their logarithms are asked for."""
    return np.maximum(drawn, np.finfo(element).tiny).astype(element)


@drawing()
def _standard_gamma(self: Array, generator: Any = None) -> Any:
    """Numbers of the gamma distributions with the concentrations in `self` and rate 1.

    Args:
        self: concentrations, floating, above 0.

    Returns:
        A new tensor like `self`; its gradient says how the numbers move with their concentrations.

    Examples:
        >>> import wengert as wg
        >>> wg._standard_gamma(wg.ones(3)).shape
        torch.Size([3])
    """
    refuse_dtype("gamma", self, REALS)
    return at_least_tiny(draw_gamma(chosen("_standard_gamma", generator), self), self.dtype)


@_standard_gamma.vjp("self")
def standard_gamma_vjp(grad: Any, self: Any, out: Any) -> Any:
    return grad * _standard_gamma_grad(self, out)


@_standard_gamma.jvp("self")
def standard_gamma_jvp(self_tangent: Any, self: Any, out: Any) -> Any:
    return self_tangent * _standard_gamma_grad(self, out)


@_standard_gamma.samples
def standard_gamma_samples(make: Any) -> Any:
    yield Sample(make(2, 3, kind="positive"))
    yield Sample(make(0))
    yield Bad(2.0, raises=TypeError, says="must be Tensor")


@op(
    dtypes=REALS,
    method=False,
    derivative=None,
    why="torch has none: it would be a second derivative of numbers that were drawn",
    batching=elementwise,
)
def _standard_gamma_grad(self: Index, output: Index) -> Any:
    """How numbers of gamma distributions move with their concentrations.

    Args:
        self: concentrations.
        output: the numbers drawn, of the same shape.

    Returns:
        A new tensor like `self`.
    """
    refuse_dtype("_standard_gamma_grad_cpu", self, REALS)
    return standard_gamma_grad(self, output)


@_standard_gamma_grad.samples
def standard_gamma_grad_samples(make: Any) -> Any:
    yield Sample(make(2, 3, kind="positive").detach(), make(2, 3, kind="positive").detach())


@drawing()
def _sample_dirichlet(self: Array, generator: Any = None) -> Any:
    """Numbers of the Dirichlet distributions with the concentrations in the rows of `self`.

    Args:
        self: (..., n) concentrations, floating, above 0.

    Returns:
        A new tensor like `self`, whose rows have the sum 1; its gradient says how they move with the concentrations.
    """
    refuse_dtype("dirichlet", self, REALS)
    drawn = np.maximum(draw_gamma(chosen("_sample_dirichlet", generator), self), np.finfo(np.float64).tiny)
    return at_least_tiny(drawn / drawn.sum(-1, keepdims=True), self.dtype)


@_sample_dirichlet.vjp("self")
def sample_dirichlet_vjp(grad: Any, self: Any, out: Any) -> Any:
    rates = _dirichlet_grad(out, self, self.sum(-1, True).expand_as(self))
    return rates * (grad - (out * grad).sum(-1, True))


@_sample_dirichlet.jvp("self")
def sample_dirichlet_jvp(self_tangent: Any, self: Any, out: Any) -> Any:
    moved = _dirichlet_grad(out, self, self.sum(-1, True).expand_as(self)) * self_tangent
    return moved - out * moved.sum(-1, True)


@_sample_dirichlet.samples
def sample_dirichlet_samples(make: Any) -> Any:
    yield Sample(make(2, 3, kind="positive"))
    yield Sample(make(4, kind="positive"))


@op(
    dtypes=REALS,
    method=False,
    derivative=None,
    why="torch has none: it would be a second derivative of numbers that were drawn",
    batching=elementwise,
)
def _dirichlet_grad(x: Index, alpha: Index, total: Index) -> Any:
    """How parts of Dirichlet samples move with their concentrations, divided by the rest of the sample.

    Args:
        x: the parts drawn.
        alpha: their concentrations.
        total: the sums of all concentrations of a sample; all three of one shape.

    Returns:
        A new tensor like `x`.
    """
    refuse_dtype("_dirichlet_grad_cpu", x, REALS)
    return dirichlet_grad(x, alpha, total)


@_dirichlet_grad.samples
def dirichlet_grad_samples(make: Any) -> Any:
    part, total = (make(2, 3, low=low, high=low + 0.8).detach() for low in (0.1, 8))
    yield Sample(part, make(2, 3, kind="positive").detach(), total)


@drawing(derivative=None, why="numbers of successes are integers", batching=elementwise)
def binomial(count: Index, prob: Index, generator: Any = None) -> Any:
    """Numbers of successes in `count` trials with probability `prob`.

    Args:
        count: floating, integers of 0 or more.
        prob: probabilities that broadcast with `count`.

    Returns:
        A new tensor of the broadcast shape, of the dtype of `count`.

    Raises:
        RuntimeError: a negative count.
        ValueError: the dtypes differ.
    """
    refuse_dtype("binomial_cpu", count, REALS)
    if count.dtype != prob.dtype:
        found = [from_numpy(each.dtype) for each in (count, prob)]
        raise ValueError(f"binomial: count and prob must have one dtype, got {found[0]} and {found[1]}")
    if count.size and not bool((count >= 0).all()):
        raise RuntimeError("binomial: expected counts of 0 or more, got a negative one")
    shape = broadcast(count.shape, prob.shape)
    trials, chance = (np.broadcast_to(each, shape).astype(np.float64) for each in (count, prob))
    return successes(chosen("binomial", generator), trials, chance).astype(count.dtype)


def successes(source: Any, trials: Any, chance: Any) -> Any:
    """Numbers of successes: by the inverse of the distribution function, from SciPy, NaN where `chance` is none."""
    rank = uniform_array(source, trials.shape, dtypes.float64)
    found = inverse_binomial()(rank, trials, np.clip(chance, 0, 1))
    return np.where((chance >= 0) & (chance <= 1), found, np.nan)


def inverse_binomial() -> Callable[..., Any]:
    """SciPy's.

    Raises:
        ImportError: SciPy is not installed.
    """
    try:
        from scipy.stats import binom
    except ImportError as error:
        raise ImportError("binomial needs SciPy: pip install 'wengert[full]'") from error
    return binom.ppf  # type: ignore[no-any-return]


@binomial.samples
def binomial_samples(make: Any) -> Any:
    yield Sample(make(2, 3, low=0.1, high=0.9).detach().fill_(5), make(2, 3, low=0.1, high=0.9).detach())
    yield Bad(make(2, kind="negative"), make(2), raises=RuntimeError, says="expected counts of 0 or more")


__all__ = ["_dirichlet_grad", "_sample_dirichlet", "_standard_gamma", "_standard_gamma_grad", "binomial"]
