"""What all schedules of learning rates share."""

from __future__ import annotations

import warnings
from typing import Any

from .optimizer import Optimizer


class LRScheduler:
    """Base of schedules: a subclass defines `get_lr` for the epoch `last_epoch`.

    Args:
        optimizer: whose rates are set.
        last_epoch: epoch to resume from; -1 for the start.

    Raises:
        TypeError: not an optimiser.
        KeyError: resumed, and the groups do not know their `initial_lr`.
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for at, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{at}] when resuming scheduler with "
                    "last_epoch >= 0: load the optimizer's state_dict first"
                )
        self.base_lrs: list[float] = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._step_count = 0
        self._last_lr: list[float] = []
        self.step()

    def get_lr(self) -> list[float]:
        """The rates of the epoch `last_epoch`, one for each group."""
        raise NotImplementedError(f"{type(self).__name__} does not define get_lr()")

    def get_last_lr(self) -> list[float]:
        """The rates that were set last."""
        return self._last_lr

    def step(self, epoch: Any = None) -> None:
        """Go on by one epoch and set the rates.

        Args:
            epoch: go to that one instead; deprecated.
        """
        if self._step_count == 1 and not getattr(self.optimizer, "_opt_called", False):
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`: call them in the opposite order, "
                "or the first value of the learning rate schedule is skipped.",
                stacklevel=2,
            )
        self._step_count += 1
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self._set(self.get_lr())

    def _current(self) -> list[float]:
        """The rates that the groups have."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def _set(self, rates: list[float]) -> None:
        """Give the groups their rates."""
        for group, rate in zip(self.optimizer.param_groups, rates):
            group["lr"] = rate
        self._last_lr = list(rates)

    def state_dict(self) -> dict[str, Any]:
        """All attributes but the optimiser."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take what `state_dict` gave."""
        self.__dict__.update(state_dict)
