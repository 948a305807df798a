"""Choice between one operator and a sequence of operators for a layer of a recurrent network."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ..._core import flags
from ..._core.state.modes import current
from . import recurrent_steps
from .recurrent_layers import KNOWN, gru_layer, lstm_layer, rnn_layer
from .recurrent_runs import State
from .recurrent_steps import Kind, Weights


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
    if kind is recurrent_steps.LSTM:
        result = lstm_layer(*tensors, weights.hr, counts, reverse)
    elif kind is recurrent_steps.GRU:
        result = gru_layer(*tensors, counts, reverse)
    else:
        result = rnn_layer(*tensors, kind is recurrent_steps.RNN_RELU, counts, reverse)
    return result[0], tuple(result[1 : 1 + kind.states])
