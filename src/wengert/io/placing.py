"""Tensors in memory read from a file, with checked offsets, shapes and strides."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from .._core.tensor.storage import Storage, size_in_bytes
from .._core.types.devices import device as Device, refuse_absent
from .._core.types.sizes import Size
from .._kernels.layout import row_major
from .._tensor import Tensor
from .._tensor.attributes import dtypes
from .._tensor.pickling import lay, rebuild_sparse
from ..ops.memory.storages import UntypedStorage
from .budget import Budget
from .errors import CallerError, shown
from .weights import MOST_DIMENSIONS

MapLocation = Callable[[UntypedStorage, str], UntypedStorage | None] | Device | str | dict[str, str] | None
LARGEST = 2**63 - 1
HERE = (
    "If you are running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your "
    "storages to the CPU."
)
ABSENT = {
    **{
        kind: f"Attempting to deserialize object on a {kind.upper()} device but torch.{kind}.is_available() is False. "
        for kind in ("cuda", "xpu")
    },
    "mps": "torch.UntypedStorage(): Storage device not recognized: mps. ",
    "hpu": "The HPU device module is not registered. ",
    "mtia": "Cannot execute getCurrentDevice() without MTIA backend. ",
}
"""Devices of saved tensors, with torch's errors if they are unavailable."""
ADDRESSES = 2**47
"""Largest number of bytes of a process."""


def memory_of(array: np.ndarray[Any, Any]) -> Storage:
    """Return a storage on bytes of a file."""
    return Storage(array.reshape(-1).view(np.uint8))


class Placer:
    """Builder of tensors in memory read from a file.

    Args:
        budget: budget for reading through the memory.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.booleans: dict[int, tuple[Storage, bool]] = {}

    def place(
        self,
        cls: type[Tensor],
        storage: Storage,
        dtype: dtypes.dtype,
        offset: Any,
        shape: Any,
        strides: Any,
        requires_grad: Any,
    ) -> Tensor:
        """Return a tensor in a storage.

        Args:
            cls: the class of the tensor.
            storage: the memory.
            dtype: the dtype of its elements.
            offset, shape, strides: its position in the storage, in elements; any values from a file.
            requires_grad: whether it requires a gradient.

        Raises:
            ValueError: if it extends beyond the memory, or such a tensor cannot exist.
        """
        check_lengths(offset, shape, strides)
        size, have = dtype.itemsize, size_in_bytes(storage)
        count = math.prod(shape)
        if count * size > LARGEST:
            raise ValueError(f"no tensor has the shape {list(shape)}")
        end = offset + sum((length - 1) * step for length, step in zip(shape, strides)) + 1 if count else 0
        if end * size > have:
            raise ValueError(
                f"a tensor of shape {list(shape)} and strides {list(strides)} from element {offset} on takes "
                f"{end * size} bytes, but its memory has {have}"
            )
        check_requires_grad(requires_grad, dtype)
        steps = tuple([step * size for step in strides])
        if not count and max(steps, default=0) > ADDRESSES:  # the strides are not used, whatever they are
            steps = row_major(shape, size)
        start = offset * size if offset * size <= have else 0  # for a tensor without elements any offset is valid
        result = lay(cls, storage, dtype, start, tuple(shape), steps)
        if dtype.name == "bool" and count:
            self.check_booleans(result._array_, storage, offset, end)
        if requires_grad:
            result.requires_grad = True
        return result

    def check_booleans(self, array: np.ndarray[Any, Any], storage: Storage, start: int, end: int) -> None:
        """Refuse booleans that are neither 0 nor 1.

        If the whole memory is valid, it is read through once, however many tensors share it. Otherwise the bytes from
        the first element to the last are checked, and only if there are invalid ones between them the elements
        themselves, unless there are more elements than bytes.

        Raises:
            ValueError: if an element is neither.
        """
        if id(storage) not in self.booleans:
            self.booleans[id(storage)] = (storage, storage.array.max(initial=0) <= 1)
        if self.booleans[id(storage)][1]:
            return
        self.budget.spend(end - start)
        raw = storage.array[start:end]
        if raw.max(initial=0) > 1 and (array.size > storage.array.size or array.view(np.uint8).max(initial=0) > 1):
            raise ValueError(f"a boolean is {raw.max()}, neither 0 nor 1")

    def sparse(
        self, cls: type[Tensor], places: tuple[Tensor, ...], values: Tensor, shape: Size, form: bool | str
    ) -> Tensor:
        """Return a sparse tensor from its parts, whose contents are checked.

        Args:
            cls: the class of the tensor.
            places: one index tensor, or two for a compressed tensor.
            values: the values.
            shape: the shape.
            form: whether it is coalesced, or the name of its compressed layout; a compressed tensor requires a gradient
                if its values do.

        Raises:
            ValueError: if the parts do not fit each other.
        """
        if not isinstance(form, str) and places[0].dtype is not dtypes.int64:
            raise ValueError("the places of a sparse tensor are not of int64")
        arrays = tuple([part._array_ for part in places])
        self.budget.spend(values._array_.nbytes + sum(array.nbytes for array in arrays))
        if len(shape) > MOST_DIMENSIONS or max(shape, default=0) > LARGEST:
            raise ValueError("a sparse tensor has too many dimensions, or too long ones")
        try:
            recorded = isinstance(form, str) and values.requires_grad
            return rebuild_sparse(cls, arrays if len(arrays) > 1 else arrays[0], values.detach(), shape, form, recorded)
        except (RuntimeError, IndexError, MemoryError) as error:
            raise ValueError(str(error)) from error


def check_requires_grad(requires_grad: Any, dtype: dtypes.dtype) -> None:
    """Refuse an invalid `requires_grad`.

    Raises:
        ValueError: if it is.
    """
    if type(requires_grad) is not bool or (requires_grad and not (dtype.is_floating_point or dtype.is_complex)):
        raise ValueError(f"requires_grad is {shown(requires_grad)} for {dtype}")


def check_lengths(offset: Any, shape: Any, strides: Any) -> None:
    """Refuse values that are not lengths.

    Raises:
        ValueError: if it is.
    """
    for name, lengths in (("shape", shape), ("strides", strides)):
        if not isinstance(lengths, (list, tuple)) or len(lengths) > MOST_DIMENSIONS:
            raise ValueError(f"a tensor's {name} are not a list of at most {MOST_DIMENSIONS} lengths")
        if not all(type(length) is int and 0 <= length <= LARGEST for length in lengths):
            raise ValueError(f"a tensor's {name} are not a list of lengths")
    if type(offset) is not int or not 0 <= offset <= LARGEST:
        raise ValueError("a tensor's offset is not a length")
    if len(shape) != len(strides):
        raise ValueError(f"a tensor has {len(shape)} lengths and {len(strides)} strides")


def relocated(storage: Storage, location: str, map_location: MapLocation) -> Storage:
    """Return a storage mapped to the device that the program wants, which can only be the CPU.

    Args:
        storage: the storage as read.
        location: the device that it was saved from, such as "cuda:0".
        map_location: see `load`.

    Raises:
        RuntimeError: if it is mapped to, or was saved from, an unavailable device.
        CallerError: if `map_location` raises an error.
    """
    if callable(map_location):
        try:
            result = map_location(UntypedStorage(storage), location)
            if result is not None and not isinstance(result, UntypedStorage):
                raise TypeError(f"load(): map_location must return a storage or None, not {type(result).__name__}")
        except Exception as error:
            raise CallerError(error) from error
        if result is not None:
            return result._memory
    elif isinstance(map_location, dict):
        location = map_location.get(location, location)
    elif map_location is not None:
        location = str(map_location)
    refuse_location(location)
    return storage


def refuse_location(location: str) -> None:
    """Refuse all devices except the CPU.

    Raises:
        RuntimeError: if it is another device; with torch's text.
    """
    if location == "cpu":
        return
    kind = location.partition(":")[0]
    if kind in ABSENT:
        Device(location)
        raise RuntimeError(ABSENT[kind] + HERE)
    if kind == "meta":
        refuse_absent(location)
    raise RuntimeError(
        f"don't know how to restore data location of torch.storage.UntypedStorage (tagged with {location}); {HERE}"
    )


def take_attributes(value: Any, attributes: Any, budget: Budget) -> None:
    """Restore attributes that the program had set on a tensor or an OrderedDict.

    Raises:
        ValueError: if the object is of another kind, or an attribute would hide a name of its class.
    """
    if not isinstance(value, (Tensor, OrderedDict)) or type(attributes) is not dict:
        raise ValueError(f"a {type(value).__name__} has no such attributes")
    budget.copy(attributes)
    for name, attribute in attributes.items():
        if not is_attribute(value, name):
            raise ValueError(f"{shown(name)} is not an attribute that a program may set")
        object.__setattr__(value, name, attribute)


def is_attribute(value: Any, name: Any) -> bool:
    """Return whether a program may set an attribute of this name on a tensor or an OrderedDict."""
    return isinstance(name, str) and not name.startswith("__") and not hasattr(type(value), name)
