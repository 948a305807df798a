"""The public mirror of `torch.autograd`."""

from __future__ import annotations

from .._core.recording.saved_tensor import SavedTensor
from .._core.state.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_multithreading_enabled,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)
from . import anomaly_mode, function, grad_mode, graph
from .anomaly_mode import detect_anomaly, set_detect_anomaly
from .differentiate import backward, grad
from .function import Function
from .variable import Variable, variable

__all__ = [
    "Function",
    "SavedTensor",
    "Variable",
    "anomaly_mode",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "function",
    "grad",
    "grad_mode",
    "graph",
    "inference_mode",
    "is_grad_enabled",
    "is_multithreading_enabled",
    "no_grad",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
    "variable",
]
