"""A stand-in for a platform whose NumPy counts with 32 bits, as WebAssembly's and armv7's does.

    python tests/platforms/narrow_indices.py TEST ...    # pytest on such a platform

`install` changes NumPy in this process, before the package is imported: `np.intp` is int32, positions, counts and sums
of small integers come as int32, Python's integers make int32 arrays where they fit, and what takes positions refuses
int64, as NumPy 2.0 does there. Indexing by brackets takes int64 there too. What NumPy does inside of its own functions
stays as it is, so that this tells less than a machine does.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import os
import sys
from typing import Any

import numpy as np

NARROW, WIDE = np.dtype(np.int32), np.dtype(np.int64)
SAFE = "Cannot cast array data from dtype('int64') to dtype('int32') according to the rule 'safe'"

COUNTING = "argsort argmax argmin nonzero searchsorted argpartition"
"""Methods of arrays that give positions; the functions of the same names call them."""

COUNTING_FUNCTIONS = (
    "argmax argmin argpartition argsort argwhere bincount count_nonzero digitize flatnonzero lexsort "
    "nonzero ravel_multi_index searchsorted tril_indices triu_indices unravel_index"
)
TAKING = {"take": (0, "indices"), "put": (0, "indices"), "repeat": (0, "repeats"), "choose": (-1, "")}
"""Methods of arrays that take positions, and where."""

TAKING_FUNCTIONS = {
    "take": (1, "indices"),
    "put": (1, "ind"),
    "repeat": (1, "repeats"),
    "choose": (0, "a"),
    "bincount": (0, "x"),
    "unravel_index": (0, "indices"),
}
SUMMING = "sum prod cumsum cumprod trace"
MAKING = "array asarray asanyarray ascontiguousarray full arange"
FILLED = "zeros ones empty indices"


def narrowed(value: Any) -> Any:
    """int64 arrays and numbers as int32, also in tuples."""
    if isinstance(value, tuple):
        return tuple(narrowed(each) for each in value)
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype == WIDE:
        return value.astype(NARROW)
    return value


def refuse_wide(value: Any) -> None:
    """What NumPy does where it takes positions of its own dtype only.

    Raises:
        TypeError: they are int64.
    """
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype == WIDE:
        raise TypeError(SAFE)


def counting(function: Any) -> Any:
    """A function whose positions come as int32."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return narrowed(function(*args, **kwargs))

    return call


def taking(function: Any, place: int, name: str) -> Any:
    """A function that refuses int64 where it takes positions."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        refuse_wide(args[place] if len(args) > place >= -len(args) else kwargs.get(name))
        return function(*args, **kwargs)

    return call


def summing(function: Any) -> Any:
    """A reduction that adds up bools and small integers in int32."""

    @functools.wraps(function)
    def call(x: Any, *args: Any, **kwargs: Any) -> Any:
        made = function(x, *args, **kwargs)
        small = np.asarray(x).dtype.kind in "bi" and np.asarray(x).dtype.itemsize <= NARROW.itemsize
        told = kwargs.get("dtype") is not None or kwargs.get("out") is not None or len(args) > 1
        return narrowed(made) if small and not told else made

    return call


def holds_wide(value: Any) -> bool:
    """Whether a value is, or holds, an array or number of NumPy's that is int64 already."""
    if isinstance(value, (list, tuple)):
        return any(holds_wide(each) for each in value)
    return hasattr(value, "dtype") or hasattr(value, "__array__") or hasattr(value, "__array_interface__")


def making(function: Any) -> Any:
    """A function that makes int32 arrays of Python's integers that fit."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        made = function(*args, **kwargs)
        told = kwargs.get("dtype") is not None or len(args) > (3 if function.__name__ == "arange" else 1)
        if function.__name__ == "full":
            told = kwargs.get("dtype") is not None or len(args) > 2
            args = args[1:]
        if any(each is int for each in (*args, *kwargs.values())):
            return narrowed(made)
        if told or made.dtype != WIDE or any(map(holds_wide, args)):
            return made
        fits = not made.size or int(np.abs(made.astype(np.float64)).max()) < 2**31
        return narrowed(made) if fits else made

    return call


def filled(function: Any) -> Any:
    """A function for which `int` is int32."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        made = function(*args, **kwargs)
        default = function.__name__ == "indices" and len(args) < 2 and not kwargs.get("dtype")
        return narrowed(made) if default or any(each is int for each in (*args, *kwargs.values())) else made

    return call


def change(kind: type, name: str, wrapper: Any, *more: Any) -> None:
    """Exchange a method of one of NumPy's own types."""
    (members,) = gc.get_referents(kind.__dict__)
    members[name] = wrapper(members[name], *more)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))


class Taking:
    """A method of arrays that refuses int64 positions; `wraps` asks for more than C's methods have."""

    def __new__(cls, method: Any, place: int, name: str) -> Any:
        """The method that stands for another one."""

        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            refuse_wide(self if place < 0 else args[place] if len(args) > place else kwargs.get(name))
            return method(self, *args, **kwargs)

        return call


def install() -> None:
    """Make this process one of such a platform."""
    unique = np.unique

    def unique_narrow(*args: Any, **kwargs: Any) -> Any:
        made = unique(*args, **kwargs)
        return (made[0], *map(narrowed, made[1:])) if isinstance(made, tuple) else made

    for name in COUNTING_FUNCTIONS.split():
        setattr(np, name, counting(getattr(np, name)))
    for name, (place, word) in TAKING_FUNCTIONS.items():
        setattr(np, name, taking(getattr(np, name), place, word))
    for name in SUMMING.split():
        setattr(np, name, summing(getattr(np, name)))
    for name in MAKING.split():
        setattr(np, name, making(getattr(np, name)))
    for name in FILLED.split():
        setattr(np, name, filled(getattr(np, name)))
    np.unique = unique_narrow
    for name in COUNTING.split():
        change(np.ndarray, name, counting)
    for name in SUMMING.split():
        change(np.ndarray, name, summing)
    for name, (place, word) in TAKING.items():
        change(np.ndarray, name, Taking, place, word)
    change(np.ndarray, "astype", filled)
    change(np.ufunc, "reduceat", taking, 2, "indices")
    np.intp = np.int32


if __name__ == "__main__":
    os.environ["WENGERT_PURE"] = "1"
    import pytest

    install()
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[1:]]))
