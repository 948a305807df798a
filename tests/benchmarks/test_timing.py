"""The benchmarks compare results before they time, and report what they found."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = str(Path(__file__).resolve().parents[2])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from benchmarks import cases, memory, operators, timing  # noqa: E402
from benchmarks.libraries import TorchLike  # noqa: E402


class Clock:
    """Time that passes only where work is done."""

    def __init__(self):
        self.now = 0.0

    def perf_counter(self):
        return self.now


class Plain:
    """A library of NumPy arrays whose results are off by `error` and that takes `work` milliseconds a call."""

    def __init__(self, name, clock, error=0.0, work=1):
        self.name, self.clock, self.error, self.work = name, clock, error, work

    def numpy(self, value):
        return np.asarray(value)

    def wait(self, value):
        pass


def adding(adapter):
    def run():
        adapter.clock.now += 1e-3 * adapter.work
        return np.ones(3) + adapter.error

    return run


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(timing, "time", made)
    return made


def test_the_slower_library_has_the_larger_ratio(clock):
    case = timing.Case("add", adding, target=2.0)
    result = timing.measure(case, [Plain("wengert", clock), Plain("torch", clock, work=20)], rounds=3)
    assert result.ratios["torch"] == pytest.approx(20)
    assert result.seconds["wengert"] == pytest.approx(1e-3)
    assert result.verdict == "pass (>= 2)"


def test_a_missed_target_is_told(clock):
    case = timing.Case("add", adding, target=2.0)
    result = timing.measure(case, [Plain("wengert", clock, work=5), Plain("torch", clock)], rounds=3)
    assert result.verdict == "MISS (>= 2)"


def test_different_results_are_not_timed(clock):
    case = timing.Case("add", adding)
    result = timing.measure(case, [Plain("wengert", clock), Plain("torch", clock, error=0.1)], rounds=1)
    assert result.verdict == "results differ: torch from wengert in value 0"
    assert not result.ratios


@pytest.mark.parametrize("case", cases.with_targets(), ids=lambda case: case.name)
def test_every_case_runs(case):
    run = case.make(TorchLike("wengert"))
    assert all(np.isfinite(each.detach().numpy()).all() for each in timing.flatten(run()))


@pytest.mark.parametrize("case", [c for c in operators.cases() if "| 10 |" in c.name], ids=lambda case: case.name)
def test_every_operator_runs(case):
    case.make(TorchLike("wengert"))()


def test_a_training_step_leaves_no_node():
    step = cases.module_step(cases.perceptron_network, (4, 784), 0.9)(TorchLike("wengert"))
    step()
    assert memory.nodes_left(step) == 0


def test_a_node_that_is_kept_is_counted():
    step = cases.module_step(cases.perceptron_network, (4, 784), 0.9)(TorchLike("wengert"))
    kept = []

    def keeping():
        kept.append(step())
        return kept[-1]

    assert memory.nodes_left(keeping) > 5
