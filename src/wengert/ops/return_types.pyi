# Made from the operators' cards by tools/make_stub.py; do not edit.
from typing import Any

from wengert._core.tensor.base import Tensor

def return_type(name: str, fields: tuple[str, ...]) -> type[tuple[Any, ...]]: ...

class max(tuple[Tensor, Tensor]):
    __match_args__ = ("values", "indices")
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

class min(tuple[Tensor, Tensor]):
    __match_args__ = ("values", "indices")
    @property
    def values(self) -> Tensor: ...
    @property
    def indices(self) -> Tensor: ...

class aminmax(tuple[Tensor, Tensor]):
    __match_args__ = ("min", "max")
    @property
    def min(self) -> Tensor: ...
    @property
    def max(self) -> Tensor: ...

class frexp(tuple[Tensor, Tensor]):
    __match_args__ = ("mantissa", "exponent")
    @property
    def mantissa(self) -> Tensor: ...
    @property
    def exponent(self) -> Tensor: ...
