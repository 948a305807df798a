"""Schedules of learning rates: called after each epoch (or step), they set the `lr` of every group of an optimiser."""

from __future__ import annotations

import bisect
import math
import types
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .one_cycle import OneCycleLR
from .optimizer import Optimizer
from .plateau import ReduceLROnPlateau
from .schedule import LRScheduler

__all__ = [
    "ConstantLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "ExponentialLR", "LRScheduler", "LambdaLR",
    "LinearLR", "MultiStepLR", "MultiplicativeLR", "OneCycleLR", "PolynomialLR", "ReduceLROnPlateau", "SequentialLR",
    "StepLR",
]  # fmt: skip

Factor = Callable[[int], float]


class LambdaLR(LRScheduler):
    """The initial rate times a function of the epoch.

    Args:
        optimizer: whose rates are set.
        lr_lambda: the function, or one for each group.
        last_epoch: epoch to resume from; -1 for the start.

    Raises:
        ValueError: not as many functions as groups.
    """

    def __init__(self, optimizer: Optimizer, lr_lambda: Factor | Sequence[Factor], last_epoch: int = -1) -> None:
        count = len(optimizer.param_groups)
        given = list(lr_lambda) if isinstance(lr_lambda, list | tuple) else [lr_lambda] * count
        if len(given) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(given)}")
        self.lr_lambdas: list[Any] = given
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        """As of any schedule; functions are left out, objects give their attributes."""
        state = {key: value for key, value in super().state_dict().items() if key != "lr_lambdas"}
        state["lr_lambdas"] = [
            None if isinstance(each, types.FunctionType) else dict(getattr(each, "__dict__", {}))
            for each in self.lr_lambdas
        ]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take what `state_dict` gave."""
        super().load_state_dict({key: value for key, value in state_dict.items() if key != "lr_lambdas"})
        for each, kept in zip(self.lr_lambdas, state_dict["lr_lambdas"]):
            if kept is not None:
                each.__dict__.update(kept)

    def get_lr(self) -> list[float]:
        """The rates of this epoch."""
        return [base * factor(self.last_epoch) for factor, base in zip(self.lr_lambdas, self.base_lrs)]


class MultiplicativeLR(LambdaLR):
    """The rate times a function of the epoch, again in each epoch; arguments as of `LambdaLR`."""

    def get_lr(self) -> list[float]:
        """The rates of this epoch."""
        if self.last_epoch <= 0:
            return self._current()
        return [rate * factor(self.last_epoch) for factor, rate in zip(self.lr_lambdas, self._current())]


class StepLR(LRScheduler):
    """The rate times `gamma` every `step_size` epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates of this epoch."""
        if self.last_epoch == 0 or self.last_epoch % self.step_size:
            return self._current()
        return [rate * self.gamma for rate in self._current()]


class MultiStepLR(LRScheduler):
    """The rate times `gamma` at each epoch in `milestones`."""

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates of this epoch."""
        times = self.milestones.get(self.last_epoch, 0)
        return [rate * self.gamma**times for rate in self._current()]


class ExponentialLR(LRScheduler):
    """The rate times `gamma` in each epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates of this epoch."""
        return self._current() if self.last_epoch == 0 else [rate * self.gamma for rate in self._current()]


class ConstantLR(LRScheduler):
    """The rate times `factor` for the first `total_iters` epochs."""

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if not 0 <= factor <= 1:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates of this epoch."""
        factor = 1.0
        if self.last_epoch == 0:
            factor = self.factor
        elif self.last_epoch == self.total_iters:
            factor = 1.0 / self.factor
        return [rate * factor for rate in self._current()]


class LinearLR(LRScheduler):
    """The rate times a factor that goes from `start_factor` to `end_factor` over `total_iters` epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < start_factor <= 1:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if not 0 <= end_factor <= 1:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self, epoch: int) -> float:
        return self.start_factor + (self.end_factor - self.start_factor) * epoch / self.total_iters

    def get_lr(self) -> list[float]:
        """The rates of this epoch."""
        if self.last_epoch == 0:
            return [rate * self.start_factor for rate in self._current()]
        if self.last_epoch > self.total_iters:
            return self._current()
        ratio = self._factor(self.last_epoch) / self._factor(self.last_epoch - 1)
        return [rate * ratio for rate in self._current()]


class PolynomialLR(LRScheduler):
    """The rate falls to zero over `total_iters` epochs as `(1 - epoch / total_iters) ** power`."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates of this epoch."""
        epoch = self.last_epoch
        if epoch == 0 or epoch > self.total_iters:
            return self._current()
        factor = ((1.0 - epoch / self.total_iters) / (1.0 - (epoch - 1) / self.total_iters)) ** self.power
        return [rate * factor for rate in self._current()]


class CosineAnnealingLR(LRScheduler):
    """The rate falls to `eta_min` along half a cosine over `T_max` epochs, and rises again if there are more.

    Source: Loshchilov and Hutter, SGDR, 2017, without the restarts.
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:  # noqa: N803
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates of this epoch, from those of the epoch before."""
        epoch, current = self.last_epoch, self._current()
        if epoch == 0:
            return current
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # from the bottom, where the ratio below would be 0 / 0
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            return [rate + (base - self.eta_min) * rise for base, rate in zip(self.base_lrs, current)]
        now, before = (1 + math.cos(math.pi * at / self.T_max) for at in (epoch, epoch - 1))
        return [now / before * (rate - self.eta_min) + self.eta_min for rate in current]


class CosineAnnealingWarmRestarts(LRScheduler):
    """The rate falls to `eta_min` along half a cosine and starts again, after `T_0` epochs, then `T_mult` as many.

    Raises:
        ValueError: `T_0` is not positive or `T_mult` below 1.

    Source: Loshchilov and Hutter, SGDR, 2017.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,  # noqa: N803
        T_mult: int = 1,  # noqa: N803
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The rates of this epoch."""
        share = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * share for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Go on by one epoch, or to `epoch`, which may be a fraction.

        Raises:
            ValueError: `epoch` is negative.
        """
        if epoch is None:
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
            self.last_epoch += 1
        else:
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            start, length = 0, self.T_0
            while epoch >= start + length and self.T_mult > 1:
                start, length = start + length, length * self.T_mult
            self.T_cur = epoch % self.T_0 if self.T_mult == 1 else epoch - start  # type: ignore[assignment]
            self.T_i = length
            self.last_epoch = math.floor(epoch)
        self._set(self.get_lr())


class SequentialLR(LRScheduler):
    """One schedule after the other.

    Args:
        optimizer: whose rates are set.
        schedulers: schedules of that optimiser.
        milestones: the epochs at which the second, third ... one starts.
        last_epoch: for torch's users.

    Raises:
        ValueError: not one milestone less than schedules, or a schedule of another optimiser.
    """

    def __init__(
        self, optimizer: Optimizer, schedulers: list[Any], milestones: list[int], last_epoch: int = -1
    ) -> None:
        for at, each in enumerate(schedulers):
            if each.optimizer is not optimizer:
                raise ValueError(f"SequentialLR: schedule {at} belongs to another optimizer")
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got number of schedulers {len(schedulers)} and the number of milestones to be "
                f"equal to {len(milestones)}"
            )
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        for each in schedulers:
            each.last_epoch -= 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            schedulers[0].step()
        self._last_lr = schedulers[0].get_last_lr()

    def step(self, epoch: None = None) -> None:
        """Go on by one epoch."""
        self.last_epoch += 1
        at = bisect.bisect_right(self._milestones, self.last_epoch)
        current = self._schedulers[at]
        if at > 0 and self._milestones[at - 1] == self.last_epoch:
            for group in self.optimizer.param_groups:
                group["lr"] = group["initial_lr"]
            current.last_epoch = -1
        current.step()
        self._last_lr = current.get_last_lr()

    def state_dict(self) -> dict[str, Any]:
        """The states of all schedules, and the epoch."""
        state = {key: value for key, value in self.__dict__.items() if key not in ("optimizer", "_schedulers")}
        return {**state, "_schedulers": [each.state_dict() for each in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take what `state_dict` gave."""
        self.__dict__.update({key: value for key, value in state_dict.items() if key != "_schedulers"})
        for each, state in zip(self._schedulers, state_dict["_schedulers"]):
            each.load_state_dict(state)
