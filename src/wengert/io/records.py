"""The members of zip archives that hold them as they are, one after the other: their sizes held against the file's."""

from __future__ import annotations

import os
import reprlib
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np

from .weights import read_into

FAILED = "PytorchStreamReader failed {}: {}. The file may have been damaged, or may be none that torch.save wrote"
"""What is said of archives: what was tried, and what is wrong."""


class Records:
    """The members of an archive by name; all lie in one folder, the `root`.

    Raises:
        ValueError: it is damaged, or its members are compressed or encrypted.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        begin = file.tell()
        self.size = file.seek(0, os.SEEK_END) - begin
        file.seek(begin)
        self.name = name
        with damage(name):
            self.zip = zipfile.ZipFile(file)
        self.members = {info.filename: info for info in self.zip.infolist()}
        if len(self.members) != len(self.zip.infolist()):
            raise ValueError(f"{name} is damaged: it has two members of one name")
        self.root = self.find_root()
        self.check_sizes()

    def find_root(self) -> str:
        """The folder in which all members lie, with the sign that ends it."""
        roots = {each.partition("/")[0] if "/" in each else "" for each in self.members}
        if len(roots) != 1 or "" in roots:
            raise ValueError(f"{self.name} is no archive of torch: its members do not lie in one folder")
        return f"{roots.pop()}/"

    def check_sizes(self) -> None:
        """Refuse members that are packed, or say that they are larger than the file.

        Raises:
            ValueError: one is.
        """
        for info in self.members.values():
            if info.compress_type != zipfile.ZIP_STORED or info.file_size != info.compress_size or info.flag_bits & 1:
                raise ValueError(f"{self.name}: {info.filename!r} is compressed or encrypted; torch.save does neither")
        together = sum(info.file_size for info in self.members.values())
        if together > self.size:
            raise ValueError(f"{self.name} is damaged: its members take {together} bytes, the file has {self.size}")

    def bytes_of(self, member: str) -> np.ndarray[Any, Any]:
        """The bytes of a member; their check sum has been checked."""
        info = self.members.get(self.root + member)
        if info is None:
            raise ValueError(f"{self.name} is damaged: it has no member {reprlib.repr(self.root + member)}")
        found = np.empty(info.file_size, np.uint8)
        with damage(self.name), self.zip.open(info) as opened:
            read_into(opened, found, self.name)  # type: ignore[arg-type]
            if opened.read(1):
                raise ValueError(f"{info.filename!r} is longer than it says")
        return found

    def read(self, member: str) -> bytes:
        """A short member."""
        return self.bytes_of(member).tobytes()


@contextmanager
def damage(name: str) -> Iterator[None]:
    """Let what `zipfile` says of a file be one kind of error."""
    try:
        yield
    except (
        *(zipfile.BadZipFile, struct.error, NotImplementedError, RuntimeError, EOFError, OverflowError, zlib.error),
        *(ValueError, IndexError, KeyError, AttributeError),
    ) as error:
        raise ValueError(f"{name} is damaged: {error}") from error
