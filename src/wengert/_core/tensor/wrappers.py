"""Tensors of classes with a `__torch_dispatch__`: the array of one without values of its own, and copies of any.

A tensor of such a class has the bit `OBSERVED` in its flags word, so that calls with it are unusual, and are run by the
class (`calls.dispatched`).
"""

from __future__ import annotations

import weakref
from typing import Any, NoReturn

import numpy as np

from ..._start.loading import load
from .. import flags
from .base import Tensor, set_up
from .meta_array import MetaArray, meta_array
from .standins import HANDLER

new: Any = Tensor.__new__
"""Allocates a tensor of a class; no `__new__` of a program is called."""


class Wrapped(MetaArray):
    """The array of a tensor of a program's class that has shape, dtype and device, but no values.

    Attributes:
        layout, device: layout and device that the program has stated.
        owner: a weak reference to the tensor.
    """

    flag = flags.OBSERVED
    owner: Any

    def __array_finalize__(self, source: Any) -> None:
        if isinstance(source, Wrapped):
            for name in ("values", "device", "layout", "owner"):
                if name in vars(source):
                    setattr(self, name, vars(source)[name])

    def refuse(self, what: str) -> NoReturn:
        """Refuse an access to values.

        Raises:
            RuntimeError: always; only the program's class has the values.
        """
        name = type(self.tensor()).__qualname__
        text = what.strip("`") if what.startswith("`") else what
        raise RuntimeError(
            f"{text} is not supported for tensor subclasses: a {name} has no values of its own, "
            f"only {name}.__torch_dispatch__ knows them"
        )

    def tensor(self) -> Any:
        """Return the tensor that has this array; None if it was freed."""
        return self.owner()

    def item(self, *args: Any) -> Any:
        """Return the only value, from the class."""
        return load(HANDLER).number(self.tensor())

    def __bool__(self) -> bool:
        return bool(self.item())

    def unit(self, tensor: Any) -> Any:
        """Return the gradient that a pass from a tensor with one element starts with: `ones_like` of the class."""
        return load(HANDLER).ones_like(tensor) if self.size == 1 else None


def wrapped(array: MetaArray, tensor: Any, device: Any, layout: Any) -> Wrapped:
    """The array of a tensor of a program's class, in the bytes of an array without values."""
    result: Wrapped = array.view(np.ndarray).view(Wrapped)
    result.values, result.device, result.layout = array.values, device, layout
    result.owner = weakref.ref(tensor)
    return result


def wrapper(cls: type, shape: tuple[int, ...], dtype: Any, strides: Any, offset: int, device: Any, layout: Any) -> Any:
    """A tensor of a class that has no values.

    Args:
        cls: a subclass of Tensor that has a `__torch_dispatch__`.
        shape, dtype, strides: its own; dtype is NumPy's, strides are counted in elements, None for row-major.
        offset: of its first element in the memory that it would have.
        device, layout: the device and layout that it reports.
    """
    tensor: Any = new(cls)
    array = meta_array(shape, dtype, strides)
    set_up(tensor, wrapped(array, tensor, device, layout), array.values._storage_)
    return tensor


def attributes_of(tensor: Any) -> dict[str, Any]:
    """Return the attributes that the program has assigned to a tensor, also in `__slots__`."""
    state: Any = object.__getstate__(tensor)
    values, slots = state if isinstance(state, tuple) else (state, {})
    fields = {name: value for name, value in slots.items() if name not in Tensor.__slots__}
    return {**(values or {}), **fields}


def twin(tensor: Any) -> Any:
    """Another tensor of the same class with the same attributes, without history."""
    result: Any = new(type(tensor))
    array = tensor._array_
    set_up(result, array.view(), tensor._storage_)
    result._storage_ = tensor._storage_
    result._flags_ |= tensor._flags_ & flags.ELSEWHERE
    if isinstance(array, Wrapped):
        result._array_.owner = weakref.ref(result)
    for name, value in attributes_of(tensor).items():
        object.__setattr__(result, name, value)
    return result
