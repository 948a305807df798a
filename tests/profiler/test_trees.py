"""Random call trees: nesting, times and averages are what the program did."""

from __future__ import annotations

import hypothesis
import hypothesis.strategies as st
import pytest

import wengert as wg
from wengert.autograd.profiler import EventList, FunctionEvent, profile, record_function

trees = st.recursive(
    st.just([]), lambda below: st.lists(st.tuples(st.sampled_from("abc"), below), max_size=4), max_leaves=25
)


def run(tree):
    for name, below in tree:
        if name == "c":
            wg.ones(1)
        with record_function(name):
            run(below)


def shape_of(event):
    return event.name, [shape_of(child) for child in event.cpu_children]


def expected(tree):
    """The tree as events: an event that is all that another of the same name does is one with it."""
    found = []
    for name, below in tree:
        if name == "c":
            found.append(("aten::ones", []))
        inner = expected(below)
        while len(inner) == 1 and inner[0][0] == name:
            inner = inner[0][1]
        found.append((name, inner))
    return found


def count(tree, name):
    return sum((each[0] == name) + count(each[1], name) for each in tree)


@hypothesis.given(trees)
def test_the_tree_of_events_is_the_tree_of_calls(tree):
    with profile(profile_memory=True) as prof:
        run(tree)
    roots = [event for event in prof.function_events if event.cpu_parent is None and event.name != "[memory]"]
    assert [shape_of(event) for event in roots] == expected(tree)
    for name in "abc":
        counted = [event.count for event in prof.key_averages() if event.key == name]
        assert counted == ([count(expected(tree), name)] if count(expected(tree), name) else [])


@hypothesis.given(trees)
def test_times_of_their_own_add_up_to_the_whole(tree):
    with profile() as prof:
        run(tree)
    events = prof.function_events
    roots = [event.cpu_time_total for event in events if event.cpu_parent is None]
    assert events.self_cpu_time_total == pytest.approx(sum(roots), abs=1e-6)
    assert prof.key_averages().self_cpu_time_total == pytest.approx(sum(roots), abs=1e-6)
    assert prof.total_average().self_cpu_time_total == pytest.approx(sum(roots), abs=1e-6)
    for event in events:
        assert event.self_cpu_time_total >= -1e-6
        for child in event.cpu_children:
            assert event.time_range.start <= child.time_range.start <= child.time_range.end <= event.time_range.end


@hypothesis.given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), max_size=12))
def test_a_tree_of_intervals_puts_each_into_the_one_that_contains_it(ranges):
    events = EventList(
        FunctionEvent(nr, f"event {nr}", 1, start, start + length) for nr, (start, length) in enumerate(ranges)
    )
    events._build_tree()
    for event in events:
        for child in event.cpu_children:
            assert child.cpu_parent is event
            assert event.time_range.start <= child.time_range.start
            assert child.time_range.end <= event.time_range.end
    assert events.key_averages().self_cpu_time_total == pytest.approx(events.self_cpu_time_total)


def test_averages_can_be_told_apart_by_shapes_and_stacks():
    def call(size):
        return wg.ones(size) * 2

    with profile(record_shapes=True, with_stack=True) as prof:
        call(2)
        call(3)
        wg.ones(3) * 2
    muls = [event for event in prof.key_averages() if event.key == "aten::mul"]
    by_shape = [event for event in prof.key_averages(group_by_input_shape=True) if event.key == "aten::mul"]
    by_stack = [event for event in prof.key_averages(group_by_stack_n=1) if event.key == "aten::mul"]
    assert [event.count for event in muls] == [3] and muls[0].input_shapes == "" and muls[0].stack == []
    assert [(event.count, event.input_shapes) for event in by_shape] == [(1, [[2], []]), (2, [[3], []])]
    assert [event.count for event in by_stack] == [2, 1] and len(by_stack[0].stack) == 1
    assert muls[0].cpu_time == muls[0].cpu_time_total / 3
    with pytest.raises(AssertionError, match="Expected tree to be built"):
        prof.key_averages().key_averages()
    with pytest.raises(AssertionError, match="Expected keys to match"):
        muls[0].add(prof.key_averages()[0])
    with pytest.raises(AssertionError, match="FunctionEvent or FunctionEventAvg"):
        muls[0].add("x")
