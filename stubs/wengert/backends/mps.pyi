# Made by tools/make_stub.py; do not edit.
from wengert._torch.backends.mps import (
    is_available as is_available,
    is_built as is_built,
    is_macos_or_newer as is_macos_or_newer,
)
