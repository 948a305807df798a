# Made by tools/make_stub.py; do not edit.
from wengert._torch.export import (
    Any as Any,
    Below as Below,
    MODULES as MODULES,
    ModuleType as ModuleType,
    SAYS as SAYS,
    absent as absent,
    below as below,
    functools as functools,
    stand_in as stand_in,
)
import typing

def __getattr__(name: str) -> typing.Any: ...
