"""`torch._tensor`: the module of the class Tensor, by which libraries import it."""

from __future__ import annotations

from typing import Any

from .tensor import Tensor as Tensor

__all__ = ["Tensor"]


def _convert(ret: Any, cls: type) -> Any:
    """Plain tensors in a result, also within lists and tuples, as instances of a subclass."""
    if cls is Tensor:
        return ret
    if isinstance(ret, Tensor) and not isinstance(ret, cls):
        return ret.as_subclass(cls)  # type: ignore[attr-defined]
    if isinstance(ret, (tuple, list)):
        return type(ret)([_convert(each, cls) for each in ret])
    return ret
