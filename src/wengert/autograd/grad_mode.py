"""Guards of recording and of inference mode: the mirror of `torch.autograd.grad_mode`."""

from __future__ import annotations

from .._core.state.decorators import decorated as decorated
from .._core.state.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled, set_multithreading_enabled

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled", "set_multithreading_enabled"]
