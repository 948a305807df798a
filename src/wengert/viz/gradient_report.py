"""Gradients of a model during training: norms, ratios to the weights, and units without gradient."""

import dataclasses
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from wengert.viz.measures import norm_of

if TYPE_CHECKING:
    from wengert import Tensor, nn

__all__ = ["GradientReport", "LayerStep", "gradients"]

Item = TypeVar("Item")


@dataclasses.dataclass(frozen=True)
class LayerStep:
    """Measurements of one layer in one step.

    Args:
        gradient: norm of the gradients of all its parameters together.
        weight: norm of these parameters when the gradients arrived.
        units: number of its units: rows of its parameters with two or more dimensions.
        dead: number of units whose gradient is zero: they do not influence the loss.
    """

    gradient: float
    weight: float
    units: int
    dead: int

    @property
    def ratio(self) -> float:
        """Ratio of the norm of the gradients to that of the weights; infinite for weights of zero."""
        if not self.weight:
            return math.inf if self.gradient else math.nan
        return self.gradient / self.weight


class GradientReport:
    """Measurements of the gradients of a model in each step; created by `viz.gradients`.

    Attributes:
        layers: for each layer, by its name, one entry for each recorded step; None if there was no gradient.
        steps: numbers of the recorded steps, from 0.
    """

    def __init__(self, parameters: "Mapping[str, Tensor]", every: int) -> None:
        self.parameters = {layer_of(name): [] for name in parameters}  # type: dict[str, list[str]]
        for name in parameters:
            self.parameters[layer_of(name)].append(name)
        self.layers: dict[str, list[LayerStep | None]] = {layer: [] for layer in self.parameters}
        self.steps: list[int] = []
        self.every = every
        self.done = 0
        self.measured: dict[str, tuple[float, float, np.ndarray | None]] = {}
        self.alive: dict[str, np.ndarray] = {}
        self.handles = [
            tensor.register_post_accumulate_grad_hook(self._measuring(name)) for name, tensor in parameters.items()
        ]

    def _measuring(self, name: str) -> Callable[["Tensor"], None]:
        """Return the hook of a parameter; a later pass of the same step replaces the measurement of an earlier one."""

        def measure(leaf: "Tensor") -> None:
            if self.done % self.every == 0 and leaf.grad is not None:
                weight = np.asarray(leaf.detach().numpy(force=True))
                self.measured[name] = measured(np.asarray(leaf.grad.detach().numpy(force=True)), weight)

        return measure

    def step(self) -> None:
        """End a step: record the measurements of the backward passes since the last call."""
        if self.done % self.every == 0:
            self.steps.append(self.done)
            for layer, names in self.parameters.items():
                self.layers[layer].append(self._layer_step(names))
            self.measured.clear()
        self.done += 1

    def _layer_step(self, names: list[str]) -> LayerStep | None:
        """Return the entry of a layer with these parameters."""
        measurements = {name: self.measured[name] for name in names if name in self.measured}
        if not measurements:
            return None
        units = dead = 0
        for name, (_, _, alive) in measurements.items():
            if alive is not None:
                units += alive.size
                dead += alive.size - int(np.count_nonzero(alive))
                self.alive[name] = self.alive[name] | alive if name in self.alive else alive
        gradient = math.hypot(*(gradient for gradient, _, _ in measurements.values()))
        return LayerStep(gradient, math.hypot(*(weight for _, weight, _ in measurements.values())), units, dead)

    def always_dead(self, layer: str) -> int:
        """Return the number of units of a layer without gradient in all steps.

        Raises:
            KeyError: if there is no such layer.
        """
        return sum(int((~self.alive[name]).sum()) for name in self.parameters[layer] if name in self.alive)

    def progress(self, steps: Iterable[Item], total: int | None = None, **options: Any) -> Iterator[Item]:
        """Iterate over `steps` with a progress bar that shows the latest norms; each iteration is a step.

        Args:
            steps: an iterable, such as the batches of a loader.
            total: number of steps, if `steps` has no length.
            **options: for `tqdm`.

        Returns:
            An iterator over `steps`.

        Raises:
            ImportError: if tqdm is not installed.
        """
        try:
            from tqdm import tqdm
        except ImportError as error:
            raise ImportError(
                "GradientReport.progress() needs tqdm to show how far it is: pip install 'wengert[full]'"
            ) from error
        return self._with_bar(tqdm(steps, total=total, **options))

    def _with_bar(self, bar: Any) -> Iterator[Any]:
        """Iterate over the items of `progress`."""
        with bar:
            for item in bar:
                yield item
                self.step()
                bar.set_postfix_str(self.latest(), refresh=False)

    def latest(self) -> str:
        """Return a short description of the last recorded step; empty before there is one."""
        last = [entries[-1] for entries in self.layers.values() if entries and entries[-1] is not None]
        if not last:
            return ""
        dead, units = sum(step.dead for step in last), sum(step.units for step in last)
        words = [f"gradient {math.hypot(*(step.gradient for step in last)):.3g}"]
        words.append(f"largest ratio {max(step.ratio for step in last):.2g}")
        return ", ".join([*words, f"dead {dead}/{units}"] if units else words)

    def table(self) -> str:
        """Return all layers as a text table: the last values, means and maxima over the steps."""
        from wengert.viz.gradient_pictures import write_table

        return write_table(self)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Draw norms, ratios and dead units of all layers over the steps.

        Args:
            path: name of the file; its suffix selects the format: `.svg`, `.png`, or `.txt` for the table.

        Returns:
            The path that was written.

        Raises:
            ValueError: if the suffix is none of these.
            ImportError: if a picture is requested and matplotlib is not installed.
        """
        from wengert.viz.gradient_pictures import write_picture

        path = Path(path)
        suffix = path.suffix.lower()
        if suffix not in (".svg", ".png", ".txt"):
            raise ValueError(
                f"GradientReport.save(): the suffix must be one of .svg, .png, .txt, but got {path.suffix!r} in "
                f"{str(path)!r}"
            )
        content = (self.table() + "\n").encode("utf-8") if suffix == ".txt" else write_picture(self, suffix[1:])
        path.write_bytes(content)
        return path

    def remove(self) -> None:
        """Remove the hooks; the measurements stay."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> "GradientReport":
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()

    def __repr__(self) -> str:
        return f"GradientReport({len(self.layers)} layers, {len(self.steps)} steps)"


def gradients(model: "nn.Module | Mapping[str, Tensor]", every: int = 1) -> GradientReport:
    """Record the gradients of a model during training.

    Hooks on the parameters measure each gradient when it is complete, so it does not matter when the program clears
    them. A step ends with `report.step()`, or with an iteration of a loop over `report.progress(...)`.

    Args:
        model: A module, or tensors by name. Those that do not require a gradient are ignored. Parameters whose names
            differ in the last part only ("fc.weight" and "fc.bias") are one layer.
        every: measure only every `every` steps.

    Returns:
        A `GradientReport`: `.table()` returns text, `.save(path)` draws. As a context manager it removes its hooks at
        the end of the block; `.remove()` does so, too.

    Raises:
        TypeError: if `model` is neither a module nor a mapping.
        ValueError: if no parameter requires a gradient, or `every` is below 1.

    >>> import wengert as wg
    >>> model = wg.nn.Sequential(wg.nn.Linear(2, 3), wg.nn.ReLU(), wg.nn.Linear(3, 1))
    >>> with wg.viz.gradients(model) as report:
    ...     for _ in range(2):
    ...         model(wg.ones(4, 2)).sum().backward()
    ...         report.step()
    >>> report
    GradientReport(2 layers, 2 steps)
    >>> report.layers["2"][0].gradient > 0
    True
    """
    if hasattr(model, "named_parameters"):
        named: Mapping[str, Tensor] = dict(model.named_parameters())
    elif isinstance(model, Mapping):
        named = model
    else:
        raise TypeError(f"viz.gradients(): model must be a module or map names to tensors, got {type(model).__name__}")
    if every < 1:
        raise ValueError(f"viz.gradients(): every must be 1 or more, but got {every}")
    learning = {name: tensor for name, tensor in named.items() if tensor.requires_grad}
    if not learning:
        raise ValueError("viz.gradients(): no parameter of the model requires a gradient, so there is nothing to watch")
    return GradientReport(learning, every)


def layer_of(name: str) -> str:
    """Return the layer of a parameter: its name without the last part."""
    return name.rpartition(".")[0] or name


def measured(gradient: np.ndarray, weight: np.ndarray) -> tuple[float, float, np.ndarray | None]:
    """Return the norms of a gradient and of its parameter, and a mask of nonzero rows of the gradient (or None)."""
    alive = None
    if gradient.ndim >= 2:
        alive = (gradient != 0).any(axis=tuple(range(1, gradient.ndim)))
    return norm_of(gradient), norm_of(weight), alive
