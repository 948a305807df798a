"""Memory that processes share, and memory that is a file: mappings of the system, with a way to other processes."""

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
    """A mapping that can be sent to other processes, which then see the same memory.

    Attributes:
        handle: a file descriptor of its own; None for the private copy of a file.
        filename: of a file that was named; None for memory that is only shared.
    """

    handle: int | None = None
    filename: str | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle, as opposed to what is sent to another process, is a copy."""
        return np.array, (np.frombuffer(self, np.uint8),)

    def __del__(self) -> None:
        if self.handle is not None:
            os.close(self.handle)


def map_handle(handle: int, size: int) -> Mapping:
    """The memory behind a file descriptor, which the mapping then owns."""
    mapping = Mapping(handle, max(size, 1))
    mapping.handle = handle
    return mapping


def attach(duplicate: Any, size: int) -> Any:
    """In another process: the memory that was sent."""
    register()
    return map_handle(duplicate.detach(), size)


def send(mapping: Mapping) -> tuple[Any, ...]:
    """For `multiprocessing`: the memory itself, unless it is a private copy."""
    if mapping.handle is None:
        return mapping.__reduce__()
    from multiprocessing.reduction import DupFd

    return attach, (DupFd(mapping.handle), len(mapping))


def register() -> None:
    """Let `multiprocessing` send mappings; it is imported only by programs that share memory."""
    from multiprocessing.reduction import ForkingPickler

    ForkingPickler.register(Mapping, send)


def new_shared(size: int) -> Mapping:
    """New memory that other processes can be given."""
    if hasattr(os, "memfd_create"):
        handle = os.memfd_create("wengert")
    else:
        with tempfile.TemporaryFile() as file:
            handle = os.dup(file.fileno())
    os.ftruncate(handle, max(size, 1))
    register()
    return map_handle(handle, size)


def mapping_of(storage: Storage) -> Mapping | None:
    """The mapping that the memory of a storage is, if it is one."""
    root = memory_of(storage.array)
    while isinstance(root, np.ndarray):
        root = root.base
    if isinstance(root, memoryview):
        root = root.obj
    return root if isinstance(root, Mapping) else None


def place_in_mapping(storage: Storage) -> tuple[Mapping | None, int]:
    """The mapping that the memory of a storage is part of, if there is one, and where in it the storage starts."""
    mapping = mapping_of(storage)
    if mapping is None or mapping.handle is None:
        return None, 0
    return mapping, address(storage.array) - address(np.frombuffer(mapping, np.uint8))


def is_shared(storage: Storage) -> bool:
    """Whether other processes may see the memory of a storage."""
    mapping = mapping_of(storage)
    return mapping is not None and mapping.handle is not None


def share(storage: Storage) -> None:
    """Move the memory of a storage, and all tensors on it, to where other processes can see it."""
    if is_shared(storage):
        return
    size = size_in_bytes(storage)
    whole = np.frombuffer(new_shared(size), np.uint8)[:size]
    whole[...] = first_bytes(storage.array, size)
    move_storage(storage, whole)


def map_file(filename: str | os.PathLike[str], shared: bool, size: int) -> Storage:
    """The first bytes of a file as memory.

    Args:
        filename: its name; if `shared`, the file is made, or made longer, where that is needed.
        shared: whether writes go to the file; otherwise they stay in this process.
        size: how many bytes.

    Raises:
        RuntimeError: there is no such file, or it is too short.
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
