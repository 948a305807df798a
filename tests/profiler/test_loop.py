"""`wg.profiler`: schedules, steps, handlers."""

from __future__ import annotations

import json

import hypothesis
import hypothesis.strategies as st
import pytest

import wengert as wg
from wengert._core.state.modes import current
from wengert.profiler import (
    DeviceType,
    ProfilerAction,
    ProfilerActivity,
    kineto_available,
    profile,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)

NONE, WARMUP = ProfilerAction.NONE, ProfilerAction.WARMUP
RECORD, SAVE = ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE
small = st.integers(0, 4)


@hypothesis.given(small, st.integers(1, 4), st.integers(1, 4), st.integers(0, 3), small, st.integers(0, 1))
def test_a_schedule_is_cycles_one_after_the_other(wait, warmup, active, repeat, skip_first, skip_wait):
    plan = schedule(
        wait=wait, warmup=warmup, active=active, repeat=repeat, skip_first=skip_first, skip_first_wait=skip_wait
    )
    cycle = [NONE] * wait + [WARMUP] * warmup + [RECORD] * (active - 1) + [SAVE]
    expected = [NONE] * skip_first + (cycle * (repeat or 9))[wait if skip_wait else 0 :]
    steps = len(expected) + (5 if repeat else 0)
    assert [plan(step) for step in range(steps)] == (expected + [NONE] * 5)[:steps]


def test_schedules_that_mean_nothing_are_refused():
    with pytest.raises(AssertionError, match="Invalid profiler schedule arguments"):
        schedule(wait=1, warmup=1, active=0)
    with pytest.raises(AssertionError, match="Step must be non-negative"):
        schedule(wait=1, warmup=1, active=1)(-1)
    with pytest.warns(UserWarning, match="won't be using warmup"):
        schedule(wait=1, warmup=0, active=1)


@hypothesis.given(small, st.integers(1, 3), st.integers(1, 3), st.integers(0, 3), st.integers(1, 20))
def test_the_handler_gets_each_cycle_and_nothing_else(wait, warmup, active, repeat, steps):
    got = []

    def ready(prof):
        got.append([event.trace_name for event in prof.events() if event.is_user_annotation])

    plan = schedule(wait=wait, warmup=warmup, active=active, repeat=repeat)
    with profile(schedule=plan, on_trace_ready=ready) as prof:
        for _ in range(steps):
            prof.step()
    noted, cycle = [], []
    for step in range(steps + 1):
        if plan(step) in (RECORD, SAVE):
            cycle.append(f"ProfilerStep#{step}")
        if plan(step) is SAVE or (step == steps and cycle):
            noted.append(cycle)
            cycle = []
    assert got == noted and current().log is None and prof.step_num == steps


def test_without_a_schedule_all_is_noted():
    ready = []
    with profile(on_trace_ready=ready.append, record_shapes=True) as prof:
        wg.ones(2)
        prof.step()
        wg.ones(3) * 2
    assert ready == [prof]
    assert [event.name for event in prof.events()] == ["aten::ones", "aten::ones", "aten::mul"]
    assert prof.function_events is prof.events()
    assert {event.key for event in prof.key_averages(group_by_input_shape=True)} == {"aten::ones", "aten::mul"}


def test_a_program_may_begin_and_end_it_by_calls():
    prof = profile()
    prof.start()
    wg.ones(2)
    prof.stop()
    assert [event.name for event in prof.events()] == ["aten::ones"]


def test_events_of_several_cycles_are_kept_if_that_is_asked_for():
    plan = schedule(wait=0, warmup=1, active=1)
    for kept, expected in ((True, 2), (False, 1)):
        with profile(schedule=plan, acc_events=kept) as prof:
            for _ in range(4):
                wg.ones(2)
                prof.step()
        assert len([event for event in prof.events() if event.name == "aten::ones"]) == expected


def test_plans_of_a_programs_own_that_break_off_are_warned_of():
    def plan(step):
        return (RECORD, NONE, WARMUP, NONE)[step]

    prof = profile(schedule=plan)
    prof.start()
    with pytest.warns(UserWarning, match="RECORD followed by NONE"):
        prof.step()
    prof.step()
    with pytest.warns(UserWarning, match="WARMUP followed by NONE"):
        prof.step()
    prof.stop()


def test_an_observer_is_called_around_what_is_noted():
    class Observer:
        def __init__(self):
            self.calls = []

        def start(self):
            self.calls.append("start")

        def stop(self):
            self.calls.append("stop")

        def cleanup(self):
            self.calls.append("cleanup")

    observer = Observer()
    with profile(execution_trace_observer=observer):
        pass
    assert observer.calls == ["start", "stop", "cleanup"]


def test_traces_go_into_the_folder_of_the_handler(tmp_path):
    for packed in (False, True):
        handler = tensorboard_trace_handler(str(tmp_path / "log"), "worker", use_gzip=packed)
        with profile(on_trace_ready=handler) as prof:
            wg.ones(2)
            prof.add_metadata("note", 'a "b"')
            prof.add_metadata_json("list", "[1]")
    files = sorted(tmp_path.glob("log/worker.*.pt.trace.json*"))
    assert [path.suffix for path in files] == [".json", ".gz"] or len(files) == 2
    plain = next(path for path in files if path.suffix == ".json")
    trace = json.loads(plain.read_text())
    assert trace["note"] == 'a "b"' and trace["list"] == [1]


def test_what_can_be_profiled_is_the_cpu():
    assert supported_activities() == {ProfilerActivity.CPU} and kineto_available()
    assert DeviceType.CPU.name == "CPU"
    with pytest.raises(AssertionError, match="No valid profiler activities found"):
        profile(activities=[])
    with pytest.raises(ValueError, match="specified more than once"):
        profile(activities=[ProfilerActivity.CPU, {ProfilerActivity.CPU: []}])
    with pytest.raises(TypeError, match="Expected ProfilerActivity or dict"):
        profile(activities=["CPU"])
    with pytest.warns(FutureWarning, match="`use_cuda` is deprecated"):
        profile(use_cuda=False)


@pytest.mark.parametrize(
    ("method", "arguments"),
    [("events", ()), ("key_averages", ()), ("export_chrome_trace", ("x.json",)), ("export_stacks", ("x.txt",))],
)
def test_before_the_first_cycle_there_is_nothing(method, arguments):
    with pytest.raises(AssertionError, match="Profiler must be initialized before"):
        getattr(profile(), method)(*arguments)
    assert profile().get_trace_id() is None


def test_a_cycle_has_the_identity_that_a_function_gives():
    prof = profile(custom_trace_id_callback=lambda: "one")
    prof.set_custom_trace_id_callback(lambda: "two")
    with prof:
        pass
    assert prof.get_trace_id() == "two"


def test_a_notebook_shows_the_table_of_the_last_cycle():
    prof = profile()
    assert prof._repr_html_() is None
    with prof:
        wg.ones(2).exp()
    assert '<td style="text-align: left">aten::exp</td>' in prof._repr_html_()
