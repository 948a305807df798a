"""A file that is being read: no more is asked of it than it has, and what it gives is checked."""

from __future__ import annotations

import os
from copy import copy
from typing import Any

import numpy as np

from .errors import DamagedFileError

READ_AT_ONCE = 1 << 23


class Source:
    """The rest of a file, from where it stands.

    Args:
        file: file object with `read`, `seek` and `tell`; `readinto` and `readline` are used where it has them.
        name: of the file, for errors.

    Attributes:
        at: where the next byte is read.
        begin, end: where it stood, and where it ends.
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
        """How many bytes there were at the beginning."""
        return self.end - self.begin  # type: ignore[no-any-return]

    @property
    def left(self) -> int:
        """How many bytes are left."""
        return self.end - self.at  # type: ignore[no-any-return]

    def tell(self) -> int:
        """Where the next byte is read."""
        return self.at  # type: ignore[no-any-return]

    def seekable(self) -> bool:
        """True: `zipfile` asks."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move to a place.

        Raises:
            ValueError: if it lies before the beginning of the file.
        """
        at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self.at, os.SEEK_END: self.end}[whence]
        if at < 0:
            raise ValueError(f"a part of it would begin at byte {at}")
        if at != self.at and at <= self.end:
            self.file.seek(at)
        self.at = at
        return at

    def read(self, count: int = -1) -> bytes:
        """Return so many bytes, or those that are left if there are fewer.

        Raises:
            DamagedFileError: if the file gives something else.
        """
        wanted = max(self.left if count < 0 else min(count, self.left), 0)
        pieces = []
        while wanted:  # a file object may give less at once
            piece = self.checked(self.file.read(wanted), wanted)
            if not piece:
                break
            pieces.append(piece)
            self.at += len(piece)
            wanted -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def part(self, begin: int, size: int) -> Source:
        """A part of the file, which is read before anything else of it."""
        part = copy(self)
        part.begin = part.at = begin
        part.end = begin + size
        self.file.seek(begin)
        return part

    def readline(self) -> bytes:
        """Return the bytes to the end of the line, which is among them."""
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
        """Fill an array, whose memory is contiguous.

        Raises:
            DamagedFileError: if the file ends before, or gives something else.
        """
        count = self.into(array) if self.into and array.size else 0
        if count != array.nbytes:
            self.fill(memoryview(array).cast("B"), count)  # type: ignore[arg-type]
        self.at += array.nbytes

    def fill(self, memory: memoryview, at: Any) -> None:
        """Fill memory piece by piece, of which the beginning is there."""
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
        """What `read` of the file gave.

        Raises:
            DamagedFileError: if these are no bytes, or too many.
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
        return content  # type: ignore[no-any-return]

    def wrong(self, content: Any) -> DamagedFileError:
        """The error for a file object that gives no bytes."""
        return DamagedFileError(
            f"{self.name} cannot be read: its read() gave {type(content).__name__}; a file must be open for reading "
            "bytes, and not wait for more of them"
        )
