# Made by tools/make_stub.py; do not edit.
from wengert._torch._functorch.vmap import (
    vmap_impl as vmap_impl,
)
