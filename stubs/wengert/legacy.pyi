# Made by tools/make_stub.py; do not edit.
from wengert._torch.legacy import (
    TYPES as TYPES,
    TensorType as TensorType,
)
import typing

def __getattr__(name: str) -> typing.Any: ...
