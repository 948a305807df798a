"""The guards of recording and of inference mode, as `torch.autograd.grad_mode` names them."""

from __future__ import annotations

from .._core.state.decorators import decorated as decorated
from .._core.state.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled, set_multithreading_enabled

__all__ = ["enable_grad", "inference_mode", "no_grad", "set_grad_enabled", "set_multithreading_enabled"]
