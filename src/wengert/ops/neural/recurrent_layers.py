"""Recurrent layers as single operators: all steps of one direction in one kernel, forward and backward.

The steps composed of operators (`recurrent_cells.py`) remain the definition: errors, batches, tangents, observers and
higher derivatives follow from them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ... import _kernels as kernels
from ..._core import flags
from ..._core.backward.passes import grad as gradients
from ..._core.cards.card import Array, nodes, op
from ..._core.state.modes import current
from ..._core.types import dtypes
from ..._kernels.recurrent import states_before
from . import recurrent_cells
from .norm import fused, fused_gradient
from .recurrent_cells import Kind, State, Weights, run_equal, run_packed

KNOWN = (dtypes.float32, dtypes.float64)
Steps = Callable[..., tuple[Any, ...]]


def flat(array: Any) -> Any:
    """Return arrays as row-major matrices; None for None."""
    return None if array is None else np.ascontiguousarray(array).reshape(-1, array.shape[-1])


def from_inputs(input: Any, weight: Any, *biases: Any) -> Any:
    """Contribution of the inputs of all steps, and of biases, to the gates: (rows, gates)."""
    present = [bias for bias in biases if bias is not None]
    return kernels.linear(flat(input), weight, sum(present[1:], present[0]) if present else None)


def like(output: Any, input: Any) -> Any:
    """Reshape rows to the shape of the input except its last length."""
    return output.reshape(*input.shape[:-1], output.shape[-1])


def states_for_program(states: Any) -> Any:
    """Return the states of all steps for the program: a copy if they may be saved, so that it may write to it."""
    return states.copy() if current().grad else states


def weight_grad(grads: Any, states: Any, first: Any, sizes: Any, reverse: bool) -> Any:
    """Gradient of the recurrent weight, from those of the gates. (With `@`, the threads of a BLAS would wait for more
    work on the processors that our own threads need.)"""
    count = len(first)
    if sizes is not None:
        return kernels.matmul(grads.T, states_before(states, first, sizes, reverse))
    later, start = (grads[:-count], grads[-count:]) if reverse else (grads[count:], grads[:count])
    earlier = states[count:] if reverse else states[:-count]
    result = kernels.matmul(start.T, first)
    if len(later):
        result += kernels.matmul(later.T, earlier)
    return result


def chosen(wanted: tuple[bool, ...], results: tuple[Any, ...]) -> tuple[Any, ...]:
    """Keep the gradients that are wanted, of arrays and functions that compute arrays."""
    kept = [result for result, needed in zip(results, wanted, strict=True) if needed]
    return tuple([result() if callable(result) else result for result in kept])


class History(NamedTuple):
    """Input, states and order of the steps of a layer: what the gradients of its tensors are computed from."""

    input: Any
    weight_ih: Any
    states: Any
    first: Any
    sizes: Any
    reverse: bool

    def gradients(
        self, wanted: tuple[bool, ...], gates: Any, recurrent: Any, first: tuple[Any, ...], *further: Callable[[], Any]
    ) -> tuple[Any, ...]:
        """Return the gradients that are wanted: of input, weights, first states, biases and further tensors.

        Args:
            wanted: which are wanted.
            gates: gradient of what the inputs contribute to the gates.
            recurrent: gradient of what the states contribute to them.
            first: gradients of the first states.
            further: functions that compute those of further tensors.
        """
        results = (
            lambda: like(kernels.matmul(gates, self.weight_ih), self.input),
            lambda: kernels.matmul(gates.T, flat(self.input)),
            lambda: weight_grad(recurrent, self.states, self.first, self.sizes, self.reverse),
            *first,
            lambda: kernels.sum(gates, 0),
            lambda: kernels.sum(recurrent, 0),
            *further,
        )
        return chosen(wanted, results)


def placed_gradients(result: Any, wanted: Any) -> tuple[Any, ...]:
    """Put gradients at their places; None for those that are not wanted."""
    rest = iter(result)
    return tuple([next(rest) if needed else None for needed in wanted])


def through_steps(steps: Steps, grads: Any, tensors: tuple[Any, ...], wanted: Any) -> tuple[Any, ...]:
    """Compute the gradients by the steps composed of operators, which can be differentiated.

    Each tensor is differentiated by an alias, because one may have been computed from another.
    """
    modes = current()
    before = modes.grad, modes.inference
    modes.switch(True, False)
    try:
        copies = [
            tensor.view_as(tensor) if tensor is not None and tensor.requires_grad else tensor for tensor in tensors
        ]
        results = steps(*copies)
        pairs = [(output, grad) for output, grad in zip(results, grads) if grad is not None]
        sources = [tensor for tensor, needed in zip(copies, wanted, strict=True) if needed]
        result = gradients(
            [output for output, _ in pairs],
            sources,
            [grad for _, grad in pairs],
            create_graph=before[0],
            materialize_grads=True,
        )
    finally:
        modes.switch(*before)
    return placed_gradients(result, wanted)


def at_once(*tensors: Any) -> bool:
    """Return whether one kernel may compute a gradient: nothing is recorded, and all tensors are plain arrays."""
    return fused(*tensors) and not any(tensor._flags_ & flags.BATCHED for tensor in tensors if tensor is not None)


layer = partial(op, dtypes=KNOWN, public="hidden")
backward_card = partial(fused_gradient, dtypes=KNOWN, public="hidden")


# ---- plain networks --------------------------------------------------------------------------------------------------


def stack_or_cat(args: tuple[Any, ...]) -> int:
    """Return the index of torch's node of the output: that of the steps stacked, or concatenated if packed."""
    return args[-2] is not None


@layer(
    outputs={"output": True, "last": True, "states": False},
    node=nodes("StackBackward0", "CatBackward0", by=stack_or_cat),
)
def rnn_layer(
    input: Array,
    weight_ih: Array,
    weight_hh: Array,
    hidden: Array,
    bias_ih: Array = None,
    bias_hh: Array = None,
    relu: bool = False,
    sizes: Any = None,
    reverse: bool = False,
) -> Any:
    """All steps of a plain recurrent network.

    Args:
        input: (T, N, input_size); packed, (rows, input_size), with the number of sequences of each step as `sizes`.
        weight_ih, weight_hh, bias_ih, bias_hh: the parameters.
        hidden: (N, size).
        relu: use relu instead of tanh.
        sizes: see `input`.
        reverse: read sequences from their ends.

    Returns:
        The states of all steps, the last states, and the states of all steps once more, to be saved.
    """
    inputs = from_inputs(input, weight_ih, bias_ih, bias_hh)
    states, last = kernels.rnn_steps(inputs, flat(hidden), flat(weight_hh), relu, sizes, reverse)
    return like(states_for_program(states), input), last, states


@rnn_layer.vjp("input", "weight_ih", "weight_hh", "hidden", "bias_ih", "bias_hh")
def rnn_layer_vjp(
    grads: Any,
    input: Any,
    weight_ih: Any,
    weight_hh: Any,
    hidden: Any,
    bias_ih: Any,
    bias_hh: Any,
    relu: bool,
    sizes: Any,
    reverse: bool,
    states: Any,
    wanted: Any,
) -> Any:
    tensors = (input, weight_ih, weight_hh, hidden, bias_ih, bias_hh)
    if at_once(*grads[:2], *tensors):
        result = rnn_layer_backward(*tensors[:4], states, relu, sizes, reverse, wanted, *grads[:2])
        return placed_gradients(result, wanted)
    kind = recurrent_cells.RNN_RELU if relu else recurrent_cells.RNN_TANH
    return through_steps(partial(by_operators, kind, sizes, reverse), grads, tensors, wanted)


@backward_card()
def rnn_layer_backward(
    input: Array,
    weight_ih: Array,
    weight_hh: Array,
    hidden: Array,
    output: Array,
    relu: bool,
    sizes: Any,
    reverse: bool,
    wanted: Any,
    grad: Array = None,
    grad_last: Array = None,
) -> Any:
    """Gradients of `rnn_layer` that are wanted."""
    states, first, batch = flat(output), flat(hidden), len(hidden)
    grads, carried = kernels.rnn_steps_backward(
        flat(grad), flat(grad_last), states, flat(weight_hh), relu, batch, sizes, reverse
    )
    history = History(input, weight_ih, states, first, sizes, reverse)
    return history.gradients(wanted, grads, grads, (carried,))


# ---- gated recurrent units -------------------------------------------------------------------------------------------


@layer(
    outputs={"output": True, "last": True, "gates": False, "candidates": False, "states": False},
    node=nodes("StackBackward0", "CatBackward0", by=stack_or_cat),
)
def gru_layer(
    input: Array,
    weight_ih: Array,
    weight_hh: Array,
    hidden: Array,
    bias_ih: Array = None,
    bias_hh: Array = None,
    sizes: Any = None,
    reverse: bool = False,
) -> Any:
    """All steps of gated recurrent units; arguments as for `rnn_layer`. Returns the results of `gru_steps`, and the
    states of all steps once more."""
    inputs = from_inputs(input, weight_ih, bias_ih)
    states, last, *history = kernels.gru_steps(inputs, flat(hidden), flat(weight_hh), bias_hh, sizes, reverse)
    return like(states_for_program(states), input), last, *history, states


@gru_layer.vjp("input", "weight_ih", "weight_hh", "hidden", "bias_ih", "bias_hh")
def gru_layer_vjp(
    grads: Any,
    input: Any,
    weight_ih: Any,
    weight_hh: Any,
    hidden: Any,
    bias_ih: Any,
    bias_hh: Any,
    sizes: Any,
    reverse: bool,
    gates: Any,
    candidates: Any,
    states: Any,
    wanted: Any,
) -> Any:
    tensors = (input, weight_ih, weight_hh, hidden, bias_ih, bias_hh)
    if at_once(*grads[:2], *tensors):
        result = gru_layer_backward(*tensors[:4], states, gates, candidates, sizes, reverse, wanted, *grads[:2])
        return placed_gradients(result, wanted)
    return through_steps(partial(by_operators, recurrent_cells.GRU, sizes, reverse), grads, tensors, wanted)


@backward_card()
def gru_layer_backward(
    input: Array,
    weight_ih: Array,
    weight_hh: Array,
    hidden: Array,
    output: Array,
    gates: Array,
    candidates: Array,
    sizes: Any,
    reverse: bool,
    wanted: Any,
    grad: Array = None,
    grad_last: Array = None,
) -> Any:
    """Gradients of `gru_layer` that are wanted."""
    states, first = flat(output), flat(hidden)
    grads, inner, carried = kernels.gru_steps_backward(
        flat(grad), flat(grad_last), gates, candidates, states, first, flat(weight_hh), sizes, reverse
    )
    history = History(input, weight_ih, states, first, sizes, reverse)
    return history.gradients(wanted, grads, inner, (carried,))


# ---- long short-term memory ------------------------------------------------------------------------------------------


def lstm_node(args: tuple[Any, ...]) -> int:
    """Return the index of torch's node of an LSTM, which is one operator in single precision."""
    if args[-2] is not None:
        return 1
    return 2 if args[0].dtype == dtypes.float32 and args[7] is None else 0


@layer(
    outputs={"output": True, "last": True, "last_cell": True, "gates": False, "cells": False},
    node=nodes("StackBackward0", "CatBackward0", "MkldnnRnnLayerBackward0", by=lstm_node),
)
def lstm_layer(
    input: Array,
    weight_ih: Array,
    weight_hh: Array,
    hidden: Array,
    cell: Array,
    bias_ih: Array = None,
    bias_hh: Array = None,
    projection: Array = None,
    sizes: Any = None,
    reverse: bool = False,
) -> Any:
    """All steps of long short-term memory; arguments as for `rnn_layer`. Returns the results of `lstm_steps`."""
    inputs = from_inputs(input, weight_ih, bias_ih, bias_hh)
    output, *rest = kernels.lstm_steps(
        inputs, flat(hidden), flat(cell), flat(weight_hh), flat(projection), sizes, reverse
    )
    return like(output, input), *rest


@lstm_layer.vjp("input", "weight_ih", "weight_hh", "hidden", "cell", "bias_ih", "bias_hh", "projection")
def lstm_layer_vjp(
    grads: Any,
    input: Any,
    weight_ih: Any,
    weight_hh: Any,
    hidden: Any,
    cell: Any,
    bias_ih: Any,
    bias_hh: Any,
    projection: Any,
    sizes: Any,
    reverse: bool,
    output: Any,
    gates: Any,
    cells: Any,
    wanted: Any,
) -> Any:
    tensors = (input, weight_ih, weight_hh, hidden, cell, bias_ih, bias_hh, projection)
    if at_once(*grads[:3], *tensors):
        result = lstm_layer_backward(*tensors[:5], output, gates, cells, sizes, reverse, wanted, projection, *grads[:3])
        return placed_gradients(result, wanted)
    return through_steps(partial(by_operators, recurrent_cells.LSTM, sizes, reverse), grads, tensors, wanted)


@backward_card()
def lstm_layer_backward(
    input: Array,
    weight_ih: Array,
    weight_hh: Array,
    hidden: Array,
    cell: Array,
    output: Array,
    gates: Array,
    cells: Array,
    sizes: Any,
    reverse: bool,
    wanted: Any,
    projection: Array = None,
    grad: Array = None,
    grad_last: Array = None,
    grad_cell: Array = None,
) -> Any:
    """Gradients of `lstm_layer` that are wanted."""
    states, first = flat(output), flat(hidden)
    grads, carried, held, *above = kernels.lstm_steps_backward(
        *(flat(grad), flat(grad_last), flat(grad_cell), gates, cells),
        *(flat(cell), flat(weight_hh), flat(projection), sizes, reverse),
    )
    history = History(input, weight_ih, states, first, sizes, reverse)
    projected = partial(projection_grad, above, gates, cells)
    return history.gradients(wanted, grads, grads, (carried, held), projected)


def projection_grad(above: list[Any], gates: Any, cells: Any) -> Any:
    """Gradient of the projection, from that of the projected states: the states before it are computed again."""
    return kernels.matmul(above[0].T, gates[:, 3 * cells.shape[-1] :] * kernels.tanh(cells))


# ---- what takes them -------------------------------------------------------------------------------------------------


def by_operators(kind: Kind, sizes: Any, reverse: bool, *tensors: Any) -> tuple[Any, ...]:
    """Return the steps composed of operators, with the arguments and differentiable results of a layer here."""
    input, weight_ih, weight_hh = tensors[:3]
    state, rest = tensors[3 : 3 + kind.states], tensors[3 + kind.states :]
    weights = Weights(weight_ih, weight_hh, *rest)
    if sizes is None:
        output, last = run_equal(kind, input, state, weights, reverse)
    else:
        output, last = run_packed(kind, input, state, weights, reverse, list(sizes))
    return output, *last


# ---- the choice between one operator and a sequence of operators -----------------------------------------------------


def is_plain(kind: Kind, input: Any, state: State, weights: Weights, sizes: list[int] | None) -> bool:
    """Return whether a layer may be one operator: its tensors are plain arrays of one dtype, and they fit."""
    batch = state[0].shape[0]
    if batch == 0 or input.ndim != (3 if sizes is None else 2) or not sizes_fit(sizes, batch, input.shape):
        return False
    tensors = (input, *state, *[tensor for tensor in weights if tensor is not None])
    modes, word = current(), 0
    for tensor in tensors:
        word |= tensor._flags_
    if (word & modes.mask | modes.word) & flags.UNUSUAL & ~flags.NOTES:
        return False
    dtype = input.dtype
    if dtype not in KNOWN or any(tensor.dtype is not dtype for tensor in tensors):
        return False
    return all(tuple(tensor.shape) == shape for tensor, shape in wanted_shapes(kind, input, state, weights))


def sizes_fit(sizes: list[int] | None, batch: int, shape: tuple[int, ...]) -> bool:
    """Return whether there are steps with numbers of sequences that never increase, and rows for all."""
    if sizes is None:
        return shape[0] > 0 and shape[1] == batch
    falling = all(size >= other for size, other in pairwise(sizes))
    return falling and len(sizes) > 0 and sizes[0] == batch and sizes[-1] > 0 and sum(sizes) == shape[0]


def wanted_shapes(kind: Kind, input: Any, state: State, weights: Weights) -> Any:
    """Return the tensors of a layer, each with the shape that fits the input, and its first and last states."""
    batch, width, size = state[0].shape[0], state[0].shape[-1], state[-1].shape[-1]
    rows = kind.gates * size
    yield state[0], (batch, width)
    yield state[-1], (batch, size)
    yield weights.ih, (rows, input.shape[-1])
    yield weights.hh, (rows, width)
    for bias in (weights.bias_ih, weights.bias_hh):
        if bias is not None:
            yield bias, (rows,)
    if weights.hr is not None or width != size:
        yield (weights.hh if weights.hr is None else weights.hr), (width, size)


def run_at_once(
    kind: Kind, inputs: Any, state: State, weights: Weights, reverse: bool, sizes: Any
) -> tuple[Any, State]:
    """Run one direction of one layer by its operator; return the output, and the last state."""
    tensors = (inputs, weights.ih, weights.hh, *state, weights.bias_ih, weights.bias_hh)
    counts = None if sizes is None else tuple(sizes)
    if kind is recurrent_cells.LSTM:
        result = lstm_layer(*tensors, weights.hr, counts, reverse)
    elif kind is recurrent_cells.GRU:
        result = gru_layer(*tensors, counts, reverse)
    else:
        result = rnn_layer(*tensors, kind is recurrent_cells.RNN_RELU, counts, reverse)
    return result[0], tuple(result[1 : 1 + kind.states])
