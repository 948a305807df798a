"""Refusals by dtype that promotion does not make."""

from __future__ import annotations

from typing import Any

from .._core import errors
from .._core.types import dtypes


def refuse(name: str, title: str, array: Any) -> None:
    """Refuse an array for its dtype.

    Args:
        name: of the operator.
        title: how torch's errors call its kernel.
        array: what was given.

    Raises:
        NotImplementedError: always.
    """
    text = errors.no_kernel(title, dtypes.from_numpy(array.dtype))
    raise NotImplementedError(text if name.strip("_") in title else f"{text} (operator {name})")


def check_floating(name: str, title: str, array: Any) -> None:
    """Refuse integers and complex numbers.

    Raises:
        NotImplementedError: `array` holds them.
    """
    if array.dtype.kind not in "fV":
        refuse(name, title, array)


def check_inexact(name: str, title: str, array: Any) -> None:
    """Refuse integers.

    Raises:
        NotImplementedError: `array` holds them.
    """
    if array.dtype.kind not in "fcV":
        refuse(name, title, array)


def check_number(name: str, title: str, array: Any) -> None:
    """Refuse bool and the wide unsigned integers, which have few kernels.

    Raises:
        NotImplementedError: `array` holds them.
    """
    kind = array.dtype.kind
    if kind == "b" or (kind == "u" and array.itemsize > 1):
        refuse(name, title, array)


def check_ordered(name: str, title: str, array: Any) -> None:
    """Refuse complex numbers, which have no order, and the wide unsigned integers.

    Raises:
        NotImplementedError: `array` holds them.
    """
    kind = array.dtype.kind
    if kind == "c" or (kind == "u" and array.itemsize > 1):
        refuse(name, title, array)
