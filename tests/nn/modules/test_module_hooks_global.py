"""Hooks around the calls of all modules, and hooks on what modules register."""

import sys
import threading

import pytest

import wengert as wg
from wengert import nn
from wengert.nn.modules.module import (
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)


class Add(nn.Module):
    def forward(self, x, more=0):
        return x + more


def test_global_hooks_run_for_every_module_before_its_own():
    order = []
    net = Add()
    net.register_forward_pre_hook(lambda *given: order.append("own pre"), prepend=True)
    net.register_forward_hook(lambda *given: order.append("own"), prepend=True)
    with (
        register_module_forward_pre_hook(lambda *given: order.append("global pre")),
        register_module_forward_hook(lambda *given: order.append("global")),
    ):
        net(1)
        Add()(2)
    net(3)
    assert order == [*["global pre", "own pre", "global", "own"], *["global pre", "global"], *["own pre", "own"]]


def test_a_module_in_a_module_is_called_with_the_hooks_too():
    seen = []
    net = nn.Sequential(nn.ReLU(), nn.Tanh())
    with register_module_forward_hook(lambda module, args, out: seen.append(type(module).__name__)):
        net(wg.ones(1))
    assert seen == ["ReLU", "Tanh", "Sequential"]


def test_global_hooks_may_replace_arguments_and_output():
    with (
        register_module_forward_pre_hook(lambda module, args: args[0] + 1),
        register_module_forward_hook(lambda module, args, out: out * 100),
    ):
        assert Add()(1, more=1) == 300
    assert Add()(1, more=1) == 2


def test_global_forward_hooks_may_see_keyword_arguments():
    seen = []
    with register_module_forward_hook(
        lambda module, args, kwargs, out: seen.append((args, kwargs, out)), with_kwargs=True
    ):
        Add()(1, more=2)
    assert seen == [((1,), {"more": 2}, 3)]


def test_a_global_hook_that_is_always_called_sees_a_failure_before_the_module_s_own_and_with_keywords():
    seen = []
    net = Add()
    net.register_forward_hook(lambda module, args, out: seen.append(("own", out)), always_call=True)
    hook = register_module_forward_hook(
        lambda module, args, kwargs, out: seen.append((args, kwargs, out)), with_kwargs=True, always_call=True
    )
    with hook, pytest.raises(TypeError):
        net("a", more=1)
    assert seen == [(("a",), {"more": 1}, None), ("own", None)]


def test_an_error_of_a_global_always_called_hook_after_another_error_becomes_a_warning():
    def refuse(*given):
        raise KeyError("second")

    with (
        register_module_forward_hook(refuse, always_call=True),
        pytest.warns(UserWarning, match="^global module forward hook with ``always_call=True`` raised.*second"),
        pytest.raises(TypeError),
    ):
        Add()("a")


def test_after_an_error_in_a_global_hook_all_modules_are_usable():
    def refuse(*given):
        raise RuntimeError("refused")

    with register_module_forward_pre_hook(refuse), pytest.raises(RuntimeError, match="refused"):
        Add()(1)
    assert Add()(1) == 1


def test_removing_global_hooks_leaves_nothing_behind():
    from wengert.nn.modules import global_hooks

    handles = [
        register_module_forward_hook(print, with_kwargs=True, always_call=True),
        register_module_forward_pre_hook(print),
        register_module_parameter_registration_hook(print),
    ]
    for handle in handles:
        handle.remove()
        handle.remove()
    tables = [value for name, value in vars(global_hooks).items() if name.isupper() and isinstance(value, dict)]
    assert len(tables) == 10
    assert [len(table) for table in tables] == [0] * 10


def test_threads_may_add_and_remove_global_hooks_while_others_call():
    stop, seen, errors = threading.Event(), [], []

    def change():
        try:
            for _ in range(200):
                with (
                    register_module_forward_hook(lambda module, args, kwargs, out: out * 2, with_kwargs=True),
                    register_module_forward_pre_hook(lambda module, args: seen.append(1)),
                ):
                    pass
        except Exception as error:
            errors.append(error)

    def call(net):
        try:
            while not stop.is_set():
                assert net(1) in (1, 2, 4, 8)
        except Exception as error:
            errors.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    changing = [threading.Thread(target=change) for _ in range(3)]
    calling = [threading.Thread(target=call, args=(Add(),)) for _ in range(2)]
    try:
        for thread in changing + calling:
            thread.start()
        for thread in changing:
            thread.join()
    finally:
        stop.set()
        for thread in calling:
            thread.join()
        sys.setswitchinterval(interval)
    assert errors == []
    assert Add()(1) == 1


# ---- registration ----------------------------------------------------------------------------------------------------


@pytest.fixture
def registered():
    """What the three registration hooks saw: (kind, name, type of the value)."""
    seen = []

    def hook(kind):
        return lambda module, name, value: seen.append((kind, name, type(value).__name__))

    with (
        register_module_parameter_registration_hook(hook("parameter")),
        register_module_buffer_registration_hook(hook("buffer")),
        register_module_module_registration_hook(hook("module")),
    ):
        yield seen


def test_registration_hooks_see_what_a_layer_registers(registered):
    nn.Sequential(nn.Linear(1, 1))
    assert registered == [
        ("parameter", "weight", "Parameter"),
        ("parameter", "bias", "Parameter"),
        ("module", "0", "Linear"),
    ]
    registered.clear()
    nn.BatchNorm1d(2, affine=False)
    buffers = ["running_mean", "running_var", "num_batches_tracked"]
    assert [each for each in registered if each[2] != "NoneType"] == [("buffer", name, "Tensor") for name in buffers]


def test_registration_hooks_see_every_assignment_of_buffers_and_modules(registered):
    net = nn.Module()
    net.register_buffer("a", wg.ones(1))
    net.a = wg.zeros(1)
    net.a = None
    net.register_buffer("b", None)
    net.c = nn.Buffer(wg.ones(1))
    net.d = nn.ReLU()
    net.d = None
    net.add_module("e", None)
    assert registered == [
        ("buffer", "a", "Tensor"),
        ("buffer", "a", "Tensor"),
        ("buffer", "a", "NoneType"),
        ("buffer", "b", "NoneType"),
        ("buffer", "c", type(nn.Buffer(wg.ones(1))).__name__),
        ("module", "d", "ReLU"),
        ("module", "d", "NoneType"),
        ("module", "e", "NoneType"),
    ]


def test_registration_hooks_see_parameters_but_not_their_absence(registered):
    net = nn.Module()
    net.w = nn.Parameter(wg.ones(1))
    net.w = None
    net.register_parameter("v", None)
    net.register_parameter("u", nn.Parameter(wg.ones(1)))
    assert registered == [("parameter", "w", "Parameter"), ("parameter", "u", "Parameter")]


def test_converting_and_loading_register_nothing(registered):
    net = nn.Linear(1, 1)
    registered.clear()
    net.double().load_state_dict(net.state_dict())
    assert registered == []


def test_registration_hooks_may_replace_what_is_registered():
    with (
        register_module_parameter_registration_hook(lambda module, name, value: nn.Parameter(wg.full((1,), 7.0))),
        register_module_buffer_registration_hook(lambda module, name, value: wg.full((1,), 9.0)),
        register_module_module_registration_hook(lambda module, name, value: nn.Tanh()),
    ):
        net = nn.Module()
        net.w = nn.Parameter(wg.ones(1))
        net.b = nn.Buffer(wg.ones(1))
        net.register_buffer("c", wg.ones(1))
        net.c = wg.ones(1)
        net.m = nn.ReLU()
        net.add_module("n", nn.ReLU())
    assert (net.w.item(), net.b.item(), net.c.item()) == (7.0, 9.0, 9.0)
    assert isinstance(net.m, nn.Tanh) and isinstance(net.n, nn.Tanh)
    net.m = nn.ReLU()
    assert isinstance(net.m, nn.ReLU)


def test_an_error_in_a_registration_hook_registers_nothing():
    def refuse(module, name, value):
        raise ValueError(f"no {name}")

    net = nn.Module()
    with register_module_parameter_registration_hook(refuse), pytest.raises(ValueError, match="no w"):
        net.w = nn.Parameter(wg.ones(1))
    assert dict(net.named_parameters()) == {}
    net.w = nn.Parameter(wg.ones(1))
    assert list(dict(net.named_parameters())) == ["w"]
