# Made by tools/make_stub.py; do not edit.
from wengert._torch._guards import (
    Any as Any,
    CompileContext as CompileContext,
    FakeTensor as FakeTensor,
    FakeTensorMode as FakeTensorMode,
    Iterator as Iterator,
    NoReturn as NoReturn,
    TracingContext as TracingContext,
    _get_current_dispatch_mode_stack as _get_current_dispatch_mode_stack,
    active_fake_mode as active_fake_mode,
    contextmanager as contextmanager,
    detect_fake_mode as detect_fake_mode,
    tracing as tracing,
    tree_leaves as tree_leaves,
)
