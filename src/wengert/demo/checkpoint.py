"""Checkpoint of a run in one file: tensors of weights and optimiser, the rest as text. Loading runs no code."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

from wengert.io import load_file, load_metadata, save_file

from .training import CURVES, Run, Sums

FILE = "checkpoint.safetensors"
FORM = "wengert demo 1"
_NETWORK, _OPTIMISER = "network.", "optimiser."


def save(run: Run, path: Path) -> None:
    """Write a run; the previous file stays until the new one is complete."""
    state = run.optimiser.state_dict()
    tensors = {_NETWORK + name: value for name, value in run.network.state_dict().items()}
    for number, values in state["state"].items():
        tensors.update({f"{_OPTIMISER}{number}.{name}": value for name, value in values.items()})
    progress = {
        "seed": run.seed,
        "epochs": run.epochs,
        "steps_done": run.steps_done,
        "epochs_done": run.epochs_done,
        "sums": dataclasses.asdict(run.sums),
        "history": run.history,
        "seconds": run.seconds,
        "groups": state["param_groups"],
    }
    save_file(tensors, path, {"form": FORM, "progress": json.dumps(progress)})


def load(path: Path) -> Run:
    """Read a run.

    Raises:
        OSError: if there is no such file, or it cannot be read.
        ValueError: if the file is not a complete checkpoint of this demo.
    """
    try:
        metadata = load_metadata(path)
    except FileNotFoundError as error:
        raise FileNotFoundError(f"there is no {path.name} to go on from; an earlier run leaves it") from error
    if metadata.get("form") != FORM:
        raise ValueError(f"{path.name} is not a checkpoint of this version of the demo")
    tensors = load_file(path)
    try:
        progress = json.loads(metadata["progress"])
        run = Run.start(int(progress["seed"]), int(progress["epochs"]))
        run.steps_done, run.epochs_done = int(progress["steps_done"]), int(progress["epochs_done"])
        run.sums, run.seconds = Sums(**progress["sums"]), float(progress["seconds"])
        run.history = {name: [float(value) for value in progress["history"][name]] for name in CURVES}
        restore(run, tensors, progress["groups"])
    except (KeyError, TypeError, ValueError, AttributeError, RuntimeError, ArithmeticError) as error:
        raise ValueError(f"{path.name} is damaged: {error}") from error
    if not math.isfinite(run.seconds) or any(len(curve) != run.epochs_done for curve in run.history.values()):
        raise ValueError(f"{path.name} is damaged: its history does not have {run.epochs_done} epochs")
    return run


def restore(run: Run, tensors: dict[str, Any], groups: list[dict[str, Any]]) -> None:
    """Load weights and state into a new run."""
    run.network.load_state_dict(
        {name.removeprefix(_NETWORK): value for name, value in tensors.items() if name.startswith(_NETWORK)}
    )
    state: dict[int, dict[str, Any]] = {}
    for name, value in tensors.items():
        if name.startswith(_OPTIMISER):
            number, _, key = name.removeprefix(_OPTIMISER).partition(".")
            state.setdefault(int(number), {})[key] = value
    parameters = list(run.network.parameters())
    for index, values in state.items():
        for key in ("exp_avg", "exp_avg_sq"):
            if values[key].shape != parameters[index].shape:
                raise ValueError(f"the optimiser's {key} of parameter {index} has the shape {values[key].shape}")
    run.optimiser.load_state_dict({"state": state, "param_groups": groups})
