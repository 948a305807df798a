# Made by tools/make_stub.py; do not edit.
from wengert._torch.backends.settings import (
    Any as Any,
    Iterator as Iterator,
    contextlib as contextlib,
    flags as flags,
)
