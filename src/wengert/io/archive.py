"""torch's zip archives: tensors and plain containers, read by an interpreter that knows what is allowed.

An archive is one folder of uncompressed members: `data.pkl`, opcodes that build the object, `data/<key>`, the memory of
each storage, and `byteorder`.
"""

from __future__ import annotations

import reprlib
import sys
from pickle import UnpicklingError
from typing import Any, BinaryIO

from .._core.tensor.storage import Storage
from ..ops.memory.storages import StorageBase, TypedStorage, UntypedStorage
from ..tensor import dtypes
from .allowed import STORAGES, Untyped, call, check_result, find, set_state
from .opcodes import Machine, Name
from .placing import MapLocation, memory_of, relocated
from .records import FAILED, Records

ORDERS = {b"little": "little", b"big": "big"}


class Archive(Records):
    """What `torch.save` wrote.

    Raises:
        ValueError: it is damaged, or not one that `torch.save` wrote.
    """

    def __init__(self, file: BinaryIO, name: str, map_location: MapLocation) -> None:
        super().__init__(file, name)
        self.map_location = map_location
        self.storages: dict[str, tuple[Any, Storage]] = {}
        order = self.read("byteorder") if f"{self.root}byteorder" in self.members else b"little"
        if order not in ORDERS:
            raise ValueError(f"{name} is damaged: its byte order is {reprlib.repr(order)}")
        self.swapped = ORDERS[order] != sys.byteorder

    def find_root(self) -> str:
        """The folder of `data.pkl`.

        Raises:
            ValueError: there is none, or several; or it is one with code.
        """
        roots = [each.removesuffix("data.pkl") for each in self.members if each.count("/") == 1 and "/data.pkl" in each]
        if len(roots) != 1 or f"{roots[0]}constants.pkl" in self.members:
            kind = "a TorchScript archive, whose code is not run here" if roots else "a zip file without data.pkl"
            raise ValueError(f"{self.name} is not what torch.save writes: it is {kind}")
        return roots[0]

    def storage(self, given: Any) -> StorageBase:
        """The storage of a persistent name: ("storage", type, key, location, number of elements).

        Raises:
            ValueError: it is no such name, or its size is not that of its member.
        """
        if not isinstance(given, tuple) or len(given) != 5 or given[0] != "storage":
            raise ValueError(f"{reprlib.repr(given)} is not the name of a storage")
        _, kind, key, location, count = given
        if not isinstance(key, str) or not isinstance(location, str) or type(count) is not int:
            raise ValueError(f"{reprlib.repr(given)} is not the name of a storage")
        dtype = self.dtype_of(kind)
        if key not in self.storages:
            self.storages[key] = (dtype, self.new_storage(key, dtype, location, count))
        known, storage = self.storages[key]
        if known is not dtype:
            raise ValueError(f"the storage {reprlib.repr(key)} has two types")
        return (
            UntypedStorage(storage)
            if dtype is None
            else TypedStorage(wrap_storage=UntypedStorage(storage), dtype=dtype)
        )

    def dtype_of(self, kind: Any) -> dtypes.dtype | None:
        """The dtype of a type of storages; None for bytes."""
        if kind is Untyped:
            return None
        if not isinstance(kind, Name) or kind.name not in STORAGES:
            raise ValueError(f"{reprlib.repr(kind)} is no type of storages")
        return dtypes.by_name(STORAGES[kind.name])

    def new_storage(self, key: str, dtype: dtypes.dtype | None, location: str, count: int) -> Storage:
        """The memory of a storage, read now."""
        size = 1 if dtype is None else dtype.itemsize
        info = self.members.get(f"{self.root}data/{key}")
        if info is not None and info.file_size != count * size:
            raise ValueError(f"the storage {reprlib.repr(key)} has {info.file_size} bytes, not {count} times {size}")
        array = self.bytes_of(f"data/{key}")
        if self.swapped:
            if dtype is None:
                raise ValueError("an untyped storage is of another byte order than this machine's")
            array.view(dtype.to_real().numpy).byteswap(inplace=True)  # the parts of a complex number one by one
        return relocated(memory_of(array), location, self.map_location)


def load(file: BinaryIO, name: str, map_location: MapLocation) -> Any:
    """The object that `torch.save` wrote.

    Raises:
        ValueError: the file is damaged.
        UnpicklingError: it holds more than tensors and plain containers.
        RuntimeError: it is no archive that `torch.save` wrote, or a tensor comes from a device that is not there.
    """
    try:
        archive = Archive(file, name, map_location)
    except ValueError as error:
        raise RuntimeError(FAILED.format("reading zip archive", error)) from error
    machine = Machine(find, call, archive.storage, set_state)
    content = archive.read("data.pkl")
    try:
        made = machine.run(content)
        check_result(made)
    except UnpicklingError as error:
        raise UnpicklingError(
            f"Weights only load failed: {name} holds more than tensors and plain containers: {error}. Nothing that a "
            "file names is run here; load it with torch, and save a state_dict() in its place"
        ) from error
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise ValueError(f"{name} is damaged: {error}") from error
    return made
