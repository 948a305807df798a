"""torch's zip archives, read by an interpreter with a list of what is allowed.

An archive is one folder of uncompressed members: `data.pkl` with the opcodes that build the object, `data/<key>` with
the memory of each storage, and `byteorder`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pickle import UnpicklingError
from typing import Any

from .._core.tensor.storage import Storage
from .._tensor.attributes import dtypes
from ..ops.memory.storages import StorageBase, TypedStorage, UntypedStorage
from . import trusted
from .allowed import STORAGES, Allowed, Untyped, check_result
from .budget import Budget
from .errors import DamagedFileError, damage, shown
from .opcodes import Machine, Name
from .placing import MapLocation, memory_of, relocated
from .records import FAILED, SUSPICION, Records
from .source import Source
from .surveys import NameSurvey

ORDERS = {b"little": "little", b"big": "big"}


class Archive(Records):
    """Archive written by `torch.save`.

    Raises:
        ValueError: if it is damaged, or was not written by `torch.save`.
    """

    def __init__(self, source: Source, map_location: MapLocation) -> None:
        super().__init__(source)
        self.map_location = map_location
        self.storages: dict[str, tuple[Any, Storage]] = {}
        order = self.read("byteorder") if f"{self.root}byteorder" in self.members else b"little"
        if order not in ORDERS:
            raise ValueError(f"its byte order is {shown(order)}")
        self.swapped = ORDERS[order] != sys.byteorder

    def find_root(self) -> str:
        """Return the folder of `data.pkl`.

        Raises:
            ValueError: if there is none, or several, or the archive is a TorchScript one.
        """
        roots = [
            member.removesuffix("data.pkl")
            for member in self.members
            if member.count("/") == 1 and "/data.pkl" in member
        ]
        if len(roots) != 1 or f"{roots[0]}constants.pkl" in self.members:
            kind = "a TorchScript archive, whose code is not run here" if roots else "a zip file without data.pkl"
            raise ValueError(f"it is not what torch.save writes, but {kind}")
        return roots[0]

    def storage(self, identity: Any) -> StorageBase:
        """Return the storage of a persistent name: ("storage", type, key, location, number of elements).

        Raises:
            ValueError: if it is not such a name, or its size is not that of its member.
        """
        kind, key, location, count = checked_identity(identity, 5)
        dtype = dtype_of(kind)
        if key not in self.storages:
            self.storages[key] = (dtype, self.new_storage(key, dtype, location, count))
        known, storage = self.storages[key]
        if known is not dtype:
            raise ValueError(f"the storage {shown(key)} has two types")
        return shown_as(storage, dtype)

    def new_storage(self, key: str, dtype: dtypes.dtype | None, location: str, count: int) -> Storage:
        """Read the memory of a storage."""
        size = 1 if dtype is None else dtype.itemsize
        info = self.members.get(f"{self.root}data/{key}")
        if info is not None and info.file_size != count * size:
            raise ValueError(f"the storage {shown(key)} has {info.file_size} bytes, not {count} times {size}")
        array = self.bytes_of(f"data/{key}")
        if self.swapped:
            if dtype is None:
                raise ValueError("an untyped storage is of another byte order than this machine's")
            array.view(dtype.to_real().numpy).byteswap(inplace=True)  # real and imaginary parts separately
        return relocated(memory_of(array), location, self.map_location)


def checked_identity(identity: Any, length: int) -> tuple[Any, ...]:
    """Return the type, key, location and number of elements of a storage, and the rest of its persistent name.

    Raises:
        ValueError: if it is not the name of a storage.
        UnpicklingError: if it is the name of something else.
    """
    if not isinstance(identity, tuple) or not identity or not isinstance(identity[0], (str, bytes)):
        raise ValueError("the opcodes refer to a storage by something other than its name")
    identity = tuple([part.decode("ascii") if isinstance(part, bytes) else part for part in identity])
    if identity[0] != "storage":
        raise UnpicklingError(f"only storages have persistent names, not {shown(identity[0])}")
    if len(identity) != length:
        raise ValueError(f"the name of a storage has {len(identity)} parts, not {length}")
    key, location, count = identity[2:5]
    if not isinstance(key, str) or not isinstance(location, str) or type(count) is not int or count < 0:
        raise ValueError("the name of a storage has not its key, its device, or the number of its elements")
    return identity[1:]


def dtype_of(kind: Any) -> dtypes.dtype | None:
    """Return the dtype of a type of storages; None for bytes.

    Raises:
        ValueError: if `kind` is not a type of storages.
    """
    if kind is Untyped:
        return None
    if not isinstance(kind, Name) or kind.name not in STORAGES:
        raise ValueError("a storage is of no type of storages")
    return dtypes.by_name(STORAGES[kind.name])


def shown_as(storage: Storage, dtype: dtypes.dtype | None) -> StorageBase:
    """Return a storage viewed as a dtype."""
    untyped = UntypedStorage(storage)
    return untyped if dtype is None else TypedStorage(wrap_storage=untyped, dtype=dtype)


@contextmanager
def weights_only(name: str, content: bytes = b"") -> Iterator[None]:
    """Add to a refusal the kind of file, and for opcodes all names that are not allowed."""
    with damage(f"{name} is damaged: "):
        try:
            yield
        except DamagedFileError:
            raise
        except UnpicklingError as error:
            names = NameSurvey().names_in(content) if isinstance(error, trusted.NotAllowedError) else []
            reason = trusted.refusal(names) if names else error
            raise UnpicklingError(
                f"Weights only load failed: {name} holds more than tensors, containers and layers: {reason}"
            ) from error


def load(source: Source, map_location: MapLocation, encoding: str) -> Any:
    """Return the object that `torch.save` wrote.

    Raises:
        DamagedFileError: if the file is damaged, or not an archive written by `torch.save`.
        UnpicklingError: if it contains more than tensors and plain containers.
        RuntimeError: if a tensor comes from an unavailable device.
    """
    with damage(f"{FAILED} reading zip archive: ", SUSPICION):
        archive = Archive(source, map_location)
    content = archive.read("data.pkl")
    objects, memory = Budget(len(content)), Budget(source.size)
    machine = Machine(Allowed(objects, memory), archive.storage, objects, encoding)
    with weights_only(source.name, content):
        result = machine.run(BytesIO(content))
        check_result(result)
    return result
