"""The example programs run and reach what they promise."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples"


def load(name: str):
    spec = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_line_is_found(capsys):
    slope, intercept = load("linear_regression").main()
    assert slope == pytest.approx(3.0, abs=0.1)
    assert intercept == pytest.approx(-1.0, abs=0.1)
    assert "loss" in capsys.readouterr().out


def test_the_perceptron_learns_digits(capsys):
    assert load("perceptron_digits").main() > 0.9
    assert capsys.readouterr().out.count("epoch") == 25


def test_the_oscillation_is_found(capsys):
    example = load("curve_fit")
    assert np.allclose(example.main(), example.TRUE, atol=0.05)
    assert "residual" in capsys.readouterr().out


def test_every_example_is_tested():
    tested = {"linear_regression", "perceptron_digits", "curve_fit", "spill_to_disk"}
    assert {path.stem for path in FOLDER.glob("*.py")} == tested
