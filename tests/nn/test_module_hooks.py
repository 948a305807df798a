"""Hooks around the call of a module."""

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
