"""The errors of `torch.distributed`."""

from __future__ import annotations


class DistError(RuntimeError):
    """Something about several processes went wrong."""


class DistBackendError(DistError):
    """What carries messages between processes failed."""


class DistNetworkError(DistError):
    """A connection failed."""


class DistStoreError(DistError):
    """A store has no such key."""


def refuse_several(name: str, world_size: int) -> None:
    """Refuse a group of several processes.

    Raises:
        RuntimeError: if there are others.
    """
    if world_size > 1:
        raise RuntimeError(
            f"{name}: world_size={world_size}, but wengert computes in one process and sends nothing to others: start "
            "the program once, with world_size=1 (torchrun --nproc-per-node=1)"
        )
