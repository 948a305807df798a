"""Schedules composed of schedules: one after the other, or all at once."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from typing import Any

from .optimizer import Optimizer
from .plateau import ReduceLROnPlateau
from .schedule import LRScheduler, set_value


class Composed(LRScheduler):
    """Base of composed schedules: the states of their schedules."""

    _schedulers: Sequence[Any]

    def _check(self, optimizer: Any) -> None:
        """Refuse schedules that cannot be composed.

        Raises:
            TypeError: if a schedule has no optimiser.
            ValueError: if a schedule needs a metric, or belongs to another optimiser.
        """
        name = type(self).__name__
        for at, scheduler in enumerate(self._schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(f"{name} at index {at} should have `optimizer` as its attribute.")
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(
                    f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be "
                    f"specified when calling `step`, but got one at index {at} in the given schedulers sequence."
                )
            if scheduler.optimizer is not optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but got scheduler "
                    f"{type(scheduler).__name__} at index {at} has {scheduler.optimizer}, which is different from "
                    f"{type(optimizer).__name__}."
                )

    def state_dict(self) -> dict[str, Any]:
        """Return the states of all schedules, and the attributes except the optimiser."""
        state = {key: value for key, value in super().state_dict().items() if key != "_schedulers"}
        return {**state, "_schedulers": [scheduler.state_dict() for scheduler in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load the result of `state_dict`."""
        super().load_state_dict({key: value for key, value in state_dict.items() if key != "_schedulers"})
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"]):
            scheduler.load_state_dict(state)


class SequentialLR(Composed):
    """Run schedules one after the other.

    Args:
        optimizer: the optimiser whose learning rates are set.
        schedulers: schedules of that optimiser.
        milestones: the epochs at which the second, third ... schedule starts.
        last_epoch: epoch to resume from; -1 for the start. The schedules, new or resumed, advance to their state at
            that epoch. (torch restarts the first one.)

    Raises:
        TypeError: if a schedule has no optimiser.
        ValueError: if the number of milestones is not one less than that of schedules, or a schedule needs a metric or
            belongs to another optimiser.
    """

    __module__ = "wengert.optim.lr_scheduler"  # its public module

    def __init__(
        self, optimizer: Optimizer, schedulers: list[Any], milestones: list[int], last_epoch: int = -1
    ) -> None:
        if len(schedulers) < 1:
            raise ValueError(f"{type(self).__name__} expects at least one scheduler, but got no scheduler.")
        self._schedulers = schedulers
        self._check(optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got number of schedulers {len(schedulers)} and the number of milestones to be "
                f"equal to {len(milestones)}"
            )
        self._milestones = milestones
        self.last_epoch = 0
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            set_value(group, "lr", group["initial_lr"])
        undo(self, wholly=last_epoch >= 0)
        first = schedulers[bisect.bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()
        called = getattr(optimizer, "_opt_called", False)
        optimizer._opt_called = True  # type: ignore[attr-defined]  # the steps below come after those of the earlier run
        for _ in range(last_epoch + 1):
            self.step()
        optimizer._opt_called = called  # type: ignore[attr-defined]

    def step(self) -> None:  # type: ignore[override]
        """Advance by one epoch."""
        self.last_epoch += 1
        at = bisect.bisect_right(self._milestones, self.last_epoch)
        current = self._schedulers[at]
        if at > 0 and self._milestones[at - 1] == self.last_epoch:
            current._update_lr(0)
        else:
            current.step()
        self._last_lr = current.get_last_lr()


def undo(schedule: Any, wholly: bool = False) -> None:
    """Undo the step that each schedule made when it was constructed, or all its steps if `wholly`."""
    if hasattr(schedule, "_schedulers"):
        for scheduler in schedule._schedulers:
            undo(scheduler, wholly)
    elif hasattr(schedule, "last_epoch"):
        schedule.last_epoch = -1 if wholly else schedule.last_epoch - 1


class ChainedScheduler(Composed):
    """Apply several schedules at once: each changes the rates set by the previous ones.

    Args:
        schedulers: schedules of one optimiser.
        optimizer: the optimiser; by default that of the first schedule.

    Raises:
        TypeError: if a schedule has no optimiser.
        ValueError: if there are no schedules, or a schedule needs a metric or belongs to another optimiser.
    """

    __module__ = "wengert.optim.lr_scheduler"  # its public module

    def __init__(self, schedulers: Sequence[Any], optimizer: Optimizer | None = None) -> None:
        if len(schedulers) < 1:
            raise ValueError(
                f"{type(self).__name__} expects at least one scheduler to be chained, but got no scheduler."
            )
        self._schedulers = schedulers
        optimizer = optimizer or schedulers[0].optimizer
        self._check(optimizer)
        self.optimizer = optimizer
        self._last_lr = self._current()

    def step(self) -> None:  # type: ignore[override]
        """Advance by one epoch."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = self._current()
