"""Functions that the compiled build has in C, in plain Python.

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
    """Allocate an instance of `cls` (perhaps a subclass created at run time) without calling `__init__`."""
    return cls.__new__(cls)


def bind(cls: type, name: str, value: object) -> None:
    """Put an attribute on the class; a compiled class refuses `setattr`."""
    setattr(cls, name, value)


def weak(value: object) -> Any:
    """A weak reference."""
    return weakref.ref(value)


def referent(reference: Any) -> Any:
    """Return the object that a weak reference refers to, or None."""
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
    """The number in an array of one element; None for other objects than NumPy's arrays and for less common numbers."""
    common = type(array) is np.ndarray and array.size == 1 and array.dtype.char in "?lfd"
    return array.item() if common else None


def entry(mapping: Any, key: Any) -> Any:
    """Return the value of a key in a dictionary; None if there is none, or the mapping has a look-up of its own."""
    plain = isinstance(mapping, dict) and type(mapping).__getitem__ is dict.__getitem__
    return mapping.get(key) if plain else None


def incremented(arrays: list[Any]) -> Any:
    """Increment counts in 0-dim arrays; return the new values, or None, and change nothing, if one is unusual."""
    return None


def statuses(root: str, names: list[str]) -> Any:
    """Return the times of the last change of files in `root`, in ns, and their sizes; None where C cannot read them."""
    return None


def with_first(values: tuple[Any, ...], first: Any) -> tuple[Any, ...]:
    """A tuple with another first element."""
    return (first, *values[1:])


def has_rows(array: Any) -> bool:
    """Return whether a value is a NumPy array that is row-major and contiguous."""
    return type(array) is np.ndarray and array.flags.c_contiguous


def plain_range(part: Any) -> Any:
    """(start, stop) of a slice without a step whose bounds are integers or missing; None for any other."""
    plain = part.step is None and all(bound is None or type(bound) is int for bound in (part.start, part.stop))
    return (part.start, part.stop) if plain else None


def address_of(array: Any) -> int:
    """The address of the first element of an array (compiled: without an object of ctypes each time)."""
    return array.ctypes.data


def dtype_of(array: Any) -> Any:
    """The dtype of an array."""
    return array.dtype


def ndim_of(array: Any) -> int:
    """The number of dimensions of an array."""
    return array.ndim


def is_complex(array: Any) -> bool:
    """Return whether an array's values are complex."""
    return array.dtype.kind == "c"


def is_inexact(array: Any) -> bool:
    """Return whether an array's values can have derivatives: floating-point and complex numbers (`V`: bfloat16)."""
    return array.dtype.kind in "fcV"


def is_half(value: Any) -> bool:
    """Return whether a value is one of NumPy's arrays, with elements of 16 bits, which no kernel computes in."""
    return type(value) is np.ndarray and value.dtype.num >= HALF


HALF = np.dtype(np.float16).num
"""NumPy's number of float16, above those of all other dtypes of tensors; those of other packages are higher."""


def size_of(array: Any) -> int:
    """The number of elements of an array."""
    return array.size


def is_row_major(array: Any) -> bool:
    """Return whether an array's strides, also those of dimensions with one element, are those of row-major order."""
    return array.strides == _row_major(array.shape, array.itemsize)


def has_zero_stride(array: Any) -> bool:
    """Return whether an array has a stride of zero along some dimension, perhaps one of a single element."""
    return 0 in array.strides


def keeps_rows(array: Any) -> bool:
    """Return whether an array is row-major, or was expanded and is row-major in its other dimensions.

    With such operands the result of an elementwise operator is row-major. (Not for arrays without elements: broadcast,
    their dimensions of length 0 have the strides of shorter ones.)
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
    """Let instances of the compiled Tensor create their `__dict__` on first use; Cython would create one for each.

    Python's own classes do so anyway. The class also gets its public name, `wengert.Tensor`, and accepts attributes
    from programs.
    """
    cls.__module__ = "wengert"


def begin(tensor: Any) -> None:
    """Initialise a tensor that was allocated without a call of its class: it has no `__dict__` yet."""


def subclass(module: str, name: str, base: type) -> type:
    """An empty subclass. One defined by `class` is tracked by cycle collection; one from C need not be."""
    return type(name, (base,), {"__slots__": (), "__module__": module})


def on_arrays(function: Any, args: tuple[Any, ...], cls: type) -> Any:
    """Call a native function with arrays in the place of tensors (`cls`) and of lists of them, which may hold None.

    Return NotImplemented if it does not support them, if an array was passed where only tensors may be, or if NumPy
    refuses an array of the size of the result: the body refuses that by name.
    """
    arguments = list(args)
    for at, value in enumerate(args):
        several = isinstance(value, (tuple, list))
        first = next((item for item in value if item is not None), None) if several else value
        if isinstance(value, cls):
            arguments[at] = value._array_  # type: ignore[attr-defined]
        elif isinstance(first, np.ndarray):
            return NotImplemented
        elif isinstance(first, cls):
            if not all(item is None or isinstance(item, cls) for item in value):
                return NotImplemented
            arguments[at] = [None if item is None else item._array_ for item in value]
    try:
        return function(*arguments)
    except ValueError:
        return NotImplemented


def is_part_of(array: Any, whole: Any) -> bool:
    """Return whether an array is a view of another one, or both are views of a third."""
    return array.base is whole or (array.base is not None and array.base is whole.base)


def base_of(array: Any) -> Any:
    """The object whose memory an array uses, or None."""
    return array.base


def is_laid_like(array: Any, other: Any) -> bool:
    """Return whether two NumPy arrays have the same strides."""
    return type(array) is type(other) is np.ndarray and array.strides == other.strides


def owns_memory(array: Any) -> bool:
    """Return whether a value is a NumPy array that owns its memory."""
    return type(array) is np.ndarray and array.flags.owndata


references = getrefcount
"""Number of references to an object, for comparison with that of another one in the same place."""


def recall() -> Any:
    """Return the value that `remember` stored for the calling thread, or None."""
    return getattr(_local, "value", None)


def remember(value: object) -> None:
    """Store one value for the calling thread."""
    _local.value = value


def forget() -> None:
    """Remove the value of the calling thread."""
    _local.value = None
