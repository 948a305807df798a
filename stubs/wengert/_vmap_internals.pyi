# Made by tools/make_stub.py; do not edit.
from wengert._torch._vmap_internals import (
    _vmap as _vmap,
    vmap as vmap,
)
