"""Curves of a training run, and misclassified images, as PNG files drawn by matplotlib."""

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wengert.viz.figures import new_figure

__all__ = ["plot_curves", "plot_misclassified"]

_COLOURS = ("#2563eb", "#ea580c", "#059669", "#9333ea", "#db2777", "#475569")
_PALE = "#475569"
_DOTS_PER_INCH = 120
_MOST_IMAGES = 64


def plot_curves(history: Mapping[str, Sequence[float]], path: str | os.PathLike[str]) -> Path:
    """Draw the curves of a training run over the epochs.

    Args:
        history: values of each curve by its name, one per epoch. Curves whose names end in the same word share a panel:
            "train_loss" and "test_loss" one, "test_accuracy" another. Values that are not finite leave gaps; curves may
            differ in length; if there are none, the picture says so.
        path: PNG file to write.

    Returns:
        The path that was written.

    Raises:
        ImportError: if matplotlib is not installed.
    """
    panels: dict[str, dict[str, list[float]]] = {}
    for name, values in history.items():
        if len(values):
            panels.setdefault(name.replace("_", " ").split(" ")[-1], {})[name] = [float(value) for value in values]
    figure = new_figure("viz.plot_curves()", (5.2 * max(1, len(panels)), 3.8))
    if not panels:
        figure.text(0.5, 0.5, "no epoch was finished", ha="center", va="center", color=_PALE)
    for position, (quantity, curves) in enumerate(panels.items()):
        _draw_panel(figure.add_subplot(1, len(panels), position + 1), quantity, curves)
    return _save(figure, path)


def _draw_panel(axes: Any, quantity: str, curves: Mapping[str, Sequence[float]]) -> None:
    """Draw all curves of one quantity over the epochs."""
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    for position, (name, values) in enumerate(curves.items()):
        label = name.replace("_", " ")
        if math.isfinite(values[-1]):
            label += f" ({values[-1]:.2%} at the end)" if quantity == "accuracy" else f" ({values[-1]:.4g} at the end)"
        epochs = range(1, len(values) + 1)
        colour = _COLOURS[position % len(_COLOURS)]
        axes.plot(epochs, values, color=colour, label=label, marker="o", markersize=3, linewidth=1.6)
    axes.set_title(quantity, loc="left", fontsize=11, fontweight="bold", parse_math=False)
    axes.set_xlabel("epoch", color=_PALE)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    if quantity == "accuracy":
        axes.yaxis.set_major_formatter(PercentFormatter(1.0))
    axes.grid(color="#e2e8f0", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    for text in axes.legend(frameon=False, fontsize=9).get_texts():
        text.set_parse_math(False)


def plot_misclassified(
    images: np.ndarray, labels: np.ndarray, predictions: np.ndarray, path: str | os.PathLike[str]
) -> Path:
    """Draw the images whose prediction is wrong, with labels and predictions.

    Args:
        images: grey images of shape (N, height, width) or (N, 1, height, width); large values are dark.
        labels: integers of shape (N,).
        predictions: integers of shape (N,). Images whose prediction equals the label are not drawn.
        path: PNG file to write. At most the first 64 images are drawn; the title has the number of all.

    Returns:
        The path that was written.

    Raises:
        ValueError: if the shapes do not fit together.
        ImportError: if matplotlib is not installed.
    """
    images, labels, predictions = np.asarray(images), np.asarray(labels), np.asarray(predictions)
    if images.ndim == 4 and images.shape[1] == 1:
        images = images[:, 0]
    if images.ndim != 3 or labels.shape != images.shape[:1] or predictions.shape != labels.shape:
        raise ValueError(
            "viz.plot_misclassified(): images must be (N, height, width) or (N, 1, height, width), labels and "
            f"predictions (N,), but got {images.shape}, {labels.shape} and {predictions.shape}"
        )
    wrong = np.flatnonzero(labels != predictions)
    shown = wrong[:_MOST_IMAGES]
    columns = max(4, math.ceil(math.sqrt(len(shown) * 1.5)))
    rows = max(1, math.ceil(len(shown) / columns))
    figure = new_figure("viz.plot_misclassified()", (columns * 1.1 + 0.4, rows * 1.4 + 0.7))
    title = f"{len(wrong)} of {len(labels)} misclassified"
    if len(shown) < len(wrong):
        title += f", the first {len(shown)}"
    figure.suptitle(title, fontsize=11, fontweight="bold", x=0.03, ha="left")
    if not len(wrong):
        figure.text(0.5, 0.4, "every prediction is right", ha="center", va="center", color=_PALE)
    for position, index in enumerate(shown):
        axes = figure.add_subplot(rows, columns, position + 1)
        axes.imshow(images[index], cmap="gray_r", interpolation="nearest")
        axes.set_title(f"{labels[index]} taken for {predictions[index]}", fontsize=7, color=_PALE)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.spines[:].set_color("#cbd5e1")
    return _save(figure, path)


def _save(figure: Any, path: str | os.PathLike[str]) -> Path:
    """Write the figure as PNG, whatever the suffix."""
    figure.set_layout_engine("tight")
    figure.savefig(path, format="png", dpi=_DOTS_PER_INCH)
    return Path(path)
