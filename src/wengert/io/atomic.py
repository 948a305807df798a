"""Atomic writing of files."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

try:
    import fcntl
except ImportError:  # a system without file locks
    fcntl = None  # type: ignore[assignment]

SUFFIX = ".part"


def write_atomically(path: str | os.PathLike[str], content: bytes | str | Iterable[Any]) -> Path:
    """Write a file atomically: to a temporary file that is then moved, so that a reader sees the old or the new file.

    The new file gets the permissions of the old one, and replaces the target of a link, not the link. Temporary files
    of a killed process are removed by the next write to the same path (except on Windows).

    Args:
        path: path of the file; its folder must exist.
        content: bytes, text to be written as UTF-8, or an iterable of pieces: bytes, NumPy arrays, other contiguous
            buffers.

    Returns:
        The path.

    Raises:
        OSError: if the file cannot be written; the old file is then unchanged.
    """
    place = place_of(path)
    old = status(place)
    if old is not None and not stat.S_ISREG(old.st_mode):
        number = errno.EISDIR if stat.S_ISDIR(old.st_mode) else errno.EINVAL
        raise OSError(number, "only a regular file can be replaced", str(place))
    if isinstance(content, str):
        content = content.encode("utf-8")
    pieces: Iterable[Any] = [content] if isinstance(content, bytes) else content
    remove_left_over(place)
    with new_part(place, 0o666 if old is None else 0o600) as (file, part):
        for piece in pieces:
            file.write(piece)
        file.flush()
        if old is not None:
            take_over(part, old)
        os.fsync(file.fileno())
        if fcntl is None:
            file.close()  # Windows does not move open files
        os.replace(part, place)
    keep_name(place.parent)
    return Path(path)


def place_of(path: str | os.PathLike[str]) -> Path:
    """Return the path of the file after following all links.

    Raises:
        OSError: if the links form a cycle.
    """
    place = os.path.realpath(path)
    if os.path.islink(place):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return Path(place)


def status(place: Path) -> os.stat_result | None:
    """Return the status of a file; None if there is none."""
    try:
        return os.stat(place)
    except FileNotFoundError:
        return None


def take_over(part: Path, old: os.stat_result) -> None:
    """Copy permissions and, if allowed, the owner of the old file to the new one."""
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):
            os.chown(part, old.st_uid, old.st_gid)
    os.chmod(part, stat.S_IMODE(old.st_mode))


def keep_name(folder: Path) -> None:
    """Flush a folder, so that a file that was just moved survives a failure of the machine.

    Some systems and file systems cannot do this; after a failure the file may then still be the old one, but whole.
    """
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


# ---- temporary files -------------------------------------------------------------------------------------------------
#
# The writer of a part holds a lock on it, which ends with the process: a part that can be locked is a left-over. It
# may also be a part that its writer has not locked yet; so the writer checks, holding the lock, whether its part
# still exists.


def prefix_of(place: Path) -> str:
    """Return the prefix of temporary files: short, because the file's name may have the maximal length."""
    import hashlib  # too slow to be imported with the package

    return f".wengert-{hashlib.blake2b(os.fsencode(place.name), digest_size=8).hexdigest()}-"


@contextlib.contextmanager
def new_part(place: Path, mode: int) -> Iterator[tuple[BinaryIO, Path]]:
    """Open a new locked file beside `place`; yield it and its path, and remove it afterwards unless it was moved."""
    while True:
        part = place.with_name(prefix_of(place) + os.urandom(8).hex() + SUFFIX)
        try:
            with open(part, "xb", opener=lambda path, flags: os.open(path, flags, mode)) as file:
                if is_kept(file.fileno()):
                    yield file, part
                    return
        finally:
            with contextlib.suppress(OSError):
                os.unlink(part)


def is_kept(handle: int) -> bool:
    """Lock a new part; return False if another process has removed it as a left-over."""
    try:
        return is_locked(handle) and os.fstat(handle).st_nlink > 0
    except OSError:  # without locks nothing is removed
        return True


def is_locked(handle: int) -> bool:
    """Lock a file for this process; return False if another process holds the lock.

    Raises:
        OSError: if this system, or this kind of file system, has no locks.
    """
    if not hasattr(fcntl, "flock"):  # Windows; some Pythons in a browser have an empty `fcntl`
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def remove_left_over(place: Path) -> None:
    """Remove the left-over temporary files of `place`, as far as allowed."""
    prefix = prefix_of(place)
    with contextlib.suppress(OSError):
        for name in os.listdir(place.parent):
            if name.startswith(prefix) and name.endswith(SUFFIX):
                remove_if_left_over(place.with_name(name))


def remove_if_left_over(part: Path) -> None:
    """Remove a temporary file unless another process writes it."""
    with contextlib.suppress(OSError):
        handle = os.open(part, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            if is_locked(handle):
                os.unlink(part)
        finally:
            os.close(handle)
