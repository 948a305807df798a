# Made by tools/make_stub.py; do not edit.
from wengert.ops.return_types import *
import typing

def __getattr__(name: str) -> typing.Any: ...
