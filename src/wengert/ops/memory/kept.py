"""Memory of large results that is kept when they are freed: how much, and giving it back."""

from __future__ import annotations

from typing import Any

from ... import _kernels as kernels
from ..._core.state import modes

_IN_PACKAGE = ("empty_cache", "memory_stats", "reset_peak_memory_stats", "set_memory_limit")

NUMBERS = (
    "allocated_bytes",
    "peak_allocated_bytes",
    "cached_bytes",
    "cached_blocks",
    "limit_bytes",
    "reused",
    "fresh",
    "retries",
)


def begin() -> None:
    """Have the kernels of all threads put large results into memory that is kept."""
    if kernels.native is not None:
        modes.current().quiet(kernels.native.keep_memory)
        modes.newcomers.append(welcome)


def welcome(result: Any) -> None:
    """The same in the context that kernels of a new thread run in."""
    result.quiet(kernels.native.keep_memory)  # type: ignore[union-attr]


def in_kept(make: Any, *args: Any) -> Any:
    """`make(*args)`, an array, in memory that is kept if it is large."""
    return modes.current().quietly(make, args)


def memory_stats() -> dict[str, int]:
    """Numbers of the memory that large results lie in, those of at least 128 KiB.

    The system hands out fresh memory page by page, which takes several times as long as most operators do with it. So
    what a large result leaves is kept, and used again by another one of about its size. The numbers are rounded up to
    these sizes. The environment variable `WENGERT_KEPT_MEMORY` says how many bytes may be kept; with 0 when the program
    begins, nothing is. Without it they are an eighth of the memory that this process may have, by the machine, its
    control group and its own limits, and 128 MiB at most.

    Returns:
        A dict of integers: `allocated_bytes` and `peak_allocated_bytes`, in use now and at most so far; `cached_bytes`,
        `cached_blocks` and `limit_bytes`, kept to be used again, and how much may be; `reused` and `fresh`, how many
        requests were served by kept memory and by the system; `retries`, how many of these only after all that was kept
        had been given back. All are 0 without native kernels.

    Examples:
        >>> import wengert as wg
        >>> sorted(wg.memory_stats())[:3]
        ['allocated_bytes', 'cached_blocks', 'cached_bytes']
    """
    return dict.fromkeys(NUMBERS, 0) if kernels.native is None else kernels.native.memory_stats()


def empty_cache() -> None:
    """Give all memory that is kept for large results back to the system.

    Nothing in use is touched. Where the system refuses memory for a large result this is done before it is asked again.
    """
    if kernels.native is not None:
        kernels.native.empty_cache()


def reset_peak_memory_stats() -> None:
    """Count `peak_allocated_bytes` of `memory_stats` from what is in use now."""
    if kernels.native is not None:
        kernels.native.reset_peak_memory_stats()


def set_memory_limit(limit: int) -> None:
    """Say how much memory may be kept for large results; what is beyond is given back.

    Args:
        limit: bytes, 0 to keep nothing.

    Raises:
        TypeError: it is no integer.
        ValueError: it is negative.
    """
    if isinstance(limit, bool) or not isinstance(limit, int):
        raise TypeError(f"set_memory_limit(): limit must be an int, but got {type(limit).__name__}")
    if limit < 0:
        raise ValueError(f"set_memory_limit(): limit must be 0 or more bytes, but got {limit}")
    if kernels.native is not None:
        kernels.native.set_memory_limit(limit)
