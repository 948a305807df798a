# Made by tools/make_stub.py; do not edit.
from wengert._torch._refs import (
    Any as Any,
    HIDDEN as HIDDEN,
    NAMES as NAMES,
    PACKAGE as PACKAGE,
    _load as _load,
)
import typing

def __getattr__(name: str) -> typing.Any: ...
