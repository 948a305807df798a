# Made by tools/make_stub.py; do not edit.
from wengert._torch.export import (
    Below as Below,
    MODULES as MODULES,
    SAYS as SAYS,
    below as below,
    stand_in as stand_in,
)
import typing

def __getattr__(name: str) -> typing.Any: ...
