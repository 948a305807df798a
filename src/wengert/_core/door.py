"""The few things that the compiled build does in C, and their plain Python meaning.

This file is never compiled. In the compiled build the core modules take the functions of `door.pxd` instead.
"""

from __future__ import annotations

import _thread
import functools
import weakref
from sys import getrefcount
from typing import Any

import numpy as np

_local = _thread._local()  # `threading` itself would be loaded for nothing else


def new(cls: Any) -> Any:
    """Allocate an instance of `cls` (perhaps a subclass made at run time) without calling `__init__`."""
    return cls.__new__(cls)


def bind(cls: type, name: str, value: object) -> None:
    """Put an attribute on the class; a compiled class refuses `setattr`."""
    setattr(cls, name, value)


def weak(value: object) -> Any:
    """A weak reference."""
    return weakref.ref(value)


def referent(reference: Any) -> Any:
    """What a weak reference refers to, or None."""
    return reference()


def is_ndarray(value: Any) -> bool:
    """Return whether a value is one of NumPy's arrays (and no subclass)."""
    return type(value) is np.ndarray


def shape_of(array: Any) -> tuple[int, ...]:
    """The shape of an array (compiled: without a look-up by name for NumPy's arrays)."""
    return array.shape


def shape_as(array: Any, cls: Any) -> Any:
    """The shape of an array as an instance of `cls`, a subclass of tuple (compiled: its constructor is not called)."""
    return cls(array.shape)


def number_in(array: Any) -> Any:
    """The number in an array of one element, or None if that is no array of NumPy's, or a number less common."""
    common = type(array) is np.ndarray and array.size == 1 and array.dtype.char in "?lfd"
    return array.item() if common else None


def with_first(values: tuple[Any, ...], first: Any) -> tuple[Any, ...]:
    """A tuple with another first element."""
    return (first, *values[1:])


def has_rows(array: Any) -> bool:
    """Return whether this is an array of NumPy's whose elements lie one after the other in row-major order."""
    return type(array) is np.ndarray and array.flags.c_contiguous


def plain_range(part: Any) -> Any:
    """(start, stop) of a slice without a step whose bounds are integers or missing; None of another."""
    plain = part.step is None and all(each is None or type(each) is int for each in (part.start, part.stop))
    return (part.start, part.stop) if plain else None


def address_of(array: Any) -> int:
    """Where the first element of an array lies (compiled: without an object of ctypes each time)."""
    return array.ctypes.data


def dtype_of(array: Any) -> Any:
    """The dtype of an array."""
    return array.dtype


def ndim_of(array: Any) -> int:
    """How many dimensions an array has."""
    return array.ndim


def is_complex(array: Any) -> bool:
    """Return whether an array's values are complex."""
    return array.dtype.kind == "c"


def is_inexact(array: Any) -> bool:
    """Return whether an array's values can have derivatives: floating-point and complex numbers (`V`: bfloat16)."""
    return array.dtype.kind in "fcV"


def is_half(value: Any) -> bool:
    """Return whether a value is one of NumPy's arrays, with elements of 16 bits that nothing is computed in."""
    return type(value) is np.ndarray and value.dtype.num >= HALF


HALF = np.dtype(np.float16).num
"""NumPy's number of float16, above those of all other dtypes of tensors; those of other packages are higher."""


def size_of(array: Any) -> int:
    """How many elements an array has."""
    return array.size


def is_row_major(array: Any) -> bool:
    """Return whether an array's strides, also those of dimensions with one element, are those of row-major order."""
    return array.strides == _row_major(array.shape, array.itemsize)


def has_zero_stride(array: Any) -> bool:
    """Return whether an array sees the same elements again along some dimension, perhaps one of a single element."""
    return 0 in array.strides


def keeps_rows(array: Any) -> bool:
    """Return whether an array lies in row-major order, or was expanded and its other dimensions do.

    Such an operand gives a result computed element by element no other order than row-major. (Of one without elements
    that is not said: broadcast, its dimensions of length 0 lie like shorter ones.)
    """
    if 0 in array.shape:
        return False
    if is_row_major(array):
        return True
    steps = [stride for stride in array.strides if stride]
    expanded = any(length > 1 and not stride for length, stride in zip(array.shape, array.strides))
    return expanded and all(outer > inner for outer, inner in zip(steps, [*steps[1:], 0]))


@functools.lru_cache(maxsize=1024)
def _row_major(shape: tuple[int, ...], step: int) -> tuple[int, ...]:
    strides: list[int] = []
    for length in reversed(shape):
        strides.append(step)
        step *= max(length, 1)
    return tuple(reversed(strides))


def in_space(array: Any, shape: tuple[int, ...], dtype: Any) -> bool:
    """Return whether an array has that shape and that dtype object."""
    return array.dtype is dtype and array.shape == shape


def share_space(array: Any, other: Any) -> bool:
    """Return whether two arrays have one shape and one dtype object."""
    return array.dtype is other.dtype and array.shape == other.shape


def lazy_dict(cls: type) -> None:
    """Let instances of the compiled Tensor make their `__dict__` on first use; Cython would make one for each.

    Python's own classes do so anyway. The class is also told where programs find it, `wengert.Tensor`, and takes
    attributes from them.
    """
    cls.__module__ = "wengert"


def begin(tensor: Any) -> None:
    """To be called on a tensor that was allocated without its class being called: it has no `__dict__` yet."""


def subclass(module: str, name: str, base: type) -> type:
    """A subclass without anything of its own. One made by `class` is seen by cycle collection; one from C need not."""
    return type(name, (base,), {"__slots__": (), "__module__": module})


def on_arrays(function: Any, args: tuple[Any, ...], cls: type) -> Any:
    """What a native function makes of arguments, with arrays in the place of tensors (`cls`) and of lists of them.

    A list may also hold None.

    NotImplemented if it does not know them, if an array stands where only tensors may, or if NumPy refuses an array of
    the size of the result: the body refuses it by name.
    """
    given = list(args)
    for at, value in enumerate(args):
        several = isinstance(value, (tuple, list))
        first = next((each for each in value if each is not None), None) if several else value
        if isinstance(value, cls):
            given[at] = value._array_  # type: ignore[attr-defined]
        elif isinstance(first, np.ndarray):
            return NotImplemented
        elif isinstance(first, cls):
            if not all(each is None or isinstance(each, cls) for each in value):
                return NotImplemented
            given[at] = [None if each is None else each._array_ for each in value]
    try:
        return function(*given)
    except ValueError:
        return NotImplemented


def is_part_of(array: Any, whole: Any) -> bool:
    """Return whether an array is a view of another one, or both are views of a third."""
    return array.base is whole or (array.base is not None and array.base is whole.base)


def base_of(array: Any) -> Any:
    """The object whose memory an array sees, or None."""
    return array.base


def is_laid_like(array: Any, other: Any) -> bool:
    """Return whether two arrays of NumPy's have the same strides."""
    return type(array) is type(other) is np.ndarray and array.strides == other.strides


def owns_memory(array: Any) -> bool:
    """Return whether this is an array of NumPy's whose memory is its own, not that of another object."""
    return type(array) is np.ndarray and array.flags.owndata


references = getrefcount
"""How many references there are to an object: to be compared with the number that another one has in the same place."""


def recall() -> Any:
    """What `remember` kept for the calling thread, or None."""
    return getattr(_local, "value", None)


def remember(value: object) -> None:
    """Keep one value for the calling thread."""
    _local.value = value


def forget() -> None:
    """Keep nothing more for the calling thread."""
    _local.value = None
