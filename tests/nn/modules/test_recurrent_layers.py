"""Recurrent layers whose steps are one operator, beside the same steps made of operators."""

from __future__ import annotations

import itertools

import pytest

import wengert as wg
from wengert import func
from wengert.ops.neural import recurrent

KINDS = ("RNN", "GRU", "LSTM")
OPTIONS = (
    {},
    {"bias": False},
    {"bidirectional": True, "num_layers": 2},
    {"batch_first": True},
)


def network(kind, sizes=(3, 4), **options):
    wg.manual_seed(1)
    return getattr(wg.nn, kind)(*sizes, dtype=wg.float64, **options)


def draw(*shape):
    return wg.randn(*shape, dtype=wg.float64)


def states_of(found):
    return list(found) if isinstance(found, tuple) else [found]


def all_gradients(module, x):
    module.zero_grad()
    output, last = module(x)
    data = getattr(output, "data", None) if isinstance(output, wg.nn.utils.rnn.PackedSequence) else output
    loss = sum((at + 1) * (each * each).sum() for at, each in enumerate([data, *states_of(last)]))
    loss.backward()
    return [data, *states_of(last), *[each.grad for each in module.parameters()]]


@pytest.fixture
def step_by_step(monkeypatch):
    """Makes layers take the steps made of operators."""
    return lambda: monkeypatch.setattr(recurrent, "is_plain", lambda *args: False)


def assert_equal(found, expected):
    for one, other in zip(found, expected, strict=True):
        wg.testing.assert_close(one, other, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize(("kind", "options"), [*itertools.product(KINDS, OPTIONS), ("LSTM", {"proj_size": 2})])
def test_results_and_gradients_are_those_of_the_steps(kind, options, step_by_step):
    module, x = network(kind, **options), draw(5, 2, 3).requires_grad_()
    found = [*all_gradients(module, x), x.grad]
    x.grad = None
    step_by_step()
    assert_equal(found, [*all_gradients(module, x), x.grad])


@pytest.mark.parametrize(("kind", "both"), [*itertools.product(KINDS, (False, True))])
def test_packed_sequences_give_what_the_steps_give(kind, both, step_by_step):
    module = network(kind, bidirectional=both, num_layers=2)
    packed = wg.nn.utils.rnn.pack_padded_sequence(draw(4, 3, 3), wg.tensor([4, 2, 1]))
    found = all_gradients(module, packed)
    step_by_step()
    assert_equal(found, all_gradients(module, packed))


@pytest.mark.parametrize("kind", KINDS)
def test_a_layer_is_one_node_between_output_and_input(kind):
    module, x = network(kind), draw(5, 2, 3).requires_grad_()
    output, last = module(x)
    assert output.grad_fn.name() == "StackBackward0"
    assert output.grad_fn.next_functions[0][0].variable is x
    assert states_of(last)[0].grad_fn.next_functions[0][0] is output.grad_fn


def test_nodes_have_the_names_that_torch_shows():
    x = wg.ones(5, 2, 3)
    assert wg.nn.LSTM(3, 4)(x)[0].grad_fn.name() == "MkldnnRnnLayerBackward0"
    assert wg.nn.LSTM(3, 4, proj_size=2)(x)[0].grad_fn.name() == "StackBackward0"
    assert wg.nn.LSTM(3, 4, bidirectional=True)(x)[0].grad_fn.name() == "CatBackward0"
    packed = wg.nn.utils.rnn.pack_padded_sequence(x, wg.tensor([5, 3]))
    assert wg.nn.GRU(3, 4)(packed)[0].data.grad_fn.name() == "CatBackward0"


@pytest.mark.parametrize("kind", [*KINDS, "projected"])
def test_gradients_have_gradients(kind):
    options = {"proj_size": 1} if kind == "projected" else {}
    module = network("LSTM" if options else kind, (1, 2), **options)
    x = draw(3, 2, 1).requires_grad_()

    def slopes(x, *parameters):
        output, last = wg.func.functional_call(module, dict(zip(names, parameters, strict=True)), (x,))
        return output, *states_of(last)

    names = [name for name, _ in module.named_parameters()]
    given = (x, *[each.detach().clone().requires_grad_() for each in module.parameters()])
    assert wg.autograd.gradcheck(slopes, given)
    assert wg.autograd.gradgradcheck(slopes, given)


@pytest.mark.parametrize("kind", KINDS)
def test_forward_mode_and_batches_go_step_by_step(kind):
    module, x, tangent = network(kind), draw(3, 2, 3), draw(3, 2, 3)
    value, slope = func.jvp(lambda x: module(x)[0], (x,), (tangent,))
    output = module(x.requires_grad_())[0]
    product = wg.autograd.grad(output, x, wg.ones_like(output))[0]
    wg.testing.assert_close((product * tangent).sum(), slope.sum())
    many = draw(4, 3, 2, 3)
    wg.testing.assert_close(
        func.vmap(lambda x: module(x)[0])(many), wg.stack([module(each)[0] for each in many]), rtol=1e-9, atol=1e-11
    )
    wg.testing.assert_close(value, output.detach())


@pytest.mark.parametrize("kind", KINDS)
def test_several_gradients_at_once_are_those_one_by_one(kind):
    module, x = network(kind), draw(3, 2, 3).requires_grad_()
    output = module(x)[0]
    grads = draw(5, *output.shape)
    (found,) = wg.autograd.grad(output, x, grads, is_grads_batched=True, retain_graph=True)
    expected = [wg.autograd.grad(output, x, each, retain_graph=True)[0] for each in grads]
    wg.testing.assert_close(found, wg.stack(expected), rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("kind", KINDS)
def test_what_needs_no_gradient_gets_none_and_biases_share_no_memory(kind):
    module = network(kind)
    module.weight_hh_l0.requires_grad_(False)
    states_of(module(draw(3, 2, 3))[1])[-1].sum().backward()
    assert module.weight_hh_l0.grad is None
    first, second = module.bias_ih_l0.grad, module.bias_hh_l0.grad
    assert first.data_ptr() != second.data_ptr()


@pytest.mark.parametrize("kind", KINDS)
def test_a_graph_that_is_kept_gives_the_same_again(kind):
    module, x = network(kind), draw(3, 2, 3).requires_grad_()
    loss = module(x)[0].sum()
    first = wg.autograd.grad(loss, x, retain_graph=True)[0]
    assert wg.equal(first, wg.autograd.grad(loss, x)[0])
    with pytest.raises(RuntimeError, match="a second time"):
        wg.autograd.grad(loss, x)


def test_an_input_from_which_the_state_comes_gets_both_parts_of_its_second_derivative():
    module, x = network("GRU"), draw(1, 2, 4).requires_grad_()
    module = wg.nn.GRU(4, 4, dtype=wg.float64)

    def slope(x):
        output = module(x, x * x)[0].square().sum()
        return wg.autograd.grad(output, x, create_graph=True)[0]

    assert wg.autograd.gradcheck(slope, (x,))


def test_batch_sizes_that_do_not_lie_so_are_refused_as_before():
    data, state = draw(6, 3), draw(1, 4, 4)
    parameters = list(network("GRU").parameters())
    with pytest.raises(RuntimeError):
        wg.gru(data, wg.tensor([4, 4]), state, parameters, True, 1, 0.0, False, False)


@pytest.mark.parametrize(
    ("lengths", "said"),
    [([0, 3], "must be sorted in decreasing order"), ([3, 0], "greater than 0"), ([3, -1], "greater than 0")],
)
def test_lengths_out_of_order_are_refused_before_empty_ones(lengths, said):
    with pytest.raises(RuntimeError, match=said):
        wg.nn.utils.rnn.pack_padded_sequence(wg.ones(3, 2, 1), lengths)
