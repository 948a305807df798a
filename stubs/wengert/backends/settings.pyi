# Made by tools/make_stub.py; do not edit.
from wengert._torch.backends.settings import (
    flags as flags,
)
