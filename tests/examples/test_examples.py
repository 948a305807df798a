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


def test_only_the_last_layer_of_the_residual_network_learns(capsys, tmp_path):
    example = load("finetune_resnet18")
    history = example.main(["--limit", "80", "--epochs", "2", "--curves", str(tmp_path / "curves.png")])
    assert history["train_loss"][1] < history["train_loss"][0]
    *_, nodes, kept, peak = (line.split() for line in capsys.readouterr().out.splitlines())
    for words, share in ((nodes, 10), (kept, 100), (peak, 5)):  # frozen base, all layers
        frozen, full = (int(word.replace(",", "")) for word in words[-2:])
        assert 0 < share * frozen < full


def test_the_residual_network_learns_images_of_a_folder(tmp_path):
    image = pytest.importorskip("PIL.Image", reason="images in files are read by Pillow")
    for name, colour in (("blue", (0, 0, 255)), ("red", (255, 0, 0))):
        (tmp_path / name).mkdir()
        for number in range(2):
            image.new("RGB", (20 + number, 30), colour).save(tmp_path / name / f"{number}.png")
    x, y, classes = load("finetune_resnet18").photographs(tmp_path, 32)
    assert (x.shape, sorted(y.tolist()), classes) == ((4, 3, 32, 32), [0, 0, 1, 1], ["blue", "red"])
    assert (x[y == 1][:, 0] > x[y == 0][:, 0]).all()


def test_every_example_is_tested():
    tested = {"linear_regression", "perceptron_digits", "curve_fit", "spill_to_disk", "finetune_resnet18"}
    assert {path.stem for path in FOLDER.glob("*.py")} == tested
