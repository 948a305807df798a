# Made by tools/make_stub.py; do not edit.
from wengert._torch.fx._compatibility import (
    Callable as Callable,
    Kind as Kind,
    TypeVar as TypeVar,
    compatibility as compatibility,
)
