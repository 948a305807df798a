"""`saved_tensors_hooks` and its relatives: what pack hooks are given, what unpack hooks return, which pair applies."""

from __future__ import annotations

import threading
import weakref

import pytest

import wengert as wg
from wengert._core.state.modes import current
from wengert.autograd.graph import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks


def leaf(*values):
    return wg.tensor(values, dtype=wg.float64, requires_grad=True)


def same(tensor):
    return tensor


def still_alive(*nodes):
    """How many of the nodes are alive, to be asked later."""
    references = [weakref.ref(node) for node in nodes]
    return lambda: sum(each() is not None for each in references)


def looks(tensor):
    """What a hook sees of a tensor."""
    node = tensor.grad_fn
    return tensor.tolist(), tensor.requires_grad, None if node is None else node.name(), wg.is_grad_enabled()


def test_a_pack_hook_is_given_leaves_results_and_constants_with_recording_off():
    x, seen = leaf(1.0, 2.0), []
    constant = wg.tensor([3.0, 4.0], dtype=wg.float64)
    with saved_tensors_hooks(lambda tensor: seen.append(looks(tensor)) or tensor, same):
        middle = x * constant
        middle * middle
        x.exp()
    assert seen[0] == ([3.0, 4.0], False, None, False)
    assert seen[1] == seen[2] == ([3.0, 8.0], True, "MulBackward0", False)
    assert seen[3][1:] == (True, "ExpBackward0", False)
    assert wg.is_grad_enabled()


def test_a_pack_hook_is_given_the_very_tensor_that_went_in():
    x, seen = leaf(1.0, 2.0), []
    with saved_tensors_hooks(lambda tensor: seen.append(tensor is x) or tensor, same):
        x * x
    assert seen == [True, True]


def test_the_graph_keeps_what_the_pack_hook_returns_and_gives_it_to_the_unpack_hook():
    x, given = leaf(1.0, 2.0), []
    with saved_tensors_hooks(lambda tensor: tensor.tolist(), lambda values: given.append(values) or leaf(*values)):
        y = x * x
    assert y.grad_fn._raw_saved_self.data == [1.0, 2.0]
    y.sum().backward()
    assert given == [[1.0, 2.0]] * 2
    assert x.grad.tolist() == [2.0, 4.0]


def test_the_unpack_hook_runs_at_each_use():
    x, count = leaf(1.0, 2.0), []
    with saved_tensors_hooks(same, lambda tensor: count.append(1) or tensor):
        y = x * x
    y.grad_fn._saved_self, y.grad_fn._saved_self  # noqa: B018
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    assert len(count) == 6


def test_the_unpack_hook_runs_in_the_grad_mode_of_the_pass():
    x, modes = leaf(1.0, 2.0), []
    with saved_tensors_hooks(same, lambda tensor: modes.append(wg.is_grad_enabled()) or tensor):
        y = x.exp()
    wg.autograd.grad(y.sum(), x, retain_graph=True)
    wg.autograd.grad(y.sum(), x, create_graph=True)
    assert modes == [False, True]


def test_an_unpacked_tensor_takes_the_place_of_the_original_in_the_graph():
    x = leaf(1.0, 2.0)
    with saved_tensors_hooks(lambda tensor: tensor.tolist(), lambda values: wg.tensor(values, dtype=wg.float64)):
        middle = x * 3
        y = middle * middle
        z = x.exp()
    saved = y.grad_fn._saved_self
    assert saved.grad_fn is middle.grad_fn and saved is not middle
    assert z.grad_fn._saved_result.grad_fn is z.grad_fn
    (first,) = wg.autograd.grad(y.sum() + z.sum(), x, create_graph=True)
    (second,) = wg.autograd.grad(first.sum(), x)
    assert second.tolist() == pytest.approx([18 + 2.718281828459045, 18 + 7.38905609893065])


def test_an_unpacked_leaf_is_a_leaf_and_its_gradient_arrives_at_the_original():
    x = leaf(1.0, 2.0)
    with saved_tensors_hooks(lambda tensor: tensor.tolist(), lambda values: wg.tensor(values, dtype=wg.float64)):
        y = x * x
    saved = y.grad_fn._saved_self
    assert saved.is_leaf and saved.requires_grad and saved is not x
    (saved * 5).sum().backward()
    assert x.grad.tolist() == [5.0, 5.0] and saved.grad is None


def test_only_the_innermost_pair_applies():
    x, seen = leaf(1.0), []

    def pair(name):
        return saved_tensors_hooks(
            lambda tensor: seen.append(f"pack {name}") or tensor, lambda tensor: seen.append(f"unpack {name}") or tensor
        )

    with pair("outer"):
        with pair("inner"):
            y = x.exp()
        z = x.exp()
    (y + z).sum().backward()
    assert sorted(seen) == ["pack inner", "pack outer", "unpack inner", "unpack outer"]


def test_hooks_apply_to_what_a_recorded_backward_pass_saves():
    x, seen = leaf(1.0), []
    with saved_tensors_hooks(lambda tensor: seen.append(1) or tensor, same):
        y = x * x
        wg.autograd.grad(y.sum(), x, create_graph=True)
    assert len(seen) > 2


def test_one_context_can_be_entered_again_and_inside_itself():
    x, seen = leaf(1.0), []
    hooks = saved_tensors_hooks(lambda tensor: seen.append(1) or tensor, same)
    with hooks:
        with hooks:
            x.exp()
        x.exp()
    x.exp()
    assert len(seen) == 2


def test_each_thread_has_hooks_of_its_own():
    x, seen = leaf(1.0), []

    def compute():
        seen.append(x.exp().grad_fn._raw_saved_result.unpack_hook)

    with saved_tensors_hooks(same, same):
        thread = threading.Thread(target=compute)
        thread.start()
        thread.join()
    assert seen == [None]


@pytest.mark.parametrize("made", [1, None, "text", [1.0]], ids=["int", "NoneType", "str", "list"])
def test_an_unpack_hook_has_to_return_a_tensor(made):
    x = leaf(1.0)
    with saved_tensors_hooks(same, lambda tensor: made):
        y = x.exp()
    says = f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(made).__name__}"
    with pytest.raises(TypeError, match=says):
        y.sum().backward()


def test_a_pack_hook_must_not_write_to_its_input():
    x = leaf(1.0, 2.0)

    def writes(tensor):
        tensor.mul_(2)
        return tensor

    for compute in (lambda: (x * 2).exp(), lambda: x * x):
        with saved_tensors_hooks(writes, same), pytest.raises(RuntimeError, match="pack hook is modifying its input"):
            compute()
    assert wg.is_grad_enabled()


@pytest.mark.parametrize("hooks", [(1, same), (same, None)], ids=["pack", "unpack"])
def test_hooks_have_to_be_callable(hooks):
    with pytest.raises(TypeError, match="incompatible function arguments"), saved_tensors_hooks(*hooks):
        pass
    assert current().saved_hooks is None


def fail(tensor):
    raise ZeroDivisionError


def test_an_error_in_a_pack_hook_leaves_everything_usable():
    x = leaf(1.0, 2.0)
    with saved_tensors_hooks(fail, same), pytest.raises(ZeroDivisionError):
        x.exp()
    assert wg.is_grad_enabled() and current().saved_hooks is None
    x.exp().sum().backward()
    assert x.grad is not None


def test_an_error_in_a_pack_hook_during_an_in_place_operation_comes_before_the_write_if_an_input_is_saved():
    y = leaf(1.0, 2.0) * 1
    factor = leaf(3.0, 4.0)
    with saved_tensors_hooks(fail, same), pytest.raises(ZeroDivisionError):
        y.mul_(factor)
    assert y.tolist() == [1.0, 2.0] and y._version == 0


def test_an_error_in_an_unpack_hook_leaves_everything_usable():
    x = leaf(1.0, 2.0)
    with saved_tensors_hooks(same, fail):
        y = x.exp()
    with pytest.raises(ZeroDivisionError):
        y.sum().backward()
    x.exp().sum().backward()
    assert wg.is_grad_enabled() and x.grad is not None


def test_writes_to_memory_that_hooks_keep_are_not_noticed():
    x = leaf(1.0, 2.0)
    with saved_tensors_hooks(same, same):
        middle = x * 2
        y = middle * middle
    middle.add_(1)
    y.sum().backward()
    assert x.grad.tolist() == [12.0, 20.0]


@pytest.mark.parametrize("pack", [same, lambda tensor: (tensor, 1), lambda tensor: {"kept": tensor}])
def test_a_pack_hook_that_keeps_an_output_lets_no_node_keep_itself_alive(pack):
    x = leaf(1.0, 2.0)
    with saved_tensors_hooks(pack, same):
        y = x.exp()
        view = (x * 1)[:1]
        z = view * view
    watched = still_alive(y.grad_fn, z.grad_fn)
    del y, z, view
    assert watched() == 0


def test_an_output_given_to_a_pack_hook_loses_its_history_when_the_hook_returns():
    x, kept = leaf(1.0), []
    with saved_tensors_hooks(lambda tensor: kept.append((tensor, tensor.grad_fn.name())), same):
        x.exp()
    assert kept[0][1] == "ExpBackward0" and kept[0][0].grad_fn is None


def test_saving_on_the_cpu_changes_no_gradient():
    x = leaf(1.0, 2.0)
    for context in (save_on_cpu(), save_on_cpu(pin_memory=True), save_on_cpu(device_type="xpu")):
        with context:
            y = (x * x).exp()
        y.sum().backward()
        assert x.grad.tolist() == pytest.approx([2 * 2.718281828459045, 4 * 54.598150033144236])
        x.grad = None


def test_hooks_can_be_forbidden_and_the_message_is_the_programs_own():
    with disable_saved_tensors_hooks("outer"):
        with disable_saved_tensors_hooks("inner"), pytest.raises(RuntimeError, match=r"^inner$"), save_on_cpu():
            pass
        with pytest.raises(RuntimeError, match=r"^outer$"), saved_tensors_hooks(same, same):
            pass
    with saved_tensors_hooks(same, same):
        pass


def test_hooks_cannot_be_forbidden_while_some_are_in_force():
    with (
        saved_tensors_hooks(same, same),
        pytest.raises(RuntimeError, match=r"^no hooks$"),
        disable_saved_tensors_hooks("no hooks"),
    ):
        pass
    assert current().no_saved_hooks is None


def test_a_function_can_be_decorated_to_forbid_hooks():
    @disable_saved_tensors_hooks("not here")
    def compute():
        with save_on_cpu():
            pass

    with pytest.raises(RuntimeError, match="not here"):
        compute()


def test_hooks_are_allowed_again_after_an_error():
    with pytest.raises(KeyError), disable_saved_tensors_hooks("no hooks"):
        raise KeyError
    with save_on_cpu():
        pass


def test_hooks_of_one_saved_tensor_stay_allowed():
    with disable_saved_tensors_hooks("no hooks"):
        y = leaf(1.0).exp()
        y.grad_fn._raw_saved_result.register_hooks(same, same)
        y.sum().backward()
