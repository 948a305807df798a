"""Members of uncompressed zip archives, with sizes checked against that of the file."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from .errors import damage, shown
from .source import Source

HEADER = 30
"""Bytes of the header of a member before its name."""
SHORT = 1 << 16
"""Largest size of members that are read by `zipfile`."""
FAILED = "PytorchStreamReader failed"
SUSPICION = ". The file may have been damaged, or may be none that torch.save wrote"
"""Texts of errors about archives, around the action and the cause."""


class Records:
    """Members of an archive by name, all in one folder, the `root`.

    Raises:
        ValueError: if it is damaged, or its members are compressed or encrypted.
    """

    def __init__(self, source: Source) -> None:
        self.source, self.size, self.name = source, source.size, source.name
        with zip_errors():
            self.zip = zipfile.ZipFile(source)
        self.members = {info.filename: info for info in self.zip.infolist()}
        if len(self.members) != len(self.zip.infolist()):
            raise ValueError("it has two members of one name")
        self.root = self.find_root()
        self.check_sizes()

    def find_root(self) -> str:
        """Return the folder of all members, with its final slash."""
        roots = {name.partition("/")[0] if "/" in name else "" for name in self.members}
        if len(roots) != 1 or "" in roots:
            raise ValueError("its members are not in one folder")
        return f"{roots.pop()}/"

    def check_sizes(self) -> None:
        """Refuse members that are compressed, or larger than the file.

        Raises:
            ValueError: if a member is.
        """
        for info in self.members.values():
            if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size or info.flag_bits & 1:
                raise ValueError(f"{shown(info.filename)} is compressed or encrypted; torch.save does neither")
        together = sum(info.file_size for info in self.members.values())
        if together > self.size:
            raise ValueError(f"its members take {together} bytes, the file has {self.size}")

    def bytes_of(self, member: str) -> np.ndarray[Any, Any]:
        """Return the bytes of a member, with a verified checksum.

        Raises:
            DamagedFileError: if there is no such member, or it is damaged.
        """
        with damage(f"{self.name} is damaged: "), zip_errors():
            info = self.members.get(self.root + member)
            if info is None:
                raise ValueError(f"it has no member {shown(self.root + member)}")
            with self.zip.open(info) as opened:  # which compares the name in the local header
                if info.file_size <= SHORT:
                    content = np.frombuffer(bytearray(opened.read()), np.uint8)
                else:
                    content = self.content_of(info)
            if len(content) != info.file_size:
                raise ValueError(f"{shown(info.filename)} has {len(content)} bytes, not {info.file_size}")
        return content

    def content_of(self, info: zipfile.ZipInfo) -> np.ndarray[Any, Any]:
        """Return the bytes of a large member, read directly into their memory.

        Raises:
            ValueError: if it is damaged, or extends beyond the file.
        """
        self.source.seek(info.header_offset)
        lengths = struct.unpack("<HH", self.source.read(HEADER)[-4:])  # of the name, and of further fields
        self.source.seek(self.source.at + sum(lengths))
        if self.source.left < info.file_size:
            raise ValueError(f"{shown(info.filename)} has {self.source.left} bytes, not {info.file_size}")
        content = np.empty(info.file_size, np.uint8)
        self.source.readinto(content)
        if zlib.crc32(content.data) != info.CRC:
            raise ValueError(f"Bad CRC-32 for file {info.filename!r}")
        return content

    def read(self, member: str) -> bytes:
        """Return a short member."""
        return self.bytes_of(member).tobytes()


@contextmanager
def zip_errors() -> Iterator[None]:
    """Context that turns errors of `zipfile` into ValueErrors."""
    try:
        yield
    except (
        *(zipfile.BadZipFile, struct.error, NotImplementedError, RuntimeError, EOFError, OverflowError, zlib.error),
        *(LookupError, AttributeError),
    ) as error:
        if isinstance(error, ValueError):
            raise
        raise ValueError(str(error) or type(error).__name__) from error
