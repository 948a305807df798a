"""Scaling of losses, so that small gradients of short dtypes do not vanish."""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Iterable
from enum import Enum
from typing import Any

from .._core.types import dtypes
from .._tensor import Tensor


class OptState(Enum):
    """How far an optimiser is since the last `update()`."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


def fresh_state() -> dict[str, Any]:
    """What is known of an optimiser after `update()`."""
    return {"stage": OptState.READY, "found_inf_per_device": {}}


class GradScaler:
    """Scales a loss by a factor that grows while gradients are finite, and shrinks when they are not.

    Args:
        device: "cuda" or "xpu", which are not there, so that it is switched off with a warning; "cpu".
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
        """A loss, or a nest of losses, times the factor; of what is neither list nor tuple an iterator."""
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
        return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled  # type: ignore[call-arg]

    def unscale_(self, optimizer: Any) -> None:
        """Divide the gradients of an optimiser's parameters by the factor, once before its step.

        Raises:
            RuntimeError: it was done already since the last `update()`, or the optimiser's step was.
            AssertionError: no loss has been scaled.
            ValueError: a gradient is of float16.
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
        """Multiply the gradients; by device 1 if one of them is not finite, otherwise 0; empty if there are none."""
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
        """Let the factor grow or shrink, or set it; to be called after all steps of an iteration.

        Raises:
            AssertionError: no loss has been scaled, or no gradient has been looked at since the last `update()`; or
                `new_scale` is a tensor of several numbers, or requires a gradient.
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
        """Let the factor shrink after an overflow, or grow after enough steps without one."""
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
        """The factor.

        Raises:
            AssertionError: no loss has been scaled.
        """
        if self._scale is None:
            raise AssertionError(
                f"Attempted {name} but _scale is None.  This may indicate your script did not use scaler.scale(loss or "
                "outputs) earlier in the iteration."
            )
        return self._scale

    def _get_scale_async(self) -> Tensor | None:
        """The factor as a tensor; None if no loss has been scaled."""
        return self._scale

    def get_scale(self) -> float:
        """The factor; 1 if it is switched off."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else float(self._scale)

    def _get_growth_tracker(self) -> int:
        """How many steps there were since the factor changed."""
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else int(self._growth_tracker)

    def get_growth_factor(self) -> float:
        """What the factor is multiplied by when it grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Let it grow by another factor."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """What the factor is multiplied by when it shrinks."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Let it shrink by another factor."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """After how many steps without an overflow the factor grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Let it grow after another number of steps."""
        self._growth_interval = new_interval

    def is_enabled(self) -> bool:
        """Whether anything is scaled."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """All that changes, as plain values; empty if it is switched off."""
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
