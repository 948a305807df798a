"""The groups of large arrays and their verdicts."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks import catalogue, large, moving
from benchmarks.timing import Case, Result


def results(ratio):
    return [Result(case.name, case.target, {"torch": 1.0}, {"torch": ratio}) for case in large.cases()]


def test_every_case_has_a_name_of_its_own_and_a_floor():
    cases = large.cases()
    assert len({case.name for case in cases}) == len(cases)
    assert all(case.target for case in cases)


def test_each_group_has_a_line_for_each_size_and_direction():
    lines, figures = large.report(results(3.0))
    assert len(lines) == len(figures)
    for start in ("pointwise | 1e6 | forward + backward", "pointwise | 1e7 | forward", "products | 64 x 64 | forward"):
        assert any(line.startswith(start) for line in lines), start
    assert not any("MISS" in line for line in lines)
    assert figures["large arrays"] == pytest.approx(3.0)


def test_a_mean_below_its_target_is_missed():
    lines, _ = large.report(results(1.5))
    missed = [line.split("  ")[0] for line in lines if "MISS" in line]
    assert missed == [
        "pointwise | 1e6 | forward + backward",
        "pointwise | 1e7 | forward + backward",
        f"large arrays, all {len(large.cases())}: geometric mean 1.50",
    ]


def test_a_case_below_its_floor_is_counted_and_named():
    found = results(2.0)
    at = next(at for at, each in enumerate(found) if each.name == "x @ y | 64 x 64 | forward")
    found[at] = replace(found[at], ratios={"torch": 0.5})
    line = next(line for line in large.report(found)[0] if line.startswith("products | 64 x 64 | forward "))
    assert f"{len(moving.PRODUCTS) - 1} of {len(moving.PRODUCTS)} reach 1; worst 0.50  x @ y" in line


def test_nothing_is_said_of_cases_that_were_not_run():
    assert large.report([]) == ([], {})


def test_what_a_case_must_read_are_its_operands_and_with_backward_its_gradient():
    class Adapter:
        library = functional = None

        @staticmethod
        def array(value):
            return value

        @staticmethod
        def numpy(value):
            return np.asarray(value)

    forward, backward = (large.read_by("x + y", 100, each)(Adapter) for each in (False, True))
    assert forward == 800
    assert backward == 800 + 2 * 400


def test_numbers_that_are_sorted_are_all_different():
    assert len(np.unique(catalogue.different(1000, 1000))) == 1_000_000


def test_a_product_counts_its_operations():
    case = next(case for case in moving.of_products() if case.name == "x @ y | 64 x 64 | forward + backward")
    assert isinstance(case, Case) and case.flops == 3 * 2 * 64**3
