"""The cases of modes do what their names say."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import wengert as wg

ROOT = str(Path(__file__).resolve().parents[2])
if ROOT not in sys.path:
    sys.path.insert(0, ROOT)

from benchmarks import modes  # noqa: E402
from benchmarks.libraries import TorchLike  # noqa: E402


@pytest.mark.parametrize("case", modes.cases(), ids=lambda case: case.name)
def test_a_case_runs_and_leaves_the_modes_as_they_were(case):
    case.make(TorchLike("wengert"))()
    assert wg.is_grad_enabled() and not wg.is_inference_mode_enabled()


def test_products_are_computed_in_the_mode_that_is_asked_for():
    assert modes.product("inference_mode")(TorchLike("wengert"))().is_inference()
    plain = modes.product("no_grad")(TorchLike("wengert"))()
    assert not plain.is_inference() and not plain.requires_grad


def test_the_report_compares_the_modes_with_each_other():
    lines, figures = modes.report([TorchLike("wengert")], 3)
    assert len(lines) == 2 and 0.1 < figures["inference mode over no_grad wengert"] < 10
    assert 0.5 < figures["chain with set_debug(lines=True) over without, wengert"] < 10
