"""Cyclical learning rates."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .optimizer import Optimizer
from .schedule import (
    LRScheduler,
    checked,
    has_beta1,
    raised,
    restore_function,
    set_momentum,
    set_value,
    spread,
    start_momenta,
    state_of_function,
)


class CyclicLR(LRScheduler):
    """Cycle the rate between two bounds, and momentum in the opposite direction; stepped after each batch.

    Args:
        optimizer: the optimiser whose learning rates are set.
        base_lr: the lowest rate, or one for each group.
        max_lr: the highest rate, or one for each group.
        step_size_up: number of steps in which the rate rises.
        step_size_down: number of steps in which it falls; by default `step_size_up`.
        mode: "triangular": always up to `max_lr`; "triangular2": half as high in each cycle; "exp_range": scaled by
            `gamma ** step`.
        gamma: base of "exp_range".
        scale_fn: function from the number of a cycle or step to its height, instead of `mode`.
        scale_mode: argument of `scale_fn`: "cycle" or "iterations".
        cycle_momentum: also cycle the momentum (or Adam's first beta).
        base_momentum: the lowest momentum, or one for each group.
        max_momentum: the highest momentum, or one for each group.
        last_epoch: step to resume from; -1 for the start.

    Raises:
        TypeError: if `optimizer` is not an optimiser.
        ValueError: if an option is out of range.

    Source: Smith, Cyclical Learning Rates for Training Neural Networks, 2017.
    """

    __module__ = "wengert.optim.lr_scheduler"  # its public module

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.8,
        max_momentum: float | list[float] = 0.9,
        last_epoch: int = -1,
    ) -> None:
        self.optimizer = checked(optimizer)
        base_lrs = spread(base_lr, optimizer, "base_lr")
        if last_epoch == -1:
            for group, rate in zip(optimizer.param_groups, base_lrs, strict=True):
                set_value(group, "lr", rate)
        self.max_lrs = spread(max_lr, optimizer, "max_lr")
        up = float(step_size_up)
        self.total_size = up + (up if step_size_down is None else float(step_size_down))
        self.step_ratio = up / self.total_size
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        self.mode = mode
        self.gamma = gamma
        self._scale_fn_custom = scale_fn
        self.scale_mode = scale_mode if scale_fn is not None else "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = has_beta1(optimizer)
            self.base_momentums = spread(base_momentum, optimizer, "base_momentum")
            self.max_momentums = spread(max_momentum, optimizer, "max_momentum")
            if last_epoch == -1:
                start_momenta(optimizer, self.base_momentums, self.max_momentums, self.use_beta1)
        super().__init__(optimizer, last_epoch)
        self._begin_at(base_lrs)

    def _begin_at(self, base_lrs: list[Any]) -> None:
        """Set the lowest rates of the cycle; rates set so far were between the groups' initial rates and `max_lr`."""
        self.base_lrs = base_lrs
        with raised(self, "_get_lr_called_within_step"):
            self._set(self.get_lr())

    def scale_fn(self, x: float) -> float:
        """Return the height of the cycle, or step, with this number: 1 for up to `max_lr`."""
        if self._scale_fn_custom is not None:
            return self._scale_fn_custom(x)
        if self.mode == "triangular":
            return 1.0
        return 1 / (2.0 ** (x - 1)) if self.mode == "triangular2" else self.gamma**x

    def get_lr(self) -> list[Any]:
        """Return the rates of this step; the momenta are set as a side effect."""
        self._rates()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        place = 1.0 + self.last_epoch / self.total_size - cycle
        height = place / self.step_ratio if place <= self.step_ratio else (place - 1) / (self.step_ratio - 1)
        scale = self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            bounds = zip(self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True)
            for group, least, most in bounds:
                set_momentum(group, most - (most - least) * height * scale, self.use_beta1)
        return [base + (top - base) * height * scale for base, top in zip(self.base_lrs, self.max_lrs, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """Return the state; a `scale_fn` that is a function is left out, an object is saved by its attributes."""
        state = super().state_dict()
        state["_scale_fn_custom"] = state_of_function(state.pop("_scale_fn_custom"))
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load the result of `state_dict`."""
        super().load_state_dict({key: value for key, value in state_dict.items() if key != "_scale_fn_custom"})
        restore_function(self._scale_fn_custom, state_dict["_scale_fn_custom"])
