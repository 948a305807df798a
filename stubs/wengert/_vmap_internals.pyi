# Made by tools/make_stub.py; do not edit.
from wengert._torch._vmap_internals import (
    Any as Any,
    Callable as Callable,
    _later_vmap as _later_vmap,
    _vmap as _vmap,
    vmap as vmap,
    warnings as warnings,
)
