# Made by tools/make_stub.py; do not edit.
from wengert._torch._functorch.apis import (
    grad as grad,
    grad_and_value as grad_and_value,
    vmap as vmap,
)
