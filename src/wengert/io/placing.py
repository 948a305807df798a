"""Tensors in the memory that a file gave: every place is held against the memory before a tensor lies there."""

from __future__ import annotations

import reprlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from .._core.tensor.storage import Storage, size_in_bytes
from .._core.types.devices import device as Device, refuse_absent
from .._kernels.layout import row_major
from ..ops.memory.storages import UntypedStorage
from ..pickling import lay
from ..tensor import Tensor, dtypes
from .weights import MOST_DIMENSIONS

MapLocation = Callable[[UntypedStorage, str], UntypedStorage | None] | Device | str | dict[str, str] | None
LARGEST = 2**63 - 1
HERE = (
    "If you are running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') to map your "
    "storages to the CPU."
)
ABSENT = {
    **{
        each: f"Attempting to deserialize object on a {each.upper()} device but torch.{each}.is_available() is False. "
        for each in ("cuda", "xpu")
    },
    "mps": "torch.UntypedStorage(): Storage device not recognized: mps. ",
    "hpu": "The HPU device module is not registered. ",
    "mtia": "Cannot execute getCurrentDevice() without MTIA backend. ",
}
"""Devices that programs save from, and what torch says where there are none."""
ADDRESSES = 2**47
"""How many bytes a process can have."""


def memory_of(array: np.ndarray[Any, Any]) -> Storage:
    """A storage for the bytes of a file."""
    return Storage(array.reshape(-1).view(np.uint8))


def place(
    cls: type[Tensor], storage: Storage, dtype: dtypes.dtype, offset: Any, shape: Any, strides: Any, requires_grad: Any
) -> Tensor:
    """A tensor in memory.

    Args:
        cls: its class.
        storage: the memory.
        dtype: of its elements.
        offset, shape, strides: how it lies there, in elements; whatever a file says.
        requires_grad: whether it does.

    Raises:
        ValueError: it would reach beyond the memory, or there is no such tensor.
    """
    check_lengths(offset, shape, strides)
    size, have = dtype.itemsize, size_in_bytes(storage)
    count = 1
    for length in shape:
        count *= length
    if count * size > LARGEST:
        raise ValueError(f"no tensor has the shape {list(shape)}")
    end = offset + sum((length - 1) * step for length, step in zip(shape, strides)) + 1 if count else 0
    if end * size > have:
        raise ValueError(
            f"a tensor of shape {list(shape)} and strides {list(strides)} from element {offset} on takes "
            f"{end * size} bytes, but its memory has {have}"
        )
    if requires_grad not in (True, False) or (requires_grad and not (dtype.is_floating_point or dtype.is_complex)):
        raise ValueError(f"requires_grad is {requires_grad!r} for {dtype}")
    start = offset * size if count else 0
    steps = tuple([step * size for step in strides])
    if not count and max(steps, default=0) > ADDRESSES:  # they lead nowhere, whatever they are
        steps = row_major(shape, size)
    made = lay(cls, storage, dtype, start, tuple(shape), steps)
    if dtype.name == "bool":
        check_booleans(made._array_, storage, start, end)
    if requires_grad:
        made.requires_grad = True
    return made


def check_lengths(offset: Any, shape: Any, strides: Any) -> None:
    """Refuse what are no lengths at all.

    Raises:
        ValueError: see there.
    """
    for name, given in (("shape", shape), ("strides", strides)):
        if not isinstance(given, (list, tuple)) or not all(
            type(each) is int and 0 <= each <= LARGEST for each in given
        ):
            raise ValueError(f"a tensor's {name} are no list of lengths")
    if type(offset) is not int or not 0 <= offset <= LARGEST:
        raise ValueError("a tensor's offset is no length")
    if len(shape) != len(strides) or len(shape) > MOST_DIMENSIONS:
        raise ValueError(f"a tensor has {len(shape)} lengths and {len(strides)} strides")


def check_booleans(array: np.ndarray[Any, Any], storage: Storage, start: int, end: int) -> None:
    """Refuse booleans that are neither 0 nor 1.

    The bytes from the first element to the last are looked at, once each; only where there are others between them the
    elements themselves, unless more lie there than the memory has bytes.

    Raises:
        ValueError: one is neither.
    """
    raw = storage.array[start:end]
    if raw.max(initial=0) > 1 and (array.size > storage.array.size or array.view(np.uint8).max(initial=0) > 1):
        raise ValueError(f"a boolean is {raw.max()}, neither 0 nor 1")


def relocated(storage: Storage, location: str, map_location: MapLocation) -> Storage:
    """The memory of a storage where the program wants it: there is but the CPU's.

    Args:
        storage: as it was read.
        location: the device that it was saved from, such as "cuda:0".
        map_location: see `load`.

    Raises:
        RuntimeError: it is wanted on, or was saved from, a device that is not there.
    """
    if callable(map_location):
        found = map_location(UntypedStorage(storage), location)
        if found is not None:
            if not isinstance(found, UntypedStorage):
                raise TypeError(f"load(): map_location must return a storage or None, not {type(found).__name__}")
            return found._memory
    elif isinstance(map_location, dict):
        location = map_location.get(location, location)
    elif map_location is not None:
        location = str(map_location)
    refuse_location(location)
    return storage


def refuse_location(location: str) -> None:
    """Refuse all places but the CPU.

    Raises:
        RuntimeError: in torch's words.
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


def take_attributes(made: Any, given: Any) -> None:
    """Put on a tensor, or an OrderedDict, what the program had put there.

    Raises:
        ValueError: it is of another kind, or has these attributes already, as methods say.
    """
    if not isinstance(made, (Tensor, OrderedDict)) or type(given) is not dict:
        raise ValueError(f"a {type(made).__name__} has no such attributes")
    for name, value in given.items():
        if not isinstance(name, str) or name.startswith("__") or hasattr(type(made), name):
            raise ValueError(f"{reprlib.repr(name)} is no attribute that a program may set")
        object.__setattr__(made, name, value)
