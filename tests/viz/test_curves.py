"""The pictures of a training run: written for any history and any predictions, without global state."""

import struct
import sys
import threading
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest

import wengert as wg
from wengert.viz import curves, plot_curves, plot_misclassified

IMAGES = np.arange(6 * 64, dtype=np.uint8).reshape(6, 8, 8)
LABELS = np.arange(6)


def size_of(file: Path) -> tuple[int, int]:
    """Width and height of a PNG file in pixels."""
    content = file.read_bytes()
    assert content.startswith(b"\x89PNG")
    return struct.unpack(">II", content[16:24])


def words_in(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A list that fills with all words of the figures that are saved."""
    import matplotlib.text

    found: list[str] = []

    def save(figure, path):
        found.extend(text.get_text() for text in figure.findobj(matplotlib.text.Text))
        return path

    monkeypatch.setattr(curves, "_save", save)
    return found


def test_losses_and_accuracies_have_a_panel_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = words_in(monkeypatch)
    history = {"train_loss": [2.0, 1.0], "test_loss": [2.5, 1.25], "test_accuracy": [0.5, 0.985]}
    plot_curves(history, tmp_path / "curves.png")
    assert words.count("epoch") == 2
    assert {"loss", "accuracy", "train loss (1 at the end)", "test loss (1.25 at the end)"} <= set(words)
    assert "test accuracy (98.50% at the end)" in words


def test_two_panels_are_wider_than_one(tmp_path: Path) -> None:
    assert plot_curves({"loss": [2.0, 1.0]}, tmp_path / "one.png") == tmp_path / "one.png"
    plot_curves({"loss": [2.0, 1.0], "accuracy": [0.5, 0.9]}, tmp_path / "two.png")
    one, two = size_of(tmp_path / "one.png"), size_of(tmp_path / "two.png")
    assert two[0] == 2 * one[0] and two[1] == one[1]


@pytest.mark.parametrize(
    "history",
    [
        {"loss": [1.0]},
        {"train_loss": [3.0, 2.0, 1.0], "test_loss": [2.0]},
        {"loss": [float("nan"), float("inf"), 1.0, float("nan")]},
        {"loss": [float("nan")]},
        {"loss": [], "accuracy": [0.5]},
        {"learning rate of $group_1$": [0.1, 0.01]},
        {"loss": np.array([2.0, 1.0], np.float32)},
    ],
)
def test_any_history_gives_a_picture(history: dict, tmp_path: Path) -> None:
    plot_curves(history, tmp_path / "curves.png")
    assert min(size_of(tmp_path / "curves.png")) > 100


@pytest.mark.parametrize("history", [{}, {"loss": []}])
def test_a_run_without_epochs_says_so(history: dict, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plot_curves(history, tmp_path / "curves.png")
    assert size_of(tmp_path / "curves.png")[0] > 100
    words = words_in(monkeypatch)
    plot_curves(history, tmp_path / "curves.png")
    assert words == ["no epoch was finished"]


def test_only_wrong_predictions_are_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = words_in(monkeypatch)
    plot_misclassified(IMAGES, LABELS, np.array([0, 1, 7, 3, 4, 9]), tmp_path / "wrong.png")
    assert "2 of 6 misclassified" in words
    assert [word for word in words if "taken for" in word] == ["2 taken for 7", "5 taken for 9"]


def test_no_wrong_prediction_gives_a_picture_that_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plot_misclassified(IMAGES, LABELS, LABELS, tmp_path / "none.png")
    assert size_of(tmp_path / "none.png")[0] > 100
    words = words_in(monkeypatch)
    plot_misclassified(IMAGES, LABELS, LABELS, tmp_path / "none.png")
    assert words == ["0 of 6 misclassified", "every prediction is right"]


def test_no_images_at_all_give_a_picture(tmp_path: Path) -> None:
    plot_misclassified(IMAGES[:0], LABELS[:0], LABELS[:0], tmp_path / "empty.png")
    assert size_of(tmp_path / "empty.png")[0] > 100


def test_at_most_64_images_are_drawn_and_all_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = words_in(monkeypatch)
    images = np.zeros((100, 1, 8, 8), np.float32)
    plot_misclassified(images, np.zeros(100, int), np.ones(100, int), tmp_path / "many.png")
    assert "100 of 100 misclassified, the first 64" in words
    assert len([word for word in words if "taken for" in word]) == 64


def test_large_values_are_dark(tmp_path: Path) -> None:
    image = np.zeros((1, 8, 8), np.uint8)
    image[0, :, 4:] = 16
    plot_misclassified(image, np.array([0]), np.array([1]), tmp_path / "half.png")
    pixels = matplotlib.image.imread(tmp_path / "half.png")[..., 0]
    dark = np.argwhere(pixels < 0.01)
    assert len(dark) > 500


@pytest.mark.parametrize(
    ("images", "labels", "predictions"),
    [
        (IMAGES[0], LABELS, LABELS),
        (IMAGES, LABELS[:5], LABELS),
        (IMAGES, LABELS, LABELS[:, None]),
        (IMAGES[:, None].repeat(3, axis=1), LABELS, LABELS),
    ],
)
def test_shapes_that_do_not_fit_are_refused(
    images: np.ndarray, labels: np.ndarray, predictions: np.ndarray, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=r"images must be \(N, height, width\)"):
        plot_misclassified(images, labels, predictions, tmp_path / "never.png")
    assert not (tmp_path / "never.png").exists()


def test_no_global_state_of_matplotlib_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)  # an import of it would raise
    plot_curves({"loss": [2.0, 1.0]}, tmp_path / "curves.png")
    plot_misclassified(IMAGES, LABELS, LABELS + 1, tmp_path / "wrong.png")


def test_pictures_can_be_drawn_in_a_thread(tmp_path: Path) -> None:
    thread = threading.Thread(target=plot_curves, args=({"loss": [2.0, 1.0]}, tmp_path / "curves.png"))
    thread.start()
    thread.join()
    assert size_of(tmp_path / "curves.png")[0] > 100


def test_without_matplotlib_the_message_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"plot_curves\(\) needs matplotlib.*wengert\[full\]"):
        plot_curves({"loss": [1.0]}, tmp_path / "curves.png")


@pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad=True to a scalar:UserWarning")
def test_a_plot_of_a_tensor_that_requires_a_gradient_says_detach():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    t = wg.linspace(0, 1, 5, requires_grad=True)
    figure, axes = pyplot.subplots()
    try:
        for draw in (axes.plot, axes.hist, lambda t: axes.scatter(t, t), lambda t: axes.imshow(t.reshape(5, 1))):
            with pytest.raises(RuntimeError, match=r"Use tensor.detach\(\).numpy\(\) instead"):
                draw(t)
        (line,) = axes.plot(t.detach(), t.detach() ** 2)
        assert line.get_xydata().tolist() == [[x, x * x] for x in t.tolist()]
    finally:
        pyplot.close(figure)
