"""Results of a run: the files in its folder."""

from __future__ import annotations

import copy
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wengert import nn, viz
from wengert._start.build import BUILD
from wengert.autograd.profiler import profile
from wengert.io import save_file, write_atomically

from . import checkpoint
from .data import Digits
from .training import Run, accuracy_of

SHOWN = 4
"""Number of images of the loss whose graph is drawn; it changes shapes only."""


def check_writable(folder: Path) -> None:
    """Refuse a folder in which no file can be created, before any work is done.

    Raises:
        OSError: if no file can be created in the folder.
    """
    with tempfile.TemporaryFile(dir=folder):
        pass


def training_step(run: Run, digits: Digits) -> tuple[viz.Graph, profile]:
    """Return the graph of the loss of a training step, and the step's profile.

    The step is run on a copy of the network, so that statistics and gradients of the real one do not change.
    """
    network = copy.deepcopy(run.network).train()
    step = profile(record_shapes=True)
    with step, viz.record_scopes(network):
        with viz.scope("network"):
            scores = network(digits.train_images[:SHOWN])
        with viz.scope("loss"):
            loss = nn.functional.cross_entropy(scores, digits.train_labels[:SHOWN])
        loss.backward(retain_graph=True)
    return viz.graph(loss, network, profile=step, gradients=True), step


def through(path: Path, draw: Callable[[Path], Any]) -> None:
    """Draw a picture into a temporary file, and move it to `path` when it is complete."""
    temporary = path.with_name(f".{path.stem}.part{path.suffix}")
    try:
        draw(temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def measure(run: Run, digits: Digits, test_loss: float, test_accuracy: float) -> dict[str, Any]:
    """Return the content of metrics.json."""
    return {
        "test_accuracy": test_accuracy,
        "test_loss": test_loss,
        "seconds": round(run.seconds, 3),
        "build": BUILD,
        "finished": run.finished,
        "epochs": run.epochs_done,
        "epochs_wanted": run.epochs,
        "steps": run.steps_done,
        "seed": run.seed,
        "parameters": run.parameters,
        "train_size": len(digits.train_labels),
        "test_size": len(digits.test_labels),
        "history": run.history,
    }


def write(run: Run, digits: Digits, folder: Path) -> str:
    """Write all results.

    Returns:
        A message: the accuracy, the files, and what was omitted because a package is missing.
    """
    test_loss, predictions = run.judge(digits)
    accuracy = accuracy_of(predictions, digits)
    images, labels = digits.test_images.numpy(), digits.test_labels.numpy()
    graph, step = training_step(run, digits)
    pictures: dict[str, tuple[str, Callable[[Path], Any]]] = {
        "curves.png": ("loss and accuracy", lambda path: viz.plot_curves(run.history, path)),
        "misclassified.png": (
            "the digits it gets wrong",
            lambda path: viz.plot_misclassified(images, labels, predictions, path),
        ),
        "graph.svg": ("autograd graph of the loss", graph.save),
        "graph.html": ("the same to explore, in a browser, with times", graph.save),
        "trace.json": (
            "a profile of that step, for ui.perfetto.dev or chrome://tracing",
            lambda path: step.export_chrome_trace(str(path)),
        ),
    }
    written, missing = [], []
    for name, (content, draw) in pictures.items():
        try:
            through(folder / name, draw)
            written.append((name, content))
        except ImportError as error:
            missing.append(f"{name} was left out: {error}")
    save_file(run.network.state_dict(), folder / "weights.safetensors")
    metrics = measure(run, digits, test_loss, accuracy)
    write_atomically(folder / "metrics.json", json.dumps(metrics, indent=2) + "\n")
    written += [
        ("weights.safetensors", "the learned weights"),
        ("metrics.json", "all figures"),
        (checkpoint.FILE, "to go on with --resume"),
    ]
    lines = [
        f"{accuracy:.2%} of {len(labels)} held-out digits are right after {run.epochs_done} epochs "
        f"({run.steps_done} steps, {run.seconds:.1f} s, {BUILD} build)"
    ]
    width = max(len(str(folder / name)) for name, _ in written)
    lines += [f"  {folder / name!s:{width}}  {content}" for name, content in written]
    return "\n".join(lines + missing)
