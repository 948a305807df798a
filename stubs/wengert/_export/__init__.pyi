# Made by tools/make_stub.py; do not edit.
from wengert._torch._export import (
    stand_in as stand_in,
)
import typing

def __getattr__(name: str) -> typing.Any: ...
