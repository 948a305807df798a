# Made by tools/make_stub.py; do not edit.
from wengert._torch.functional import (
    Any as Any,
    absent as absent,
    load as load,
)
import typing

def __getattr__(name: str) -> typing.Any: ...
