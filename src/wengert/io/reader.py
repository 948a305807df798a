"""Records of torch's archives, as in `torch.PyTorchFileReader`."""

from __future__ import annotations

import os
from typing import Any, BinaryIO, NoReturn, cast

from .._tensor import Tensor
from .._tensor.attributes import dtypes
from ..ops.create.create import empty
from ..ops.memory.storages import StorageBase, UntypedStorage
from .errors import DamagedFileError, damage
from .placing import memory_of
from .records import FAILED, SUSPICION, Records
from .source import Source

_IN_PACKAGE = ("PyTorchFileReader",)

LOCAL_HEADER = 30  # bytes before the name in the header of a member


class PyTorchFileReader:
    """Reader of the records of an archive of `torch.save`, which stays open while the reader lives.

    Nothing in it is run or unpickled.

    Args:
        file: path of the file, or a file object with `read`, `seek` and `tell`.

    Raises:
        AttributeError: if it is neither.
        RuntimeError: if the file cannot be read, or is not a complete archive with a `version`.
    """

    def __init__(self, file: str | os.PathLike[str] | BinaryIO, /) -> None:
        self._opened: BinaryIO | None = None
        if isinstance(file, (str, os.PathLike)):
            name = os.fspath(file)
            opened: BinaryIO
            try:
                self._opened = opened = cast(BinaryIO, open(name, "rb"))  # noqa: SIM115 - it stays open
            except OSError as error:
                raise RuntimeError(
                    f"open file failed because of errno {error.errno}: {error.strerror}, file path: {name}"
                ) from error
        else:
            for method in ("tell", "seek", "read"):
                if not hasattr(file, method):
                    raise AttributeError(f"{type(file).__name__!r} object has no attribute {method!r}")
            opened, name = file, str(getattr(file, "name", type(file).__name__))
        try:
            with damage(f"{FAILED} reading zip archive: ", SUSPICION):
                self._records = Records(Source(opened, name))
                if not self.has_record("version"):
                    raise ValueError(f"{name} has no record of its version")
        except DamagedFileError:
            self._close()
            raise

    def _close(self) -> None:
        if self._opened is not None:
            self._opened.close()

    def __del__(self) -> None:
        if getattr(self, "_opened", None) is not None:
            self._close()

    def __reduce__(self) -> NoReturn:
        raise TypeError("cannot pickle 'PyTorchFileReader' object: it is an open file")

    def get_all_records(self) -> list[str]:
        """Return the names of all records, in the order of the file."""
        root = self._records.root
        return [member.removeprefix(root) for member in self._records.members]

    def has_record(self, name: str, /) -> bool:
        """Return whether there is a record of this name."""
        return self._records.root + name in self._records.members

    def _info(self, name: str) -> Any:
        if not isinstance(name, str):
            raise TypeError(f"PyTorchFileReader: the name of a record must be str, not {type(name).__name__}")
        info = self._records.members.get(self._records.root + name)
        if info is None:
            raise RuntimeError(f"{FAILED} locating file {name}: file not found{SUSPICION}")
        return info

    def get_record(self, name: str, /) -> bytes:
        """Return the bytes of a record.

        Raises:
            RuntimeError: if there is no such record, or it is damaged.
        """
        return self._bytes(name).tobytes()

    def _bytes(self, name: str) -> Any:
        self._info(name)
        try:
            return self._records.bytes_of(name)
        except ValueError as error:
            raise DamagedFileError(f"{FAILED} reading file {name}: {error}{SUSPICION}") from error

    def get_record_size(self, name: str, /) -> int:
        """Return the number of bytes of a record; RuntimeError if there is no such record."""
        return cast(int, self._info(name).file_size)

    def get_record_header_offset(self, name: str, /) -> int:
        """Return the offset of the header of a record in the file; RuntimeError if there is no such record."""
        return cast(int, self._info(name).header_offset)

    def get_record_offset(self, name: str, /) -> int:
        """Return the offset of the bytes of a record in the file; RuntimeError if there is no such record."""
        start = self.get_record_header_offset(name)
        file = cast(BinaryIO, self._records.zip.fp)
        before = file.tell()
        file.seek(start)
        header = file.read(LOCAL_HEADER)
        file.seek(before)
        if len(header) != LOCAL_HEADER or header[:4] != b"PK\x03\x04":
            raise DamagedFileError(f"{FAILED} reading the header of {name}: it is none{SUSPICION}")
        return start + LOCAL_HEADER + int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")

    def get_storage_from_record(self, name: str, numel: int, dtype: Any, /) -> Tensor:
        """Return a record as a storage.

        Args:
            name: the name of the record.
            numel: the number of elements.
            dtype: the dtype of the elements; a class of untyped storages stands for `uint8`.

        Returns:
            A tensor of shape (0,) on a new storage with the bytes of the record, as in the file.

        Raises:
            RuntimeError: if there is no such record, it is damaged, or its size differs.
            TypeError: if `dtype` is not a dtype.
        """
        wanted = dtypes.uint8 if isinstance(dtype, type) and issubclass(dtype, StorageBase) else dtype
        if not isinstance(wanted, dtypes.dtype):
            raise TypeError(f"get_storage_from_record(): expected a dtype, not {type(dtype).__name__}")
        size, wanted_size = self.get_record_size(name), int(numel) * wanted.itemsize
        if size != wanted_size:
            raise RuntimeError(
                f"record size ({size} bytes) does not match expected size ({wanted_size} bytes = {int(numel)} "
                f"elements * {wanted.itemsize} bytes/element) for dtype {wanted}"
            )
        storage = UntypedStorage(memory_of(self._bytes(name)))
        return empty(0, dtype=wanted).set_(storage, 0, (0,), (1,))

    def serialization_id(self) -> str:
        """Return the identity of this archive; empty if it has none."""
        return self.get_record(ID).decode("utf-8", "replace") if self.has_record(ID) else ""


ID = ".data/serialization_id"
