"""Errors of `torch.distributed`."""

from __future__ import annotations


class DistError(RuntimeError):
    """Base of errors of distributed programs."""


class DistBackendError(DistError):
    """A communication backend failed."""


class DistNetworkError(DistError):
    """A connection failed."""


class DistStoreError(DistError):
    """A store has no such key."""


def refuse_several(name: str, world_size: int) -> None:
    """Refuse a group of several processes.

    Raises:
        RuntimeError: if `world_size` is greater than 1.
    """
    if world_size > 1:
        raise RuntimeError(
            f"{name}: world_size={world_size}, but wengert computes in one process and sends nothing to others: start "
            "the program once, with world_size=1 (torchrun --nproc-per-node=1)"
        )
