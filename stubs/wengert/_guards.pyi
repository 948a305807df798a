# Made by tools/make_stub.py; do not edit.
from wengert._torch._guards import (
    CompileContext as CompileContext,
    TracingContext as TracingContext,
    active_fake_mode as active_fake_mode,
    detect_fake_mode as detect_fake_mode,
    tracing as tracing,
)
