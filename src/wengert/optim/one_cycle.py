"""One-cycle learning rates."""

from __future__ import annotations

import math
from typing import Any

from .optimizer import Optimizer
from .schedule import LRScheduler, checked, has_beta1, set_momentum, spread, start_momenta


class OneCycleLR(LRScheduler):
    """Raise the rate to `max_lr`, then decrease it far below its start; momentum inversely. Stepped after each batch.

    Args:
        optimizer: the optimiser whose learning rates are set.
        max_lr: the highest rate, or one for each group.
        total_steps: number of steps; by default `epochs * steps_per_epoch`.
        epochs: number of epochs.
        steps_per_epoch: number of steps of each epoch.
        pct_start: share of the steps in which the rate rises.
        anneal_strategy: "cos" or "linear".
        cycle_momentum: also cycle the momentum (or Adam's first beta).
        base_momentum: the lowest momentum, or one for each group.
        max_momentum: the highest momentum, or one for each group.
        div_factor: the rate starts from `max_lr / div_factor`.
        final_div_factor: the rate ends at that start divided by this.
        three_phase: decrease to the start as fast as the rate rose, then to the end.
        last_epoch: step to resume from; -1 for the start.

    Raises:
        ValueError: if the number of steps is missing, or an option is out of range.

    Source: Smith and Topin, Super-Convergence, 2018.
    """

    __module__ = "wengert.optim.lr_scheduler"  # its public module

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        self.optimizer = checked(optimizer)
        self.total_steps = count_steps(total_steps, epochs, steps_per_epoch)
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._schedule_phases = phases(self.total_steps, pct_start, three_phase)
        self._anneal_func_type = anneal_strategy
        tops = spread(max_lr, optimizer, "max_lr")
        if last_epoch == -1:
            for group, top in zip(optimizer.param_groups, tops, strict=True):
                start = top / div_factor
                group.update(initial_lr=start, max_lr=top, min_lr=start / final_div_factor)
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = has_beta1(optimizer)
            most = spread(max_momentum, optimizer, "max_momentum")
            least = spread(base_momentum, optimizer, "base_momentum")
            if last_epoch == -1:
                start_momenta(optimizer, least, most, self.use_beta1)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the rates of this step; the momenta are set as a side effect.

        Raises:
            ValueError: if there are no more steps.
        """
        self._rates()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(f"Tried to step {step} times. The specified number of total steps is {self.total_steps}")
        ends = [phase["end_step"] for phase in self._schedule_phases]
        at = next((at for at, end in enumerate(ends[:-1]) if step <= end), len(ends) - 1)
        phase, start = self._schedule_phases[at], ends[at - 1] if at else 0.0
        share = (step - start) / (ends[at] - start)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._between(group[phase["start_lr"]], group[phase["end_lr"]], share))
            if self.cycle_momentum:
                momentum = self._between(group[phase["start_momentum"]], group[phase["end_momentum"]], share)
                set_momentum(group, momentum, self.use_beta1)
        return rates

    def _between(self, first: float, second: float, share: float) -> float:
        if self._anneal_func_type == "linear":
            return (second - first) * share + first
        return second + (first - second) / 2.0 * (math.cos(math.pi * share) + 1)


def phases(steps: int, rising: float, three: bool) -> list[dict[str, Any]]:
    """Return the phases of the cycle: the end of each, and the options of a group that it moves between."""
    up, high, low = float(rising * steps) - 1, "max_momentum", "base_momentum"
    parts = [(up, "initial_lr", "max_lr", high, low)]
    if three:
        parts += [
            (float(2 * rising * steps) - 2, "max_lr", "initial_lr", low, high),
            (steps - 1, "initial_lr", "min_lr", high, high),
        ]
    else:
        parts.append((steps - 1, "max_lr", "min_lr", low, high))
    names = "end_step", "start_lr", "end_lr", "start_momentum", "end_momentum"
    return [dict(zip(names, part, strict=True)) for part in parts]


def count_steps(total_steps: int | None, epochs: int | None, steps_per_epoch: int | None) -> int:
    """Return the number of steps.

    Raises:
        ValueError: if it is missing, or not positive.
    """
    if total_steps is not None:
        counts = {"total_steps": total_steps}
    elif epochs is not None and steps_per_epoch is not None:
        counts = {"epochs": epochs, "steps_per_epoch": steps_per_epoch}
    else:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    for name, value in counts.items():
        if not isinstance(value, int) or value <= 0:
            raise ValueError(f"Expected positive integer {name}, but got {value}")
    return math.prod(counts.values())
