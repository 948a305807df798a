"""How the gradients of a model fare while it learns: norms, ratios to the weights, and units that get none."""

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
    """What was measured of one layer in one step.

    Args:
        gradient: Norm of the gradients of its parameters, together.
        weight: Norm of these parameters, as they were when the gradients came.
        units: Number of its units: rows of its parameters with two or more dimensions.
        dead: How many of them got a gradient of zeros: nothing that they do reached the loss.
    """

    gradient: float
    weight: float
    units: int
    dead: int

    @property
    def ratio(self) -> float:
        """Of the norm of the gradients to that of the weights; infinite for weights of zero."""
        if not self.weight:
            return math.inf if self.gradient else math.nan
        return self.gradient / self.weight


class GradientReport:
    """What was measured of the gradients of a model, step by step; made by `viz.gradients`.

    Attributes:
        layers: for each layer, by its name, one entry for each step that was noted; None where no gradient came.
        steps: the numbers of these steps, from 0.
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
        """The hook of a parameter; a later pass of the same step replaces what an earlier one left."""

        def measure(leaf: "Tensor") -> None:
            if self.done % self.every == 0 and leaf.grad is not None:
                weight = np.asarray(leaf.detach().numpy(force=True))
                self.measured[name] = measured(np.asarray(leaf.grad.detach().numpy(force=True)), weight)

        return measure

    def step(self) -> None:
        """End a step: what the backward passes since the last call left is noted."""
        if self.done % self.every == 0:
            self.steps.append(self.done)
            for layer, names in self.parameters.items():
                self.layers[layer].append(self._layer_step(names))
            self.measured.clear()
        self.done += 1

    def _layer_step(self, names: list[str]) -> LayerStep | None:
        """The entry of a layer with these parameters."""
        found = {name: self.measured[name] for name in names if name in self.measured}
        if not found:
            return None
        units = dead = 0
        for name, (_, _, alive) in found.items():
            if alive is not None:
                units += alive.size
                dead += alive.size - int(np.count_nonzero(alive))
                self.alive[name] = self.alive[name] | alive if name in self.alive else alive
        gradient = math.hypot(*(gradient for gradient, _, _ in found.values()))
        return LayerStep(gradient, math.hypot(*(weight for _, weight, _ in found.values())), units, dead)

    def always_dead(self, layer: str) -> int:
        """How many units of a layer got no gradient in any of the steps.

        Raises:
            KeyError: if there is no such layer.
        """
        return sum(int((~self.alive[name]).sum()) for name in self.parameters[layer] if name in self.alive)

    def progress(self, steps: Iterable[Item], total: int | None = None, **options: Any) -> Iterator[Item]:
        """Go through `steps` with a bar that shows the latest norms; each passage of the loop is a step.

        Args:
            steps: What to go through, such as the batches of a loader.
            total: Number of steps, where `len(steps)` does not tell.
            **options: For `tqdm`.

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
        """What `progress` gives."""
        with bar:
            for item in bar:
                yield item
                self.step()
                bar.set_postfix_str(self.latest(), refresh=False)

    def latest(self) -> str:
        """The last step that was noted, in a few words; empty before there is one."""
        last = [entries[-1] for entries in self.layers.values() if entries and entries[-1] is not None]
        if not last:
            return ""
        dead, units = sum(one.dead for one in last), sum(one.units for one in last)
        words = [f"gradient {math.hypot(*(one.gradient for one in last)):.3g}"]
        words.append(f"largest ratio {max(one.ratio for one in last):.2g}")
        return ", ".join([*words, f"dead {dead}/{units}"] if units else words)

    def table(self) -> str:
        """All layers as a table of text: the last values, means and largest ones over the steps."""
        from wengert.viz.gradient_pictures import write_table

        return write_table(self)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Draw norms, ratios and dead units of all layers over the steps.

        Args:
            path: Name of the file; its suffix chooses the form: `.svg`, `.png`, or `.txt` for the table.

        Returns:
            The path that was written.

        Raises:
            ValueError: if the suffix is another one.
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
        """Take the hooks away; what was noted stays."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> "GradientReport":
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()

    def __repr__(self) -> str:
        return f"GradientReport({len(self.layers)} layers, {len(self.steps)} steps)"


def gradients(model: "nn.Module | Mapping[str, Tensor]", every: int = 1) -> GradientReport:
    """Watch the gradients of a model while it learns.

    Hooks on the parameters measure each gradient when it is complete, so it does not matter when the program clears
    them. A step ends with `report.step()`, or with a passage of a loop over `report.progress(...)`.

    Args:
        model: A module, or tensors by name. Those that do not require a gradient are left out. Parameters whose names
            differ in the last part only ("fc.weight" and "fc.bias") are one layer.
        every: Measure every so many steps only.

    Returns:
        A `GradientReport`: `.table()` is text, `.save(path)` draws. As a context manager it takes its hooks away at the
        end of the block; `.remove()` does so too.

    Raises:
        TypeError: if `model` is neither a module nor a mapping.
        ValueError: if No parameter requires a gradient, or `every` is below 1.

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
    """The layer that a parameter belongs to: its name without the last part."""
    return name.rpartition(".")[0] or name


def measured(gradient: np.ndarray, weight: np.ndarray) -> tuple[float, float, np.ndarray | None]:
    """Norms of a gradient and of its parameter, and which rows of the gradient are not zero (None without rows)."""
    alive = None
    if gradient.ndim >= 2:
        alive = (gradient != 0).any(axis=tuple(range(1, gradient.ndim)))
    return norm_of(gradient), norm_of(weight), alive
