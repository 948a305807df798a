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
        self._unscaled: dict[int, bool] = {}

    def scale(self, outputs: Any) -> Any:
        """A loss, or a nest of lists and tuples of them, times the factor."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs * self._scale
        if isinstance(outputs, (list, tuple)):
            return type(outputs)(self.scale(each) for each in outputs)
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of an optimiser's parameters by the factor, once before its step.

        Raises:
            RuntimeError: it was done already since the last `update()`.
        """
        if not self._enabled:
            return
        if id(optimizer) in self._unscaled:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        finite = True
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    parameter.grad.data.mul_(1.0 / self._scale)
                    finite = finite and bool(parameter.grad.isfinite().all())
        self._unscaled[id(optimizer)] = finite

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """The optimiser's step, left out if a gradient is infinite or NaN; returns what the step does."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        if id(optimizer) not in self._unscaled:
            self.unscale_(optimizer)
        return optimizer.step(*args, **kwargs) if self._unscaled[id(optimizer)] else None

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Let the factor grow or shrink, or set it; to be called after all steps of an iteration."""
        if not self._enabled:
            return
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not all(self._unscaled.values()):
            self._scale, self._good = self._scale * self._backoff, 0
        else:
            self._good += 1
            if self._good == self._interval:
                grown = self._scale * self._growth
                self._scale, self._good = (grown if math.isfinite(grown) else self._scale), 0
        self._unscaled.clear()

    def get_scale(self) -> float:
        """The factor; 1 if it is switched off."""
        return self._scale if self._enabled else 1.0

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
                "The source state dict is empty, possibly because it was saved from a disabled instance."
            )
        self._scale, self._good = float(state_dict["scale"]), int(state_dict["_growth_tracker"])
        self._growth, self._backoff = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._interval = state_dict["growth_interval"]
