# Made by tools/make_stub.py; do not edit.
from wengert._torch.quantization import (
    Any as Any,
    stand_in as stand_in,
)
import typing

def __getattr__(name: str) -> typing.Any: ...
