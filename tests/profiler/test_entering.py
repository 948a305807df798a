"""Entering and leaving a profile: nested, interrupted, in the middle of passes, left open."""

from __future__ import annotations

import gc
import types
import warnings

import pytest

import wengert as wg
from tests.profiler.events import Twice, event_of, leaf, names, top
from wengert._core import flags
from wengert._core.profiling import kinds
from wengert._core.state.modes import current
from wengert.autograd import profiler, profiler_util
from wengert.autograd.profiler import profile, record_function


def test_a_profile_serves_once():
    prof = profile()
    with prof, pytest.raises(RuntimeError, match="Profiler context manager is not reentrant"):
        prof.__enter__()
    with pytest.raises(RuntimeError, match="Profiler context manager is not reentrant"):
        prof.__enter__()


def test_a_disabled_profile_does_nothing():
    with profile(enabled=False) as prof:
        wg.ones(2) * 2
        assert current().log is None
    assert prof is None


def test_before_its_end_a_profile_has_no_events():
    prof = profile()
    assert repr(prof) == str(prof) == "<unfinished torch.autograd.profile>"
    assert prof.function_events == [] and prof.key_averages() == [] and prof.table() == ""
    assert prof.self_cpu_time_total == 0 and prof.total_average().key == "Total"
    with pytest.raises(RuntimeError, match="has not been run to its end"):
        prof.export_chrome_trace("nowhere.json")
    with pytest.raises(AssertionError, match="with_stack=True"):
        prof.export_stacks("nowhere.txt")
    with prof:
        wg.ones(2) * 2
        assert prof.key_averages() == [] and "unfinished" in repr(prof)
    assert names(prof) == ["aten::ones", "aten::mul"]
    assert repr(prof).startswith("[<FunctionEvent id=1 name=aten::ones ")
    assert str(prof) == prof.table()


@pytest.mark.parametrize(
    ("options", "category", "says"),
    [
        ({"use_cuda": True}, FutureWarning, "The attribute `use_cuda` will be deprecated soon"),
        ({"use_device": "cuda"}, UserWarning, "CUDA is not available, disabling CUDA profiling"),
        ({"use_device": "xpu"}, UserWarning, "XPU is not available"),
        ({"use_device": "cpu"}, UserWarning, "The cpu is not a valid device option."),
    ],
)
def test_other_devices_warn(options, category, says):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert profile(**options).use_device is None
    assert any(each.category is category and says in str(each.message) for each in caught)


def test_without_the_cpu_there_is_nothing_to_profile():
    with pytest.raises(AssertionError, match="Device-only events supported only with Kineto"):
        profile(use_cpu=False)
    with pytest.raises(TypeError):
        profile(True, True)


def test_an_exception_in_the_middle_ends_what_was_open():
    x = leaf(3)
    y = x * 2

    def fail(grad):
        raise ValueError("stop")

    y.register_hook(fail)
    with profile() as prof:
        with pytest.raises(ValueError, match="stop"):
            y.sum().backward()
        with pytest.raises(ZeroDivisionError), record_function("failing"):
            1 / 0  # noqa: B018
        wg.ones(1)
    assert top(prof)[-2:] == ["failing", "aten::ones"]
    assert all(event.time_range.end >= event.time_range.start for event in prof.function_events)


def test_an_interrupt_in_the_middle_ends_what_was_open():
    x = leaf(3)
    y = x * 2

    def interrupt(grad):
        raise KeyboardInterrupt

    y.register_hook(interrupt)
    prof = profile()
    with pytest.raises(KeyboardInterrupt), prof:
        y.sum().backward()
    assert current().log is None and not current().word & flags.PROFILED
    assert "MulBackward0" in names(prof)


@pytest.mark.parametrize("kind", [kinds.RANGE, kinds.OPERATOR])
def test_a_lost_end_is_made_up_for(kind):
    with profile() as prof:
        wg.ones(1)
        with record_function("outer"):
            current().log.begin(kind, "lost", -1, None)
            wg.ones(2)
        wg.ones(3)
    lost = next(event for event in prof.function_events if "lost" in event.name)
    inside = event_of(prof, "aten::ones", 1)
    assert top(prof) == ["aten::ones", "outer", "aten::ones"]
    assert lost.time_range.end <= lost.cpu_parent.time_range.end
    assert inside.cpu_parent.name == ("lost" if kind == kinds.RANGE else "outer")
    assert prof.self_cpu_time_total == pytest.approx(
        sum(event.cpu_time_total for event in prof.function_events if event.cpu_parent is None)
    )


def test_what_comes_after_an_operator_whose_end_was_lost_stands_beside_it():
    with profile() as prof:
        current().log.begin(kinds.OPERATOR, "lost", -1, None)
        wg.ones(2)
        wg.ones(3) * 2
    assert top(prof) == ["aten::lost", "aten::ones", "aten::ones", "aten::mul"]
    assert event_of(prof, "aten::lost").cpu_time_total == 0


def test_profiles_may_be_nested_and_each_has_the_events_of_its_block():
    with profile(record_shapes=True) as outer:
        wg.ones(1)
        with profile() as inner:
            wg.ones(2) * 2
        wg.ones(3)
    assert names(inner) == ["aten::ones", "aten::mul"]
    assert names(outer) == ["aten::ones", "aten::ones", "aten::mul", "aten::ones"]
    assert event_of(inner, "aten::mul").input_shapes == [] != event_of(outer, "aten::mul").input_shapes


def test_a_profile_may_begin_and_end_in_the_middle_of_a_pass():
    x = leaf(3)
    y = x * 2
    prof = profile()

    def begin(grad):
        prof.__enter__()

    y.register_hook(begin)
    y.sum().backward()
    (x * 3).exp()
    prof.__exit__(None, None, None)
    assert top(prof)[-2:] == ["aten::mul", "aten::exp"]
    assert "torch::autograd::AccumulateGrad" in names(prof)
    with profile() as other:
        x.register_hook(lambda grad: other.__exit__(None, None, None) or None)
        (x * 2).sum().backward()
        x.exp()
    assert "aten::exp" not in names(other) and current().word == 0


def test_nested_passes_are_nested_events():
    x = leaf(2)

    class Within(wg.autograd.Function):
        @staticmethod
        def forward(ctx, value):
            ctx.save_for_backward(value)
            return value.detach() ** 2

        @staticmethod
        def backward(ctx, grad):
            with wg.enable_grad():
                value = ctx.saved_tensors[0].detach().requires_grad_()
                (value**2).sum().backward()
            return grad * value.grad

    with profile() as prof:
        Within.apply(x).sum().backward()
    inner = event_of(prof, "PowBackward0")
    around = []
    while inner is not None:
        around.append(inner.name)
        inner = inner.cpu_parent
    assert "WithinBackward" in around


def test_a_profile_that_is_left_open_closes_with_its_last_reference():
    prof = profile()
    prof.__enter__()
    wg.ones(2) * 2
    del prof
    gc.collect()
    assert current().log is None and current().word == 0


def test_collection_can_be_switched_off_in_between():
    activity = types.SimpleNamespace(name="CPU")
    with profile() as prof:
        wg.ones(1)
        prof.toggle_collection_dynamic(False, [activity])
        wg.ones(2)
        prof.toggle_collection_dynamic(True, [activity])
        wg.ones(3) * 1
    assert names(prof) == ["aten::ones", "aten::ones", "aten::mul"]


def test_events_accumulate_if_that_is_asked_for():
    prof = profile(acc_events=True)
    prof._start()
    wg.ones(1)
    prof._stop()
    prof._start()
    wg.ones(1) * 1
    prof._stop()
    assert sorted(names(prof)) == ["aten::mul", "aten::ones", "aten::ones"]


def test_the_modules_have_torchs_names():
    assert {"profile", "record_function", "emit_nvtx", "emit_itt", "load_nvprof", "EnforceUnique"} <= set(
        profiler.__all__
    )
    assert profiler_util.EventList is profiler.EventList
    assert wg.autograd.profiler is profiler and wg.autograd.profiler_util is profiler_util


def test_what_was_restored_of_a_closed_profile_is_noticed():
    modes = current()
    modes.word |= flags.PROFILED
    x = leaf(2)
    wg.max(x * 2)
    assert modes.word == 0
    modes.word |= flags.PROFILED
    Twice.apply(x).sum().backward()
    assert modes.word == 0
