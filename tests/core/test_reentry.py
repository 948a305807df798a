"""What a signal handler, a finaliser or a conversion of the program meets in the middle of one of our calls."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref

import wengert as wg
from wengert._core.state import modes
from wengert.ops.randomness import random

PATIENCE = 60.0
"""Seconds after which a child counts as hanging; it needs less than one."""


def run_alone(source):
    """Run a program in a process of its own, where a deadlock is no more than a failure."""
    program = (
        "import gc, itertools, signal, sys, threading, weakref\nimport numpy as np\nimport wengert as wg\n" + source
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


ALARMS = """
def under_alarms(handler, work, times):
    def answer(*_):
        handler()
        signal.setitimer(signal.ITIMER_REAL, 0.0003)
    signal.signal(signal.SIGALRM, answer)
    signal.setitimer(signal.ITIMER_REAL, 0.0003)
    for _ in range(times):
        work()
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
"""


# ---- random numbers --------------------------------------------------------------------------------------------------


def test_a_signal_handler_may_draw_while_the_program_draws():
    source = """
drawn = []
def draw(into, count):
    into.extend(wg.rand(count, dtype=wg.float64).tolist())
draw(drawn, 1)  # imports numpy.random; Python refuses what comes in the middle of an import
under_alarms(lambda: draw(drawn, 3), lambda: draw(drawn, 100), 3000)
print(len(drawn) > 300_000, len(set(drawn)) == len(drawn))
"""
    assert run_alone(ALARMS + source) == ["True", "True"]


def draw_in_the_middle(monkeypatch, generator, nested):
    """Draw, and call `nested` while NumPy's generator is being used."""
    kernel = random.kernels.uniform

    def uniform(*args):
        monkeypatch.undo()
        nested()
        return kernel(*args)

    monkeypatch.setattr(random.kernels, "uniform", uniform)
    return wg.rand(4, generator=generator)


def test_a_draw_within_a_draw_gives_other_numbers(monkeypatch):
    own, inner = wg.Generator().manual_seed(1), []
    done = threading.Event()

    def work():
        outer = draw_in_the_middle(monkeypatch, own, lambda: inner.append(wg.rand(4, generator=own)))
        both = wg.cat([inner[0], outer]).tolist()
        assert sorted(both) == sorted(wg.rand(8, generator=wg.Generator().manual_seed(1)).tolist())
        done.set()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert done.wait(20)


def test_a_seed_set_within_the_first_draw_holds_from_the_next_on(monkeypatch):
    own = wg.Generator().manual_seed(1)
    done = threading.Event()

    def work():
        draw_in_the_middle(monkeypatch, own, lambda: own.manual_seed(2))
        assert own.initial_seed() == 2
        assert (wg.rand(3, generator=own) == wg.rand(3, generator=wg.Generator().manual_seed(2))).all()
        done.set()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert done.wait(20)


def test_a_draw_while_the_source_is_made_repeats_nothing(monkeypatch):
    """The first number makes NumPy's generator: two that are made at once would give the same numbers twice."""
    from wengert.ops.randomness import generator as module

    own, inner = wg.Generator().manual_seed(1), []
    make = module.kernels.generator

    def making(*args):
        monkeypatch.undo()
        made = make(*args)
        inner.append(wg.rand(4, generator=own))
        return made

    monkeypatch.setattr(module.kernels, "generator", making)
    done = threading.Event()

    def work():
        outer = wg.rand(4, generator=own)
        assert not set(inner[0].tolist()) & set(outer.tolist())
        done.set()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert done.wait(20)


def test_a_draw_while_a_state_is_set_comes_before_it_or_after_it(monkeypatch):
    from wengert.ops.randomness import generator as module

    own, inner = wg.Generator().manual_seed(1), []
    wg.rand(8, generator=own)
    state = own.get_state()
    before = own.clone_state()
    make = module.kernels.generator

    def making(*args):
        monkeypatch.undo()
        made = make(*args)
        inner.append(wg.rand(4, generator=own))
        return made

    monkeypatch.setattr(module.kernels, "generator", making)
    done = threading.Event()

    def work():
        own.set_state(state)
        assert (inner[0] == wg.rand(4, generator=before)).all()
        done.set()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    assert done.wait(20)


def test_a_finaliser_may_draw_whenever_the_collector_runs():
    source = """
class Dying:
    def __init__(self): self.me = self
    def __del__(self): drawn.extend(wg.rand(2, dtype=wg.float64).tolist())
drawn = wg.rand(1, dtype=wg.float64).tolist()
gc.set_threshold(5)
for _ in range(3000):
    Dying()
    drawn.extend(wg.rand(3, dtype=wg.float64).tolist())
    drawn.extend(wg.randn(3, dtype=wg.complex128).real.tolist())
gc.disable()
print(len(set(drawn)) == len(drawn))
"""
    assert run_alone(source) == ["True"]


# ---- gradients -------------------------------------------------------------------------------------------------------


def test_a_signal_handler_may_run_passes_into_the_leaves_of_the_pass_that_it_interrupts():
    source = """
weight = wg.zeros(4, requires_grad=True)
times = itertools.count()
@wg.enable_grad()  # the handler may come where recording is off: in a backward pass
def step():
    next(times)
    (weight * 1).sum().backward()
under_alarms(step, step, 4000)
print(weight.grad.tolist() == [float(next(times))] * 4)
"""
    assert run_alone(ALARMS + source) == ["True"]


def test_a_signal_handler_may_make_leaves_hooks_and_notes():
    source = """
@wg.enable_grad()
def work():
    x = wg.ones(2, requires_grad=True)
    x.register_hook(lambda grad: None)
    x.register_post_accumulate_grad_hook(lambda leaf: None)
    y = x * 2
    y.grad_fn.register_hook(lambda a, b: None)
    y.grad_fn.metadata["a"] = 1
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
under_alarms(work, work, 2000)
print("fine")
"""
    assert run_alone(ALARMS + source) == ["fine"]


def test_a_first_gradient_that_comes_while_a_first_gradient_is_made_is_added(monkeypatch):
    weight = wg.zeros(3, requires_grad=True)
    entered = []

    def finalise(_):
        weight.backward(wg.full((3,), 10.0))
        entered.append(True)

    class Interrupting:
        def __init__(self):
            self.me = self

    # The collector may run wherever memory is asked for: here while the copy for the first gradient is made.
    reference = weakref.ref(Interrupting(), finalise)
    gradient = wg.ones(1).expand(3)
    gc.set_threshold(1)
    weight.backward(gradient)
    gc.set_threshold(700)
    gc.collect()
    assert entered and reference() is None
    assert weight.grad.tolist() == [11.0, 11.0, 11.0]


def test_finalisers_of_what_a_thread_kept_may_compute_when_it_ends():
    source = """
class Dying:
    def __del__(self):
        with wg.no_grad():
            print(wg.ones(2, 3).sum(1).tolist() == [3.0, 3.0])
kept = threading.local()
def work(early):
    if early: kept.before = Dying()
    wg.ones(2, 3).sum(1)
    if not early: kept.after = Dying()
for _ in range(20):
    for early in (True, False):
        thread = threading.Thread(target=work, args=(early,))
        thread.start()
        thread.join()
"""
    assert run_alone(source) == ["True"] * 40


def test_the_modes_of_a_thread_are_made_once_even_if_a_handler_comes_first(monkeypatch):
    made, original = [], modes.quiet_context

    def interrupted(*args):
        if not made:
            made.append(None)
            made[0] = modes.current()
        return original(*args)

    if modes.__file__.endswith(".py"):  # compiled modules call their own functions directly
        monkeypatch.setattr(modes, "quiet_context", interrupted)
    found = []
    thread = threading.Thread(target=lambda: found.append(modes.current() is (made[0] if made else modes.current())))
    thread.start()
    thread.join()
    assert found == [True]
