"""Hooks around the call of a module."""

from __future__ import annotations

import copy
import pickle
import sys
import threading

import pytest

import wengert as wg
from wengert import nn


class Add(nn.Module):
    def forward(self, x, more=0):
        return x + more


def test_hooks_run_in_the_order_of_registration_around_forward():
    order = []
    net = Add()
    net.register_forward_hook(lambda module, args, out: order.append("after 1"))
    net.register_forward_pre_hook(lambda module, args: order.append("before 1"))
    net.register_forward_hook(lambda module, args, out: order.append("after 0"), prepend=True)
    net.register_forward_pre_hook(lambda module, args: order.append("before 0"), prepend=True)
    net(1)
    assert order == ["before 0", "before 1", "after 0", "after 1"]


def test_hooks_may_replace_arguments_and_result():
    net = Add()
    net.register_forward_pre_hook(lambda module, args: args[0] + 1)
    net.register_forward_hook(lambda module, args, out: out * 10 + args[0])
    assert net(1, more=5) == 72


def test_hooks_may_see_and_replace_keyword_arguments():
    net = Add()
    net.register_forward_pre_hook(lambda module, args, kwargs: (args, {"more": kwargs["more"] * 2}), with_kwargs=True)
    net.register_forward_hook(lambda module, args, kwargs, out: (out, kwargs), with_kwargs=True)
    assert net(1, more=2) == (5, {"more": 4})


def test_a_pre_hook_with_keywords_must_return_a_pair():
    net = Add()
    net.register_forward_pre_hook(lambda module, args, kwargs: args, with_kwargs=True)
    with pytest.raises(RuntimeError, match=r"must return None or a tuple of \(new_args, new_kwargs\)"):
        net(1)


def test_a_removed_hook_does_not_run():
    seen = []
    net = Add()
    handle = net.register_forward_hook(lambda *given: seen.append(1))
    net(1)
    handle.remove()
    handle.remove()
    net(1)
    with net.register_forward_hook(lambda *given: seen.append(2)):
        net(1)
    net(1)
    assert seen == [1, 2]


def test_a_hook_that_is_always_called_sees_a_failure():
    seen = []
    net = Add()
    net.register_forward_hook(lambda module, args, out: seen.append(out), always_call=True)
    net.register_forward_hook(lambda module, args, out: seen.append("not this one"))
    with pytest.raises(TypeError):
        net("a")
    assert seen == [None]


def test_a_hook_that_raises_stops_the_call():
    def refuse(module, args, out):
        raise RuntimeError("refused")

    net = Add()
    net.register_forward_hook(refuse)
    with pytest.raises(RuntimeError, match="refused"):
        net(wg.ones(1))


def test_an_error_in_one_hook_still_calls_those_that_are_always_called_with_the_output_so_far():
    def refuse(module, args, out):
        raise RuntimeError("refused")

    seen = []
    net = Add()
    net.register_forward_hook(lambda module, args, out: out + 1)
    net.register_forward_hook(refuse)
    net.register_forward_hook(lambda module, args, kwargs, out: seen.append((args, kwargs, out)), with_kwargs=True)
    net.register_forward_hook(
        lambda module, args, kwargs, out: seen.append((args, kwargs, out)), with_kwargs=True, always_call=True
    )
    with pytest.raises(RuntimeError, match="refused"):
        net(1, more=2)
    assert seen == [((1,), {"more": 2}, 4)]


def test_a_hook_that_is_always_called_runs_once():
    def refuse(module, args, out):
        raise RuntimeError("refused")

    seen = []
    net = Add()
    net.register_forward_hook(lambda module, args, out: seen.append(out), always_call=True)
    net.register_forward_hook(refuse)
    with pytest.raises(RuntimeError, match="refused"):
        net(1)
    assert seen == [1]


def test_what_always_called_hooks_return_is_seen_by_the_next_one_after_an_error():
    seen = []
    net = Add()
    net.register_forward_hook(lambda module, args, out: "first", always_call=True)
    net.register_forward_hook(lambda module, args, out: seen.append(out), always_call=True)
    with pytest.raises(TypeError):
        net("a")
    assert seen == ["first"]


def test_an_error_of_an_always_called_hook_after_another_error_becomes_a_warning():
    def refuse(module, args, out):
        raise KeyError("second")

    net = Add()
    net.register_forward_hook(refuse, always_call=True)
    with (
        pytest.warns(UserWarning, match="^module forward hook with ``always_call=True`` raised.*silenced.*second"),
        pytest.raises(TypeError),
    ):
        net("a")


def test_an_error_of_an_always_called_hook_alone_is_raised():
    def refuse(module, args, out):
        raise KeyError("alone")

    net = Add()
    net.register_forward_hook(refuse, always_call=True)
    with pytest.raises(KeyError, match="alone"):
        net(1)


def test_an_interrupt_does_not_call_hooks():
    class Stop(nn.Module):
        def forward(self):
            raise KeyboardInterrupt

    seen = []
    net = Stop()
    net.register_forward_hook(lambda module, args, out: seen.append(out), always_call=True)
    with pytest.raises(KeyboardInterrupt):
        net()
    assert seen == []


def test_after_an_error_in_a_hook_the_module_is_usable():
    def refuse(*given):
        raise RuntimeError("refused")

    net = Add()
    handle = net.register_forward_pre_hook(refuse)
    with pytest.raises(RuntimeError, match="refused"):
        net(1)
    handle.remove()
    assert net(1) == 1


def test_a_list_returned_by_a_pre_hook_is_one_argument():
    net = Add()
    net.register_forward_pre_hook(lambda module, args: [args[0]])
    assert net(1, more=[2]) == [1, 2]


def test_hooks_added_or_removed_by_a_hook_count_from_the_next_call_on():
    seen = []
    net = Add()

    def once(module, args, out):
        seen.append("once")
        handle.remove()
        net.register_forward_hook(lambda *given: seen.append("new"))

    handle = net.register_forward_hook(once)
    net.register_forward_hook(lambda *given: seen.append("last"))
    net(1)
    assert seen == ["once", "last"]
    net(1)
    assert seen == ["once", "last", "last", "new"]


def test_removing_a_hook_leaves_nothing_behind():
    net = Add()
    for _ in range(3):
        handles = [
            net.register_forward_hook(print, prepend=True, with_kwargs=True, always_call=True),
            net.register_forward_pre_hook(print, with_kwargs=True),
            net.register_full_backward_hook(print),
            net.register_full_backward_pre_hook(print),
        ]
        assert net._call_hooks
        for handle in handles:
            handle.remove()
    tables = [name for name in vars(net) if "hooks" in name]
    assert len(tables) == 12
    assert [len(vars(net)[name]) for name in tables] == [0] * 12


def double(module, args, kwargs, out):
    return out * 2


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda net: pickle.loads(pickle.dumps(net))])
def test_a_copy_of_a_module_has_copies_of_its_hooks(copied):
    net = nn.Sequential(nn.ReLU())
    net.register_forward_hook(double, with_kwargs=True)
    other = copied(net)
    assert other(wg.ones(1)).tolist() == [2.0]
    other.register_forward_hook(double, with_kwargs=True)
    assert other(wg.ones(1)).tolist() == [4.0]
    assert net(wg.ones(1)).tolist() == [2.0]
    other._forward_hooks.clear()
    assert other(wg.ones(1)).tolist() == [1.0]


def test_a_hook_put_straight_into_the_table_runs():
    seen = []
    net = Add()
    net._forward_hooks[-1] = lambda module, args, out: seen.append(out)
    net(3)
    assert seen == [3]
    assert net._forward_hooks.pop(-1) is not None
    assert not net._call_hooks


def test_a_module_without_its_init_says_so():
    class Without(nn.Module):
        def __init__(self):
            pass

        def forward(self, x):
            return x

    with pytest.raises(AttributeError, match="'Without' object has no attribute"):
        Without()(1)


def test_hooks_may_come_and_go_while_other_threads_call():
    net, stop, errors = Add(), threading.Event(), []

    def change():
        try:
            for _ in range(300):
                handles = [net.register_forward_hook(double, prepend=True, with_kwargs=True) for _ in range(3)]
                for handle in handles:
                    handle.remove()
        except Exception as error:
            errors.append(error)
        finally:
            stop.set()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    changing = threading.Thread(target=change)
    try:
        changing.start()
        while not stop.is_set():
            assert net(1) in (1, 2, 4, 8)
    finally:
        changing.join()
        sys.setswitchinterval(interval)
    assert errors == []
    assert net(1) == 1


def test_state_dict_hooks_run_around_saving_and_loading():
    seen = []
    net = nn.Sequential(nn.Linear(1, 1))
    net[0].register_state_dict_pre_hook(lambda module, prefix, keep: seen.append(("saving", prefix)))
    net[0].register_state_dict_post_hook(lambda module, state, prefix, meta: state.update({prefix + "extra": 1}))
    net[0].register_load_state_dict_pre_hook(lambda module, state, prefix, *rest: state.pop(prefix + "extra"))
    net[0].register_load_state_dict_post_hook(lambda module, keys: seen.append(("loaded", list(keys.missing_keys))))
    state = net.state_dict()
    assert list(state) == ["0.weight", "0.bias", "0.extra"]
    net.load_state_dict(state)
    assert seen == [("saving", "0."), ("loaded", [])]
    assert "0.extra" in state


def test_a_copy_of_a_module_calls_hooks_on_loading_with_itself():
    seen = []
    net = nn.Linear(1, 1)
    net.register_load_state_dict_pre_hook(lambda module, *given: seen.append((module, len(given))))
    other = copy.deepcopy(net)
    other.load_state_dict(net.state_dict())
    assert seen == [(other, 7)]


def test_the_older_state_dict_hooks_may_replace_the_state_and_see_no_module():
    seen = []
    net = nn.Linear(1, 1)
    net._register_load_state_dict_pre_hook(lambda *given: seen.append(len(given)))
    net.load_state_dict(net.state_dict())
    net._register_state_dict_hook(lambda module, state, prefix, meta: {"a": 1})
    assert net.state_dict() == {"a": 1}
    assert seen == [7]


def test_a_hook_on_states_that_returns_something_is_refused():
    net = nn.Linear(1, 1)
    net.register_state_dict_post_hook(lambda module, state, prefix, meta: {"a": 1})
    with pytest.raises(RuntimeError, match="state_dict post-hook must return None"):
        net.state_dict()


def test_handles_are_those_of_utils_hooks():
    from wengert.utils.hooks import BackwardHook, RemovableHandle

    net = Add()
    with net.register_forward_hook(lambda *given: None) as handle:
        assert isinstance(handle, RemovableHandle)
    assert net(1) == 1 and not net._forward_hooks
    wrapper = BackwardHook(net, [], [])
    assert wrapper.setup_input_hook((1, "a")) == (1, "a")
    assert wrapper.setup_output_hook(3) == 3


def test_a_table_of_hooks_is_shown_as_the_dictionary_that_programs_know():
    layer = wg.nn.Linear(1, 1)
    assert repr(layer._forward_hooks) == "OrderedDict()"
    handle = layer.register_forward_hook(print)
    assert repr(layer._forward_hooks) == f"OrderedDict([({handle.id}, {print!r})])"


def test_hooks_of_a_module_are_told_apart():
    layer, older = nn.Linear(2, 2), nn.Linear(2, 2)

    def hook(*args):
        return None

    layer.register_full_backward_hook(hook)
    layer.register_full_backward_pre_hook(hook)
    older.register_backward_hook(hook)
    assert layer._get_backward_hooks() == ([hook], []) and layer._get_backward_pre_hooks() == [hook]
    assert older._get_backward_hooks() == ([], [hook]) and older._get_backward_pre_hooks() == []


def test_what_older_hooks_do_not_see_is_warned_of():
    layer = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
    x = wg.ones(1, 2)
    y = layer(x)
    with pytest.warns(FutureWarning, match="forward contains multiple autograd Nodes"):
        layer._maybe_warn_non_full_backward_hook(x, y, y.grad_fn)
