# Made by tools/make_stub.py; do not edit.
from wengert._torch.fx.wrapping import (
    METHODS as METHODS,
    MISSING as MISSING,
    OF_CODE as OF_CODE,
    Patches as Patches,
    TRACES as TRACES,
    Tracing as Tracing,
    UNASKED as UNASKED,
    WRAPPED as WRAPPED,
    forget as forget,
    outer_frame as outer_frame,
    patch_modules as patch_modules,
    patch_unasked as patch_unasked,
    traced_function as traced_function,
    traced_method as traced_method,
    wrap as wrap,
    wrap_method as wrap_method,
)
