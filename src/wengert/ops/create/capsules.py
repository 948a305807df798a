"""DLPack capsules, with which libraries exchange memory. NumPy supports them, but not bfloat16."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from ..._core.types.dtypes import bfloat16

UNSIGNED, BFLOAT = 1, 4
"""Codes of kinds of numbers in the protocol."""
FIRST, VERSIONED = b"dltensor", b"dltensor_versioned"
"""Names of capsules: of the first version of the protocol, and of versions that are stored in the capsule."""


class Described(ctypes.Structure):
    """A tensor in a capsule (`DLTensor`), up to the kind of its numbers."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32),
        ("index", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
    ]


class DescribedWithVersion(ctypes.Structure):
    """Content of a capsule with a version (`DLManagedTensorVersioned`)."""

    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("owner", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Described),
    ]


class Capsule:
    """A DLPack capsule as an object with `__dlpack__`, for NumPy."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


class Writable:
    """Writable memory, as NumPy's array interface describes it.

    Args:
        array: the same memory as a read-only array, which stays alive.
    """

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array
        interface = array.__array_interface__
        self.__array_interface__ = {**interface, "data": (interface["data"][0], False)}


def is_versioned(capsule: Any) -> bool:
    """Return whether a capsule stores its version of the protocol."""
    return repr(capsule).startswith('<capsule object "dltensor_versioned"')


def described(capsule: Any) -> Described:
    """Return the description of the tensor in an unused DLPack capsule."""
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    if is_versioned(capsule):
        return DescribedWithVersion.from_address(pointer_of(capsule, VERSIONED)).tensor
    return Described.from_address(pointer_of(capsule, FIRST))


def of_bfloats(array: np.ndarray[Any, Any], options: dict[str, Any]) -> Any:
    """Return a capsule of a bfloat16 array: NumPy's capsule of integers, with its code changed."""
    capsule = array.view(np.uint16).__dlpack__(**options)
    described(capsule).code = BFLOAT
    return capsule


def unpacked(capsule: Any) -> np.ndarray[Any, Any]:
    """Return the array in an unused DLPack capsule, and use it up.

    Capsules of the first version of the protocol have no read-only flag; NumPy takes their memory as read-only.

    Raises:
        RuntimeError: if the kind of number is not supported.
        BufferError: if the memory is on another device.
    """
    content, versioned = described(capsule), is_versioned(capsule)
    is_bfloat = (content.code, content.bits, content.lanes) == (BFLOAT, 16, 1)
    if is_bfloat:
        content.code = UNSIGNED
    array = np.from_dlpack(Capsule(capsule))
    if is_bfloat:
        array = array.view(bfloat16.numpy)
    if array.size and not array.flags.writeable and not versioned:
        return writable(array)
    return array


def writable(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the memory of a read-only array as a writable one."""
    if array.dtype.kind != "V":
        return np.asarray(Writable(array))
    return np.asarray(Writable(array.view(np.uint16))).view(array.dtype)
