"""`torch.fx._symbolic_trace`: tracing, under the name of torch's module, which generated code uses."""

from __future__ import annotations

from .tracer import (
    Tracer as Tracer,
    assert_is_none as _assert_is_none,
    is_fx_symbolic_tracing as is_fx_symbolic_tracing,
    is_fx_tracing as is_fx_tracing,
    symbolic_trace as symbolic_trace,
)
from .wrapping import Patches as _Patcher, wrap as wrap

__all__ = ["Tracer", "_Patcher", "_assert_is_none", "is_fx_symbolic_tracing", "is_fx_tracing", "symbolic_trace", "wrap"]
