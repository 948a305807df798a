"""Modules whose call is compiled: `Module.compile`."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import wengert as wg
from wengert import nn


def model() -> Any:
    wg.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.Dropout(0.5), nn.Tanh(), nn.Linear(4, 2))


def course(net: Any) -> Any:
    """Train a module, in both of its modes; return losses and parameters."""
    optim = wg.optim.SGD(net.parameters(), 0.1)
    losses = []
    for number in range(20):
        wg.manual_seed(number)
        net.train(number % 5 != 4)
        optim.zero_grad()
        loss = (net(wg.randn(5, 3)) ** 2).mean()
        loss.backward()
        optim.step()
        losses.append(loss.item())
    return losses, [each.tolist() for each in net.parameters()]


def test_a_compiled_module_is_replayed_in_both_of_its_modes():
    net = model()
    assert net.compile(replay=True, fullgraph=True) is None
    assert course(net) == course(model())
    lists = [captured for signature in net._compiled_call_impl.signatures.values() for captured in signature.lists]
    assert sum(captured.replays for captured in lists) > 8
    assert "_compiled_call_impl" not in repr(net) and list(net.state_dict()) == list(model().state_dict())


def test_hooks_are_part_of_the_compiled_call():
    net, seen = model().eval(), []
    net.register_forward_hook(lambda module, args, result: seen.append(result.shape) or result * 2)
    wanted = net(wg.ones(1, 3))
    seen.clear()
    net.compile(replay=True)
    for _ in range(12):
        assert net(wg.ones(1, 3)).equal(wanted)
    assert 3 < len(seen) < 12


def test_submodules_may_be_compiled():
    net = model()
    net[0].compile(replay=True)
    net[3].compile(replay=True)
    assert course(net) == course(model())
    assert net[0]._compiled_call_impl.signatures


def test_copies_are_not_compiled_and_a_module_is_compiled_anew():
    net = model()
    net.compile()
    assert type(net._compiled_call_impl).__name__ == "Followed"
    net.compile(replay=True)
    for other in (copy.deepcopy(net), pickle.loads(pickle.dumps(net)), copy.copy(net)):
        assert other._compiled_call_impl is None and "_compiled_call_impl" not in vars(other)
        assert other.eval()(wg.ones(1, 3)).shape == (1, 2)
    net.compile(mode="max-autotune")
    assert type(net._compiled_call_impl).__name__ == "Followed" and net(wg.ones(1, 3)).shape == (1, 2)
    net.compile(disable=True)
    assert net._compiled_call_impl is None and not net._call_hooks
