"""Tests of operators run each sample, and say of which one a failure is (`tests/by_operator.py`)."""

from __future__ import annotations

import contextlib

import pytest

from tests.by_operator import run_each, samples
from wengert.testing.calls import cases, once


def run(test, chosen):
    run_each(test, chosen, {}, contextlib.nullcontext)


def names(chosen):
    return [repr(case) for case in chosen]


def test_every_sample_of_every_operator_is_run_whether_by_operator_or_by_file():
    wanted = sorted(map(repr, cases(once)))
    for together in (False, True):
        found = [name for each in samples(wanted=once, together=together) for name in names(each)]
        assert sorted(found) == wanted
    assert len(samples(wanted=once, together=True)) < len(samples(wanted=once)) / 4


def test_a_pattern_chooses_cases_and_no_more_items_than_these_need():
    (one,) = samples(wanted=once, pattern="exp-float64-1")
    assert names(one) == ["exp-float64-1"]
    found = samples(wanted=once, pattern="exp*-0")
    assert {"exp", "exp2", "expm1"} <= {each.id for each in found} and all(len(names(each)) == 1 for each in found)


def test_the_first_failure_is_raised_with_the_names_of_all_and_the_others_are_run():
    ran = []

    def test(case):
        ran.append(repr(case))
        assert case.number % 2 == 0, f"number {case.number}"

    (chosen,) = [each for each in samples(wanted=once) if each.id == "mul"]
    with pytest.raises(AssertionError, match="number 1") as caught:
        run(test, chosen)
    assert ran == names(chosen) and len(ran) > 3
    notes = "\n".join(caught.value.__notes__)
    assert "mul-float64-1, the first of" in notes and "--case mul-float64-1" in notes
    assert "case: mul-float64-3: AssertionError number 3" in notes and "mul-float64-2" not in notes


def test_failures_of_raises_and_skips_count_for_their_case_only():
    ran = []

    def test(case):
        ran.append(case)
        if case.number:
            pytest.skip("said so")
        with pytest.raises(ValueError):
            pass

    (chosen,) = [each for each in samples(wanted=once) if each.id == "mul"]
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        run(test, chosen)
    assert len(ran) == len(names(chosen))
    with pytest.raises(pytest.skip.Exception):
        run(lambda case: pytest.skip("all of them"), chosen)
    run(lambda case: pytest.skip("not all of them") if case.number else None, chosen)


@pytest.mark.cases(wanted=once, where=lambda case: case.name == "exp", together=True)
def test_the_marker_gives_a_test_its_cases_with_its_other_arguments(case, tmp_path):
    assert case.name == "exp" and tmp_path.exists()


def test_a_share_has_cases_of_every_operator_and_dtype():
    for chosen in samples(wanted=lambda operator, dtype: True, share=True):
        of_all = {(case.name, case.dtype) for case in cases(lambda operator, dtype: True, names=chosen.names)}
        assert {(case.name, case.dtype) for case in chosen} == of_all
