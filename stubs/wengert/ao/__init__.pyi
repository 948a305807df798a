# Made by tools/make_stub.py; do not edit.
from wengert._torch.ao import (
    Below as Below,
    FLOATING as FLOATING,
    MODULES as MODULES,
    below as below,
    stand_in as stand_in,
)
import typing

def __getattr__(name: str) -> typing.Any: ...
