"""Notes of lines and a profile at once: each tells what it tells alone."""

from __future__ import annotations

import contextlib
import warnings

import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
from tests.debugging.programs import CUTS, planted, run
from wengert.autograd.profiler import profile


def explained(program):
    """What `explain` says of each tensor of a program, and of the leaf that a pass reached."""
    names = run([*program.lines, "w = wg.ones(4, requires_grad=True)"])
    last = names[program.after[-1]]
    last = last.clone() if last.is_inference() else last
    (names["w"] * last * names[program.source].sum()).sum().backward()
    return {name: str(wg.explain(value)) for name, value in names.items() if isinstance(value, wg.Tensor)}


def events_of(prof):
    """Names and parents of events, in their order."""
    return [(event.name, event.cpu_parent and event.cpu_parent.name) for event in prof.function_events]


@pytest.mark.parametrize("kind", [kind for kind in CUTS if kind != "volatile"])
@settings(max_examples=8)
@given(data=st.data())
def test_lines_and_events_are_the_same_alone_and_together(kind, data):
    program = planted(lambda count: data.draw(st.integers(0, count - 1)), kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with wg.set_debug(lines=True):
            told = explained(program)
        with profile() as alone:
            explained(program)
        with wg.set_debug(lines=True), profile() as inner:
            assert explained(program) == told
        with profile() as outer, wg.set_debug(lines=True):
            assert explained(program) == told
    assert events_of(alone) == events_of(inner) == events_of(outer) != []


@pytest.mark.parametrize("profiled", [False, True])
def test_an_error_of_a_second_pass_has_its_notes_while_a_profile_is_open(profiled):
    with wg.set_debug(lines=True), profile() if profiled else contextlib.nullcontext():
        x = wg.ones(2, requires_grad=True)
        y = x.exp().sum()
        y.backward()
        with pytest.raises(RuntimeError, match="second time") as caught:
            y.backward()
    assert any("y = x.exp().sum()" in note for note in caught.value.__notes__)
    assert any("y.backward()" in note for note in caught.value.__notes__)


def test_each_ends_without_the_other():
    modes = wg._core.state.modes.current()
    word = modes.word
    prof = profile()
    with wg.set_debug(lines=True):
        prof.__enter__()
        wg.ones(2).exp()
    wg.ones(2).sin()  # no more lines, still events
    prof.__exit__(None, None, None)
    assert modes.word == word
    assert [event.name for event in prof.function_events][1::2] == ["aten::exp", "aten::sin"]
    with wg.set_debug(lines=True):
        with profile():
            wg.ones(2)
        y = wg.ones(2, requires_grad=True).detach()
        assert wg.explain(y).reason == "detach" and wg.explain(y).line
    assert modes.word == word
