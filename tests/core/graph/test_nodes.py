"""Nodes as programs see them: names, neighbours, metadata, hooks, and calls by hand."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert.autograd.graph import Node


def leaf(*values):
    return wg.tensor(values, dtype=wg.float64, requires_grad=True)


SEED = [
    "_raw_saved_result",
    "_register_hook_dict",
    "_saved_result",
    "metadata",
    "name",
    "next_functions",
    "register_hook",
    "register_prehook",
    "requires_grad",
]


def test_dir_shows_what_the_seed_shows_and_nothing_of_the_engine():
    shown = [name for name in dir(leaf(0.0).exp().grad_fn) if not name.startswith("__")]
    assert set(SEED) <= set(shown)
    assert set(shown) - set(SEED) == {"_input_metadata", "_sequence_nr", "_set_sequence_nr"}


def test_dir_shows_the_leaf_of_an_accumulator_and_nothing_saved_of_copied_slices():
    x = leaf(1.0, 2.0)
    y = x * 2
    assert "variable" in dir(y.grad_fn.next_functions[0][0])
    y[:1].mul_(3)
    assert not {"inner", "view", "strides"} & set(dir(y.grad_fn))


def test_a_node_is_an_instance_of_the_public_class():
    x = leaf(1.0)
    node = (x * 2).grad_fn
    assert isinstance(node, Node) and isinstance(node.next_functions[0][0], Node)
    assert issubclass(type(node), Node)
    assert not isinstance(x, Node) and not isinstance(3, Node)


def test_a_node_has_one_identity():
    x = leaf(1.0)
    y = x * 2
    assert y.grad_fn is y.grad_fn and hash(y.grad_fn) == hash(y.grad_fn)
    assert y.grad_fn.next_functions[0][0] is (x + 1).grad_fn.next_functions[0][0]


def test_names_are_those_of_the_operations():
    x = leaf(1.0)
    y = x * 2
    accumulator = y.grad_fn.next_functions[0][0]
    assert y.grad_fn.name() == "MulBackward0" and repr(y.grad_fn).startswith("<MulBackward0 object at 0x")
    assert accumulator.name() == "torch::autograd::AccumulateGrad"
    assert repr(accumulator).startswith("<AccumulateGrad object at 0x")
    y[:1].mul_(3)
    assert y.grad_fn.name() == "torch::autograd::CopySlices" and "grad_fn=<CopySlices>" in repr(y)


def test_sequence_numbers_grow_and_accumulators_come_first_of_all():
    x = leaf(1.0)
    first, second = (x * 2).grad_fn, (x * 2).grad_fn
    assert second._sequence_nr() == first._sequence_nr() + 1
    assert first.next_functions[0][0]._sequence_nr() == 2**64 - 1
    first._set_sequence_nr(5)
    assert first._sequence_nr() == 5


def test_metadata_belongs_to_the_node():
    node = (leaf(1.0) * 2).grad_fn
    node.metadata["note"] = 1
    assert node.metadata == {"note": 1}
    with pytest.raises(AttributeError):
        node.metadata = {}


def test_a_node_takes_no_attributes_and_its_neighbours_cannot_be_set():
    node = (leaf(1.0) * 2).grad_fn
    with pytest.raises(AttributeError):
        node.anything = 1
    with pytest.raises(AttributeError):
        node.next_functions = ()


def test_a_node_always_requires_a_gradient():
    assert (leaf(1.0) * 2).grad_fn.requires_grad is True


def test_a_node_tells_what_gradient_it_takes():
    x = leaf(1.0, 2.0)
    y = x * 2
    (told,) = y.grad_fn._input_metadata
    assert (list(told.shape), told.dtype, told.device.type) == ([2], wg.float64, "cpu")
    assert not told.is_nested_tensor and not told.is_cpp_nested_tensor
    (told,) = y.grad_fn.next_functions[0][0]._input_metadata
    assert list(told.shape) == [2]
    assert len(x.unbind()[0].grad_fn._input_metadata) == 2


def test_a_call_by_hand_gives_the_gradients_of_the_inputs_without_hooks():
    x, y = leaf(1.0, 2.0), leaf(3.0)
    node = (x * y).grad_fn
    node.register_hook(lambda *grads: 1 / 0)
    first, second = node(wg.ones(2, dtype=wg.float64))
    assert first.tolist() == [3.0, 3.0]
    assert second.tolist() == [1.0, 2.0]  # the engine would sum it
    assert (x * 2).grad_fn(wg.ones(2, dtype=wg.float64))[1] is None
    assert node(None) == (None, None)
    single = x.unbind()[0].grad_fn
    assert single(wg.ones((), dtype=wg.float64), None).tolist() == [1.0, 0.0]


def test_a_call_by_hand_of_an_accumulator_accumulates():
    x = leaf(1.0, 2.0)
    assert (x * 2).grad_fn.next_functions[0][0](wg.ones(2, dtype=wg.float64)) == ()
    assert x.grad.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("given", "says"),
    [((), "expected 1 arguments, got 0 instead"), ((1, 2), "expected 1 arguments, got 2"), ((3,), "is not a Variable")],
    ids=["none", "too many", "no tensor"],
)
def test_a_call_by_hand_with_something_else_is_refused(given, says):
    with pytest.raises(TypeError, match=says):
        (leaf(1.0) * 2).grad_fn(*given)


def test_hooks_of_a_tensor_can_be_put_on_a_node():
    x, seen = leaf(1.0), []
    y = x * 2
    z = x * 3
    z.register_hook(lambda grad: seen.append(grad.item()))
    y.grad_fn._register_hook_dict(z)
    y.sum().backward()
    assert seen == [1.0]
    with pytest.raises(TypeError, match="_register_hook_dict expected a variable"):
        y.grad_fn._register_hook_dict({})


def test_two_outputs_of_one_node_lead_to_it_by_their_numbers():
    x = leaf(1.0, 2.0)
    first, second = x.unbind()
    joined = first * second
    assert [nr for _, nr in joined.grad_fn.next_functions] == [0, 1]
    assert joined.grad_fn.next_functions[0][0] is joined.grad_fn.next_functions[1][0] is first.grad_fn
    assert (first.output_nr, second.output_nr) == (0, 1)
