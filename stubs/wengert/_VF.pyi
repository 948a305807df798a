# Made by tools/make_stub.py; do not edit.
import typing

def __getattr__(name: str) -> typing.Any: ...
