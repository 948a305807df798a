"""Plain objects of Python and NumPy in torch's files: arrays, dates, paths, namespaces.

Constructors get only safe arguments: numbers, texts and bytes of limited length, and other plain objects.
"""

from __future__ import annotations

import datetime
import decimal
import functools
import math
import os
import pathlib
from argparse import Namespace
from collections import deque
from collections.abc import Callable
from pickle import UnpicklingError
from types import SimpleNamespace
from typing import Any

import numpy as np

from . import trusted
from .budget import Budget
from .encoding import PLAIN_KINDS
from .errors import shown

LONGEST, LARGEST = 1_000, 2**63
"""Largest length of texts and bytes, and largest number, in arguments of constructors."""
PARTS = (int, float, str, bytes, type(None), datetime.timedelta, datetime.timezone, pathlib.PurePath)
ORDERS = {"<", ">", "|", "="}
FIELDS_OF_DTYPE = slice(2, 5)
"""Position of fields and subarrays in the state of a dtype; dtypes of numbers and texts have none."""
UNITS = {b"Y", b"M", b"W", b"D", b"h", b"m", b"s", b"ms", b"us", b"ns", b"ps", b"fs", b"as", b"generic"}


def constructor_of(cls: Any) -> Callable[..., Any]:
    """Return a checked constructor of a class with plain arguments."""

    def make(*arguments: Any) -> Any:
        for argument in arguments:
            if type(argument) not in PARTS or is_too_large(argument):
                raise ValueError(f"a {cls.__name__} of {shown(argument)}")
        try:
            return cls(*arguments)
        except (ArithmeticError, NotImplementedError) as error:
            raise ValueError(f"an invalid {cls.__name__}: {error!r}") from error

    return make


def is_too_large(value: Any) -> bool:
    """Return whether a text is longer, or a number larger, than in usual files."""
    return len(value) > LONGEST if isinstance(value, (str, bytes)) else isinstance(value, int) and abs(value) > LARGEST


def path_class(windows: bool, pure: bool) -> type:
    """Return a class of paths; for another system the pure one."""
    if pure or windows is not (os.name == "nt"):
        return pathlib.PureWindowsPath if windows else pathlib.PurePosixPath
    return pathlib.WindowsPath if windows else pathlib.PosixPath


def new_deque(items: Any = (), maxlen: Any = None) -> deque[Any]:
    """Return a deque; its items follow."""
    if not isinstance(items, (tuple, list)) or not isinstance(maxlen, (int, type(None))):
        raise ValueError("a deque of no list, or of no length")
    return deque(items, maxlen)


def new_slice(*bounds: Any) -> slice:
    """Return a slice of integers."""
    if len(bounds) != 3 or not all(type(bound) in (int, type(None)) and not is_too_large(bound) for bound in bounds):
        raise ValueError("a slice of no integers")
    return slice(*bounds)


def new_range(*bounds: Any) -> range:
    """Return a range of integers."""
    if not all(type(bound) is int and not is_too_large(bound) for bound in bounds):
        raise ValueError("a range of no integers")
    return range(*bounds)


# ---- partial functions -----------------------------------------------------------------------------------------------


def new_partial(function: Any, *arguments: Any) -> functools.partial[Any]:
    """Return a partial function of an allowed function; its arguments follow.

    Raises:
        UnpicklingError: if the function is not allowed.
    """
    if not callable(function) or not trusted.may_be_held(function):
        raise UnpicklingError(f"a partial function of {shown(function)}, which files may not hold")
    return functools.partial(function, *arguments)


def set_partial(value: functools.partial[Any], state: Any) -> None:
    """Set the arguments of a partial function.

    Raises:
        UnpicklingError: if its function is not allowed, or it has attributes.
        ValueError: if its state is invalid.
    """
    if not isinstance(state, tuple) or len(state) != 4 or state[3]:
        raise UnpicklingError("a partial function has attributes, or not the state that Python writes")
    function, arguments, keywords = state[:3]
    new_partial(function)
    if type(arguments) is not tuple or type(keywords) is not dict or not all(type(key) is str for key in keywords):
        raise ValueError("the arguments of a partial function are none")
    value.__setstate__((function, arguments, keywords, None))  # type: ignore[attr-defined]


# ---- namespaces ------------------------------------------------------------------------------------------------------


def new_namespace() -> SimpleNamespace:
    """Return a namespace; its names follow."""
    return SimpleNamespace()


def set_namespace(value: Namespace | SimpleNamespace, state: Any) -> None:
    """Set the names of a namespace.

    Raises:
        UnpicklingError: if a name would hide one of its class.
        ValueError: if the keys are not names.
    """
    if type(state) is not dict or not all(type(name) is str for name in state):
        raise ValueError("the state of a namespace is not a dictionary by name")
    for name in state:
        if (name.startswith("__") and name.endswith("__")) or hasattr(type(value), name):
            raise UnpicklingError(f"the attribute {shown(name)} of a namespace may not be set")
    vars(value).update(state)


# ---- NumPy -----------------------------------------------------------------------------------------------------------


def new_dtype(name: Any, align: Any = False, copy: Any = True) -> np.dtype[Any]:
    """Return a new NumPy dtype; its byte order follows."""
    if not isinstance(name, str) or len(name) > LONGEST or align not in (False, 0) or "," in name:
        raise ValueError(f"a dtype of {shown(name)}")
    dtype = np.dtype(name)
    check_kind(dtype)
    return np.dtype(name, copy=True)


def check_kind(dtype: Any) -> None:
    """Refuse dtypes whose elements are not plain bytes.

    Raises:
        UnpicklingError: if it is such a dtype.
    """
    if not isinstance(dtype, np.dtype) or dtype.kind not in PLAIN_KINDS or dtype.hasobject:
        raise UnpicklingError(f"an array of {shown(dtype)}: its elements are not numbers or texts")


def set_dtype(value: np.dtype[Any], state: Any) -> None:
    """Set the byte order of a dtype; the rest of its state must equal that of the dtype.

    Raises:
        ValueError: if its state is not one of a dtype of numbers or texts.
    """
    known: Any = value.__reduce__()[2]
    if not isinstance(state, tuple) or not len(known) <= len(state) <= len(known) + 1 or state[1] not in ORDERS:
        raise ValueError("the state of a dtype is not one that NumPy writes")
    if any(field is not None for field in state[FIELDS_OF_DTYPE]):
        raise ValueError("a dtype has fields, or parts")
    unit = unit_of(state[len(known) - 1]) if value.kind in "mM" else known[-1]
    value.__setstate__((known[0], state[1], *known[2:-1], unit))  # type: ignore[attr-defined]


def unit_of(metadata: Any) -> Any:
    """Return the unit of dates and times from NumPy's metadata.

    Raises:
        ValueError: if it is not a unit.
    """
    unit = metadata[1] if isinstance(metadata, tuple) and len(metadata) == 2 and not metadata[0] else None
    if not isinstance(unit, tuple) or len(unit) != 4 or unit[0] not in UNITS:
        raise ValueError("a dtype of dates has no unit")
    if not all(type(number) is int and 0 < number < 2**31 for number in unit[1:]):
        raise ValueError("a dtype of dates has no unit")
    return (None, unit)


def new_array(cls: Any, shape: Any, kind: Any) -> np.ndarray[Any, Any]:
    """Return an array; its content follows."""
    if cls is not np.ndarray or shape != (0,) or kind not in (b"b", "b"):
        raise ValueError("an array is not begun as NumPy does")
    return np.empty(0, np.int8)


def set_array(value: np.ndarray[Any, Any], state: Any, budget: Budget) -> None:
    """Set the content of an array.

    Raises:
        UnpicklingError: if its elements are not plain bytes.
        ValueError: if its content does not fit its shape.
    """
    if not isinstance(state, tuple) or len(state) != 5:
        raise ValueError("the state of an array is not one that NumPy writes")
    shape, dtype, by_columns, content = state[1:]
    check_kind(dtype)
    if not isinstance(shape, tuple) or not all(type(length) is int and length >= 0 for length in shape):
        raise ValueError("the shape of an array is none")
    if not isinstance(content, bytes) or len(content) != math.prod(shape) * dtype.itemsize:
        raise ValueError("the content of an array does not fit its shape")
    budget.copy(content)
    value.__setstate__((1, shape, dtype, bool(by_columns), content))  # type: ignore[arg-type]


def new_scalar(dtype: Any, content: Any = None) -> Any:
    """Return a NumPy scalar.

    Raises:
        UnpicklingError: if it is not plain bytes.
        ValueError: if the number of bytes is wrong.
    """
    check_kind(dtype)
    if not isinstance(content, bytes) or len(content) != dtype.itemsize:
        raise ValueError("a number of NumPy's has not the bytes of its dtype")
    return np.frombuffer(content, dtype)[0] if dtype.itemsize else dtype.type()


def named(modules: tuple[str, ...], **makers: Callable[..., Any]) -> dict[str, Callable[..., Any]]:
    """Return constructors by their qualified names."""
    return {f"{module}.{name}": make for module in modules for name, make in makers.items()}


CALLS: dict[str, Callable[..., Any]] = {
    **{
        f"datetime.{cls.__name__}": constructor_of(cls)
        for cls in (datetime.datetime, datetime.date, datetime.time, datetime.timedelta, datetime.timezone)
    },
    "decimal.Decimal": constructor_of(decimal.Decimal),
    **named(
        ("pathlib", "pathlib._local"),
        PosixPath=constructor_of(path_class(False, False)),
        WindowsPath=constructor_of(path_class(True, False)),
        PurePosixPath=constructor_of(path_class(False, True)),
        PureWindowsPath=constructor_of(path_class(True, True)),
    ),
    "functools.partial": new_partial,
    "collections.deque": new_deque,
    **named(("__builtin__", "builtins"), slice=new_slice, range=new_range, xrange=new_range),
    "types.SimpleNamespace": new_namespace,
    **named(("numpy.core.multiarray", "numpy._core.multiarray"), _reconstruct=new_array, scalar=new_scalar),
    "numpy.dtype": new_dtype,
}
"""Constructors of plain objects, by name."""
VALUES: dict[str, Any] = {"numpy.ndarray": np.ndarray, "argparse.Namespace": Namespace}
"""Classes that are arguments of other constructors, and classes that are called without arguments."""


def set_state(value: Any, state: Any, budget: Budget) -> bool:
    """Set the state of a plain object; return whether it is one."""
    kind = type(value)
    if kind is functools.partial:
        set_partial(value, state)
    elif kind is Namespace or kind is SimpleNamespace:
        set_namespace(value, state)
    elif isinstance(value, np.dtype):
        set_dtype(value, state)
    elif kind is np.ndarray:
        set_array(value, state, budget)
    else:
        return False
    return True
