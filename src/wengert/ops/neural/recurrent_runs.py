"""One direction of one layer of a recurrent network, step by step, composed of operators.

One matrix product applies the input weights to all steps at once; the loop does the rest, which depends on the
previous step.
"""

from __future__ import annotations

from typing import Any

from ..shapes.join import cat, stack
from .recurrent_steps import Kind, Weights

State = tuple[Any, ...]


def run_equal(kind: Kind, inputs: Any, state: State, weights: Weights, reverse: bool) -> tuple[Any, State]:
    """Run one direction of one layer on sequences of one length: (T, N, *) to (T, N, size), and the last state."""
    step = kind.make_step(weights)
    parts = list(zip(*(rows.unbind(0) for rows in kind.prepare(inputs, weights)), strict=True))
    shown = []
    for part in reversed(parts) if reverse else parts:
        state = step(part, state)
        shown.append(state[0])
    return stack(shown[::-1] if reverse else shown), state


def run_packed(
    kind: Kind, inputs: Any, state: State, weights: Weights, reverse: bool, sizes: list[int]
) -> tuple[Any, State]:
    """Run one direction of one layer on packed sequences, the longest first; `sizes[t]` of them reach step t."""
    step = kind.make_step(weights)
    parts = list(zip(*(part.split(sizes) for part in kind.prepare(inputs, weights)), strict=True))
    run = run_packed_backward if reverse else run_packed_forward
    shown, state = run(step, parts, state, sizes)
    return cat(shown), state


def run_packed_forward(step: Any, parts: Any, state: State, sizes: list[int]) -> tuple[list[Any], State]:
    """Run forward: sequences leave at their ends, and their last states are concatenated."""
    shown, ended, size = [], [], sizes[0]
    for part, count in zip(parts, sizes, strict=True):
        if count < size:
            ended.append(tuple(tensor[count:size] for tensor in state))
            state, size = tuple(tensor[:count] for tensor in state), count
        state = step(part, state)
        shown.append(state[0])
    if ended:
        state = tuple(cat(tensor) for tensor in zip(state, *reversed(ended), strict=True))
    return shown, state


def run_packed_backward(step: Any, parts: Any, initial: State, sizes: list[int]) -> tuple[list[Any], State]:
    """Run backward: sequences join at their ends, with their initial states."""
    shown, size = [], sizes[-1]
    state = tuple(tensor[:size] for tensor in initial)
    for part, count in zip(reversed(parts), reversed(sizes), strict=True):
        if count > size:
            joining = [tensor[size:count] for tensor in initial]
            state, size = tuple(cat(tensor) for tensor in zip(state, joining, strict=True)), count
        state = step(part, state)
        shown.append(state[0])
    return shown[::-1], state
