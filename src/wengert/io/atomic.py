"""Files that are there whole or not at all."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def write_atomically(path: str | os.PathLike[str], content: bytes | str) -> Path:
    """Write a file beside its place and then move it there: a reader sees the old one or the new one, whole.

    Args:
        path: name of the file; its folder must exist.
        content: bytes, or text to be written as UTF-8.

    Returns:
        The path.

    Raises:
        OSError: it cannot be written; what was there before is then untouched.
    """
    import tempfile  # costs too much to be loaded with the package

    path = Path(path)
    data = content.encode("utf-8") if isinstance(content, str) else content
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o666 & ~current_mask())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    return path


def current_mask() -> int:
    """The permissions that new files of this process do not get."""
    mask = os.umask(0)
    os.umask(mask)
    return mask
