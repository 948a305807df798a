"""A schedule that watches a measure."""

from __future__ import annotations

import math
from typing import Any

from .optimizer import Optimizer
from .schedule import LRScheduler


class ReduceLROnPlateau(LRScheduler):
    """The rate times `factor` when a measure has not improved for more than `patience` epochs.

    Args:
        optimizer: whose rates are set.
        mode: "min" if smaller is better, "max" if larger is.
        factor: below 1.
        patience: how many epochs without improvement are borne.
        threshold: how much is an improvement.
        threshold_mode: "rel": a share of the best value; "abs": a difference.
        cooldown: epochs after a reduction that do not count.
        min_lr: bound of the rate, or one for each group.
        eps: a smaller change is not made.

    Raises:
        ValueError: an option is out of range.
        TypeError: not an optimiser.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | list[float] = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        count = len(optimizer.param_groups)
        if isinstance(min_lr, list | tuple) and len(min_lr) != count:
            raise ValueError(f"expected {count} min_lrs, got {len(min_lr)}")
        self.optimizer = optimizer
        self.factor = factor
        self.min_lrs = list(min_lr) if isinstance(min_lr, list | tuple) else [min_lr] * count
        self.patience = patience
        self.cooldown = cooldown
        self.eps = eps
        self.mode = mode
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self.last_epoch = 0
        self.best = self.mode_worse = math.inf if mode == "min" else -math.inf
        self.cooldown_counter = 0
        self.num_bad_epochs = 0
        self._last_lr = self._current()

    def is_better(self, value: float, best: float) -> bool:
        """Whether a value improves on the best so far."""
        sign = -1 if self.mode == "min" else 1
        bound = best * (1 + sign * self.threshold) if self.threshold_mode == "rel" else best + sign * self.threshold
        return value < bound if self.mode == "min" else value > bound

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]
        """Go on by one epoch.

        Args:
            metrics: the measure of the epoch, a number or one-element tensor.
            epoch: go to that one instead; deprecated.
        """
        value = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self.is_better(value, self.best):
            self.best = value
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        rates = self._current()
        if self.num_bad_epochs > self.patience:
            lower = [max(rate * self.factor, least) for rate, least in zip(rates, self.min_lrs)]
            rates = [new if old - new > self.eps else old for old, new in zip(rates, lower)]
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._set(rates)
