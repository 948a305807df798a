"""Cosine annealing with warm restarts."""

from __future__ import annotations

import math
from typing import Any

from .optimizer import Optimizer
from .schedule import LRScheduler


class CosineAnnealingWarmRestarts(LRScheduler):
    """Decrease the rate to `eta_min` along half a cosine, and restart after `T_0` epochs, then `T_mult` times as many.

    Raises:
        ValueError: if `T_0` is not positive, `T_mult` is below 1, or `eta_min` is not a number.

    Source: Loshchilov and Hutter, SGDR, 2017.
    """

    __module__ = "wengert.optim.lr_scheduler"  # its public module

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
        if not isinstance(eta_min, float | int):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch % T_0 if T_mult == 1 and last_epoch > 0 else last_epoch
        while self.T_cur >= self.T_i:  # resumed in a later cycle
            self.T_cur -= self.T_i
            self.T_i *= T_mult
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        """Return the rates of this epoch."""
        self._rates()
        share = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [self.eta_min + (base - self.eta_min) * share / 2 for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Advance by one epoch, or to `epoch`, which may be a fraction.

        Raises:
            ValueError: if `epoch` is negative.
        """
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        else:
            self._place(epoch)
        self._update_lr(math.floor(epoch))

    def _place(self, epoch: float) -> None:
        """Set the cycle of an epoch, and its position within it."""
        if epoch < 0:
            raise ValueError(f"Expected non-negative epoch, but got {epoch}")
        if epoch < self.T_0:
            self.T_i, self.T_cur = self.T_0, epoch
        elif self.T_mult == 1:
            self.T_cur = epoch % self.T_0
        else:
            cycle = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
            self.T_cur = epoch - self.T_0 * (self.T_mult**cycle - 1) / (self.T_mult - 1)
            self.T_i = self.T_0 * self.T_mult**cycle
