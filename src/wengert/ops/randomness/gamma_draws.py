"""Samples of the gamma, Dirichlet and binomial distributions, for `distributions`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import REALS, Array, Bad, Sample, op
from ..._core.operators.batch_rules import elementwise
from ..._core.types.dtypes import from_numpy
from ..._core.types.sizes import broadcast
from ..._kernels.implicit import dirichlet_grad, standard_gamma_grad
from ..._kernels.rejection import binomial_numbers, gamma_numbers
from ..create.factory import refuse_dtype
from .batches import at_once
from .generator import chosen
from .random import numbers_of

drawing = partial(op, dtypes=REALS, random=True, public="function", batching=at_once, shape="like_first")
"""Card decorator for numbers drawn with parameters that are tensors."""


@drawing()
def _standard_gamma(self: Array, generator: Any = None) -> Any:
    """Draw from gamma distributions with the concentrations in `self` and rate 1.

    Args:
        self: concentrations, floating, above 0.

    Returns:
        A new tensor like `self`; its gradient is the derivative of the numbers by their concentrations.

    Examples:
        >>> import wengert as wg
        >>> wg._standard_gamma(wg.ones(3)).shape
        torch.Size([3])
    """
    refuse_dtype("gamma", self, REALS)
    return numbers_of(gamma_numbers, chosen("_standard_gamma", generator), self)


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


drawn_slope = partial(
    op,
    dtypes=REALS,
    public="function",
    why="torch has none: it would be a second derivative of numbers that were drawn",
    batching=elementwise,
)
"""Card decorator for a derivative of drawn numbers."""


@drawn_slope(why=("torch has none: it would be a second derivative of numbers that were drawn", "_standard_gamma_grad"))
def _standard_gamma_grad(self: Array, output: Array) -> Any:
    """Derivative of numbers of gamma distributions with respect to their concentrations.

    Args:
        self: concentrations.
        output: drawn numbers, of the same shape.

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
    """Draw from Dirichlet distributions with the concentrations in the rows of `self`.

    Args:
        self: (..., n) concentrations, floating, above 0.

    Returns:
        A new tensor like `self`, whose rows sum to 1; its gradient is the derivative by the concentrations.
    """
    refuse_dtype("dirichlet", self, REALS)
    drawn = numbers_of(gamma_numbers, chosen("_sample_dirichlet", generator), self.astype(np.float64))
    shares = (drawn / kernels.sum(drawn, -1 if drawn.ndim else None, True)).astype(self.dtype)
    limits = np.finfo(self.dtype)
    return np.fmin(np.fmax(shares, limits.tiny), 1 - limits.epsneg)  # infinities have no fractions


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


@drawn_slope(
    why=("torch has none: it would be a second derivative of numbers that were drawn", "aten::_dirichlet_grad")
)
def _dirichlet_grad(x: Array, alpha: Array, total: Array) -> Any:
    """Derivative of parts of Dirichlet samples by their concentrations, divided by the rest of the sample.

    Args:
        x: the drawn parts.
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


@drawing(why=("numbers of successes are integers", "aten::binomial"), batching=elementwise)
def binomial(count: Array, prob: Array, generator: Any = None) -> Any:
    """Draw numbers of successes in `count` trials with probability `prob`.

    Args:
        count: numbers of trials, floating; a negative number counts as 0.
        prob: probabilities that broadcast with `count`; below 0 they count as 0, above 1 as 1.

    Returns:
        A new tensor of the broadcast shape, of the dtype of `count`.

    Raises:
        ValueError: if a dtype is not floating-point.
        RuntimeError: if the dtypes differ, or a count is NaN.

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.binomial(wg.tensor([10.0, 100.0]), wg.tensor([0.5, 0.5]))
        tensor([ 7., 51.])
    """
    kinds = {"count": from_numpy(count.dtype), "prob": from_numpy(prob.dtype)}
    for name, element in kinds.items():
        if element not in REALS:
            raise ValueError(f"binomial only supports floating-point dtypes for {name}, got: {element.legacy[:-6]}")
    if kinds["count"] != kinds["prob"]:
        names = [element.legacy[:-6] for element in kinds.values()]
        raise RuntimeError(
            f"binomial: prob must have the dtype of count: Found dtype {names[1]} but expected {names[0]}"
        )
    if bool(np.isnan(count).any()):
        raise RuntimeError("binomial: expected counts that are numbers, got NaN")  # torch never returns in this case
    shape = broadcast(count.shape, prob.shape)
    parameters = [np.broadcast_to(operand, shape) for operand in (count, prob)]
    return numbers_of(binomial_numbers, chosen("binomial", generator), *parameters)


@binomial.samples
def binomial_samples(make: Any) -> Any:
    yield Sample(make(2, 3, low=0.1, high=0.9).detach().fill_(5), make(2, 3, low=0.1, high=0.9).detach())
    yield Sample(make(3, kind="negative").detach(), make(2, 1, low=0.1, high=0.9).detach())
    yield Bad(make(2).detach() * float("nan"), make(2), raises=RuntimeError, says="expected counts that are numbers")


__all__ = ["_dirichlet_grad", "_sample_dirichlet", "_standard_gamma", "_standard_gamma_grad", "binomial"]
