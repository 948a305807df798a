# Made by tools/make_stub.py; do not edit.
from wengert._torch.fx._symbolic_trace import (
    Tracer as Tracer,
    _Patcher as _Patcher,
    _assert_is_none as _assert_is_none,
    is_fx_symbolic_tracing as is_fx_symbolic_tracing,
    is_fx_tracing as is_fx_tracing,
    symbolic_trace as symbolic_trace,
    wrap as wrap,
)
