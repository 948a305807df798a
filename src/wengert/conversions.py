"""Tensors as other things: NumPy arrays, DLPack capsules, Python numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._core.state.modes import current
from ._core.tensor.base import Tensor


def to_numpy(self: Tensor, *, force: bool = False) -> np.ndarray[Any, Any]:
    """The values as a NumPy array on the same memory.

    Args:
        force: detach first if necessary.

    Raises:
        RuntimeError: the tensor requires a gradient and `force` is not set.
    """
    if self.requires_grad and current().grad and not force:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    return self._array_  # type: ignore[no-any-return]


def as_array_protocol(self: Tensor, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
    """What `np.asarray(tensor)` gives; a copy only if asked for or needed."""
    array = to_numpy(self)
    return np.array(array, dtype=dtype, copy=copy)


def dlpack(self: Tensor, **options: Any) -> Any:
    """Hand the memory to another library (DLPack protocol).

    Raises:
        BufferError: the tensor requires a gradient, which the protocol cannot carry.
    """
    if self.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    return self._array_.__dlpack__(**options)


def dlpack_device(self: Tensor) -> tuple[int, int]:
    """The device, in DLPack's terms."""
    return self._array_.__dlpack_device__()  # type: ignore[no-any-return]


def item(self: Tensor) -> Any:
    """The only value, as a Python number.

    Raises:
        RuntimeError: there is not exactly one.
    """
    if self._array_.size != 1:
        raise RuntimeError(f"a Tensor with {self._array_.size} elements cannot be converted to Scalar")
    return self._array_.item()


def tolist(self: Tensor) -> Any:
    """Nested lists of Python numbers; a number for a 0-dim tensor."""
    return self._array_.tolist()


def one_number(self: Tensor) -> Any:
    """The only value, for Python's conversions.

    Raises:
        ValueError: there is not exactly one.
    """
    if self._array_.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return self._array_.item()


def real_number(self: Tensor, kind: str) -> Any:
    """The only value, for conversions to the real numbers; `kind` is what an error calls them.

    Raises:
        RuntimeError: it has an imaginary part.
    """
    number = one_number(self)
    if not isinstance(number, complex):
        return number
    if number.imag:
        raise RuntimeError(f"value cannot be converted to type {kind} without overflow: it has an imaginary part")
    return number.real


def formatted(self: Tensor, spec: str) -> str:
    """`format(tensor, spec)`: that of the number for 0-dim tensors, the text of the tensor without a spec.

    Raises:
        TypeError: a spec is given for a tensor with dimensions.
    """
    if self._array_.ndim == 0:
        return format(self._array_.item(), spec)
    if spec:
        raise TypeError("unsupported format string passed to Tensor.__format__")
    return repr(self)


def to_integer(self: Tensor) -> int:
    """`int(tensor)` of a one-element tensor."""
    return int(real_number(self, "int64_t"))


def to_float(self: Tensor) -> float:
    """`float(tensor)` of a one-element tensor."""
    return float(real_number(self, "double"))


def to_complex(self: Tensor) -> complex:
    """`complex(tensor)` of a one-element tensor."""
    return complex(one_number(self))


def to_index(self: Tensor) -> int:
    """Use as an index.

    Raises:
        TypeError: not an integer, or not exactly one.
    """
    if self._array_.size != 1 or self._array_.dtype.kind not in "iub":
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(self._array_.item())
