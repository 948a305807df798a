# Made by tools/make_stub.py; do not edit.
from wengert._torch.backends.mkl import (
    is_available as is_available,
)
