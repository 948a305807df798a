"""Scaling of losses, so that small gradients in half precision do not underflow."""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import Any

from .._core.types import dtypes
from .._tensor import Tensor

__all__ = ["GradScaler", "OptState"]


class OptState(Enum):
    """Stage of an optimiser since the last `update()`."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def fresh_state() -> dict[str, Any]:
    """Return the state of an optimiser after `update()`."""
    return {"stage": OptState.READY, "found_inf_per_device": {}}


class GradScaler:
    """Scale a loss by a factor that grows while gradients are finite, and shrinks when they are not.

    Args:
        device: "cpu"; for "cuda" and "xpu", which are not available, scaling is switched off with a warning.
        init_scale: initial factor.
        growth_factor: multiplier of the factor after `growth_interval` steps without an overflow.
        backoff_factor: multiplier of the factor after an overflow.
        growth_interval: number of steps without an overflow before the factor grows.
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
        if enabled and device in ("cuda", "xpu"):
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
        self._device, self._enabled, self._init_scale, self._init_growth_tracker = device, enabled, init_scale, 0
        self._scale: Tensor | None = None
        self._growth_tracker: Tensor | None = None
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval = growth_interval
        self._per_optimizer_states: defaultdict[int, dict[str, Any]] = defaultdict(fresh_state)

    def scale(self, outputs: Any) -> Any:
        """Return a loss, or nested losses, times the factor; iterables other than list and tuple become iterators."""
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            if self._scale is None:
                self._scale = outputs.new_tensor(float(self._init_scale), dtype=dtypes.float32)
                self._growth_tracker = outputs.new_tensor(self._init_growth_tracker, dtype=dtypes.int32)
            return outputs * self._scale
        if not isinstance(outputs, Iterable):
            raise ValueError("outputs must be a Tensor or an iterable of Tensors")
        scaled = map(self.scale, outputs)
        return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of an optimiser's parameters by the factor, once before its step.

        Raises:
            RuntimeError: if it, or the step of the optimiser, was called already since the last `update()`.
            AssertionError: if no loss has been scaled.
            ValueError: if a gradient is of float16.
        """
        if not self._enabled:
            return
        scale = self._check_begun("unscale_")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        state["found_inf_per_device"] = self._unscale_grads_(optimizer, 1.0 / float(scale))
        state["stage"] = OptState.UNSCALED

    def _unscale_grads_(self, optimizer: Any, inv_scale: float) -> dict[str, float]:
        """Multiply the gradients; return by device 1 if a gradient is not finite, else 0; empty without gradients."""
        found_inf: dict[str, float] = {}
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    if parameter.grad.dtype is dtypes.float16:
                        raise ValueError("Attempting to unscale FP16 gradients.")
                    finite = bool(parameter.grad.isfinite().all())
                    parameter.grad.data.mul_(inv_scale)
                    found_inf["cpu"] = max(found_inf.get("cpu", 0.0), 0.0 if finite else 1.0)
        return found_inf

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Take the optimiser's step unless a gradient is infinite or NaN; return the result of the step.

        Raises:
            RuntimeError: if it was called already since the last `update()`, or with a closure.
            AssertionError: if no loss has been scaled, or no parameter has a gradient.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_begun("step")
        state = self._per_optimizer_states[id(optimizer)]
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        found_inf = state["found_inf_per_device"]
        if not found_inf:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = None if any(found_inf.values()) else optimizer.step(*args, **kwargs)
        state["stage"] = OptState.STEPPED
        return result

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Update the factor, or set it; call it after all steps of an iteration.

        Raises:
            AssertionError: if no loss has been scaled, no gradient has been checked since the last `update()`, or
                `new_scale` is a tensor of several elements or requires a gradient.
        """
        if not self._enabled:
            return
        scale = self._check_begun("update")
        found_infs = [
            found_inf
            for state in self._per_optimizer_states.values()
            for found_inf in state["found_inf_per_device"].values()
        ]
        if isinstance(new_scale, Tensor):
            if new_scale.numel() != 1 or new_scale.requires_grad:
                raise AssertionError(
                    "new_scale should be a float or a 1-element torch.cuda.FloatTensor or torch.FloatTensor with "
                    "requires_grad=False."
                )
            scale.copy_(new_scale)
        elif new_scale is not None:
            scale.fill_(new_scale)
        elif not found_infs:
            raise AssertionError("No inf checks were recorded prior to update.")
        else:
            self._move(scale, any(found_infs))
        self._per_optimizer_states = defaultdict(fresh_state)

    def _move(self, scale: Any, overflow: bool) -> None:
        """Decrease the factor after an overflow, or increase it after enough steps without one."""
        good: Any = self._growth_tracker
        if overflow:
            scale.fill_(float(scale) * self._backoff_factor)
            good.fill_(0)
            return
        good.add_(1)
        if int(good) == self._growth_interval:
            grown = scale * self._growth_factor
            if math.isfinite(float(grown)):
                scale.copy_(grown)
            good.fill_(0)

    def _check_begun(self, name: str) -> Any:
        """Return the factor.

        Raises:
            AssertionError: if no loss has been scaled.
        """
        if self._scale is None:
            raise AssertionError(
                f"Attempted {name} but _scale is None.  This may indicate your script did not use scaler.scale(loss or "
                "outputs) earlier in the iteration."
            )
        return self._scale

    def _get_scale_async(self) -> Tensor | None:
        """Return the factor as a tensor; None if no loss has been scaled."""
        return self._scale

    def get_scale(self) -> float:
        """Return the factor; 1 if scaling is switched off."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else float(self._scale)

    def _get_growth_tracker(self) -> int:
        """Return the number of steps since the factor changed."""
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else int(self._growth_tracker)

    def get_growth_factor(self) -> float:
        """Return the multiplier for growth."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Set the multiplier for growth."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """Return the multiplier after an overflow."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Set the multiplier after an overflow."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """Return the number of steps without an overflow before the factor grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Set the number of steps before the factor grows."""
        self._growth_interval = new_interval

    def is_enabled(self) -> bool:
        """Return whether scaling is on."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """Return the state as plain values; empty if scaling is switched off."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load the result of `state_dict`.

        Raises:
            RuntimeError: if it is empty.
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
            )
        self._init_scale, self._init_growth_tracker = state_dict["scale"], state_dict["_growth_tracker"]
        if self._scale is not None and self._growth_tracker is not None:
            self._scale.fill_(state_dict["scale"])
            self._growth_tracker.fill_(state_dict["_growth_tracker"])
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if self._enabled:
            if self._per_optimizer_states:
                raise AssertionError(
                    "A GradScaler instance may only be pickled at the beginning of an iteration, or at the end after "
                    "scaler.update()."
                )
            state["_init_scale"], state["_init_growth_tracker"] = self.get_scale(), self._get_growth_tracker()
            state["_scale"] = state["_growth_tracker"] = None
        return state
