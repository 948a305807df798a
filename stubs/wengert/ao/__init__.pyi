# Made by tools/make_stub.py; do not edit.
from wengert._torch.ao import (
    Any as Any,
    Below as Below,
    FLOATING as FLOATING,
    MODULES as MODULES,
    ModuleType as ModuleType,
    absent as absent,
    below as below,
    functools as functools,
    importlib as importlib,
    stand_in as stand_in,
)
import typing

def __getattr__(name: str) -> typing.Any: ...
