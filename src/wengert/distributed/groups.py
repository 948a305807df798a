"""The group of the one process: it is made and unmade, and asked for its rank, 0, and its size, 1."""

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
        backend: by what name it was made.
    """

    def __init__(self, backend: str = "gloo") -> None:
        self.backend = backend

    def rank(self) -> int:
        """0."""
        return 0

    def size(self) -> int:
        """1."""
        return 1

    def name(self) -> str:
        """The name of what would carry messages."""
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
    """The same by another name, and what stands for a group that this process is no member of."""

    NON_GROUP_MEMBER = -100


class Backend(str):
    """Names of what carries messages between processes; here nothing does."""

    UNDEFINED = "undefined"
    GLOO = "gloo"
    NCCL = "nccl"
    UCC = "ucc"
    MPI = "mpi"
    XCCL = "xccl"

    __slots__ = ()


def is_initialized() -> bool:
    """Whether `init_process_group` was called."""
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
    """Make the group of the one process.

    Args:
        backend: "gloo", which nothing is asked of; None for the same.
        init_method: where the processes would meet: "env://" for the variables RANK and WORLD_SIZE of the environment,
            "file://..." or "tcp://..."; not with `store`.
        timeout, group_name, pg_options, device_id: have no effect.
        world_size: how many processes there are: one.
        rank: which of them this is: 0.
        store: where they would meet; not with `init_method`.

    Raises:
        ValueError: if the group is there already, the backend is not known, or rank or size are not given.
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
    """The name of a backend.

    Raises:
        RuntimeError: if it is one of other devices.
        ValueError: if it is not known.
    """
    name = "gloo" if backend is None else str(backend).lower()
    if name in (Backend.NCCL, Backend.UCC, Backend.MPI, Backend.XCCL):
        raise RuntimeError(f"Distributed package doesn't have {name.upper()} built in: use backend='gloo'")
    if name not in BACKENDS:
        raise ValueError(f"init_process_group: unknown backend {backend!r}: use 'gloo'")
    return name


def met(init_method: str, rank: int, world_size: int) -> tuple[int, int]:
    """The rank and the size of the group, from where the processes would meet.

    Raises:
        ValueError: if one is not given.
    """
    address = urlparse(init_method)
    if address.scheme not in ("env", "file", "tcp"):
        raise RuntimeError(f"No rendezvous handler for {address.scheme}://")
    query, numbers = parse_qs(address.query), []
    for name, given in (("rank", rank), ("world_size", world_size)):
        found = given if given >= 0 else query.get(name, [None])[0]
        if found is None and address.scheme == "env":
            found = os.environ.get(name.upper())
        if found is None:
            expected = f"environment variable {name.upper()} expected, but not set"
            raise ValueError(
                f"Error initializing torch.distributed using {address.scheme}:// rendezvous: "
                f"{expected if address.scheme == 'env' else f'{name} parameter missing'}"
            )
        numbers.append(int(found))
    return numbers[0], numbers[1]


def destroy_process_group(group: Any = None) -> None:
    """Unmake the group of all processes; another one needs nothing.

    Raises:
        ValueError: if there is none.
    """
    if group_of(group) is WorldOfGroup.world:
        WorldOfGroup.world = None


def group_of(given: Any) -> ProcessGroup:
    """A group: that of all processes unless one is given.

    Raises:
        ValueError: if it was not made.
        TypeError: if it is none.
    """
    if WorldOfGroup.world is None:
        raise ValueError(NOT_INITIALIZED)
    if given is None:
        return WorldOfGroup.world
    if not isinstance(given, ProcessGroup):
        raise TypeError(f"expected a group of processes, but got {type(given).__name__}")
    return given


def check_rank(name: str, rank: int | None) -> None:
    """Refuse a process that is not there.

    Raises:
        ValueError: if the rank is not 0.
    """
    if rank not in (None, 0):
        raise ValueError(f"{name}: there is no process of rank {rank}: the group has one, of rank 0")


def new_group(ranks: Sequence[int] | None = None, *options: Any, backend: str | None = None, **named: Any) -> Any:
    """A group of some processes: of the one.

    Args:
        ranks: which; all unless given.
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
    """0: the rank of this process."""
    return group_of(group).rank()


def get_world_size(group: Any = None) -> int:
    """1: the number of processes."""
    return group_of(group).size()


def get_backend(group: Any = None) -> str:
    """By what name the group was made."""
    return group_of(group).backend


def get_process_group_ranks(group: Any = None) -> list[int]:
    """The ranks in a group: that of this process."""
    group_of(group)
    return [0]


def get_global_rank(group: Any, group_rank: int) -> int:
    """The rank among all processes of one in a group: 0."""
    group_of(group)
    check_rank("get_global_rank", group_rank)
    return 0


def get_group_rank(group: Any, global_rank: int) -> int:
    """The rank in a group of one among all processes: 0."""
    group_of(group)
    check_rank("get_group_rank", global_rank)
    return 0


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """The rank of this process on this machine."""
    return int(os.environ.get("LOCAL_RANK", 0 if fallback_rank is None else fallback_rank))
