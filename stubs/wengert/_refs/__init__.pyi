# Made by tools/make_stub.py; do not edit.
from wengert._torch._refs import (
    HIDDEN as HIDDEN,
    PACKAGE as PACKAGE,
)
import typing

def __getattr__(name: str) -> typing.Any: ...
