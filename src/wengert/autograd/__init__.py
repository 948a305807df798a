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
from .._start.loading import on_demand
from . import anomaly_mode, grad_mode
from .anomaly_mode import detect_anomaly, set_detect_anomaly
from .differentiate import backward, grad
from .gradcheck import gradcheck, gradgradcheck
from .variable import Variable, variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import forward_ad, function, functional, graph, profiler, profiler_util
    from .function import Function
    from .gradcheck.rule import check_rule
    from .watching import Finding, Watch

__getattr__, __dir__ = on_demand(globals())

__all__ = [
    "Finding",
    "Function",
    "SavedTensor",
    "Variable",
    "Watch",
    "anomaly_mode",
    "backward",
    "check_rule",
    "detect_anomaly",
    "enable_grad",
    "forward_ad",
    "function",
    "functional",
    "grad",
    "grad_mode",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "is_grad_enabled",
    "is_multithreading_enabled",
    "no_grad",
    "profiler",
    "profiler_util",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
    "variable",
]
