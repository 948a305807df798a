"""Reports about gradients: what is measured, by step and by layer, and how it is shown."""

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as wg
from wengert import nn
from wengert.viz import gradients
from wengert.viz.gradient_report import LayerStep


def small() -> nn.Module:
    wg.manual_seed(1)
    return nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))


def test_norms_are_those_of_the_gradients_and_weights_of_a_layer() -> None:
    model = small()
    with gradients(model) as report:
        model(wg.randn(5, 3)).square().sum().backward()
        report.step()
    [entry] = report.layers["0"]
    grads = [parameter.grad.numpy().ravel() for parameter in model[0].parameters()]
    weights = [parameter.detach().numpy().ravel() for parameter in model[0].parameters()]
    assert entry.gradient == pytest.approx(np.linalg.norm(np.concatenate(grads)), rel=1e-5)
    assert entry.weight == pytest.approx(np.linalg.norm(np.concatenate(weights)), rel=1e-5)
    assert entry.ratio == pytest.approx(entry.gradient / entry.weight)
    assert entry.units == 4


def test_units_that_do_not_fire_are_dead() -> None:
    model = small()
    with wg.no_grad():
        model[0].weight.abs_()
        model[0].bias[1:3] = -1e9
    with gradients(model) as report:
        for bias in (-1e9, -1e9, 1e3):
            with wg.no_grad():
                model[0].bias[1] = bias
            model.zero_grad()
            model(wg.rand(6, 3) + 1).sum().backward()
            report.step()
    assert [(entry.dead, entry.units) for entry in report.layers["0"]] == [(2, 4), (2, 4), (1, 4)]
    assert report.always_dead("0") == 1


def test_several_passes_of_a_step_count_as_their_sum_and_clearing_does_not_matter() -> None:
    model = small()
    x = wg.randn(2, 3)
    with gradients(model) as report:
        model(x).sum().backward()
        model(x).sum().backward()
        model.zero_grad()
        report.step()
    twice = report.layers["2"][0].gradient
    with gradients(model) as report:
        model(x).sum().backward()
        report.step()
    assert twice == pytest.approx(2 * report.layers["2"][0].gradient, rel=1e-5)


def test_layers_without_a_gradient_and_steps_between_are_told() -> None:
    model = small()
    with gradients(model, every=3) as report:
        for _ in range(7):
            model[0](wg.ones(1, 3)).sum().backward()
            report.step()
    assert report.steps == [0, 3, 6]
    assert report.layers["2"] == [None] * 3
    assert "no gradient" in report.table().splitlines()[2]


def test_afterwards_no_hook_is_left() -> None:
    model = small()
    with pytest.raises(ArithmeticError), gradients(model) as report:
        raise ArithmeticError
    model(wg.ones(1, 3)).sum().backward()
    report.step()
    assert report.layers["0"] == [None]


def test_what_is_not_finite_is_told() -> None:
    x = wg.zeros(2, 2, requires_grad=True)
    with gradients({"x": x}) as report:
        (x / x).sum().backward()
        report.step()
    assert math.isnan(report.layers["x"][0].gradient)
    assert "NaN or infinite in 1 of 1 steps" in report.table()


def test_the_ratio_to_weights_of_zero() -> None:
    assert LayerStep(1.0, 0.0, 0, 0).ratio == math.inf
    assert math.isnan(LayerStep(0.0, 0.0, 0, 0).ratio)


def test_the_table_has_a_line_for_each_layer_in_columns() -> None:
    model = small()
    with gradients(model) as report:
        assert len(report.table().splitlines()) == 3
        model(wg.randn(5, 3)).sum().backward()
        report.step()
    heading, first, second = report.table().splitlines()
    assert heading.split()[:3] == ["layer", "gradient", "mean"]
    assert first.startswith("0 ") and second.startswith("2 ")
    assert heading.index("weight") + len("weight") == first.index(f"{report.layers['0'][0].weight:.3g}") + len(
        f"{report.layers['0'][0].weight:.3g}"
    )


@pytest.mark.parametrize("suffix", [".svg", ".png", ".txt"])
@pytest.mark.parametrize("steps", [0, 1, 5])
def test_pictures_of_any_number_of_steps_are_written(tmp_path: Path, suffix: str, steps: int) -> None:
    model = nn.ModuleDict({"$x^2$<&": nn.Linear(2, 2), "名": nn.Linear(2, 2)})
    with gradients(model) as report:
        for step in range(steps):
            (model["$x^2$<&"](wg.ones(1, 2)) / (step % 2)).sum().backward()  # infinite at first
            report.step()
    content = report.save(tmp_path / f"a{suffix}").read_bytes()
    beginnings = {".svg": b"<?xml", ".png": b"\x89PNG", ".txt": b"layer"}
    assert content.startswith(beginnings[suffix])
    assert len(content) > (100 if suffix == ".txt" else 5000)


def test_another_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"one of \.svg, \.png, \.txt, but got '\.gif'"):
        gradients(small()).save(tmp_path / "a.gif")


def test_without_matplotlib_or_tqdm_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    report = gradients(small())
    for name in ("matplotlib.figure", "matplotlib.backends.backend_agg", "tqdm"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"wengert\[full\]"):
        report.save(tmp_path / "a.svg")
    with pytest.raises(ImportError, match=r"needs tqdm.*wengert\[full\]"):
        report.progress(range(3))
    report.save(tmp_path / "a.txt")


def test_a_loop_over_progress_ends_its_steps_and_shows_them(capsys: Any) -> None:
    model = small()
    seen = []
    with gradients(model) as report:
        for item in report.progress("abc", mininterval=0):
            seen.append(item)
            model(wg.ones(1, 3)).sum().backward()
    assert seen == list("abc")
    assert report.steps == [0, 1, 2]
    shown = capsys.readouterr().err
    assert "3/3" in shown and "gradient" in shown and "dead" in shown


def test_what_cannot_be_watched_is_refused() -> None:
    with pytest.raises(TypeError, match="model must be a module or map names to tensors, got int"):
        gradients(5)
    with pytest.raises(ValueError, match="no parameter of the model requires a gradient"):
        gradients(small().requires_grad_(False))
    with pytest.raises(ValueError, match="every must be 1 or more, but got 0"):
        gradients(small(), every=0)
