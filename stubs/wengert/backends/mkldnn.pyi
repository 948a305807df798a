# Made by tools/make_stub.py; do not edit.
from wengert._torch.backends.mkldnn import (
    allow_tf32 as allow_tf32,
    deterministic as deterministic,
    enabled as enabled,
    flags as flags,
    is_available as is_available,
)
