"""Recurrent networks in NumPy: one direction of one layer over all steps, forward and backward.

Sequences lie side by side, the longest first: the rows of step t are those of the first `sizes[t]` of them, step after
step. What the inputs contribute to the gates is given; what the gradients of the gates give for inputs and parameters
is the caller's. Both are single products over all steps, here is what must wait for the step before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from .activation import relu_backward, sigmoid, tanh_backward
from .results import Array

Sizes: TypeAlias = "tuple[int, ...] | None"


def places(rows: int, batch: int, sizes: Sizes, reverse: bool) -> Iterator[tuple[slice, int]]:
    """The rows of each step and their number, in the order in which the steps are taken."""
    counts = sizes if sizes is not None else (batch,) * (rows // batch)
    ends = np.cumsum(counts).tolist()
    found = [(slice(end - count, end), count) for end, count in zip(ends, counts, strict=True)]
    return iter(found[::-1] if reverse else found)


def backwards(rows: int, batch: int, sizes: Sizes, reverse: bool) -> Iterator[tuple[slice, int]]:
    """The same against the order of the steps."""
    return places(rows, batch, sizes, not reverse)


def states_before(states: Array, first: Array, sizes: Sizes, reverse: bool) -> Array:
    """The state before each step.

    Args:
        states: (rows, size), those after each.
        first: (batch, size), what sequences begin with.
        sizes, reverse: how they lie.

    Returns:
        (rows, size), new.
    """
    made, held = np.empty_like(states), first.copy()
    for rows, count in places(len(states), len(first), sizes, reverse):
        made[rows] = held[:count]
        held[:count] = states[rows]
    return made


def taken_over(given: Array | None, like: Array) -> Array:
    """A copy of a gradient; zeros where none arrived."""
    return np.zeros_like(like) if given is None else given.copy()


def rnn_steps(
    inputs: Array, hidden: Array, weight: Array, relu: bool, sizes: Sizes, reverse: bool
) -> tuple[Array, Array]:
    """A plain network: h' = tanh(inputs + weight h), or relu of it.

    Args:
        inputs: (rows, size).
        hidden: (batch, size), the first state.
        weight: (size, size).
        relu: instead of tanh.
        sizes: how many sequences reach each step, a tuple that does not grow; None if all reach all.
        reverse: whether sequences are read from their ends.

    Returns:
        The states after all steps, (rows, size), and after the last of each sequence, (batch, size).
    """
    output, state = np.empty_like(inputs), hidden.copy()
    for rows, count in places(len(inputs), len(hidden), sizes, reverse):
        sums = inputs[rows] + state[:count] @ weight.T
        output[rows] = state[:count] = np.maximum(sums, 0) if relu else np.tanh(sums)
    return output, state


def rnn_steps_backward(
    grad: Array | None,
    grad_last: Array | None,
    output: Array,
    weight: Array,
    relu: bool,
    batch: int,
    sizes: Sizes,
    reverse: bool,
) -> tuple[Array, Array]:
    """The gradients of `rnn_steps` for `inputs` and `hidden`.

    Args:
        grad, grad_last: the gradients of its results, or None.
        output: its first result.
        weight, relu, sizes, reverse: as they were given.
        batch: the number of sequences.
    """
    through = relu_backward if relu else tanh_backward
    slopes, carried = np.empty_like(output), taken_over(grad_last, output[:batch])
    for rows, count in backwards(len(output), batch, sizes, reverse):
        total = carried[:count] if grad is None else carried[:count] + grad[rows]
        slopes[rows] = through(total, output[rows])
        carried[:count] = slopes[rows] @ weight
    return slopes, carried


def gru_steps(
    inputs: Array, hidden: Array, weight: Array, bias: Array | None, sizes: Sizes, reverse: bool
) -> tuple[Array, Array, Array, Array]:
    """A network of gated recurrent units.

    Args:
        inputs: (rows, 3 * size), for reset gate, update gate and candidate.
        hidden: (batch, size).
        weight: (3 * size, size).
        bias: (3 * size,), of what the state contributes, or None.
        sizes, reverse: as in `rnn_steps`.

    Returns:
        The states after all steps, and after the last; gates and candidates of all steps, (rows, 3 * size); what the
        state contributed to the candidates, (rows, size).
    """
    size = hidden.shape[1]
    output, state = np.empty((len(inputs), size), inputs.dtype), hidden.copy()
    gates, candidates = np.empty_like(inputs), np.empty_like(output)
    for rows, count in places(len(inputs), len(hidden), sizes, reverse):
        own = state[:count] @ weight.T
        if bias is not None:
            own += bias
        made = gates[rows]
        made[:, : 2 * size] = sigmoid(inputs[rows, : 2 * size] + own[:, : 2 * size])
        candidates[rows] = own[:, 2 * size :]
        made[:, 2 * size :] = np.tanh(inputs[rows, 2 * size :] + made[:, :size] * own[:, 2 * size :])
        update, candidate = made[:, size : 2 * size], made[:, 2 * size :]
        output[rows] = state[:count] = candidate + update * (state[:count] - candidate)
    return output, state, gates, candidates


def gru_steps_backward(
    grad: Array | None,
    grad_last: Array | None,
    gates: Array,
    candidates: Array,
    output: Array,
    hidden: Array,
    weight: Array,
    sizes: Sizes,
    reverse: bool,
) -> tuple[Array, Array, Array]:
    """The gradients of `gru_steps` for `inputs`, for what the state contributed to the gates, and for `hidden`.

    Args:
        grad, grad_last: the gradients of its first two results, or None.
        gates, candidates, output: its results.
        hidden, weight, sizes, reverse: as they were given.
    """
    before = states_before(output, hidden, sizes, reverse)
    slopes, inner = np.empty_like(gates), np.empty_like(gates)
    carried = taken_over(grad_last, hidden)
    for rows, count in backwards(len(output), len(hidden), sizes, reverse):
        total = carried[:count] if grad is None else carried[:count] + grad[rows]
        reset, update, candidate = np.split(gates[rows], 3, axis=1)
        slope = total * (1 - update) * (1 - candidate * candidate)
        first = slope * candidates[rows] * ((1 - reset) * reset)
        second = total * (before[rows] - candidate) * ((1 - update) * update)
        slopes[rows] = np.concatenate([first, second, slope], axis=1)
        inner[rows] = np.concatenate([first, second, slope * reset], axis=1)
        carried[:count] = total * update + inner[rows] @ weight
    return slopes, inner, carried


def lstm_steps(
    inputs: Array,
    hidden: Array,
    cell: Array,
    weight: Array,
    projection: Array | None,
    sizes: Sizes,
    reverse: bool,
) -> tuple[Array, Array, Array, Array, Array]:
    """A network of long short-term memory.

    Args:
        inputs: (rows, 4 * size), for input gate, forget gate, candidate and output gate.
        hidden: (batch, width).
        cell: (batch, size).
        weight: (4 * size, width).
        projection: (width, size), which makes the hidden state of what the output gate lets through; None if width is
            size.
        sizes, reverse: as in `rnn_steps`.

    Returns:
        The hidden states after all steps, (rows, width), the last of each sequence, the last cells; gates and
        candidates of all steps, (rows, 4 * size); the cells, (rows, size).
    """
    size = cell.shape[1]
    output = np.empty((len(inputs), hidden.shape[1]), inputs.dtype)
    gates, cells = np.empty_like(inputs), np.empty((len(inputs), size), inputs.dtype)
    state, held = hidden.copy(), cell.copy()
    for rows, count in places(len(inputs), len(hidden), sizes, reverse):
        sums = inputs[rows] + state[:count] @ weight.T
        made = gates[rows]
        made[:] = sigmoid(sums)
        made[:, 2 * size : 3 * size] = np.tanh(sums[:, 2 * size : 3 * size])
        taken, kept, candidate, opened = np.split(made, 4, axis=1)
        cells[rows] = held[:count] = kept * held[:count] + taken * candidate
        shown = opened * np.tanh(held[:count])
        output[rows] = state[:count] = shown if projection is None else shown @ projection.T
    return output, state, held, gates, cells


def lstm_steps_backward(
    grad: Array | None,
    grad_hidden: Array | None,
    grad_cell: Array | None,
    gates: Array,
    cells: Array,
    cell: Array,
    weight: Array,
    projection: Array | None,
    sizes: Sizes,
    reverse: bool,
) -> tuple[Array, ...]:
    """The gradients of `lstm_steps` for `inputs`, `hidden` and `cell`, with a projection also for what that gave.

    Args:
        grad, grad_hidden, grad_cell: the gradients of its first three results, or None.
        gates, cells: its last two results.
        cell, weight, projection, sizes, reverse: as they were given.
    """
    before = states_before(cells, cell, sizes, reverse)
    slopes, held = np.empty_like(gates), taken_over(grad_cell, cell)
    shown = np.zeros((len(gates), weight.shape[1]), gates.dtype)
    carried = taken_over(grad_hidden, shown[: len(cell)])
    for rows, count in backwards(len(gates), len(cell), sizes, reverse):
        shown[rows] = carried[:count] if grad is None else carried[:count] + grad[rows]
        above = shown[rows] if projection is None else shown[rows] @ projection
        taken, kept, candidate, opened = np.split(gates[rows], 4, axis=1)
        squashed = np.tanh(cells[rows])
        slope = held[:count] + above * opened * (1 - squashed * squashed)
        parts = (
            slope * candidate * ((1 - taken) * taken),
            slope * before[rows] * ((1 - kept) * kept),
            slope * taken * (1 - candidate * candidate),
            above * squashed * ((1 - opened) * opened),
        )
        slopes[rows] = np.concatenate(parts, axis=1)
        held[:count] = slope * kept
        carried[:count] = slopes[rows] @ weight
    return (slopes, carried, held) if projection is None else (slopes, carried, held, shown)
