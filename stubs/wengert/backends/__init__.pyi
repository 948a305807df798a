# Made by tools/make_stub.py; do not edit.
from wengert._torch.backends import (
    _NAMES as _NAMES,
)
import typing

def __getattr__(name: str) -> typing.Any: ...
