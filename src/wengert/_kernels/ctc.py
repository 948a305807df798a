"""Connectionist temporal classification in NumPy: sums over all alignments, in logarithms, in double precision.

The labels of an item, with a blank before, between and behind them, are the states (L = 2 S + 1) that an alignment goes
through: at each step of time it stays, goes on by one state, or passes over a blank between labels that differ.

Source:
    Graves et al., Connectionist temporal classification (2006).
"""

from __future__ import annotations

import numpy as np

from . import positions
from .results import Array

Lengths = tuple[int, ...]


def states_of(targets: Array, blank: int) -> tuple[Array, Array]:
    """Labels of the states (N, L), and a mask of those that may be reached by passing over the state before."""
    states = np.full((targets.shape[0], 2 * targets.shape[1] + 1), blank, np.int64)
    states[:, 1::2] = targets
    passing = np.zeros(states.shape, np.bool_)
    passing[:, 2:] = (states[:, 2:] != blank) & (states[:, 2:] != states[:, :-2])
    return states, passing


def emissions(log_probs: Array, states: Array) -> Array:
    """The log-probability of each state's label at each time: (T, N, L)."""
    return np.take_along_axis(log_probs.astype(np.float64), states[None], 2)


def shifted(values: Array, by: int) -> Array:
    """Shift the states by `by`; minus infinity before the first."""
    moved = np.full_like(values, -np.inf)
    if by < values.shape[1]:
        moved[:, by:] = values[:, : values.shape[1] - by]
    return moved


def arrived(values: Array, passing: Array) -> Array:
    """Log-probability of entering each state from the time before."""
    over = np.where(passing, shifted(values, 2), -np.inf)
    return np.logaddexp(np.logaddexp(values, shifted(values, 1)), over)


def forward(seen: Array, passing: Array) -> Array:
    """Forward variables: log-probabilities (T, N, L) of all beginnings of alignments that are in a state at a time."""
    alpha = np.full_like(seen, -np.inf)
    if len(seen):
        alpha[0, :, :2] = seen[0, :, :2]
    for time in range(1, len(seen)):
        alpha[time] = arrived(alpha[time - 1], passing) + seen[time]
    return alpha


def backward(seen: Array, passing: Array, times: Array, ends: Array) -> Array:
    """Backward variables: log-probabilities (T, N, L) of all ends of alignments, in one of the last two states."""
    beta = np.full_like(seen, -np.inf)
    over = np.zeros_like(passing)
    over[:, :-2] = passing[:, 2:]
    over = over[:, ::-1]
    nothing = np.full(passing.shape, -np.inf)
    for time in range(len(seen) - 1, -1, -1):
        later = beta[time + 1] if time + 1 < len(seen) else nothing
        went = arrived(later[:, ::-1], over)[:, ::-1]
        beta[time] = np.where((times == time + 1)[:, None], np.where(ends, 0, -np.inf), went) + seen[time]
        beta[time] = np.where((times > time)[:, None], beta[time], -np.inf)
    return beta


def last_states(count: int, lengths: Lengths) -> Array:
    """Mask (N, L) of the states in which alignments may end: the last label and the blank behind it."""
    place = positions.arange(count)[None]
    last = 2 * np.asarray(lengths, np.int64).reshape(-1, 1)
    return (place == last) | ((place == last - 1) & (last > 0))


def loss(log_probs: Array, targets: Array, times: Lengths, lengths: Lengths, blank: int) -> tuple[Array, Array]:
    """Minus the logarithm of the probability of each item's labels.

    Args:
        log_probs: logarithms of probabilities (T, N, C).
        targets: labels (N, S), each below C.
        times: number of valid steps of each item, at most T.
        lengths: number of valid labels of each item, at most S.
        blank: the label that stands for none.

    Returns:
        The losses (N,), and the logarithms of the probabilities of beginnings (N, T, L).
    """
    with np.errstate(invalid="ignore"):
        states, passing = states_of(targets, blank)
        alpha = forward(emissions(log_probs, states), passing)
        before = np.full((1, *alpha.shape[1:]), -np.inf)
        before[0, :, 0] = 0  # before the first time an alignment is in the first state
        reached = np.concatenate([before, alpha])[np.asarray(times, np.int64), positions.arange(len(times))]
        ending = np.where(last_states(states.shape[1], lengths), reached, -np.inf)
        losses = -np.logaddexp.reduce(ending, axis=1, initial=-np.inf)
    element = log_probs.dtype
    return losses.astype(element), alpha.transpose(1, 0, 2).astype(element)


def logits_grad(log_probs: Array, targets: Array, times: Lengths, lengths: Lengths, blank: int) -> Array:
    """Gradient of each item's loss with respect to the logits of a log-softmax: probabilities minus expected shares.

    NaN for items whose labels do not fit into their time. Arguments as for `loss`; the result is (T, N, C).
    """
    with np.errstate(invalid="ignore"):
        states, passing = states_of(targets, blank)
        seen = emissions(log_probs, states)
        until = np.asarray(times, np.int64)
        ends = last_states(states.shape[1], lengths)
        together = forward(seen, passing) + backward(seen, passing, until, ends) - seen
        together = np.where(np.isneginf(seen), -np.inf, together)
        total = np.logaddexp.reduce(together, axis=2, initial=-np.inf, keepdims=True)
        shares = np.exp(together - total)
        expected = np.zeros(log_probs.shape)
        places = np.broadcast_to(states[None], shares.shape)
        steps, items, _ = np.indices(shares.shape, sparse=True)
        np.add.at(expected, (steps, items, places), shares)
        expected += shares.sum(2, keepdims=True) * 0  # NaN for all labels, if for one
        counted = positions.arange(len(seen))[:, None, None] < until[:, None]
        return np.where(counted, np.exp(log_probs.astype(np.float64)) - expected, 0).astype(log_probs.dtype)
