"""Recurrent networks and cells: values, gradients, options, errors."""

from __future__ import annotations

import warnings

from tests.parity.programs.common import caught, filled, tensors_of, values, worked


def network(torch, kind, *sizes, **options):
    return filled(torch, getattr(torch.nn, kind)(*sizes, **options))


def states(torch, kind, *shape):
    first, second = values(torch, *shape, shift=5), values(torch, *shape, shift=6)
    return (first, second) if kind.startswith("LSTM") else first


KINDS = ("LSTM", "GRU", "RNN")


def rnn_plain(torch):
    x = values(torch, 4, 2, 3)
    return [worked(torch, network(torch, kind, 3, 2), x) for kind in KINDS]


def rnn_relu(torch):
    return worked(torch, network(torch, "RNN", 3, 2, 2, "relu", False), values(torch, 4, 2, 3))


def rnn_layers_and_directions(torch):
    x = values(torch, 3, 2, 3)
    return [worked(torch, network(torch, kind, 3, 2, 3, bidirectional=True), x) for kind in KINDS]


def rnn_without_bias_batch_first(torch):
    x = values(torch, 2, 4, 3)
    return [
        worked(torch, network(torch, kind, 3, 2, 2, bias=False, batch_first=True), x, states(torch, kind, 2, 2, 2))
        for kind in KINDS
    ]


def rnn_batch_first_bidirectional_with_state(torch):
    x = values(torch, 2, 4, 3)
    return [
        worked(torch, network(torch, kind, 3, 2, batch_first=True, bidirectional=True), x, states(torch, kind, 2, 2, 2))
        for kind in KINDS
    ]


def rnn_unbatched(torch):
    x = values(torch, 4, 3)
    return [
        (
            worked(torch, network(torch, kind, 3, 2, 2, batch_first=first), x),
            worked(torch, network(torch, kind, 3, 2), x, states(torch, kind, 1, 2)),
        )
        for kind in KINDS
        for first in (False, True)
    ]


def rnn_one_step(torch):
    return [worked(torch, network(torch, kind, 3, 2, bidirectional=True), values(torch, 1, 2, 3)) for kind in KINDS]


def rnn_results_lie_as_in_torch(torch):
    x, last = values(torch, 4, 2, 3), values(torch, 2, 4, 3)
    found = []
    for kind in KINDS:
        for options, given in (({}, x), ({"bidirectional": True}, x), ({"batch_first": True}, last)):
            output, state = network(torch, kind, 3, 2, 2, **options)(given)
            found += [(each.stride(), each.shape, each.is_contiguous()) for each in tensors_of((output, state))]
    return found


def lstm_projection(torch):
    x = values(torch, 4, 2, 3)
    state = values(torch, 4, 2, 2, shift=5), values(torch, 4, 2, 3, shift=6)
    plain = network(torch, "LSTM", 3, 3, proj_size=1, bias=False)
    both = network(torch, "LSTM", 3, 3, 2, proj_size=2, bidirectional=True)
    return worked(torch, plain, x), worked(torch, both, x), worked(torch, both, x, state)


class OnPacked:
    """A network on packed sequences of a padded batch, as a module."""

    def __init__(self, torch, network, lengths, enforce_sorted=True):
        self.rnn, self.network, self.lengths = torch.nn.utils.rnn, network, lengths
        self.parameters, self.sorted = network.parameters, enforce_sorted

    def __call__(self, x, *states):
        batch = self.rnn.pack_padded_sequence(x, self.lengths, enforce_sorted=self.sorted)
        output, state = self.network(batch, *states)
        return output.data, self.rnn.pad_packed_sequence(output), state


def rnn_packed(torch):
    x = values(torch, 4, 3, 3)
    return [
        worked(torch, OnPacked(torch, network(torch, kind, 3, 2, 2, bidirectional=both), [4, 2, 2]), x)
        for kind in KINDS
        for both in (False, True)
    ]


def rnn_packed_unsorted_with_state(torch):
    x = values(torch, 4, 3, 3)
    return [
        worked(
            torch,
            OnPacked(torch, network(torch, kind, 3, 2, bidirectional=True), [1, 4, 2], False),
            x,
            states(torch, kind, 2, 3, 2),
        )
        for kind in KINDS
    ]


def rnn_packed_projection(torch):
    x = values(torch, 4, 3, 3)
    both = network(torch, "LSTM", 3, 3, 2, proj_size=2, bidirectional=True)
    return worked(torch, OnPacked(torch, both, [2, 4, 1], False), x)


def rnn_packed_keeps_its_description(torch):
    rows = [torch.ones(2, 3, dtype=torch.float64), torch.ones(3, 3, dtype=torch.float64)]
    given = torch.nn.utils.rnn.pack_sequence(rows, enforce_sorted=False)
    output, _ = network(torch, "GRU", 3, 2)(given)
    return type(output).__name__, output.batch_sizes, output.sorted_indices, output.unsorted_indices


def rnn_second_derivatives(torch):
    found = []
    for kind in KINDS:
        module, x = network(torch, kind, 2, 2), values(torch, 3, 1, 2)
        (first,) = torch.autograd.grad(module(x)[0].square().sum(), x, create_graph=True)
        found.append(torch.autograd.grad(first.square().sum(), [x, *module.parameters()]))
    return found


def cells(torch):
    found = []
    for kind in ("RNNCell", "LSTMCell", "GRUCell"):
        for bias in (True, False):
            cell = network(torch, kind, 3, 2, bias)
            found.append(worked(torch, cell, values(torch, 4, 3)))
            found.append(worked(torch, cell, values(torch, 4, 3), states(torch, kind, 4, 2)))
            found.append(worked(torch, cell, values(torch, 3), states(torch, kind, 2)))
    return found, worked(torch, network(torch, "RNNCell", 3, 2, nonlinearity="relu"), values(torch, 4, 3))


def rnn_names_and_prints(torch):
    nn = torch.nn
    made = [
        nn.LSTM(3, 4),
        nn.LSTM(3, 4, num_layers=2, bias=False, batch_first=True, dropout=0.25, bidirectional=True, proj_size=2),
        nn.GRU(3, 4, 2),
        nn.RNN(3, 4, 1, "relu"),
        nn.RNNCell(3, 4, nonlinearity="relu"),
        nn.LSTMCell(3, 4, bias=False),
        nn.GRUCell(3, 4),
    ]
    return [(repr(each), [(name, tuple(p.shape)) for name, p in each.state_dict().items()]) for each in made]


def rnn_weights_by_layer(torch):
    module = torch.nn.LSTM(3, 4, 2, bidirectional=True)
    first = module.all_weights[1]
    flat = list(module._flat_weights)
    module.weight_hh_l0 = torch.nn.Parameter(torch.zeros(16, 4))
    module.flatten_parameters()
    return (
        [each.shape for each in first],
        [a is b for a, b in zip(flat, module._flat_weights)],
        module._flat_weights_names,
        module._all_weights,
        flat[4] is first[0],
    )


def rnn_fresh_weights(torch):
    module, cell = torch.nn.GRU(2, 400, bidirectional=True), torch.nn.LSTMCell(2, 400)
    extremes = [(each.min().item(), each.max().item()) for each in (*module.parameters(), *cell.parameters())]
    return [-0.0501 < low < -0.045 and 0.045 < high < 0.0501 for low, high in extremes]


def rnn_dropout_between_layers(torch):
    module = network(torch, "GRU", 3, 4, 2, dropout=0.5)
    x = values(torch, 4, 2, 3)
    first, second = module(x)[0].detach(), module(x)[0].detach()
    everything = network(torch, "GRU", 3, 4, 2, dropout=1.0)(x)[0].detach()
    return torch.equal(first, second), everything, module.eval()(x)[0].detach()


def rnn_bad_options(torch):
    nn = torch.nn
    return [
        caught(action)
        for action in (
            lambda: nn.LSTM(3, 4, dropout=2),
            lambda: nn.LSTM(3, 4, dropout=True),
            lambda: nn.LSTM(3, 4, bias=1),
            lambda: nn.LSTM(3, 4, batch_first="yes"),
            lambda: nn.LSTM(3.0, 4),
            lambda: nn.LSTM(3, "4"),
            lambda: nn.LSTM(0, 4),
            lambda: nn.LSTM(3, -1),
            lambda: nn.LSTM(3, 4, 0),
            lambda: nn.LSTM(3, 4, proj_size=-1),
            lambda: nn.LSTM(3, 4, proj_size=4),
            lambda: nn.GRU(3, 4, proj_size=2),
            lambda: nn.RNN(3, 4, nonlinearity="sin"),
            lambda: nn.modules.rnn.RNNBase("X", 3, 4),
            lambda: nn.LSTM(3, 4, dropout=0.5),
        )
    ]


def rnn_bad_inputs(torch):
    nn = torch.nn
    lstm, gru, ones, zeros = nn.LSTM(3, 4), nn.GRU(3, 4), torch.ones, torch.zeros
    return [
        caught(action)
        for action in (
            lambda: lstm(ones(2, 2, 3, 3)),
            lambda: lstm(ones(5, 2, 4)),
            lambda: lstm(ones(5, 2, 3).double()),
            lambda: lstm(ones(5, 2, 3), (zeros(1, 2, 3), zeros(1, 2, 4))),
            lambda: lstm(ones(5, 2, 3), (zeros(1, 2, 4), zeros(1, 3, 4))),
            lambda: lstm(ones(5, 2, 3), (zeros(1, 4), zeros(1, 4))),
            lambda: lstm(ones(5, 3), (zeros(1, 1, 4), zeros(1, 1, 4))),
            lambda: lstm(ones(0, 2, 3)),
            lambda: gru(ones(5)),
            lambda: gru(ones(5, 2, 2)),
            lambda: gru(ones(5, 2, 3), zeros(2, 2, 4)),
            lambda: gru(ones(5, 2, 3), zeros(1, 4)),
            lambda: gru(ones(5, 3), zeros(1, 2, 4)),
            lambda: gru(ones(0, 2, 3)),
            lambda: nn.LSTMCell(3, 4)(ones(2, 2, 3)),
            lambda: nn.LSTMCell(3, 4)(ones(2, 3), (zeros(1, 2, 4), zeros(2, 4))),
            lambda: nn.LSTMCell(3, 4)(ones(2, 2)),
            lambda: nn.LSTMCell(3, 4)(ones(2, 3), (zeros(2, 4), zeros(3, 4))),
            lambda: nn.GRUCell(3, 4)(ones(2, 3), zeros(3, 4)),
            lambda: nn.GRUCell(3, 4)(ones(2, 3), zeros(2, 3)),
            lambda: nn.RNNCell(3, 4)(ones(2, 3), zeros(2, 2, 4)),
            lambda: nn.RNNCell(3, 4, nonlinearity="sin")(ones(2, 3)),
        )
    ]


def recurrent_functions(torch):
    x, packed_x = values(torch, 4, 2, 3), values(torch, 7, 3)
    sizes = torch.tensor([2, 2, 2, 1])
    found = []
    for kind, gates in (("lstm", 4), ("gru", 3), ("rnn_tanh", 1), ("rnn_relu", 1)):
        rows = gates * 2
        shapes = [(rows, 3), (rows, 2), (rows,), (rows,)]
        weights = [values(torch, *shape, shift=at) / 2 for at, shape in enumerate(shapes)]
        state = values(torch, 1, 2, 2)
        state = (state, state) if kind == "lstm" else state
        function, cell = getattr(torch, kind), getattr(torch, f"{kind}_cell")
        alone = tuple(each[0] for each in state) if kind == "lstm" else state[0]
        found += [
            function(x, state, weights, True, 1, 0.0, False, False, False),
            function(packed_x, sizes, state, weights, True, 1, 0.0, False, False),
            cell(x[0], alone, *weights),
            caught(lambda f=function, s=state, w=weights: f(x, s, w[:2], True, 1, 0.0, False, False, False)),
        ]
    return [each if isinstance(each, Exception) else [tensor.detach() for tensor in tensors_of(each)] for each in found]


def rnn_saved_and_loaded(torch):
    first, second = network(torch, "LSTM", 3, 2), torch.nn.LSTM(3, 2).double()
    result = second.load_state_dict(first.state_dict())
    x = values(torch, 4, 2, 3)
    return str(result), torch.equal(first(x)[0], second(x)[0])


def rnn_deep_copied(torch):
    import copy

    first = network(torch, "GRU", 3, 2)
    second, x = copy.deepcopy(first), values(torch, 4, 2, 3)
    with torch.no_grad():
        first.weight_ih_l0.zero_()
    return second(x)[0].detach(), first(x)[0].detach()


def rnn_called_functionally(torch):
    module, x = network(torch, "GRU", 3, 2), values(torch, 4, 2, 3)
    given = {name: p.detach() * 2 for name, p in module.named_parameters()}
    return torch.func.functional_call(module, given, (x,))[0].detach(), module(x)[0].detach()


def rnn_mixed_lengths_trained(torch):
    nn, rnn = torch.nn, torch.nn.utils.rnn
    module, head = (filled(torch, each).float() for each in (nn.LSTM(2, 4, batch_first=True), nn.Linear(4, 1)))
    rows = [torch.arange(2.0 * length).reshape(length, 2) / 10 for length in (3, 5, 2)]
    wanted = torch.tensor([[1.0], [2.0], [0.5]])
    optimizer = torch.optim.SGD([*module.parameters(), *head.parameters()], lr=0.1)
    losses = []
    for _ in range(5):
        _, (hidden, _) = module(rnn.pack_sequence(rows, enforce_sorted=False))
        loss = nn.functional.mse_loss(head(hidden[-1]), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def rnn_warns_of_useless_dropout(torch):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        torch.nn.LSTM(3, 4, dropout=0.5)
    return [str(each.message) for each in told]
