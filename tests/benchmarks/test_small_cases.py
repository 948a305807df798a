"""Every small call and every small program runs, and the report names mean and worst."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = str(Path(__file__).resolve().parents[2])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from benchmarks import gradbench, programs, small  # noqa: E402
from benchmarks.libraries import TorchLike  # noqa: E402
from benchmarks.timing import Result, flatten  # noqa: E402

CASES = [*programs.cases(), *gradbench.cases(), *small.cases()]


@pytest.fixture(scope="module")
def adapter():
    return TorchLike("wengert")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_case_runs_again_and_again(case, adapter):
    run = case.make(adapter)
    run()
    found = [adapter.numpy(each) for each in flatten(run())]
    assert found and all(np.isfinite(each).all() for each in found)


def test_no_two_cases_have_the_same_name():
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("text", [text for family in small.DIFFERENTIABLE.values() for text in family])
def test_what_is_called_recorded_is_recorded(text, adapter):
    for recorded in (False, True):
        values = flatten(small.forward(text, recorded)(adapter)())
        assert values[0].requires_grad is recorded


@pytest.mark.parametrize("text", small.WRITING)
def test_a_write_is_recorded_to_a_tensor_without_a_past(text, adapter):
    run = small.forward(f"z = x.clone(); {text}", True)(adapter)

    def length(node):
        return 0 if node is None else 1 + max([length(each) for each, _ in node.next_functions], default=0)

    assert length(run().grad_fn) == length(run().grad_fn) <= 4
    assert not small.forward(text, False)(adapter)().requires_grad


def test_a_backward_pass_gives_the_gradients_of_the_operands_alone(adapter):
    run = small.with_backward("lib.where(mask, x, y)")(adapter)
    first, second = (adapter.numpy(each) for each in run())
    assert (first != 0).tolist() == [[True, False], [False, True]]
    assert (second != 0).tolist() == [[False, True], [True, False]]
    again = [adapter.numpy(each) for each in run()]
    assert np.array_equal(again, [first, second])  # not accumulated


def result(text, kind, ratio):
    return Result(f"{text} | {kind}", small.FLOOR, {"wengert": 1.0, "torch": ratio}, {"torch": ratio} if ratio else {})


def test_the_report_gives_the_geometric_mean_and_names_the_worst():
    lines, figures = small.report([result("x.t()", small.PLAIN, 9.0), result("x[0]", small.PLAIN, 1.0)])
    assert len(lines) == 1
    assert figures == {"small calls, not recorded": pytest.approx(3.0), "small calls, not recorded, worst": 1.0}
    assert "3.00  pass (>= 2); worst 1.00  x[0]  MISS (>= 1.2); 1 of 2 reach 2" in lines[0]


def test_a_ratio_out_of_all_proportion_does_not_lift_the_mean():
    _, figures = small.report([result("x.t()", small.PLAIN, 2000.0), result("x[0]", small.PLAIN, small.CAP)])
    assert figures["small calls, not recorded"] == pytest.approx(small.CAP)


def test_recorded_calls_and_backward_passes_have_targets_of_their_own():
    lines, _ = small.report([result("x[0]", small.RECORDED, 1.9), result("x[0]", small.BACKWARD, 3.4)])
    assert "pass (>= 1.8); worst 1.90  x[0]  pass (>= 1.2)" in lines[0]
    assert "MISS (>= 3.5); worst 3.40  x[0]; 0 of 1 reach 3.5" in lines[1]


def test_a_call_without_a_figure_is_counted_but_not_averaged():
    lines, figures = small.report([result("x[0]", small.PLAIN, 4.0), result("x.t()", small.PLAIN, None)])
    assert figures["small calls, not recorded"] == pytest.approx(4.0)
    assert "1 of 2 reach 2" in lines[0]
    assert small.report([]) == ([], {})
