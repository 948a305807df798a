"""Files in torch's format before zip archives (version 1.6), which it still writes on demand.

Such a file contains five pickles (magic number, version, description of the machine, the object, keys of its storages),
then for each storage the number of its elements and their bytes in little-endian order. The sizes of elements are only
in the opcodes of the object, and its tensors are checked when they are built. So these opcodes run twice: first without
effect, to collect the descriptions of storages.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._core.tensor.storage import Storage
from .._tensor.attributes import dtypes
from ..ops.memory.storages import StorageBase
from . import trusted
from .allowed import Allowed, check_result
from .archive import checked_identity, dtype_of, shown_as, weights_only
from .budget import Budget
from .errors import shown
from .opcodes import Machine
from .placing import MapLocation, memory_of, relocated
from .source import Source
from .surveys import Inert, Quiet, Unknown

MAGIC = 0x1950A86A20F9469CFC6C
VERSION = 1001
IDENTITY = 6
"""Number of parts of the persistent name of a storage."""


@dataclass(frozen=True)
class Description:
    """Description of a storage in the opcodes.

    Attributes:
        dtype: the dtype of its elements; None for bytes.
        location: the device that it was saved from.
        count: the number of its elements.
    """

    dtype: dtypes.dtype | None
    location: str
    count: int

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return 1 if self.dtype is None else self.dtype.itemsize


class Survey(Quiet):
    """Run opcodes without effect, and collect the descriptions of storages.

    Args:
        encoding: see `Machine`.

    Attributes:
        storages: the descriptions of storages, by key.
    """

    def __init__(self, encoding: str) -> None:
        super().__init__(self.describe, encoding)
        self.storages: dict[str, Description] = {}

    def describe(self, identity: Any) -> Any:
        """Note the description in the persistent name of a storage.

        Raises:
            ValueError: if it is not such a name, or contradicts an earlier description.
        """
        if is_class(identity):
            return identity[1]
        kind, key, location, count, _ = checked_identity(identity, IDENTITY)
        described = Description(dtype_of(kind), location, count)
        if self.storages.setdefault(key, described) != described:
            raise ValueError(f"the storage {shown(key)} has two types, devices, or sizes")
        return Unknown()

    def push_storage(self) -> None:
        """Push an unknown value for a storage."""
        self.push(self.describe(self.pop()))


def load(source: Source, map_location: MapLocation, encoding: str) -> Any:
    """Return the object that `torch.save` wrote; `source` is then positioned after it.

    Raises:
        DamagedFileError: if the file is damaged, or of another kind.
        UnpicklingError: if it contains more than tensors and plain containers.
        RuntimeError: if a tensor comes from an unavailable device.
    """
    with weights_only(source.name):
        check_start(source, encoding)
        start, survey = source.at, Survey(encoding)
        survey.run(source)
        between = source.at
        memories = read_memories(source, survey.storages, encoding)
        end = source.at
        storages = Storages(
            {key: relocated(memory, survey.storages[key].location, map_location) for key, memory in memories.items()}
        )
        source.seek(start)
        objects, space = Budget(between - start), Budget(source.size)
        result = Machine(Allowed(objects, space), storages.find, objects, encoding).run(source)
        check_result(result)
        source.seek(end)
        return result


def check_start(source: Source, encoding: str) -> None:
    """Read the parts before the object.

    Raises:
        ValueError: if the file is of another kind.
    """
    if Survey(encoding).run(source) != MAGIC:
        raise ValueError("Invalid magic number; corrupt file?")
    version = Survey(encoding).run(source)
    if version != VERSION:
        raise ValueError(f"Invalid protocol version: {shown(version)}")
    Survey(encoding).run(source)  # byte order of the machine: all files have the same


def read_memories(source: Source, described: dict[str, Description], encoding: str) -> dict[str, Storage]:
    """Read the keys of all storages, and their memory; return the memory by key.

    Raises:
        ValueError: if they are not the storages that the opcodes describe.
    """
    nothing = Budget(0)
    keys = Machine(Inert(nothing, nothing), Survey(encoding).describe, nothing, encoding).run(source)
    if not isinstance(keys, list) or not all(isinstance(key, (str, bytes)) for key in keys):
        raise ValueError("the keys of its storages are not texts")
    keys = [key.decode("ascii") if isinstance(key, bytes) else key for key in keys]
    if len(keys) != len(described) or set(keys) != set(described):
        raise ValueError("the keys of its storages are not those of its object")
    together = sum(description.count * description.size + 8 for description in described.values())
    if together > source.left:
        raise ValueError(f"its storages take {together} bytes, but {source.left} are left")
    return {key: read_memory(source, key, described[key]) for key in keys}


def read_memory(source: Source, key: str, description: Description) -> Storage:
    """Read the memory of a storage.

    Raises:
        ValueError: if its size is not that in the opcodes.
    """
    count = int.from_bytes(source.read(8), "little", signed=True)
    if count != description.count:
        raise ValueError(f"storage has wrong byte size: {shown(key)} has {count} elements, not {description.count}")
    return new_memory(source, description.dtype, count)


def new_memory(source: Source, dtype: dtypes.dtype | None, count: int) -> Storage:
    """Read the memory of `count` elements.

    Raises:
        ValueError: if there are fewer.
    """
    size = count * (1 if dtype is None else dtype.itemsize)
    if not 0 <= size <= source.left:
        raise ValueError(f"a storage takes {size} bytes, but {source.left} are left")
    array = np.empty(size, np.uint8)
    source.readinto(array)
    if sys.byteorder == "big" and dtype is not None:
        array.view(dtype.to_real().numpy).byteswap(inplace=True)
    return memory_of(array)


def is_class(identity: Any) -> bool:
    """Return whether a persistent name is that of a layer's class; its source code is ignored."""
    return (
        isinstance(identity, tuple)
        and len(identity) == 4
        and identity[0] == "module"
        and trusted.is_instance(identity[1])
    )


def part_of(memory: Storage, dtype: dtypes.dtype | None, offset: int, count: int) -> Storage:
    """Return a part of the memory of a storage, in elements.

    Raises:
        ValueError: if it extends beyond the end.
    """
    size = 1 if dtype is None else dtype.itemsize
    if offset < 0 or count < 0 or (offset + count) * size > memory.array.size:
        raise ValueError("a part of a storage would reach beyond its end")
    return Storage(memory.array[offset * size : (offset + count) * size])


class Storages:
    """Storages of a file, and views of them, which old versions saved as storages of their own.

    Args:
        memories: the memory by key.
    """

    def __init__(self, memories: dict[str, Storage]) -> None:
        self.memories = memories
        self.views: dict[str, tuple[tuple[str, int, int], Storage]] = {}

    def find(self, identity: Any) -> StorageBase:
        """Return the storage of a persistent name: ("storage", type, key, location, number of elements, view).

        The view is None, or (key, offset, number of elements).

        Raises:
            ValueError: if there is no such storage.
        """
        if is_class(identity):
            return identity[1]
        kind, key, _, _, part = checked_identity(identity, IDENTITY)
        dtype = dtype_of(kind)
        if part is None:
            return shown_as(self.memories[key], dtype)
        if not isinstance(part, tuple) or [type(value) for value in part] != [str, int, int]:
            raise ValueError("a part of a storage has not its key, its offset, and the number of its elements")
        name, offset, count = part
        known = (key, offset, count)
        if name not in self.views:
            self.views[name] = (known, part_of(self.memories[key], dtype, offset, count))
        if self.views[name][0] != known:
            raise ValueError(f"there are two parts of storages with the key {shown(name)}")
        return shown_as(self.views[name][1], dtype)
