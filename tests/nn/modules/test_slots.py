"""Attributes and calls of modules, which C answers where a class leaves `__getattr__` and `__call__` to the base."""

from __future__ import annotations

import traceback
from collections import OrderedDict, UserDict

import pytest

import wengert as wg
from wengert import nn
from wengert.nn.modules.module import register_module_forward_pre_hook


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(wg.ones(2))
        self.register_buffer("mean", wg.zeros(2))
        self.child = nn.ReLU()
        self.width = 3

    def forward(self, *args, **kwargs):
        return args, kwargs

    @property
    def broken(self):
        return self.nothing_of_the_kind

    @property
    def fails(self):
        raise KeyError("a property's own error")


class Wrapper(nn.Module):
    """A class as programs write it: attributes of the inner module are found, too."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.inner, name)


def test_attributes_are_found_in_tables_and_in_the_instance():
    net = Net()
    assert net.weight is net._parameters["weight"]
    assert net.mean is net._buffers["mean"]
    assert net.child is net._modules["child"]
    assert net.width == 3 and net.forward(1) == ((1,), {})
    assert "weight" not in vars(net)


def test_entries_are_read_anew_each_time():
    net = Net()
    net._parameters["weight"] = other = nn.Parameter(wg.zeros(1))
    assert net.weight is other
    net._parameters["late"] = None
    assert net.late is None
    net._buffers = OrderedDict(mean=other)
    assert net.mean is other
    net._modules = UserDict(child=net)
    assert net.child is net
    del net._parameters["weight"]
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'weight'"):
        _ = net.weight
    vars(net)["weight"] = 5
    assert net.weight == 5


def test_an_attribute_of_the_class_or_of_the_instance_comes_before_a_table():
    net = Net()
    net._parameters["width"] = net.weight
    assert net.width == 3
    net.__class__ = type("Own", (Net,), {"mean": "of the class"})
    assert net.mean == "of the class"


def test_tables_are_looked_through_in_order():
    net = Net()
    net._buffers["both"], net._modules["both"] = wg.ones(1), nn.ReLU()
    assert net.both is net._buffers["both"]
    net._parameters["both"] = None
    assert net.both is None


def test_missing_attributes_name_the_class_and_end_in_one_frame_of_the_package():
    net = Net()
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'gone'") as caught:
        _ = net.gone
    assert caught.value.name == "gone" and caught.value.obj is net
    assert [entry.name for entry in traceback.extract_tb(caught.tb)][1:] == ["__getattr__"]
    assert not hasattr(net, "gone") and getattr(net, "gone", 4) == 4


def test_a_module_that_was_not_initialised_has_no_tables():
    bare = Net.__new__(Net)
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'weight'"):
        _ = bare.weight
    assert bare.__class__ is Net
    with pytest.raises(AttributeError, match="_call_hooks"):
        bare(1)


def test_properties_behave_as_with_any_getattr():
    net = Net()
    with pytest.raises(AttributeError, match="no attribute 'broken'"):  # of the property itself, as Python has it
        _ = net.broken
    with pytest.raises(KeyError, match="own error"):
        _ = net.fails


def test_a_getattr_of_the_program_is_asked():
    wrapper = Wrapper(Net())
    assert wrapper.weight is wrapper.inner.weight and wrapper.width == 3
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'gone'"):
        _ = wrapper.gone
    Sub = type("Sub", (Wrapper,), {})  # noqa: N806 - a class
    assert Sub(Net()).width == 3


def test_a_getattribute_of_the_program_is_asked():
    seen = []

    class Watched(Net):
        def __getattribute__(self, name):
            seen.append(name)
            return super().__getattribute__(name)

    watched = Watched()
    seen.clear()
    assert watched.weight is watched._parameters["weight"]
    assert seen[0] == "weight"


def test_methods_that_a_class_gets_later_are_used_and_give_way_again():
    class Late(Net):
        pass

    class Later(Late):
        pass

    late, later = Late(), Later()
    Late.__getattr__ = lambda self, name: name
    Late.__call__ = lambda self, *args: "called"
    assert late.weight == later.weight == "weight"
    assert late(1) == later(1) == "called"
    del Late.__getattr__, Late.__call__
    assert late.weight is late._parameters["weight"] and later.mean is later._buffers["mean"]
    assert late(1) == later(1) == ((1,), {})


def test_methods_of_the_base_may_be_replaced(monkeypatch):
    net, layer = Net(), nn.Linear(2, 2)
    calls = []
    found, called = nn.Module.__getattr__, nn.Module.__call__

    def look_up(self, name):
        calls.append(name)
        return found(self, name)

    def call(self, *args, **kwargs):
        calls.append(type(self).__name__)
        return called(self, *args, **kwargs)

    monkeypatch.setattr(nn.Module, "__getattr__", look_up)
    monkeypatch.setattr(nn.Module, "__call__", call)
    assert net.weight is net._parameters["weight"] and net(1) == ((1,), {})
    layer(wg.ones(2))
    assert calls == ["weight", "Net", "Linear", "weight", "bias"]
    monkeypatch.undo()
    net(net.weight)
    assert len(calls) == 5


def test_a_mixin_decides_if_it_comes_first():
    class Mixin:
        def __getattr__(self, name):
            if name != "weight":
                raise AttributeError(name)
            return f"mixin's {name}"

        def __call__(self, value):
            return f"mixin called with {value}"

    first, second = Net(), Net()
    first.__class__ = type("First", (Mixin, Net), {})
    second.__class__ = type("Second", (Net, Mixin), {})
    assert first.weight == "mixin's weight" and first(1) == "mixin called with 1"
    assert second.weight is second._parameters["weight"] and second(1) == ((1,), {})


def test_other_bases_of_a_class_change_its_methods():
    class Plain(nn.Module):
        pass

    class Moved(Plain):
        def forward(self):
            return "forward"

    class Other(nn.Module):
        def __call__(self):
            return "other"

    moved = Moved()
    assert moved() == "forward"
    Moved.__bases__ = (Other,)
    assert moved() == "other"


def test_the_class_of_an_instance_may_change():
    net = Net()
    net.__class__ = type("Renamed", (Net,), {"forward": lambda self, x: x + 1})
    assert net(1) == 2 and net.weight is net._parameters["weight"]


@pytest.mark.parametrize("count", [0, 1, 4, 5, 6, 7, 30])
def test_arguments_of_a_call_are_those_of_forward(count):
    net = Net()
    assert net(*range(count)) == (tuple(range(count)), {})
    assert net(*range(count), name=1, other=2) == (tuple(range(count)), {"name": 1, "other": 2})
    assert Net.__call__(net, *range(count), name=1) == (tuple(range(count)), {"name": 1})


def test_forward_may_be_an_attribute_of_the_instance_or_no_function():
    net = Net()
    net.forward = lambda value: value * 2
    assert net(4) == 8
    del net.forward
    assert net(4) == ((4,), {})
    Static = type("Static", (Net,), {"forward": staticmethod(lambda value: value * 3)})  # noqa: N806 - a class
    Of = type("Of", (Net,), {"forward": classmethod(lambda cls, value: cls.__name__ * value)})  # noqa: N806 - a class
    assert Static()(4) == 12 and Of()(2) == "OfOf"
    child = nn.Module()
    vars(child)["forward"] = nn.ReLU()
    assert child(wg.tensor([-1.0, 1.0])).tolist() == [0, 1]


def test_hooks_are_seen_from_the_next_call_on():
    net, seen = Net(), []
    assert net(1) == ((1,), {})
    handle = net.register_forward_pre_hook(lambda module, args: seen.append(args))
    net(2)
    handle.remove()
    net(3)
    with register_module_forward_pre_hook(lambda module, args: seen.append(args)):
        net(4)
    net(5)
    net._call_hooks = {1: True}
    net._forward_hooks[1] = lambda module, args, result: seen.append(result)
    net(6)
    assert seen == [(2,), (4,), ((6,), {})]


def test_errors_of_forward_have_the_frames_of_the_program_only():
    class Failing(Net):
        def forward(self, x, *, scale=1):
            return inner(x)

    def inner(x):
        raise ValueError("of the program")

    with pytest.raises(ValueError, match="of the program") as caught:
        Failing()(1)
    assert [entry.name for entry in traceback.extract_tb(caught.tb)][1:] == ["forward", "inner"]


@pytest.mark.parametrize("args", [(), (1, 2)])
def test_wrong_arguments_are_refused_by_the_call(args):
    class One(Net):
        def forward(self, x):
            return x

    with pytest.raises(TypeError, match=r"forward\(\) (missing 1|takes 2)") as caught:
        One()(*args)
    assert [entry.name for entry in traceback.extract_tb(caught.tb)][1:] == ["__call__"]
    with pytest.raises(TypeError, match="unexpected keyword argument 'other'"):
        One()(1, other=2)


def test_a_call_that_is_interrupted_keeps_its_frames():
    class Interrupted(Net):
        def forward(self):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Interrupted()()


def test_calls_nest_until_python_refuses():
    class Endless(Net):
        def forward(self):
            return self()

    with pytest.raises(RecursionError):
        Endless()()


def test_generators_and_coroutines_are_returned_as_they_are():
    class Stream(Net):
        def forward(self, count):
            yield from range(count)

    assert list(Stream()(3)) == [0, 1, 2]
