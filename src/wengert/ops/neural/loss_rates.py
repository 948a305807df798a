"""Poisson likelihood of counts, and Kullback-Leibler divergence."""

from __future__ import annotations

import math
from typing import Any

from ..._core.cards.card import Bad, Sample, composite
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..axes import read_number
from .loss_margins import reduce_losses


@composite(method=False)
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int) -> Any:
    """Minus the logarithm of the likelihood of counts under Poisson distributions.

    Args:
        input: the expected counts, or their logarithms.
        target: counts, of a shape that broadcasts with it.
        log_input: whether `input` holds logarithms.
        full: add Stirling's approximation of the logarithm of the factorial of counts above 1.
        eps: added to expected counts before their logarithm is taken.
        reduction: 0 for one loss each, 1 for the mean, 2 for the sum.

    Returns:
        A new tensor, 0-dim, or of the common shape.

    Examples:
        >>> import wengert as wg
        >>> wg.poisson_nll_loss(wg.tensor([0.0, 1.0]), wg.tensor([1.0, 2.0]), True, False, 1e-8, 1)
        tensor(0.8591)
    """
    rate: Any = input
    count: Any = target
    eps = read_number("poisson_nll_loss", "eps", 5, eps)
    losses = rate.exp() - count * rate if log_input else rate - count * (rate + eps).log()
    if full:
        many = count > 1
        count = count.where(many, 1)  # the logarithm has no pole if nothing is added
        stirling = count * count.log() - count + 0.5 * (2 * math.pi * count).log()
        further = stirling.where(many, 0)
        # In-place operators round half precision once, without a cast; a write has no Taylor series.
        losses = losses + further if further.dtype is losses.dtype else losses.add_(further)
    return reduce_losses(losses, reduction)


@poisson_nll_loss.samples
def poisson_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(3, 4, kind="positive"), True, True, 1e-8, 1)
    yield Sample(make(3, 4, kind="positive"), make(4, kind="positive"), False, False, 1e-8, 0)


@composite(method=False)
def kl_div(self: Tensor, target: Tensor, reduction: int = 1, *, log_target: bool = False) -> Any:
    """Kullback-Leibler divergence, element by element: target * (log(target) - self).

    Args:
        self: logarithms of probabilities.
        target: probabilities, or their logarithms, of a shape that broadcasts with it.
        reduction: 0 for one loss each, 1 for the mean, 2 for the sum.
        log_target: whether `target` holds logarithms.

    Returns:
        A new tensor, 0-dim, or of the common shape.

    Raises:
        RuntimeError: if an operand is of integers or complex numbers.

    Examples:
        >>> import wengert as wg
        >>> wg.kl_div(wg.tensor([0.5, 0.5]).log(), wg.tensor([0.25, 0.75]), 2)
        tensor(0.1308)
    """
    for operand in (self, target):
        if operand.dtype.is_complex:
            raise RuntimeError("kl_div: Complex inputs not supported.")
        if operand.dtype.category < dtypes.FLOAT:
            raise RuntimeError("kl_div: Integral inputs not supported.")
    wanted: Any = target
    if log_target:
        return reduce_losses(wanted.exp() * (wanted - self), reduction)
    return reduce_losses(wanted.xlogy(wanted) - wanted * self, reduction)


@kl_div.samples
def kl_div_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(3, 4, kind="unit"), 2)
    yield Sample(make(3, 4), make(3, 4), 1, log_target=True)
    yield Bad(make(2, dtype=dtypes.int64), make(2), raises=RuntimeError, says="Integral inputs not supported")
