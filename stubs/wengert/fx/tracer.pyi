# Made by tools/make_stub.py; do not edit.
from wengert._torch.fx.tracer import (
    Tracer as Tracer,
    assert_is_none as assert_is_none,
    attributes as attributes,
    called_by_position as called_by_position,
    flat as flat,
    is_fx_symbolic_tracing as is_fx_symbolic_tracing,
    is_fx_tracing as is_fx_tracing,
    running as running,
    shown as shown,
    symbolic_trace as symbolic_trace,
    tracing as tracing,
)
