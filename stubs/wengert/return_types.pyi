# Made by tools/make_stub.py; do not edit.
from wengert.ops.return_types import *
from wengert._torch.return_types import (
    _Any as _Any,
    _classes as _classes,
)
import typing

def __getattr__(name: str) -> typing.Any: ...
