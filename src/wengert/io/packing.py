"""Writing of torch's archives: a folder of uncompressed members in a zip file, in pieces."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np

ALIGNMENT = 64
"""Alignment of the memory of storages, as in torch's files."""
HEADER = 30
"""Bytes of the header of a member before its name."""
PADDING = b"FB"
"""Identifier of the padding in a header, as in torch's files."""
VERSION = b"3\n"
FIXED = (1980, 1, 1, 0, 0, 0)
"""Date of all members: equal objects have equal files."""
LARGE = 2**31
"""Size from which the header of a member has further fields."""


class Pieces:
    """File object for writing, whose pieces are taken as they come."""

    def __init__(self) -> None:
        self.waiting: list[Any] = []

    def write(self, piece: Any) -> int:
        """Add a piece; the memory of a storage is not copied."""
        self.waiting.append(bytes(piece) if isinstance(piece, bytearray) else piece)
        return len(piece)

    def flush(self) -> None:
        """Do nothing: there is no file."""

    def take(self) -> list[Any]:
        """Return the pieces since the last call."""
        taken, self.waiting = self.waiting, []
        return taken


def member(root: str, name: str, size: int, start: int) -> zipfile.ZipInfo:
    """Return the entry of a member whose content begins at a multiple of 64 bytes."""
    info = zipfile.ZipInfo(f"{root}/{name}", FIXED)
    further = 20 if size > LARGE else 0
    before = start + HEADER + len(info.filename.encode()) + further + 4
    room = -before % ALIGNMENT
    info.extra = PADDING + room.to_bytes(2, "little") + b"Z" * room
    return info


def packed(content: bytes, memories: dict[str, np.ndarray[Any, Any]], root: str) -> Iterator[Any]:
    """Yield the pieces of an archive.

    Args:
        content: the opcodes of its object.
        memories: the bytes of each storage by key.
        root: the name of the folder.
    """
    file, at = Pieces(), 0
    members: dict[str, Any] = {"data.pkl": content, "byteorder": sys.byteorder.encode()}
    members |= {f"data/{key}": memory for key, memory in memories.items()} | {"version": VERSION}
    with zipfile.ZipFile(file, "w") as archive:  # type: ignore[call-overload]
        for name, value in members.items():
            size = len(value)
            with archive.open(member(root, name, size, at), "w", force_zip64=size > LARGE) as opened:
                opened.write(value)
            pieces = file.take()
            at += sum(map(len, pieces))
            yield from pieces
    yield from file.take()
