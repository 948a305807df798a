"""Ranges for NVTX and ITT: a range for each event, in order, by the real packages where they are installed."""

from __future__ import annotations

import builtins
import contextlib
import importlib
import importlib.util

import pytest

import wengert as wg
import wengert.nn.functional as F
from wengert._core.state.modes import current
from wengert.autograd.profiler import emit_itt, emit_nvtx, profile, record_function
from wengert.autograd.profiler.session import Session
from wengert.profiler import itt

CASES = [(emit_nvtx, "nvtx", "NVTX"), (emit_itt, "ittapi", "ITT")]
BEGIN_END = {"nvtx": ("push_range", "pop_range"), "ittapi": ("task_begin", "task_end")}


class Spy:
    """Notes what a package is called with, and calls it."""

    def __init__(self, monkeypatch, name):
        self.open = []
        self.seen = []
        package = importlib.import_module(name)
        begin, end = (getattr(package, each) for each in BEGIN_END[name])

        def beginning(*args):
            title = str(args[-1])
            self.seen.append((len(self.open), title))
            self.open.append(title)
            return begin(*args)

        def ending(*args):
            self.open.pop()
            return end(*args)

        monkeypatch.setattr(package, BEGIN_END[name][0], beginning)
        monkeypatch.setattr(package, BEGIN_END[name][1], ending)
        if name == "ittapi":
            monkeypatch.setattr(package, "string_handle", self.handle(package.string_handle))

    def handle(self, make):
        """String handles do not show their text."""

        def made(text):
            self.title = text
            return make(text)

        return made


def installed(name):
    return pytest.mark.skipif(
        importlib.util.find_spec(name) is None, reason=f"the package {name} is not installed: it is an extra"
    )


REAL = [pytest.param(*case, marks=installed(case[1]), id=case[1]) for case in CASES]


def depth_of(event):
    return 0 if event.cpu_parent is None else 1 + depth_of(event.cpu_parent)


@pytest.mark.parametrize(("emit", "name", "label"), REAL)
def test_each_event_is_a_range_within_those_around_it(emit, name, label, monkeypatch):
    spy = Spy(monkeypatch, name)
    x = wg.ones(2, requires_grad=True)
    with profile() as prof, emit(record_shapes=True), record_function('mine "é" \ud800'):
        y = x * 2
        y.sum().backward()
    assert spy.open == [] and [depth for depth, _ in spy.seen] == [depth_of(event) for event in prof.function_events]
    if name == "nvtx":
        titles = [title for _, title in spy.seen]
        seq = x.mul(2).grad_fn._sequence_nr() - 2
        assert titles[0] == 'mine "é" \\ud800'
        assert titles[1] == f"aten::mul, seq = {seq}, sizes = [[2], []]"
        assert f"MulBackward0, stashed seq = {seq}, sizes = [[2]]" in titles


@pytest.mark.parametrize(("emit", "name", "label"), REAL)
def test_it_ends_with_its_block_and_serves_once(emit, name, label):
    context = emit()
    with context:
        assert current().log is not None
        with pytest.raises(RuntimeError, match=f"{label} annotation context manager is not reentrant"):
            context.__enter__()
    assert current().log is None and current().word == 0
    with emit(enabled=False) as nothing:
        assert nothing is None and current().log is None


@pytest.mark.parametrize(("emit", "name", "label"), REAL)
def test_it_keeps_no_events_and_goes_with_a_profile(emit, name, label):
    with emit():
        wg.ones(2) * 2
        assert current().log.events == []
        with profile() as prof:
            wg.ones(2) * 2
    assert [event.name for event in prof.function_events] == ["aten::ones", "aten::mul"]


@pytest.mark.parametrize(("emit", "name", "label"), CASES)
def test_where_the_package_is_missing_the_error_names_it(emit, name, label, monkeypatch):
    real = builtins.__import__

    def missing(module, *args, **kwargs):
        if module == name:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(module, *args, **kwargs)

    def import_module(module, package=None):
        return missing(module)

    monkeypatch.setattr(importlib, "import_module", import_module)
    context = emit()
    with pytest.raises(
        ModuleNotFoundError, match=rf"{emit.__name__}\(\) needs the package '{name}'.*pip install {name}"
    ):
        context.__enter__()
    assert current().log is None


@installed("ittapi")
def test_a_program_may_have_ranges_of_its_own(monkeypatch):
    spy = Spy(monkeypatch, "ittapi")
    assert itt.is_available()
    with itt.range("step {}", 3):
        itt.mark("here")
    assert [depth for depth, _ in spy.seen] == [0, 1] and spy.open == []


class Balanced:
    """Refuses an end that is not that of the range begun last."""

    def __init__(self):
        self.open = []
        self.count = 0

    def push(self, event):
        self.open.append(event)
        self.count += 1

    def pop(self, event):
        assert self.open.pop() is event


def test_ranges_are_balanced_whatever_becomes_of_a_call():
    x = wg.ones(2, 3, requires_grad=True)
    emitter = Balanced()
    session = Session(emitter=emitter)
    session.open()
    try:
        for call in (
            lambda: x.max(dim=-1, keepdim=True),
            lambda: x.max(9),
            lambda: x @ x,
            lambda: F.linear(x, wg.ones(2, 7)),
            lambda: F.cross_entropy(x, wg.tensor([0, 9])),
            lambda: wg.cat([x, wg.ones(1)]),
            lambda: x.view(4),
            lambda: wg.zeros(-1),
            lambda: wg.zeros(2, dtype=wg.int64),
            lambda: x[5],
            lambda: x.add_(1),
            lambda: (x * 2).sum().backward(),
        ):
            with contextlib.suppress(Exception):
                call()
            assert emitter.open == []
    finally:
        session.close()
    assert emitter.count > 30
