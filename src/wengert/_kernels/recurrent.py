"""Recurrent networks in NumPy: one direction of one layer over all steps, forward and backward.

Sequences are packed, the longest first: the rows of step t are those of the first `sizes[t]` sequences, step after
step. The caller computes the contributions of the inputs to the gates, and the gradients of inputs and parameters from
those of the gates: single products over all steps. The functions here compute what depends on the step before.
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
    steps = [(slice(end - count, end), count) for end, count in zip(ends, counts, strict=True)]
    return iter(steps[::-1] if reverse else steps)


def backwards(rows: int, batch: int, sizes: Sizes, reverse: bool) -> Iterator[tuple[slice, int]]:
    """Rows of each step and their number, in the reverse order of the steps."""
    return places(rows, batch, sizes, not reverse)


def states_before(states: Array, first: Array, sizes: Sizes, reverse: bool) -> Array:
    """The state before each step.

    Args:
        states: (rows, size), those after each step.
        first: (batch, size), the first states of the sequences.
        sizes, reverse: as in `rnn_steps`.

    Returns:
        (rows, size), new.
    """
    result, held = np.empty_like(states), first.copy()
    for rows, count in places(len(states), len(first), sizes, reverse):
        result[rows] = held[:count]
        held[:count] = states[rows]
    return result


def taken_over(grad: Array | None, like: Array) -> Array:
    """A copy of a gradient; zeros like `like` if it is None."""
    return np.zeros_like(like) if grad is None else grad.copy()


def rnn_steps(
    inputs: Array, hidden: Array, weight: Array, relu: bool, sizes: Sizes, reverse: bool
) -> tuple[Array, Array]:
    """A plain network: h' = tanh(inputs + weight h), or relu instead of tanh.

    Args:
        inputs: (rows, size).
        hidden: (batch, size), the first state.
        weight: (size, size).
        relu: whether relu is used instead of tanh.
        sizes: number of sequences that reach each step, in descending order; None if all sequences have all steps.
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
    """Gradients of `rnn_steps` with respect to `inputs` and `hidden`.

    Args:
        grad, grad_last: the gradients of its results, or None.
        output: its first result.
        weight, relu, sizes, reverse: the arguments of `rnn_steps`.
        batch: the number of sequences.
    """
    through = relu_backward if relu else tanh_backward
    grad_inputs, carried = np.empty_like(output), taken_over(grad_last, output[:batch])
    for rows, count in backwards(len(output), batch, sizes, reverse):
        total = carried[:count] if grad is None else carried[:count] + grad[rows]
        grad_inputs[rows] = through(total, output[rows])
        carried[:count] = grad_inputs[rows] @ weight
    return grad_inputs, carried


def gru_steps(
    inputs: Array, hidden: Array, weight: Array, bias: Array | None, sizes: Sizes, reverse: bool
) -> tuple[Array, Array, Array, Array]:
    """A network of gated recurrent units.

    Args:
        inputs: (rows, 3 * size), for reset gate, update gate and candidate.
        hidden: (batch, size).
        weight: (3 * size, size).
        bias: (3 * size,), of the contribution of the state, or None.
        sizes, reverse: as in `rnn_steps`.

    Returns:
        The states after all steps, and after the last; gates and candidates of all steps, (rows, 3 * size); the
        contribution of the state to the candidates, (rows, size).
    """
    size = hidden.shape[1]
    output, state = np.empty((len(inputs), size), inputs.dtype), hidden.copy()
    gates, candidates = np.empty_like(inputs), np.empty_like(output)
    for rows, count in places(len(inputs), len(hidden), sizes, reverse):
        recurrent = state[:count] @ weight.T
        if bias is not None:
            recurrent += bias
        current = gates[rows]
        current[:, : 2 * size] = sigmoid(inputs[rows, : 2 * size] + recurrent[:, : 2 * size])
        candidates[rows] = recurrent[:, 2 * size :]
        current[:, 2 * size :] = np.tanh(inputs[rows, 2 * size :] + current[:, :size] * recurrent[:, 2 * size :])
        update, candidate = current[:, size : 2 * size], current[:, 2 * size :]
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
    """Gradients of `gru_steps` with respect to `inputs`, the contribution of the state to the gates, and `hidden`.

    Args:
        grad, grad_last: the gradients of its first two results, or None.
        gates, candidates, output: its results.
        hidden, weight, sizes, reverse: the arguments of `gru_steps`.
    """
    before = states_before(output, hidden, sizes, reverse)
    grad_gates, inner = np.empty_like(gates), np.empty_like(gates)
    carried = taken_over(grad_last, hidden)
    for rows, count in backwards(len(output), len(hidden), sizes, reverse):
        total = carried[:count] if grad is None else carried[:count] + grad[rows]
        reset, update, candidate = np.split(gates[rows], 3, axis=1)
        grad_candidate = total * (1 - update) * (1 - candidate * candidate)
        first = grad_candidate * candidates[rows] * ((1 - reset) * reset)
        second = total * (before[rows] - candidate) * ((1 - update) * update)
        grad_gates[rows] = np.concatenate([first, second, grad_candidate], axis=1)
        inner[rows] = np.concatenate([first, second, grad_candidate * reset], axis=1)
        carried[:count] = total * update + inner[rows] @ weight
    return grad_gates, inner, carried


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
        projection: (width, size), which projects the output of the cell to the hidden state; None if width is size.
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
        current = gates[rows]
        current[:] = sigmoid(sums)
        current[:, 2 * size : 3 * size] = np.tanh(sums[:, 2 * size : 3 * size])
        entered, forget, candidate, opened = np.split(current, 4, axis=1)
        cells[rows] = held[:count] = forget * held[:count] + entered * candidate
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
    """Gradients of `lstm_steps` with respect to `inputs`, `hidden`, `cell` and, with a projection, its results.

    Args:
        grad, grad_hidden, grad_cell: the gradients of its first three results, or None.
        gates, cells: its last two results.
        cell, weight, projection, sizes, reverse: the arguments of `lstm_steps`.
    """
    before = states_before(cells, cell, sizes, reverse)
    grad_gates, held = np.empty_like(gates), taken_over(grad_cell, cell)
    shown = np.zeros((len(gates), weight.shape[1]), gates.dtype)
    carried = taken_over(grad_hidden, shown[: len(cell)])
    for rows, count in backwards(len(gates), len(cell), sizes, reverse):
        shown[rows] = carried[:count] if grad is None else carried[:count] + grad[rows]
        above = shown[rows] if projection is None else shown[rows] @ projection
        entered, forget, candidate, opened = np.split(gates[rows], 4, axis=1)
        squashed = np.tanh(cells[rows])
        grad_held = held[:count] + above * opened * (1 - squashed * squashed)
        parts = (
            grad_held * candidate * ((1 - entered) * entered),
            grad_held * before[rows] * ((1 - forget) * forget),
            grad_held * entered * (1 - candidate * candidate),
            above * squashed * ((1 - opened) * opened),
        )
        grad_gates[rows] = np.concatenate(parts, axis=1)
        held[:count] = grad_held * forget
        carried[:count] = grad_gates[rows] @ weight
    return (grad_gates, carried, held) if projection is None else (grad_gates, carried, held, shown)
