"""The `_array_` of a tensor on the device "meta": shape, dtype and strides, and no values.

Its bytes are address space that cannot be written to and that takes no memory, so that views of it are taken and
compared as those of any other array.
"""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np

from .. import flags
from ..types.devices import device, strided
from .base import Tensor, wrap_flagged
from .standins import StandIn

NO_DATA = "Cannot copy out of meta tensor; no data!"
NO_NUMBER = "Tensor.item() cannot be called on meta tensors"
META = device("meta")
SMALL = 65536
"""Size in bytes up to which memory is allocated: a mapping takes a whole page, and their number is limited."""
COLUMNS = "columns"
"""Instead of strides: column-major matrices."""


class NeedsValues(Exception):  # noqa: N818 - a shape rule's answer, which the call puts in its own words
    """The shape of a result depends on the values of an operand, for the reason in the text."""


class MetaArray(StandIn):
    """The array of a tensor on the device "meta".

    Attributes:
        values: a tensor over the same bytes, which has the storage.
    """

    flag = flags.SPARSE
    layout = strided
    device = META
    values: Any

    def refuse(self, what: str) -> NoReturn:
        raise RuntimeError(NO_NUMBER) if what in ("item", "bool") else NotImplementedError(NO_DATA)

    def unit(self, tensor: Any) -> Any:
        """A number on the device "meta", for the derivative of a number there."""
        return tensor.detach() if self.size == 1 else None

    def fill(self, value: Any) -> None:
        """Do nothing: there are no values."""

    def view(self, *kind: Any) -> Any:  # type: ignore[override]
        """Return another array for the same elements; of NumPy's own class if that is requested."""
        result: Any = np.ndarray.view(self, *kind)
        if isinstance(result, MetaArray):
            result.values = self.values
        return result


def is_meta(value: Any) -> bool:
    """Return whether a value is a tensor on the device "meta"."""
    return isinstance(value, Tensor) and isinstance(value._array_, MetaArray)


def meta_array(shape: Any, dtype: Any, strides: Any = None) -> MetaArray:
    """The array of a new tensor on the device "meta"; `dtype` is NumPy's, `strides` are counted in elements.

    Raises:
        RuntimeError: if the elements exceed the addresses of the machine.
    """
    size, room = dtype.itemsize, math.prod(shape)
    steps = None if strides is None else tuple([step * size for step in strides])
    if strides is not None and room:
        room = 1 + sum([(length - 1) * step for length, step in zip(shape, strides)])
    memory = reserved(room * size).view(dtype)
    return over(np.ndarray(shape, dtype, memory, 0, steps), wrap_flagged(memory, 0))


def constant_beside(tensor: Any, constant: Tensor) -> Tensor:
    """Return a constant on the device of a tensor: on "meta" without its values."""
    if not is_meta(tensor):
        return constant
    return wrap_flagged(meta_array(constant._array_.shape, constant._array_.dtype), 0)


def over(array: Any, values: Tensor) -> MetaArray:
    """Return the array of a tensor on "meta" for a NumPy array in the bytes of another such tensor."""
    result: MetaArray = array.view(MetaArray)
    result.values = values
    return result


def reserved(size: int) -> Any:
    """Return bytes that cannot be written to; large blocks take no memory."""
    import mmap

    if size <= SMALL or not hasattr(mmap, "PROT_READ"):
        memory = np.empty(size, np.uint8)
        memory.flags.writeable = False
        return memory
    try:
        mapping = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ)
    except (OSError, OverflowError, ValueError) as error:
        raise RuntimeError(f"a tensor on the device 'meta' of {size} bytes has no addresses: {error}") from None
    return np.frombuffer(mapping, np.uint8)
