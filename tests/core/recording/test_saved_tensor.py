"""`node._raw_saved_*`: one saved tensor of a node, and the hooks that it may get."""

from __future__ import annotations

import weakref

import pytest

import wengert as wg


def leaf(*values):
    return wg.tensor(values, dtype=wg.float64, requires_grad=True)


def same(tensor):
    return tensor


def still_alive(*nodes):
    """How many of the nodes are alive, to be asked later."""
    references = [weakref.ref(node) for node in nodes]
    return lambda: sum(each() is not None for each in references)


def test_a_saved_tensor_shows_what_is_kept_and_unpacks_it():
    x = leaf(1.0, 2.0)
    y, z = x * x, x.exp()
    saved = y.grad_fn._raw_saved_self
    assert type(saved).__name__ == "SavedTensor"
    assert saved.data is x and saved.unpack() is x and saved.unpack_hook is None
    output = z.grad_fn._raw_saved_result
    assert output.data.tolist() == z.tolist() and not output.data.requires_grad
    assert output.unpack().grad_fn is z.grad_fn


def test_two_looks_at_one_saved_tensor_are_equal():
    x = leaf(1.0, 2.0)
    node = (x * x).grad_fn
    assert node._raw_saved_self == node._raw_saved_self and hash(node._raw_saved_self) == hash(node._raw_saved_self)
    assert node._raw_saved_self != node._raw_saved_other and node._raw_saved_self != 1


def test_programs_cannot_make_one():
    x = leaf(1.0)
    with pytest.raises(RuntimeError, match="Trying to create a SavedTensor object from Python is forbidden"):
        type(x.exp().grad_fn._raw_saved_result)()


def test_a_list_of_saved_tensors_is_shown_as_a_tuple():
    x = leaf(1.0, 2.0)
    (index,) = x[wg.tensor([1, 0])].grad_fn._raw_saved_indices
    assert index.unpack().tolist() == [1, 0]


@pytest.mark.parametrize("compute", [lambda x: x.exp(), lambda x: x * x], ids=["output", "input"])
def test_hooks_of_one_saved_tensor_are_used_by_the_pass(compute):
    x, order = leaf(1.0, 2.0), []
    y = compute(x)
    (wanted,) = wg.autograd.grad(y.sum(), x, retain_graph=True)
    node = y.grad_fn
    saved = node._raw_saved_result if hasattr(node, "_raw_saved_result") else node._raw_saved_self

    def pack(tensor):
        order.append(("pack", tensor.requires_grad, tensor.grad_fn, wg.is_grad_enabled()))
        return tensor.tolist()

    def unpack(values):
        order.append("unpack")
        return wg.tensor(values, dtype=wg.float64)

    saved.register_hooks(pack, unpack)
    assert order == [("pack", False, None, False)]
    assert saved.unpack_hook is unpack and isinstance(saved.data, list)
    y.sum().backward()
    assert order[1:] == ["unpack"] and x.grad.tolist() == wanted.tolist()


def test_hooks_of_a_list_apply_to_one_of_its_tensors():
    x = leaf(1.0, 2.0, 3.0)
    y = x[wg.tensor([2, 0])]
    y.grad_fn._raw_saved_indices[0].register_hooks(lambda index: index.tolist(), lambda values: wg.tensor(values))
    assert y.grad_fn._raw_saved_indices[0].data == [2, 0]
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 0.0, 1.0]


def test_second_derivatives_go_through_hooks():
    x = leaf(1.0, 2.0)
    y = x * x * x
    y.grad_fn._raw_saved_other.register_hooks(lambda t: t.tolist(), lambda values: wg.tensor(values, dtype=wg.float64))
    (first,) = wg.autograd.grad(y.sum(), x, create_graph=True)
    assert wg.autograd.grad(first.sum(), x)[0].tolist() == [6.0, 12.0]


def test_hooks_are_set_once():
    node = leaf(1.0).exp().grad_fn
    node._raw_saved_result.register_hooks(same, same)
    with pytest.raises(RuntimeError, match="whose hooks have already been set"):
        node._raw_saved_result.register_hooks(same, same)
    with wg.autograd.graph.saved_tensors_hooks(same, same):
        node = leaf(1.0).exp().grad_fn
    with pytest.raises(RuntimeError, match="Hint: only one pair of hooks is allowed at a time"):
        node._raw_saved_result.register_hooks(same, same)


def test_after_the_pass_has_freed_it_nothing_is_kept():
    x = leaf(1.0)
    y = x.exp()
    saved = y.grad_fn._raw_saved_result
    y.sum().backward()
    assert saved.data is None and saved.unpack_hook is None
    with pytest.raises(RuntimeError, match="Calling register_hooks on a saved tensor after it has been freed"):
        saved.register_hooks(same, same)
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        saved.unpack()
    with pytest.raises(RuntimeError, match="after it has been freed"):
        y.grad_fn._raw_saved_result.register_hooks(same, same)


def test_what_a_call_did_not_save_is_none_and_takes_no_hooks():
    saved = (leaf(1.0) * wg.ones(1, dtype=wg.float64)).grad_fn._raw_saved_self
    assert saved.data is None and saved.unpack() is None
    with pytest.raises(RuntimeError, match="Calling register_hooks on a saved tensor with value None is forbidden"):
        saved.register_hooks(same, same)


@pytest.mark.parametrize("hooks", [(1, same), (same, 2)], ids=["pack", "unpack"])
def test_hooks_have_to_be_callable(hooks):
    saved = leaf(1.0).exp().grad_fn._raw_saved_result
    with pytest.raises(TypeError, match="incompatible function arguments"):
        saved.register_hooks(*hooks)


def test_a_pack_hook_that_fails_leaves_the_tensor_as_it_was():
    x = leaf(1.0)
    y = x.exp()
    saved = y.grad_fn._raw_saved_result
    with pytest.raises(ZeroDivisionError):
        saved.register_hooks(lambda tensor: 1 / 0, same)
    assert wg.is_grad_enabled()
    y.sum().backward(retain_graph=True)
    saved.register_hooks(same, same)
    y.sum().backward()


def test_a_pack_hook_must_not_write_to_its_input():
    saved = leaf(1.0).exp().grad_fn._raw_saved_result
    with pytest.raises(RuntimeError, match="A saved tensor pack hook is modifying its input in place"):
        saved.register_hooks(lambda tensor: tensor.mul_(2), same)


def test_hooks_keep_no_node_alive():
    y = leaf(1.0, 2.0).exp()
    y.grad_fn._raw_saved_result.register_hooks(same, same)
    watched = still_alive(y.grad_fn)
    del y
    assert watched() == 0


def test_the_saved_values_of_the_seed_are_shown():
    y = wg.tensor([0.0, 0.0, 0.0], requires_grad=True).exp()
    node = y.grad_fn
    assert isinstance(node, wg.autograd.graph.Node)
    assert wg.allclose(node._saved_result, y)
