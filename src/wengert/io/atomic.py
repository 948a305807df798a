"""Files that are there whole or not at all."""

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
except ImportError:  # a system without these locks
    fcntl = None  # type: ignore[assignment]

SUFFIX = ".part"


def write_atomically(path: str | os.PathLike[str], content: bytes | str | Iterable[Any]) -> Path:
    """Write a file beside its place and then move it there: a reader sees the old one or the new one, whole.

    The new file has the permissions of the old one, and takes the place of what a link leads to, not of the link. What
    a killed process has left unfinished is removed by the next that writes to the same place (except on Windows).

    Args:
        path: name of the file; its folder must exist.
        content: bytes, text to be written as UTF-8, or pieces: bytes, NumPy arrays, whatever has contiguous memory.

    Returns:
        The path.

    Raises:
        OSError: it cannot be written; what was there before is then untouched.
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
            file.close()  # Windows moves no open file
        os.replace(part, place)
    keep_name(place.parent)
    return Path(path)


def place_of(path: str | os.PathLike[str]) -> Path:
    """Where the file lies, or would be made: behind all links.

    Raises:
        OSError: the links form a circle.
    """
    place = os.path.realpath(path)
    if os.path.islink(place):
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return Path(place)


def status(place: Path) -> os.stat_result | None:
    """What is known of a file; None if there is none."""
    try:
        return os.stat(place)
    except FileNotFoundError:
        return None


def take_over(part: Path, old: os.stat_result) -> None:
    """Give a new file the permissions and, where that is allowed, the owner of the old one."""
    if hasattr(os, "chown"):
        with contextlib.suppress(OSError):
            os.chown(part, old.st_uid, old.st_gid)
    os.chmod(part, stat.S_IMODE(old.st_mode))


def keep_name(folder: Path) -> None:
    """Let the name of a file that has just been moved survive a failure of the machine.

    Some systems and some kinds of folders cannot; the file is then as whole, but may still be the old one.
    """
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


# ---- unfinished files ------------------------------------------------------------------------------------------------
#
# Whoever writes a part holds a lock on it, which goes with the process: a part that can be locked is a left-over. It
# may also be one that its writer has made but not locked yet; so the writer looks, holding the lock, whether its part
# is still there.


def prefix_of(place: Path) -> str:
    """How the names of unfinished files begin: short, for the name of the file may be as long as names can be."""
    import hashlib  # costs too much to be loaded with the package

    return f".wengert-{hashlib.blake2b(os.fsencode(place.name), digest_size=8).hexdigest()}-"


@contextlib.contextmanager
def new_part(place: Path, mode: int) -> Iterator[tuple[BinaryIO, Path]]:
    """A new file beside `place`, locked, open for writing, and its path; it is gone afterwards if it was not moved."""
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
    """Lock a new part; False if somebody has taken it for a left-over."""
    try:
        return is_locked(handle) and os.fstat(handle).st_nlink > 0
    except OSError:  # there are no locks, so nobody removes anything
        return True


def is_locked(handle: int) -> bool:
    """Lock a file for this process; False if another holds it.

    Raises:
        OSError: this system, or this kind of file system, has no locks.
    """
    if fcntl is None:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def remove_left_over(place: Path) -> None:
    """Remove the unfinished files for `place` that nobody writes any more, as far as that is allowed."""
    prefix = prefix_of(place)
    with contextlib.suppress(OSError):
        for name in os.listdir(place.parent):
            if name.startswith(prefix) and name.endswith(SUFFIX):
                remove_if_left_over(place.with_name(name))


def remove_if_left_over(part: Path) -> None:
    """Remove an unfinished file if nobody writes it; one that is another's stays."""
    with contextlib.suppress(OSError):
        handle = os.open(part, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            if is_locked(handle):
                os.unlink(part)
        finally:
            os.close(handle)
