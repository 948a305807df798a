"""Recurrent networks over whole sequences: layers, directions, sequences of different lengths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..._core.cards.arguments import check_list
from ..._core.cards.card import Bad, Sample, composite
from ..._core.errors import wrong_type
from ..._core.tensor.base import Tensor
from ..family import describes
from ..shapes.join import cat, stack
from .dropout import dropout
from .recurrent_cells import GRU, LSTM, RNN_RELU, RNN_TANH, Kind, State, Weights, run_equal, run_packed
from .recurrent_layers import is_plain, run_at_once


def grouped(kind: Kind, params: Any, has_biases: bool, count: int, projects: bool) -> list[Weights]:
    """Divide the parameters among layers and directions, `count` in all.

    Raises:
        RuntimeError: if the number of parameters does not fit.
    """
    per_layer = 2 + 2 * bool(has_biases) + projects
    if len(params) != per_layer * count:
        raise RuntimeError(
            f"got an incorrect number of RNN parameters: {kind.name} takes {per_layer * count} of them for {count} "
            f"layers and directions, not {len(params)}"
        )
    layers = [params[at : at + per_layer] for at in range(0, len(params), per_layer)]
    if not projects:
        return [Weights(*tensors) for tensors in layers]
    return [Weights(*tensors[:-1])._replace(hr=tensors[-1]) for tensors in layers]


def check_states(kind: Kind, inputs: Any, state: State, weights: list[Weights]) -> None:
    """Refuse states that are not one for each layer and direction, and other dtypes than the input's.

    Raises:
        RuntimeError: if a number or dtype does not fit.
    """
    for tensor in state:
        if tensor.ndim != 3 or tensor.shape[0] != len(weights):
            raise RuntimeError(
                f"Expected {'more' if tensor.ndim == 3 and tensor.shape[0] < len(weights) else 'other'} hidden states "
                f"in stacked_rnn: {kind.name} takes ({len(weights)}, batch, size) for {len(weights)} layers and "
                f"directions, got {tuple(tensor.shape)}"
            )
    for what, tensor in (*(("hidden", tensor) for tensor in state), ("parameter", weights[0].ih)):
        if tensor.dtype != inputs.dtype:
            raise RuntimeError(
                f"mat1 and mat2 must have the same dtype: {kind.name} got an input of {inputs.dtype} and a {what} of "
                f"{tensor.dtype}"
            )


def run(
    kind: Kind, inputs: Any, state: State, weights: Weights, reverse: bool, sizes: list[int] | None
) -> tuple[Any, State]:
    """Run one direction of one layer: in one call if its tensors are plain, otherwise step by step."""
    if is_plain(kind, inputs, state, weights, sizes):
        return run_at_once(kind, inputs, state, weights, reverse, sizes)
    if sizes is None:
        return run_equal(kind, inputs, state, weights, reverse)
    return run_packed(kind, inputs, state, weights, reverse, sizes)


def stacked(
    kind: Kind, inputs: Any, sizes: list[int] | None, state: State, weights: list[Weights], options: Any
) -> tuple[Any, ...]:
    """Run all layers; return the output of the last one, and the last states of each layer and direction."""
    num_layers, rate, train, bidirectional = options
    check_states(kind, inputs, state, weights)
    if sizes is None and inputs.shape[0] == 0:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    initial = list(zip(*(tensor.unbind(0) for tensor in state), strict=True))
    last = []
    directions = 2 if bidirectional else 1
    for layer in range(num_layers):
        shown = []
        for at in range(layer * directions, (layer + 1) * directions):
            reverse = at % directions == 1
            result, final = run(kind, inputs, initial[at], weights[at], reverse, sizes)
            shown.append(result)
            last.append(final)
        inputs = cat(shown, -1) if bidirectional else shown[0]
        if rate and train and layer < num_layers - 1:
            inputs = dropout(inputs, rate, True)
    return inputs, *(stack(tensor) for tensor in zip(*last, strict=True))


def check_states_given(kind: Kind, sizes: Any, state: Any, params: Any) -> State:
    """Return the states of a network, which may have a single one; refuse anything but tensors.

    Raises:
        TypeError: if the states, the parameters or the batch sizes are not tensors.
    """
    further = 0 if sizes is None else 1
    if further and not isinstance(sizes, Tensor):
        raise TypeError(wrong_type(kind.name, "batch_sizes", 2, "Tensor", sizes))
    if kind.states == 1:
        if not isinstance(state, Tensor):
            raise TypeError(wrong_type(kind.name, "hx", 2 + further, "Tensor", state))
        state = (state,)
    check_list(kind.name, "hx", 2 + further, state)
    check_list(kind.name, "params", 3 + further, params)
    return tuple(state)


def apply_network(kind: Kind, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Run a network on a batch of sequences of one length, or on packed ones, as the second argument says.

    Raises:
        RuntimeError: if the arguments do not fit.
    """
    input, state, params, *options = arguments
    packed = isinstance(params, Tensor) or (kind.states > 1 and isinstance(state, Tensor))
    if packed:
        sizes, state, params, has_biases, *options = arguments[1:]
        batch_first = False
    else:
        has_biases, *options, batch_first = options
        sizes = None
    state = check_states_given(kind, sizes, state, params)
    if not input.ndim:
        raise RuntimeError(f"{kind.name}: both arguments to linear need to be at least 1D, but the input is 0D")
    if len(state) != kind.states:
        raise RuntimeError(f"{kind.name} expects two hidden states")
    num_layers, _, _, bidirectional = options
    projects = kind.states > 1 and state[0].shape[-1:] != state[1].shape[-1:]
    weights = grouped(kind, params, has_biases, num_layers * (2 if bidirectional else 1), projects)
    if batch_first:
        input = input.transpose(0, 1)
    counts = None if sizes is None else sizes.tolist()
    output, *last = stacked(kind, input, counts, state, weights, options)
    if batch_first:  # in place as in torch, except for networks with cells
        output = output.transpose_(0, 1) if kind.states == 1 else output.transpose(0, 1)
    return output, *last


SECTIONS = """
    Args:
        input: (T, N, input_size); for packed sequences the data, (all steps, input_size).
        hx: the initial state, (layers * directions, N, size); {hx}. For packed sequences
            the batch sizes come here, int64, and then all else up to `bidirectional`.
        params: for each layer and direction the weights for the input, (gates * size, input_size), and for the state,
            (gates * size, size), then their biases, if there are any{projection}.
        has_biases: whether there are biases.
        num_layers: number of layers.
        dropout: probability of dropout between layers.
        train: whether there is dropout.
        bidirectional: whether each layer runs in both directions.
        batch_first: whether input and output are (N, T, *).

    Returns:
        New tensors: the output of the last layer, (T, N, directions * size), and for each layer and direction {last}.

    Raises:
        RuntimeError: if shapes, dtypes or the number of parameters do not fit, or there are no steps.
    """


def samples_of(kind: Kind) -> Callable[[Any], Any]:
    """Samples of a network."""

    def generate(make: Any) -> Any:
        rows = 2 * kind.gates
        plain = [make(rows, 4), make(rows, 2)]
        biased = [make(rows, 4), make(rows, 2), make(rows), make(rows)]
        deep = [make(rows, width) for width in (4, 2) * 4]

        def state(layers: int) -> Any:
            return make(layers, 3, 2) if kind.states == 1 else (make(layers, 3, 2), make(layers, 3, 2))

        yield Sample(make(5, 3, 4), state(1), biased, True, 1, 0.0, False, False, False)
        yield Sample(make(3, 2, 4), state(4), deep, False, 2, 0.0, True, True, True)
        yield Bad(
            *(make(5, 3, 4), state(1), plain, True, 1, 0.0, False, False, False),
            raises=RuntimeError,
            says="got an incorrect number of RNN parameters",
        )
        yield Bad(
            *(make(0, 3, 4), state(1), plain, False, 1, 0.0, False, False, False),
            raises=RuntimeError,
            says="Expected sequence length to be larger than 0 in RNN",
        )
        yield Bad(
            *(make(5, 3, 4), state(1), [*plain, *plain], False, 2, 0.0, False, False, False),
            raises=RuntimeError,
            says="Expected more hidden states in stacked_rnn",
        )
        options = (True, 1, 0.0, False, False, False)
        yield Bad(make(5, 3, 4), {1: 2}, biased, *options, raises=TypeError, says="argument 'hx' (position 2) must be")
        yield Bad(make(), state(1), biased, *options, raises=RuntimeError, says="but the input is 0D")
        scalars = make() if kind.states == 1 else (make(), make())
        yield Bad(make(5, 3, 4), scalars, biased, *options, raises=RuntimeError, says="hidden states in stacked_rnn")
        yield Bad(
            *(make(5, 3, 4), state(1), [1, 2], *options),
            raises=TypeError,
            says="expected Tensor as element 0 in argument 2, but got int",
        )

    return generate


ONE = {"hx": "a tensor", "projection": "", "last": "the last state"}
TWO = {
    "hx": "hidden state and cell, a tuple",
    "projection": ", then (size, hidden_size), by\n            which the output is projected to a size of its own",
    "last": "the last\n        hidden state and the last cell",
}
"""Docstring sections of networks with one state, and with two."""


@composite(method=False)
@describes(SECTIONS, **ONE)
def rnn_tanh(
    input: Tensor,
    hx: Any,
    params: Any,
    has_biases: Any,
    num_layers: Any,
    dropout: Any,
    train: Any,
    bidirectional: Any,
    batch_first: Any,
) -> tuple[Any, ...]:
    """Plain recurrent networks with tanh: layers, in one or both directions.

    Examples:
        >>> import wengert as wg
        >>> x, h, weights = wg.ones(3, 1, 1), wg.zeros(1, 1, 1), [wg.ones(1, 1), wg.ones(1, 1)]
        >>> output, h = wg.rnn_tanh(x, h, weights, False, 1, 0.0, False, False, False)
        >>> output.flatten()
        tensor([0.7616, 0.9427, 0.9597])
    """
    arguments = (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
    return apply_network(RNN_TANH, arguments)


@composite(method=False)
@describes(SECTIONS, **ONE)
def rnn_relu(
    input: Tensor,
    hx: Any,
    params: Any,
    has_biases: Any,
    num_layers: Any,
    dropout: Any,
    train: Any,
    bidirectional: Any,
    batch_first: Any,
) -> tuple[Any, ...]:
    """Plain recurrent networks with relu: layers, in one or both directions.

    Examples:
        >>> import wengert as wg
        >>> x, h, weights = wg.ones(3, 1, 1), wg.zeros(1, 1, 1), [wg.ones(1, 1), wg.ones(1, 1)]
        >>> output, h = wg.rnn_relu(x, h, weights, False, 1, 0.0, False, False, False)
        >>> output.flatten()
        tensor([1., 2., 3.])
    """
    arguments = (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
    return apply_network(RNN_RELU, arguments)


@composite(method=False)
@describes(SECTIONS, **ONE)
def gru(
    input: Tensor,
    hx: Any,
    params: Any,
    has_biases: Any,
    num_layers: Any,
    dropout: Any,
    train: Any,
    bidirectional: Any,
    batch_first: Any,
) -> tuple[Any, ...]:
    """Networks of gated recurrent units: layers, in one or both directions.

    Examples:
        >>> import wengert as wg
        >>> x, h, weights = wg.ones(3, 1, 1), wg.zeros(1, 1, 1), [wg.ones(3, 1), wg.ones(3, 1)]
        >>> output, h = wg.gru(x, h, weights, False, 1, 0.0, False, False, False)
        >>> output.flatten()
        tensor([0.2048, 0.3468, 0.4517])
    """
    arguments = (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
    return apply_network(GRU, arguments)


@composite(method=False)
@describes(SECTIONS, **TWO)
def lstm(
    input: Tensor,
    hx: Any,
    params: Any,
    has_biases: Any,
    num_layers: Any,
    dropout: Any,
    train: Any,
    bidirectional: Any,
    batch_first: Any,
) -> tuple[Any, ...]:
    """Networks of long short-term memory: layers, in one or both directions.

    Examples:
        >>> import wengert as wg
        >>> x, zeros, weights = wg.ones(3, 1, 1), wg.zeros(1, 1, 1), [wg.ones(4, 1), wg.ones(4, 1)]
        >>> output, h, c = wg.lstm(x, (zeros, zeros), weights, False, 1, 0.0, False, False, False)
        >>> output.flatten()
        tensor([0.3696, 0.6505, 0.7888])
    """
    arguments = (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
    return apply_network(LSTM, arguments)


rnn_tanh.samples(samples_of(RNN_TANH))
rnn_relu.samples(samples_of(RNN_RELU))
gru.samples(samples_of(GRU))
lstm.samples(samples_of(LSTM))
