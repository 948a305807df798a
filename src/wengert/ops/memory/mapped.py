"""Memory mappings: memory shared by processes, and files as memory."""

from __future__ import annotations

import mmap
import os
import tempfile
from typing import Any

import numpy as np

from ..._core.tensor.storage import Storage, size_in_bytes
from ..._kernels.layout import address, memory_of
from .reach import first_bytes, move_storage


class Mapping(mmap.mmap):
    """Mapping that can be sent to other processes, which then see the same memory.

    Attributes:
        handle: file descriptor of the mapping; None for the private copy of a file.
        filename: name of a file; None for memory that is only shared.
    """

    handle: int | None = None
    filename: str | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the mapping as a copy, unlike sending it to another process."""
        return np.array, (np.frombuffer(self, np.uint8),)

    def __del__(self) -> None:
        if self.handle is not None:
            os.close(self.handle)


def map_handle(handle: int, size: int) -> Mapping:
    """Map the memory of a file descriptor, which the mapping then owns."""
    mapping = Mapping(handle, max(size, 1))
    mapping.handle = handle
    return mapping


def attach(duplicate: Any, size: int) -> Any:
    """Attach the memory that another process sent."""
    register()
    return map_handle(duplicate.detach(), size)


def send(mapping: Mapping) -> tuple[Any, ...]:
    """Reduce a mapping for `multiprocessing`: to the memory itself, unless it is a private copy."""
    if mapping.handle is None:
        return mapping.__reduce__()
    from multiprocessing.reduction import DupFd

    return attach, (DupFd(mapping.handle), len(mapping))


def register() -> None:
    """Let `multiprocessing` send mappings; it is imported only by programs that share memory."""
    from multiprocessing.reduction import ForkingPickler

    ForkingPickler.register(Mapping, send)


def new_shared(size: int) -> Mapping:
    """Allocate memory that can be shared with other processes."""
    if hasattr(os, "memfd_create"):
        handle = os.memfd_create("wengert")
    else:
        with tempfile.TemporaryFile() as file:
            handle = os.dup(file.fileno())
    os.ftruncate(handle, max(size, 1))
    register()
    return map_handle(handle, size)


def mapping_of(storage: Storage) -> Mapping | None:
    """Return the mapping that is the memory of a storage, if there is one."""
    root = memory_of(storage.array)
    while isinstance(root, np.ndarray):
        root = root.base
    if isinstance(root, memoryview):
        root = root.obj
    return root if isinstance(root, Mapping) else None


def place_in_mapping(storage: Storage) -> tuple[Mapping | None, int]:
    """Return the mapping that contains the memory of a storage, if there is one, and the start of the storage in it."""
    mapping = mapping_of(storage)
    if mapping is None or mapping.handle is None:
        return None, 0
    return mapping, address(storage.array) - address(np.frombuffer(mapping, np.uint8))


def is_shared(storage: Storage) -> bool:
    """Return whether other processes may see the memory of a storage."""
    mapping = mapping_of(storage)
    return mapping is not None and mapping.handle is not None


def share(storage: Storage) -> None:
    """Move the memory of a storage, and all tensors on it, to shared memory."""
    if is_shared(storage):
        return
    size = size_in_bytes(storage)
    memory = np.frombuffer(new_shared(size), np.uint8)[:size]
    memory[...] = first_bytes(storage.array, size)
    move_storage(storage, memory)


def map_file(filename: str | os.PathLike[str], shared: bool, size: int) -> Storage:
    """Map the first bytes of a file.

    Args:
        filename: its name; if `shared`, the file is created or extended if necessary.
        shared: whether writes go to the file; otherwise they stay in this process.
        size: number of bytes.

    Raises:
        RuntimeError: if the file does not exist, or is too short.
    """
    name = os.fspath(filename)
    if size < 0:
        raise RuntimeError(f"unable to mmap {size} bytes from file <{name}>: a size is not negative")
    try:
        handle = os.open(name, os.O_RDWR | os.O_CREAT if shared else os.O_RDONLY, 0o600)
    except OSError as error:
        mode = "read-write" if shared else "read-only"
        raise RuntimeError(f"unable to open file <{name}> in {mode} mode: {error.strerror} ({error.errno})") from error
    try:
        have = os.fstat(handle).st_size
        if have < size and not shared:
            raise RuntimeError(f"file <{name}> size <{have}> is smaller than the required mapping size <{size}>")
        if have < size:
            os.ftruncate(handle, size)
        if not size:
            return Storage(np.empty(0, np.uint8))
        access = mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY
        mapping = Mapping(handle, size, access=access)
        if shared:
            mapping.handle, mapping.filename = os.dup(handle), name
            register()
    finally:
        os.close(handle)
    return Storage(np.frombuffer(mapping, np.uint8))
