"""Files for reading: never read beyond the end, and with checked results."""

from __future__ import annotations

import os
from copy import copy
from typing import Any

import numpy as np

from .errors import DamagedFileError

READ_AT_ONCE = 1 << 23


class Source:
    """The rest of a file, from its current position.

    Args:
        file: file object with `read`, `seek` and `tell`; `readinto` and `readline` are used if present.
        name: the name of the file, for errors.

    Attributes:
        at: the position of the next byte.
        begin, end: the initial position, and the end.
    """

    def __init__(self, file: Any, name: str) -> None:
        self.file, self.name = file, name
        self.into = getattr(file, "readinto", None)
        self.at = self.begin = file.tell()
        file.seek(0, os.SEEK_END)
        self.end = file.tell()
        file.seek(self.begin)

    @property
    def size(self) -> int:
        """Return the number of bytes at the beginning."""
        return self.end - self.begin

    @property
    def left(self) -> int:
        """Return the number of bytes left."""
        return self.end - self.at

    def tell(self) -> int:
        """Return the position of the next byte."""
        return self.at

    def seekable(self) -> bool:
        """Return True; for `zipfile`."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move to a position.

        Raises:
            ValueError: if it is before the beginning of the file.
        """
        at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self.at, os.SEEK_END: self.end}[whence]
        if at < 0:
            raise ValueError(f"a part of it would begin at byte {at}")
        if at != self.at and at <= self.end:
            self.file.seek(at)
        self.at = at
        return at

    def read(self, count: int = -1) -> bytes:
        """Return `count` bytes, or those that are left if there are fewer.

        Raises:
            DamagedFileError: if the file returns something else.
        """
        wanted = max(self.left if count < 0 else min(count, self.left), 0)
        pieces = []
        while wanted:  # a file object may return less at once
            piece = self.checked(self.file.read(wanted), wanted)
            if not piece:
                break
            pieces.append(piece)
            self.at += len(piece)
            wanted -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def part(self, begin: int, size: int) -> Source:
        """Return a part of the file as a source, to be read before the rest."""
        part = copy(self)
        part.begin = part.at = begin
        part.end = begin + size
        self.file.seek(begin)
        return part

    def readline(self) -> bytes:
        """Return the bytes up to and including the end of the line."""
        start, pieces = self.at, []
        while piece := self.read(256):
            at = piece.find(b"\n") + 1
            if at:
                pieces.append(piece[:at])
                break
            pieces.append(piece)
        line = b"".join(pieces)
        self.seek(start + len(line))
        return line

    def readinto(self, array: np.ndarray[Any, Any]) -> None:
        """Fill a contiguous array.

        Raises:
            DamagedFileError: if the file ends before, or returns something else.
        """
        count = self.into(array) if self.into and array.size else 0
        if count != array.nbytes:
            self.fill(memoryview(array).cast("B"), count)  # type: ignore[arg-type]
        self.at += array.nbytes

    def fill(self, memory: memoryview, at: Any) -> None:
        """Fill memory in pieces, from `at` on."""
        count = at
        while True:
            if type(count) is not int or not 0 <= at <= len(memory):
                raise self.wrong(count)
            if at == len(memory):
                return
            if self.into:
                count = self.into(memory[at:])
            else:
                piece = self.checked(self.file.read(min(READ_AT_ONCE, len(memory) - at)), len(memory) - at)
                count = len(piece)
                memory[at : at + count] = piece
            if count == 0:
                raise DamagedFileError(f"{self.name}: the file became shorter while it was read")
            at += count if type(count) is int else 0

    def checked(self, content: Any, most: int) -> bytes:
        """Return the checked result of the file's `read`.

        Raises:
            DamagedFileError: if it is not bytes, or too long.
        """
        if type(content) is not bytes:
            try:
                content = bytes(memoryview(content))
            except TypeError:
                raise self.wrong(content) from None
        if len(content) > most:
            raise DamagedFileError(
                f"{self.name} cannot be read: its read() gave {len(content)} bytes instead of {most}"
            )
        return content

    def wrong(self, content: Any) -> DamagedFileError:
        """Return the error for a file object that does not return bytes."""
        return DamagedFileError(
            f"{self.name} cannot be read: its read() gave {type(content).__name__}; a file must be open for reading "
            "bytes, and not wait for more of them"
        )
