"""A schedule that rises and falls once over a whole training."""

from __future__ import annotations

import math

from .optimizer import Optimizer
from .schedule import LRScheduler


class OneCycleLR(LRScheduler):
    """The rate rises to `max_lr` and falls far below its start, momentum the other way round; stepped after each batch.

    Args:
        optimizer: whose rates are set.
        max_lr: the highest rate, or one for each group.
        total_steps: number of steps; or `epochs * steps_per_epoch`.
        epochs: number of epochs.
        steps_per_epoch: steps of each.
        pct_start: share of the steps in which the rate rises.
        anneal_strategy: "cos" or "linear".
        cycle_momentum: move the momentum (or Adam's first beta), too.
        base_momentum: the lowest momentum, or one for each group.
        max_momentum: the highest momentum, or one for each group.
        div_factor: the rate starts from `max_lr / div_factor`.
        final_div_factor: it ends at that start divided by this.
        three_phase: fall to the start as fast as it rose, and then to the end.
        last_epoch: step to resume from; -1 for the start.

    Raises:
        ValueError: the number of steps is not given, or an option is out of range.

    Source: Smith and Topin, Super-Convergence, 2018.
    """

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
        self.total_steps = count_steps(total_steps, epochs, steps_per_epoch)
        if not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        up, last = float(pct_start * self.total_steps) - 1, self.total_steps - 1
        names = ["initial_lr", "max_lr", "initial_lr", "min_lr"] if three_phase else ["initial_lr", "max_lr", "min_lr"]
        ends = [up, 2 * up, last] if three_phase else [up, last]
        self._phases = list(zip(ends, names, names[1:]))
        groups = optimizer.param_groups
        given = {"max_lr": max_lr, "base_momentum": base_momentum, "max_momentum": max_momentum}
        ends_of = zip(groups, *(spread(value, len(groups), name) for name, value in given.items()))
        self.cycle_momentum = cycle_momentum
        self.use_beta1 = "betas" in optimizer.defaults
        if cycle_momentum and not self.use_beta1 and "momentum" not in optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        for group, top, least, most in ends_of if last_epoch == -1 else ():
            start = top / div_factor
            group.update(initial_lr=start, max_lr=top, min_lr=start / final_div_factor)
            if cycle_momentum:
                group.update(base_momentum=least, max_momentum=most)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates of this step; the momenta are set on the way.

        Raises:
            ValueError: there are no more steps.
        """
        if self.last_epoch > self.total_steps:
            raise ValueError(f"Tried to step {self.last_epoch} times. The total number of steps is {self.total_steps}")
        rates = []
        for group in self.optimizer.param_groups:
            start = 0.0
            for end, first, second in self._phases:
                if self.last_epoch <= end or end == self._phases[-1][0]:
                    share = (self.last_epoch - start) / (end - start)
                    rates.append(self._between(group[first], group[second], share))
                    if self.cycle_momentum:
                        falling = "max_momentum", "base_momentum"
                        first, second = falling if second == "max_lr" else falling[::-1] if first == "max_lr" else (
                            "max_momentum", "max_momentum")  # fmt: skip
                        self._set_momentum(group, self._between(group[first], group[second], share))
                    break
                start = end
        return rates

    def _between(self, first: float, second: float, share: float) -> float:
        if self._anneal_func_type == "linear":
            return (second - first) * share + first
        return second + (first - second) / 2.0 * (math.cos(math.pi * share) + 1)

    def _set_momentum(self, group: dict[str, object], momentum: float) -> None:
        if self.use_beta1:
            group["betas"] = (momentum, *group["betas"][1:])  # type: ignore[index]
        else:
            group["momentum"] = momentum


def count_steps(total_steps: int | None, epochs: int | None, steps_per_epoch: int | None) -> int:
    """The number of steps.

    Raises:
        ValueError: it is not given, or not positive.
    """
    if total_steps is not None:
        given = {"total_steps": total_steps}
    elif epochs is not None and steps_per_epoch is not None:
        given = {"epochs": epochs, "steps_per_epoch": steps_per_epoch}
    else:
        raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
    for name, value in given.items():
        if not isinstance(value, int) or value <= 0:
            raise ValueError(f"Expected positive integer {name}, but got {value}")
    return math.prod(given.values())


def spread(value: float | list[float], count: int, name: str) -> list[float]:
    """One number for each group.

    Raises:
        ValueError: another number of them is given.
    """
    if isinstance(value, list | tuple):
        if len(value) != count:
            raise ValueError(f"expected {count} values for {name}, got {len(value)}")
        return list(value)
    return [value] * count
