"""Checks of dtypes beyond promotion."""

from __future__ import annotations

import math
from functools import cache
from typing import Any, NoReturn

import numpy as np

from .._core import errors
from .._core.tensor.base import Tensor
from .._core.types import dtypes
from .._core.types.dtypes import dtype as DType

C_NAMES = {
    **dtypes.C_NAMES,
    "uint8": "uint8_t",
    "uint16": "uint16_t",
    "uint32": "uint32_t",
    "uint64": "uint64_t",
    "int8": "int8_t",
    "int16": "int16_t",
    "int64": "int64_t",
}
"""Names of element types in torch's errors."""


def refuse(name: str, title: str, array: Any) -> None:
    """Refuse an array because of its dtype.

    Args:
        name: name of the operator.
        title: name of its kernel in torch's errors.
        array: the argument.

    Raises:
        NotImplementedError: always; it raises the error for the dtype.
    """
    text = errors.no_kernel(title, dtypes.from_numpy(array.dtype))
    raise NotImplementedError(text if name.strip("_") in title else f"{text} (operator {name})")


def refuse_complex(name: str, array: Any, text: str, error: type[Exception] = RuntimeError) -> None:
    """Refuse complex numbers as torch does.

    Args:
        name: name of the operator.
        array: the argument.
        text: the message, with `{}` for the name.
        error: the class of the error.

    Raises:
        Exception: if `array` is complex, of the class `error`.
    """
    if array.dtype.kind == "c":
        raise error(text.format(name))


def check_floating(name: str, title: str, array: Any) -> None:
    """Refuse integers and complex numbers.

    Raises:
        NotImplementedError: if the dtype of `array` is not floating-point.
    """
    if array.dtype.kind not in "fV":
        refuse(name, title, array)


def check_inexact(name: str, title: str, array: Any) -> None:
    """Refuse integers.

    Raises:
        NotImplementedError: if the dtype of `array` is an integer type.
    """
    if array.dtype.kind not in "fcV":
        refuse(name, title, array)


def check_number(name: str, title: str, array: Any) -> None:
    """Refuse bool and wide unsigned integers, which have few kernels.

    Raises:
        NotImplementedError: if the dtype of `array` is one of these.
    """
    kind = array.dtype.kind
    if kind == "b" or (kind == "u" and array.itemsize > 1):
        refuse(name, title, array)


def check_ordered(name: str, title: str, array: Any) -> None:
    """Refuse complex numbers, which have no order, and wide unsigned integers.

    Raises:
        NotImplementedError: if the dtype of `array` is one of these.
    """
    kind = array.dtype.kind
    if kind == "c" or (kind == "u" and array.itemsize > 1):
        refuse(name, title, array)


def fits_integer(value: Any, element: DType) -> bool:
    """Return whether a number is in the range of an integer type, before it is truncated: 255.5 is beyond 255.

    Negative integers are in the range of unsigned types, as in C; negative floats are not.
    """
    least, most = integers_of(element)
    if not (element.is_signed or isinstance(value, float)):
        least = -most
    return bool(least <= value <= most)


def fits_float(value: float, element: DType) -> bool:
    """Return whether a finite number is finite in a floating-point type."""
    return math.isinf(value) or value != value or abs(value) <= largest_of(element)


@cache
def integers_of(element: DType) -> tuple[int, int]:
    """Return the smallest and the largest number of an integer type."""
    limits = np.iinfo(element.numpy)
    return int(limits.min), int(limits.max)


@cache
def largest_of(element: DType) -> float:
    """Return the largest finite number of a floating-point type."""
    return float(dtypes.limits_of(element).max)


def wrapped_integer(value: Any, element: DType) -> int:
    """Return a number as an integer of a type; negative ones wrap around in unsigned types.

    Raises:
        RuntimeError: if the number is out of range, by torch's rules.
    """
    if not fits_integer(value, element):
        refuse_number(value, element)
    number = int(value)
    return number + (1 << 8 * element.itemsize) if number < 0 and not element.is_signed else number


def checked_number(value: Any, element: DType, halves: bool = True) -> Any:
    """Return a Python number as an element of a dtype; a negative one wraps around in an unsigned type.

    Args:
        value: the number.
        element: the dtype.
        halves: whether a number too large for half precision is refused, as in operators that fill more than a single
            element; in operators that convert it becomes infinite.

    Raises:
        RuntimeError: if the number does not fit.
    """
    if element.category == dtypes.BOOL:
        return bool(value)
    imaginary = value.imag if isinstance(value, complex) else 0
    real = value.real if isinstance(value, complex) else value
    if element.category == dtypes.COMPLEX:
        if not (fits_float(real, element.to_real()) and fits_float(imaginary, element.to_real())):
            refuse_number(value, element)
        return value
    if imaginary:
        refuse_number(value, element)
    if element.category != dtypes.FLOAT:
        return wrapped_integer(real, element)
    if fits_float(real, element):
        return real
    if halves or element not in dtypes.HALVES:
        refuse_number(value, element)
    with np.errstate(over="ignore"):
        return float(np.float64(real).astype(element.numpy))


def check_beside(one: Any, other: Any) -> None:
    """Refuse a number that its common dtype with the tensor beside it cannot hold.

    Raises:
        RuntimeError: if the number does not fit; that of two numbers is not checked.
    """
    tensor, number = (one, other) if isinstance(one, Tensor) else (other, one)
    if isinstance(number, (Tensor, np.ndarray)) or not isinstance(tensor, Tensor):
        return
    if type(number) is not int or not -128 <= number <= 127:
        checked_number(number, dtypes.result_type((tensor._array_,), (number,)), halves=False)


def check_limits(values: list[Any], kernel: str = "clamp_scalar_cpu") -> None:
    """Refuse limits that the common dtype of an array and the numbers beside it cannot hold.

    Args:
        values: the array, and its limits: arrays, numbers or None.
        kernel: name of the kernel that torch does not have for bools.

    Raises:
        RuntimeError: if a number does not fit.
        NotImplementedError: if all values are bools.
    """
    arrays = [number for number in values if hasattr(number, "dtype")]
    numbers = [number for number in values[1:] if isinstance(number, (int, float))]
    common = dtypes.result_type(arrays, numbers)
    if not numbers or common.category == dtypes.COMPLEX:
        return
    if common.category == dtypes.BOOL:
        if values[-1] is None or values[1] is None:
            kernel = f"clamp_{'max' if values[1] is None else 'min'}_scalar_cpu"
        raise NotImplementedError(errors.no_kernel(kernel, common))
    for number in numbers:
        checked_number(number, common)


def refuse_number(value: Any, element: DType) -> NoReturn:
    """Refuse a number that a dtype cannot hold.

    Raises:
        RuntimeError: always; it raises the error for the number.
    """
    raise RuntimeError(
        f"value cannot be converted to type {C_NAMES.get(element.name, element.name)} without overflow: {value!r}"
    )
