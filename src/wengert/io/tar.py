"""torch's first format, until version 0.1.12: a tar archive of three members.

`storages` and `tensors` are lists, in which each item follows its description, a pickle; `pickle` is the object, which
refers to them by number. torch reads such files only with `weights_only=False`, by running their pickles; here nothing
is run.
"""

from __future__ import annotations

import struct
from pickle import UnpicklingError
from typing import Any

from .._core.tensor.storage import Storage
from .._tensor import Tensor
from .._tensor.attributes import dtypes
from ..ops.memory.storages import StorageBase
from .allowed import Allowed, check_result
from .archive import dtype_of, shown_as, weights_only
from .budget import Budget
from .errors import shown
from .legacy import new_memory, part_of
from .opcodes import Machine
from .placing import MapLocation, relocated
from .source import Source
from .surveys import Inert
from .weights import MOST_DIMENSIONS

BLOCK = 512
MARK = slice(257, 262)
"""Position of "ustar" in a header."""


def is_tar(start: bytes) -> bool:
    """Return whether a file with this start is a tar archive."""
    return start[MARK] == b"ustar"


def load(source: Source, map_location: MapLocation, encoding: str) -> Any:
    """Return the object that `torch.save` wrote.

    Raises:
        DamagedFileError, UnpicklingError, RuntimeError: as `legacy.load`.
    """
    with weights_only(source.name):
        members = members_of(source)
        content = Content(Budget(source.size), map_location, encoding)
        for name, read in (("storages", content.read_storages), ("tensors", content.read_tensors)):
            read(source.part(*members[name]))
        part = source.part(*members["pickle"])
        objects = Budget(part.size)
        allowed = Allowed(objects, content.placer.budget)
        result = Machine(allowed, content.find, objects, encoding).run(part)
        check_result(result)
        return result


def members_of(source: Source) -> dict[str, tuple[int, int]]:
    """Return offsets and sizes of the members of an archive.

    Raises:
        ValueError: if a member extends beyond the end of the file, or is missing.
    """
    members: dict[str, tuple[int, int]] = {}
    while (header := source.read(BLOCK)).strip(b"\0"):
        fields = [header[start : start + length].strip(b" \0") for start, length in ((124, 12), (148, 8))]
        if len(header) < BLOCK or not all(field.isdigit() for field in fields):
            raise ValueError("it is not a tar archive as torch wrote it")
        size, check = (int(field, 8) for field in fields)
        if sum(header) - sum(header[148:156]) + 8 * ord(" ") != check:
            raise ValueError("the check sum of a header is another one")
        if size > source.left:
            raise ValueError(f"a member has {size} bytes, but {source.left} are left")
        if header[156:157] in (b"0", b"\0"):  # a regular file
            members[header[:100].partition(b"\0")[0].decode("ascii", "replace")] = (source.at, size)
        source.seek(source.at + (size + BLOCK - 1) // BLOCK * BLOCK)
    missing = {"storages", "tensors", "pickle"} - set(members)
    if missing:
        raise ValueError(f"it has no member {min(missing)!r}")
    return members


class Content:
    """Storages and tensors of a file, by number.

    Args:
        budget: budget for reading through memory.
        map_location: see `load`.
        encoding: see `Machine`.
    """

    def __init__(self, budget: Budget, map_location: MapLocation, encoding: str) -> None:
        self.map_location, self.encoding = map_location, encoding
        self.placer = Allowed(budget, budget).placer
        self.storages: dict[int, tuple[dtypes.dtype | None, Storage]] = {}
        self.tensors: dict[int, Tensor] = {}

    def description(self, part: Source, *kinds: type) -> Any:
        """Return the next pickle of a member: a tuple of values of some types.

        Raises:
            ValueError: if it is something else.
        """
        nothing = Budget(0)
        values = Machine(Inert(nothing, nothing), refuse, nothing, self.encoding).run(part)
        values = values if isinstance(values, tuple) else (values,)
        if len(values) != len(kinds) or not all(map(isinstance, values, kinds)):
            raise ValueError("the description of a storage or a tensor is none")
        return values

    def read_storages(self, part: Source) -> None:
        """Read all storages, then the list of those that are views of others.

        Raises:
            ValueError: if a description does not fit.
        """
        (count,) = self.description(part, int)
        for _ in range(count):
            number, location, kind = self.description(part, int, str, object)
            dtype = dtype_of(kind)
            memory = new_memory(part, dtype, int.from_bytes(exactly(part, 8), "little", signed=True))
            self.storages[number] = (dtype, relocated(memory, location, self.map_location))
        (parts,) = self.description(part, list)
        for entry in parts:
            if not isinstance(entry, tuple) or [type(value) for value in entry] != [int] * 4:
                raise ValueError("a part of a storage is not described by four numbers")
            number, root, offset, count = entry
            dtype, memory = self.known(self.storages, root)
            self.storages[number] = (dtype, part_of(memory, dtype, offset, count))

    def read_tensors(self, part: Source) -> None:
        """Read storage, offset, shape and strides of the tensors.

        Raises:
            ValueError: if a description does not fit.
        """
        (count,) = self.description(part, int)
        for _ in range(count):
            number, root, _ = self.description(part, int, int, object)
            dtype, memory = self.known(self.storages, root)
            dimensions, _ = struct.unpack("<ii", exactly(part, 8))
            if dtype is None or not 0 <= dimensions <= MOST_DIMENSIONS:
                raise ValueError(f"a tensor has {dimensions} dimensions, or no dtype")
            values = struct.unpack(f"<{2 * dimensions + 1}q", exactly(part, 8 * (2 * dimensions + 1)))
            shape, strides, offset = values[:dimensions], values[dimensions:-1], values[-1]
            self.tensors[number] = self.placer.place(Tensor, memory, dtype, offset, shape, strides, False)

    def known(self, table: dict[int, Any], number: int) -> Any:
        """Return the entry with a number.

        Raises:
            ValueError: if there is none.
        """
        if number not in table:
            raise ValueError(f"there is no storage number {shown(number)}")
        return table[number]

    def find(self, identity: Any) -> Tensor | StorageBase:
        """Return the tensor or storage of a persistent name.

        Raises:
            ValueError: if there is none.
            UnpicklingError: if it is the name of a class.
        """
        if isinstance(identity, tuple):
            raise UnpicklingError("only tensors and storages have persistent names, not classes")
        if not isinstance(identity, (int, str, bytes)) or len(str(identity)) > len(str(2**64)):
            raise ValueError("the opcodes refer to a tensor by something other than a number")
        number = int(identity)
        if number in self.tensors:
            return self.tensors[number]
        dtype, memory = self.known(self.storages, number)
        return shown_as(memory, dtype)


def refuse(identity: Any) -> Any:
    """Refuse a persistent name in a description."""
    raise ValueError("a description names a storage")


def exactly(part: Source, count: int) -> bytes:
    """Return the next `count` bytes of a member.

    Raises:
        ValueError: if there are fewer.
    """
    content = part.read(count)
    if len(content) < count:
        raise ValueError("a member ends too early")
    return content
