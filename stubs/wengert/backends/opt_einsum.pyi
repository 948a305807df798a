# Made by tools/make_stub.py; do not edit.
from wengert._torch.backends.opt_einsum import (
    enabled as enabled,
    is_available as is_available,
    strategy as strategy,
)
