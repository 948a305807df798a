"""Scaling of losses, so that small gradients of short dtypes do not vanish."""

from __future__ import annotations

import math
import warnings
from typing import Any

from ..tensor import Tensor


class GradScaler:
    """Scales a loss by a factor that grows while gradients are finite, and shrinks when they are not.

    Args:
        device: "cuda" and its like, which are not there, so that it is switched off with a warning; "cpu".
        init_scale: the first factor.
        growth_factor: what it is multiplied by after `growth_interval` steps without an overflow.
        backoff_factor: what it is multiplied by after an overflow.
        growth_interval: steps.
        enabled: whether anything is scaled.

    Source:
        Micikevicius et al., Mixed precision training, ICLR 2018, section 3.2.
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        if enabled and device != "cpu":
            warnings.warn(
                f"torch.{device}.amp.GradScaler is enabled, but {device.upper()} is not available.  Disabling.",
                UserWarning,
                stacklevel=2,
            )
            enabled = False
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._enabled, self._scale = enabled, float(init_scale)
        self._growth, self._backoff, self._interval = growth_factor, backoff_factor, growth_interval
        self._good = 0
        self._begun = False
        self._finite: dict[int, bool | None] = {}
        self._stepped: set[int] = set()

    def scale(self, outputs: Any) -> Any:
        """A loss, or a nest of lists and tuples of them, times the factor."""
        if not self._enabled:
            return outputs
        self._begun = True
        if isinstance(outputs, Tensor):
            return outputs * self._scale
        if isinstance(outputs, (list, tuple)):
            return type(outputs)(self.scale(each) for each in outputs)
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of an optimiser's parameters by the factor, once before its step.

        Raises:
            RuntimeError: it was done already since the last `update()`, or the optimiser's step was.
            AssertionError: no loss has been scaled.
        """
        if not self._enabled:
            return
        self._check_begun("unscale_")
        if id(optimizer) in self._stepped:
            raise RuntimeError("unscale_() is being called after step().")
        if id(optimizer) in self._finite:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        finite = None
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    parameter.grad.data.mul_(1.0 / self._scale)
                    finite = finite is not False and bool(parameter.grad.isfinite().all())
        self._finite[id(optimizer)] = finite

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """The optimiser's step, left out if a gradient is infinite or NaN; returns what the step does.

        Raises:
            RuntimeError: it was done already since the last `update()`, or a closure is given.
            AssertionError: no loss has been scaled, or no parameter has a gradient.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_begun("step")
        if id(optimizer) in self._stepped:
            raise RuntimeError("step() has already been called since the last update().")
        if id(optimizer) not in self._finite:
            self.unscale_(optimizer)
        finite = self._finite[id(optimizer)]
        if finite is None:
            raise AssertionError("No inf checks were recorded for this optimizer: no parameter of it has a gradient")
        result = optimizer.step(*args, **kwargs) if finite else None
        self._stepped.add(id(optimizer))
        return result

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Let the factor grow or shrink, or set it; to be called after all steps of an iteration.

        Raises:
            AssertionError: no loss has been scaled, or no gradient has been looked at since the last `update()`.
        """
        if not self._enabled:
            return
        self._check_begun("update")
        found = [finite for finite in self._finite.values() if finite is not None]
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not found:
            raise AssertionError("No inf checks were recorded prior to update: call step() or unscale_() first")
        elif not all(found):
            self._scale, self._good = self._scale * self._backoff, 0
        else:
            self._good += 1
            if self._good == self._interval:
                grown = self._scale * self._growth
                self._scale, self._good = (grown if math.isfinite(grown) else self._scale), 0
        self._finite.clear()
        self._stepped.clear()

    def _check_begun(self, name: str) -> None:
        """Refuse what needs a scaled loss.

        Raises:
            AssertionError: there has been none.
        """
        if not self._begun:
            raise AssertionError(
                f"Attempted {name} but _scale is None.  This may indicate your script did not use scaler.scale(loss or "
                "outputs) earlier in the iteration."
            )

    def get_scale(self) -> float:
        """The factor; 1 if it is switched off."""
        return self._scale if self._enabled else 1.0

    def get_growth_factor(self) -> float:
        """What the factor is multiplied by when it grows."""
        return self._growth

    def set_growth_factor(self, new_factor: float) -> None:
        """Let it grow by another factor."""
        self._growth = new_factor

    def get_backoff_factor(self) -> float:
        """What the factor is multiplied by when it shrinks."""
        return self._backoff

    def set_backoff_factor(self, new_factor: float) -> None:
        """Let it shrink by another factor."""
        self._backoff = new_factor

    def get_growth_interval(self) -> int:
        """After how many steps without an overflow the factor grows."""
        return self._interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Let it grow after another number of steps."""
        self._interval = new_interval

    def is_enabled(self) -> bool:
        """Whether anything is scaled."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """All that changes, as plain values; empty if it is switched off."""
        if not self._enabled:
            return {}
        return {
            "scale": self._scale,
            "growth_factor": self._growth,
            "backoff_factor": self._backoff,
            "growth_interval": self._interval,
            "_growth_tracker": self._good,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from what `state_dict` gave.

        Raises:
            RuntimeError: it is empty.
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._scale, self._good = float(state_dict["scale"]), int(state_dict["_growth_tracker"])
        self._growth, self._backoff = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._interval = state_dict["growth_interval"]
