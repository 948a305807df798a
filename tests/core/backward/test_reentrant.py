"""Backward passes within backward passes."""

import ast
import threading
from pathlib import Path

import pytest

import wengert as wg
from wengert._core.backward import reentrant
from wengert._core.state import modes
from wengert.autograd import Function

OWN = {"cache", "depth", "has_lock", "quiet", "starter", "tape"}
"""What belongs to the thread or to one pass."""


class Deep(Function):
    """Each backward pass starts another one until the value is below zero."""

    @staticmethod
    def forward(ctx, x):
        with wg.enable_grad():
            ctx.x = x.detach().requires_grad_() - 1
        return ctx.x.detach()

    @staticmethod
    def backward(ctx, grad):
        if ctx.x >= 0:
            with wg.enable_grad():
                Deep.apply(ctx.x).sum().backward()
        return grad


class Watching(Function):
    """Tells what it finds switched on at the bottom of many nested passes."""

    seen = None

    @staticmethod
    def forward(ctx, x, depth):
        ctx.depth = depth
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        Watching.seen(ctx.depth)
        if ctx.depth:
            inner = wg.ones(1, requires_grad=True)
            with wg.enable_grad():
                Watching.apply(inner, ctx.depth - 1).backward()
        return grad, None


@pytest.fixture
def depth():
    return 3 * reentrant.DEEPEST


def test_passes_nest_two_thousand_deep_and_again():
    for start in (2000.0, 100.0, 200.0):
        x = wg.tensor(start, requires_grad=True)
        Deep.apply(x).sum().backward()
        assert x.grad.item() == 1.0


def test_a_deep_pass_in_a_thread_with_a_small_stack_works_too(depth):
    found = []

    def run():
        x = wg.tensor(float(depth), requires_grad=True)
        Deep.apply(x).sum().backward()
        found.append(x.grad.item())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [1.0]


def test_an_error_at_the_bottom_reaches_the_top_and_leaves_all_at_rest(depth):
    def fail(level):
        if level == 0:
            raise ValueError("at the bottom")

    Watching.seen = staticmethod(fail)
    x = wg.ones(1, requires_grad=True)
    with pytest.raises(ValueError, match="at the bottom"):
        Watching.apply(x, depth).backward()
    assert modes.current().depth == 0
    (x * 2).backward()
    assert x.grad.item() == 2.0


def test_modes_are_the_same_at_the_bottom(depth):
    levels = []
    Watching.seen = staticmethod(lambda level: levels.append((level, wg.is_grad_enabled(), threading.get_ident())))
    x = wg.ones(1, requires_grad=True)
    with wg.no_grad(), wg.enable_grad():
        Watching.apply(x, depth).backward()
    assert [level for level, _, _ in levels] == list(range(depth, -1, -1))
    assert {on for _, on, _ in levels} == {False}
    assert len({thread for _, _, thread in levels}) > 1


def test_every_mode_is_taken_over_or_said_to_be_the_threads_own():
    source = (Path(wg.__file__).parent / "_core" / "state" / "modes.py").read_text(encoding="utf-8")
    (body,) = [each.body for each in ast.parse(source).body if getattr(each, "name", "") == "Modes"]
    (named,) = [
        ast.literal_eval(each.value)
        for each in body
        if isinstance(each, ast.Assign) and getattr(each.targets[0], "id", "") == "__slots__"
    ]
    assert set(reentrant.INHERITED) | OWN == set(named)
    assert not set(reentrant.INHERITED) & OWN
