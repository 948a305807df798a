"""Steps of each kind of recurrent network, the cells, which are single steps, and layers run step by step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..._core.cards.arguments import check_list
from ..._core.cards.card import Bad, Sample, composite
from ..._core.tensor.base import Tensor
from ..family import describes
from ..linalg.addmm import addmm
from ..linalg.linear import linear
from ..shapes.join import cat, stack


class Weights(NamedTuple):
    """Parameters of one direction of one layer; both biases are present, or none.

    Attributes:
        ih: (gates, input_size), applied to the input.
        hh: (gates, size), applied to the hidden state.
        bias_ih, bias_hh: (gates,).
        hr: (size, hidden_size), which projects the hidden state of an LSTM to its output.
    """

    ih: Any
    hh: Any
    bias_ih: Any = None
    bias_hh: Any = None
    hr: Any = None


class Kind(NamedTuple):
    """Definition of a kind of recurrent network.

    Attributes:
        name: name of the operator.
        gates: number of rows of the parameters, as a multiple of the size of the hidden state.
        states: number of tensors of the state.
        prepare: function of the inputs of all steps and the weights: returns tensors of which each step gets its
            part.
        make_step: function of the weights: returns the function of these parts and the state that returns the next
            state.
    """

    name: str
    gates: int
    states: int
    prepare: Callable[[Any, Weights], tuple[Any, ...]]
    make_step: Callable[[Weights], Callable[[tuple[Any, ...], tuple[Any, ...]], tuple[Any, ...]]]


def all_gates(inputs: Any, weights: Weights) -> tuple[Any, ...]:
    """Contribution of the inputs to the gates, with all that does not change from step to step."""
    bias = None if weights.bias_ih is None else weights.bias_ih + weights.bias_hh
    return (linear(inputs, weights.ih, bias),)


def split_gates(gates: Any, count: int) -> tuple[Any, ...]:
    """Split concatenated gates, each into memory of its own, where the next steps are ten times faster."""
    *outer, width = gates.shape
    return gates.reshape(*outer, count, width // count).movedim(-2, 0).contiguous().unbind(0)


def gates_split(inputs: Any, weights: Weights) -> tuple[Any, ...]:
    """Contribution of the inputs to the gates of a GRU, split: its step adds to them one by one."""
    return split_gates(linear(inputs, weights.ih, weights.bias_ih), 3)


def elman(activation: str) -> Callable[[Weights], Any]:
    """Return the step of a plain recurrent network: an activation of two linear maps."""

    def make_step(weights: Weights) -> Any:
        recurrent = weights.hh.t()

        def step(inputs: tuple[Any, ...], state: tuple[Any, ...]) -> tuple[Any, ...]:
            return (getattr(addmm(inputs[0], state[0], recurrent), activation)(),)

        return step

    return make_step


def lstm_step(weights: Weights) -> Any:
    """Return the step of an LSTM: the cell times the forget gate, plus the candidate times the input gate."""
    recurrent = weights.hh.t()
    projection = None if weights.hr is None else weights.hr.t()

    def step(inputs: tuple[Any, ...], state: tuple[Any, ...]) -> tuple[Any, ...]:
        hidden, cell = state
        taken, forget, candidate, shown = split_gates(addmm(inputs[0], hidden, recurrent), 4)
        cell = forget.sigmoid() * cell + taken.sigmoid() * candidate.tanh()
        hidden = shown.sigmoid() * cell.tanh()
        return (hidden if projection is None else hidden.mm(projection)), cell

    return step


def gru_step(weights: Weights) -> Any:
    """Return the step of a GRU: a mean of the old state and a candidate, which reads the old state through a gate."""
    recurrent = weights.hh.t()

    def step(inputs: tuple[Any, ...], state: tuple[Any, ...]) -> tuple[Any, ...]:
        reset, update, candidate = inputs
        (hidden,) = state
        of_hidden = hidden.mm(recurrent) if weights.bias_hh is None else addmm(weights.bias_hh, hidden, recurrent)
        own_reset, own_update, own_candidate = split_gates(of_hidden, 3)
        reset, update = (reset + own_reset).sigmoid(), (update + own_update).sigmoid()
        candidate = (candidate + reset * own_candidate).tanh()
        return (candidate + update * (hidden - candidate),)

    return step


RNN_TANH = Kind("rnn_tanh", 1, 1, all_gates, elman("tanh"))
RNN_RELU = Kind("rnn_relu", 1, 1, all_gates, elman("relu"))
LSTM = Kind("lstm", 4, 2, all_gates, lstm_step)
GRU = Kind("gru", 3, 1, gates_split, gru_step)


def check_cell(kind: Kind, input: Any, state: tuple[Any, ...], weights: Weights) -> None:
    """Refuse shapes that do not fit.

    Raises:
        RuntimeError: if they do not fit.
    """
    rows, size = weights.hh.size(0), weights.hh.size(1)
    if rows != kind.gates * size:
        raise RuntimeError(
            f"{kind.name}_cell: weight_hh first dim must be {kind.gates} * hidden_size = {kind.gates * size}, but got "
            f"{rows}"
        )
    if weights.ih.size(0) != rows:
        raise RuntimeError(
            f"weight_ih first dim must be {kind.gates} * hidden_size = {rows}, but got {weights.ih.size(0)}"
        )
    if input.size(1) != weights.ih.size(1):
        raise RuntimeError(f"input has inconsistent input_size: got {input.size(1)} expected {weights.ih.size(1)}")
    for number, tensor in enumerate(state):
        if tensor.size(0) != input.size(0):
            raise RuntimeError(
                f"Input batch size {input.size(0)} doesn't match hidden{number} batch size {tensor.size(0)}"
            )
        if tensor.size(1) != size:
            raise RuntimeError(f"hidden{number} has inconsistent hidden_size: got {tensor.size(1)}, expected {size}")


def cell(kind: Kind, input: Any, state: tuple[Any, ...], weights: Weights) -> tuple[Any, ...]:
    """Run one step."""
    check_cell(kind, input, state, weights)
    return kind.make_step(weights)(kind.prepare(input, weights), state)


CELL = """
    Args:
        input: (N, input_size).
        hx: {hx}.
        w_ih: ({rows}, input_size){gates}.
        w_hh: ({rows}, hidden_size).
        b_ih, b_hh: ({rows},), or None.

    Returns:
        {result}.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.

    Source:
        {source}
    """
STATE = {"hx": "the hidden state, (N, hidden_size)", "result": "The next hidden state, a new tensor (N, hidden_size)"}
STATE_AND_CELL = {
    "hx": "the hidden state and the cell, (N, hidden_size) each",
    "result": "The next hidden state and cell, new tensors (N, hidden_size)",
}
"""Docstring sections of cells with one state, and with two."""


@composite(method=False)
@describes(CELL, **STATE, rows="hidden_size", gates="", source="Elman, Finding structure in time (1990).")
def rnn_tanh_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Any:
    """Step of a plain recurrent network: tanh(input @ w_ih.t() + b_ih + hx @ w_hh.t() + b_hh).

    Examples:
        >>> import wengert as wg
        >>> wg.rnn_tanh_cell(wg.tensor([[1.0]]), wg.tensor([[0.5]]), wg.ones(1, 1), wg.ones(1, 1))
        tensor([[0.9051]])
    """
    return cell(RNN_TANH, input, (hx,), Weights(w_ih, w_hh, b_ih, b_hh))[0]


@composite(method=False)
@describes(
    CELL,
    **STATE,
    rows="hidden_size",
    gates="",
    source="Le, Jaitly, Hinton, A simple way to initialize recurrent networks of rectified linear units (2015).",
)
def rnn_relu_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Any:
    """Step of a plain recurrent network: relu(input @ w_ih.t() + b_ih + hx @ w_hh.t() + b_hh).

    Examples:
        >>> import wengert as wg
        >>> wg.rnn_relu_cell(wg.tensor([[1.0]]), wg.tensor([[0.5]]), wg.ones(1, 1), wg.ones(1, 1))
        tensor([[1.5000]])
    """
    return cell(RNN_RELU, input, (hx,), Weights(w_ih, w_hh, b_ih, b_hh))[0]


@composite(method=False)
@describes(
    CELL,
    **STATE,
    rows="3 * hidden_size",
    gates=": reset gate, update gate, candidate",
    source="Cho et al., Learning phrase representations using RNN encoder-decoder (2014), with the reset gate after "
    "the matrix product.",
)
def gru_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Any:
    """Step of a gated recurrent unit.

    Examples:
        >>> import wengert as wg
        >>> wg.gru_cell(wg.tensor([[1.0]]), wg.tensor([[0.5]]), wg.ones(3, 1), wg.ones(3, 1))
        tensor([[0.5706]])
    """
    return cell(GRU, input, (hx,), Weights(w_ih, w_hh, b_ih, b_hh))[0]


@composite(method=False)
@describes(
    CELL,
    **STATE_AND_CELL,
    rows="4 * hidden_size",
    gates=": input gate, forget gate, candidate, output gate",
    source="Hochreiter, Schmidhuber, Long short-term memory (1997); Gers et al., Learning to forget (2000).",
)
def lstm_cell(
    input: Tensor, hx: Any, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Step of a long short-term memory.

    Examples:
        >>> import wengert as wg
        >>> h, c = wg.lstm_cell(wg.tensor([[1.0]]), (wg.zeros(1, 1), wg.zeros(1, 1)), wg.ones(4, 1), wg.ones(4, 1))
        >>> h, c
        (tensor([[0.3696]]), tensor([[0.5568]]))
    """
    check_list("lstm_cell", "hx", 2, hx)
    if len(hx) != 2:
        raise RuntimeError("lstm_cell expects two hidden states")
    return cell(LSTM, input, tuple(hx), Weights(w_ih, w_hh, b_ih, b_hh))


def samples_of(kind: Kind) -> Callable[[Any], Any]:
    """Samples of a cell."""

    def generate(make: Any) -> Any:
        rows = 2 * kind.gates
        weights = make(rows, 4), make(rows, 2)

        def state(count: int = 3, size: int = 2) -> Any:
            return make(count, size) if kind.states == 1 else (make(count, size), make(count, size))

        yield Sample(make(3, 4), state(), *weights, make(rows), make(rows))
        yield Sample(make(3, 4), state(), *weights)
        yield Bad(make(3, 5), state(), *weights, raises=RuntimeError, says="input has inconsistent input_size: got 5")
        yield Bad(make(3, 4), state(), make(), *weights[1:], raises=IndexError, says="tensor has no dimensions")
        yield Bad(make(2, 4), state(), *weights, raises=RuntimeError, says="doesn't match hidden0 batch size 3")
        yield Bad(make(3, 4), state(size=1), *weights, raises=RuntimeError, says="hidden0 has inconsistent hidden_size")
        if kind.states > 1:
            yield Bad(make(3, 4), (2, 3), *weights, raises=TypeError, says="expected Tensor as element 0 in argument 1")
        yield Bad(
            make(3, 4), state(), make(rows + 1, 4), weights[1], raises=RuntimeError, says="weight_ih first dim must be"
        )

    return generate


for form, kind in ((rnn_tanh_cell, RNN_TANH), (rnn_relu_cell, RNN_RELU), (gru_cell, GRU), (lstm_cell, LSTM)):
    form.samples(samples_of(kind))


# ---- layers step by step ---------------------------------------------------------------------------------------------


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
