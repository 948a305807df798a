"""The process group, of one process: creation, destruction, rank (0) and size (1)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlparse

from .errors import refuse_several

NOT_INITIALIZED = "Default process group has not been initialized, please make sure to call init_process_group."
BACKENDS = ("gloo", "cpu:gloo", "undefined")
default_pg_timeout = timedelta(minutes=30)


class ProcessGroup:
    """A group of processes: this one.

    Args:
        backend: name of the backend.
    """

    def __init__(self, backend: str = "gloo") -> None:
        self.backend = backend

    def rank(self) -> int:
        """Return the rank, 0."""
        return 0

    def size(self) -> int:
        """Return the size, 1."""
        return 1

    def name(self) -> str:
        """Return the name of the backend."""
        return self.backend


class WorldOfGroup(type):
    """The class of `group`: its `WORLD` is the group of all processes."""

    world: ProcessGroup | None = None

    @property
    def WORLD(cls) -> ProcessGroup | None:  # noqa: N802 - torch's name
        """The group of all processes; None before `init_process_group`."""
        return WorldOfGroup.world

    @WORLD.setter
    def WORLD(cls, value: ProcessGroup | None) -> None:  # noqa: N802 - torch's name
        WorldOfGroup.world = value


class group(metaclass=WorldOfGroup):  # noqa: N801 - torch's name
    """The group of all processes, `WORLD`; None before `init_process_group`."""


class GroupMember(metaclass=WorldOfGroup):
    """The group of all processes, `WORLD`, and the marker of a group to which this process does not belong."""

    NON_GROUP_MEMBER = -100


class Backend(str):
    """Names of communication backends, none of which is used here."""

    UNDEFINED = "undefined"
    GLOO = "gloo"
    NCCL = "nccl"
    UCC = "ucc"
    MPI = "mpi"
    XCCL = "xccl"

    __slots__ = ()


def is_initialized() -> bool:
    """Return whether `init_process_group` was called."""
    return WorldOfGroup.world is not None


def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: timedelta | None = None,
    world_size: int = -1,
    rank: int = -1,
    store: Any = None,
    group_name: str = "",
    pg_options: Any = None,
    device_id: Any = None,
) -> None:
    """Create the group of the one process.

    Args:
        backend: "gloo", or None for the same.
        init_method: source of rank and size: "env://" for the environment variables RANK and WORLD_SIZE, "file://..."
            or "tcp://..." with a query; not with `store`.
        timeout, group_name, pg_options, device_id: without effect.
        world_size: number of processes: 1.
        rank: rank of this process: 0.
        store: accepted instead of `init_method`, without effect.

    Raises:
        ValueError: if the group exists already, the backend is unknown, or rank or size are not given.
        RuntimeError: if there are several processes, or the backend is one of other devices.
    """
    if is_initialized():
        raise ValueError("trying to initialize the default process group twice!")
    if store is not None and init_method is not None:
        raise AssertionError("Cannot specify both init_method and store.")
    name = check_backend(backend)
    if store is None:
        rank, world_size = met(init_method or "env://", rank, world_size)
    if rank < 0 or world_size < 1:
        raise ValueError(f"init_process_group: expected rank=0 and world_size=1, got {rank} and {world_size}")
    refuse_several("init_process_group", world_size)
    if rank >= world_size:
        raise ValueError(f"init_process_group: rank {rank} is not below world_size {world_size}")
    WorldOfGroup.world = ProcessGroup(name)


def check_backend(backend: str | None) -> str:
    """Return the name of a backend.

    Raises:
        RuntimeError: if the backend is for other devices.
        ValueError: if the backend is unknown.
    """
    name = "gloo" if backend is None else str(backend).lower()
    if name in (Backend.NCCL, Backend.UCC, Backend.MPI, Backend.XCCL):
        raise RuntimeError(f"Distributed package doesn't have {name.upper()} built in: use backend='gloo'")
    if name not in BACKENDS:
        raise ValueError(f"init_process_group: unknown backend {backend!r}: use 'gloo'")
    return name


def met(init_method: str, rank: int, world_size: int) -> tuple[int, int]:
    """Return rank and size of the group, read from `init_method`.

    Raises:
        ValueError: if the rank or the size is not given.
    """
    address = urlparse(init_method)
    if address.scheme not in ("env", "file", "tcp"):
        raise RuntimeError(f"No rendezvous handler for {address.scheme}://")
    query, numbers = parse_qs(address.query), []
    for name, value in (("rank", rank), ("world_size", world_size)):
        number = value if value >= 0 else query.get(name, [None])[0]
        if number is None and address.scheme == "env":
            number = os.environ.get(name.upper())
        if number is None:
            expected = f"environment variable {name.upper()} expected, but not set"
            raise ValueError(
                f"Error initializing torch.distributed using {address.scheme}:// rendezvous: "
                f"{expected if address.scheme == 'env' else f'{name} parameter missing'}"
            )
        numbers.append(int(number))
    return numbers[0], numbers[1]


def destroy_process_group(group: Any = None) -> None:
    """Destroy the group of all processes; other groups need no destruction.

    Raises:
        ValueError: if there is no group.
    """
    if group_of(group) is WorldOfGroup.world:
        WorldOfGroup.world = None


def group_of(group: Any) -> ProcessGroup:
    """Return the group, or that of all processes if it is None.

    Raises:
        ValueError: if no group was initialised.
        TypeError: if `group` is not a process group.
    """
    if WorldOfGroup.world is None:
        raise ValueError(NOT_INITIALIZED)
    if group is None:
        return WorldOfGroup.world
    if not isinstance(group, ProcessGroup):
        raise TypeError(f"expected a group of processes, but got {type(group).__name__}")
    return group


def check_rank(name: str, rank: int | None) -> None:
    """Refuse the rank of a process that does not exist.

    Raises:
        ValueError: if the rank is not 0.
    """
    if rank not in (None, 0):
        raise ValueError(f"{name}: there is no process of rank {rank}: the group has one, of rank 0")


def new_group(ranks: Sequence[int] | None = None, *options: Any, backend: str | None = None, **named: Any) -> Any:
    """Create a group of some processes, which can only be the one process.

    Args:
        ranks: ranks of the processes; all unless given.
        options, named: torch's, without effect.
        backend: as for `init_process_group`.

    Raises:
        ValueError: if there is no such process.
    """
    world = group_of(None)
    for rank in ranks or ():
        check_rank("new_group", rank)
    if ranks is not None and not len(ranks):
        return GroupMember.NON_GROUP_MEMBER
    return ProcessGroup(world.backend if backend is None else check_backend(backend))


def get_rank(group: Any = None) -> int:
    """Return 0, the rank of this process."""
    return group_of(group).rank()


def get_world_size(group: Any = None) -> int:
    """Return 1, the number of processes."""
    return group_of(group).size()


def get_backend(group: Any = None) -> str:
    """Return the name of the group's backend."""
    return group_of(group).backend


def get_process_group_ranks(group: Any = None) -> list[int]:
    """Return the ranks of a group: that of this process."""
    group_of(group)
    return [0]


def get_global_rank(group: Any, group_rank: int) -> int:
    """Return the global rank of a process of a group: 0."""
    group_of(group)
    check_rank("get_global_rank", group_rank)
    return 0


def get_group_rank(group: Any, global_rank: int) -> int:
    """Return the rank in a group of a process with a global rank: 0."""
    group_of(group)
    check_rank("get_group_rank", global_rank)
    return 0


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """Return the rank of this process on this machine."""
    return int(os.environ.get("LOCAL_RANK", 0 if fallback_rank is None else fallback_rank))
