# Made by tools/make_stub.py; do not edit.
from wengert._torch._VF import (
    Any as Any,
    importlib as importlib,
)
import typing

def __getattr__(name: str) -> typing.Any: ...
