"""The methods of Tensor that convert to a dtype by its short name: `float()`, `long()`, ..."""

from __future__ import annotations

from typing import Any

from ..._core import flags
from ..._core.cards.late import bind
from ..._core.state.modes import current
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from .convert import to_copy


def converted(tensor: Tensor, wanted: dtypes.dtype, memory_format: Any) -> Any:
    """Return a tensor in another dtype: itself if it is of that dtype already, otherwise a copy."""
    if memory_format is None and not (tensor._flags_ | current().word) & flags.UNUSUAL:
        return tensor if wanted.numpy is tensor._array_.dtype else to_copy(tensor, wanted, None)
    return tensor.to(wanted, memory_format=memory_format)


def byte(self: Tensor, *, memory_format: Any = None) -> Any:
    """Return the tensor in uint8: itself if it is of that dtype already, otherwise a copy.

    Args:
        memory_format: the memory format of a copy; that of the tensor by default.
    """
    return converted(self, dtypes.uint8, memory_format)


def char(self: Tensor, *, memory_format: Any = None) -> Any:
    """Return the tensor in int8: itself if it is of that dtype already, otherwise a copy.

    Args:
        memory_format: the memory format of a copy; that of the tensor by default.
    """
    return converted(self, dtypes.int8, memory_format)


def short(self: Tensor, *, memory_format: Any = None) -> Any:
    """Return the tensor in int16: itself if it is of that dtype already, otherwise a copy.

    Args:
        memory_format: the memory format of a copy; that of the tensor by default.
    """
    return converted(self, dtypes.int16, memory_format)


def int(self: Tensor, *, memory_format: Any = None) -> Any:
    """Return the tensor in int32: itself if it is of that dtype already, otherwise a copy.

    Args:
        memory_format: the memory format of a copy; that of the tensor by default.
    """
    return converted(self, dtypes.int32, memory_format)


def long(self: Tensor, *, memory_format: Any = None) -> Any:
    """Return the tensor in int64: itself if it is of that dtype already, otherwise a copy.

    Args:
        memory_format: the memory format of a copy; that of the tensor by default.
    """
    return converted(self, dtypes.int64, memory_format)


def half(self: Tensor, *, memory_format: Any = None) -> Any:
    """Return the tensor in float16: itself if it is of that dtype already, otherwise a copy.

    Args:
        memory_format: the memory format of a copy; that of the tensor by default.
    """
    return converted(self, dtypes.float16, memory_format)


def bfloat16(self: Tensor, *, memory_format: Any = None) -> Any:
    """Return the tensor in bfloat16: itself if it is of that dtype already, otherwise a copy.

    Args:
        memory_format: the memory format of a copy; that of the tensor by default.
    """
    return converted(self, dtypes.bfloat16, memory_format)


def float(self: Tensor, *, memory_format: Any = None) -> Any:
    """Return the tensor in float32: itself if it is of that dtype already, otherwise a copy.

    Args:
        memory_format: the memory format of a copy; that of the tensor by default.
    """
    return converted(self, dtypes.float32, memory_format)


def double(self: Tensor, *, memory_format: Any = None) -> Any:
    """Return the tensor in float64: itself if it is of that dtype already, otherwise a copy.

    Args:
        memory_format: the memory format of a copy; that of the tensor by default.
    """
    return converted(self, dtypes.float64, memory_format)


def cfloat(self: Tensor, *, memory_format: Any = None) -> Any:
    """Return the tensor in complex64: itself if it is of that dtype already, otherwise a copy.

    Args:
        memory_format: the memory format of a copy; that of the tensor by default.
    """
    return converted(self, dtypes.complex64, memory_format)


def cdouble(self: Tensor, *, memory_format: Any = None) -> Any:
    """Return the tensor in complex128: itself if it is of that dtype already, otherwise a copy.

    Args:
        memory_format: the memory format of a copy; that of the tensor by default.
    """
    return converted(self, dtypes.complex128, memory_format)


def bool(self: Tensor, *, memory_format: Any = None) -> Any:
    """Return the tensor in bool: itself if it is of that dtype already, otherwise a copy.

    Args:
        memory_format: the memory format of a copy; that of the tensor by default.
    """
    return converted(self, dtypes.bool_, memory_format)


def chalf(self: Tensor, *, memory_format: Any = None) -> Any:
    """Refuse: torch's complex32 has no arrays here.

    Raises:
        TypeError: always.
    """
    return converted(self, dtypes.by_name("complex32"), memory_format)


for method in (byte, char, short, int, long, half, bfloat16, float, double, cfloat, cdouble, bool, chalf):
    bind(method.__name__, method)
