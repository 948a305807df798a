"""Cache of memory of large results: statistics, limit and release."""

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
    """Let the kernels of all threads allocate large results from the cache."""
    if kernels.native is not None:
        modes.current().quiet(kernels.native.keep_memory)
        modes.newcomers.append(enter_thread)


def enter_thread(result: Any) -> None:
    """Use the cache in the context that kernels of a new thread run in."""
    result.quiet(kernels.native.keep_memory)  # type: ignore[union-attr]


def in_kept(make: Any, *args: Any) -> Any:
    """Return `make(*args)`, an array, in memory of the cache if it is large."""
    return modes.current().quietly(make, args)


def memory_stats() -> dict[str, int]:
    """Statistics of the memory of large results, i.e. of at least 128 KiB.

    The system provides fresh memory page by page, which takes several times as long as most operators. Hence the memory
    of a freed large result is kept, and reused for one of about its size. The numbers are rounded up to these sizes.
    The environment variable `WENGERT_KEPT_MEMORY` sets how many bytes may be kept; 0 at the start of the program means
    none. By default they are an eighth of the memory that this process may have, by the machine, its control group and
    its own limits, and 128 MiB at most.

    Returns:
        A dict of integers: `allocated_bytes` and `peak_allocated_bytes`, in use now and at most so far; `cached_bytes`,
        `cached_blocks` and `limit_bytes`, kept for reuse, and the limit of that; `reused` and `fresh`, the numbers of
        requests served by kept memory and by the system; `retries`, those of the latter after all kept memory had been
        released. All are 0 without native kernels.

    Examples:
        >>> import wengert as wg
        >>> sorted(wg.memory_stats())[:3]
        ['allocated_bytes', 'cached_blocks', 'cached_bytes']
    """
    return dict.fromkeys(NUMBERS, 0) if kernels.native is None else kernels.native.memory_stats()


def empty_cache() -> None:
    """Release all memory that is kept for large results to the system.

    Memory in use is not touched. If the system refuses memory for a large result, this is done before a second try.
    """
    if kernels.native is not None:
        kernels.native.empty_cache()


def reset_peak_memory_stats() -> None:
    """Reset `peak_allocated_bytes` of `memory_stats` to the memory in use."""
    if kernels.native is not None:
        kernels.native.reset_peak_memory_stats()


def set_memory_limit(limit: int) -> None:
    """Set the limit of memory that is kept for large results; memory beyond it is released.

    Args:
        limit: number of bytes, 0 to keep nothing.

    Raises:
        TypeError: if `limit` is not an integer.
        ValueError: if `limit` is negative.
    """
    if isinstance(limit, bool) or not isinstance(limit, int):
        raise TypeError(f"set_memory_limit(): limit must be an int, but got {type(limit).__name__}")
    if limit < 0:
        raise ValueError(f"set_memory_limit(): limit must be 0 or more bytes, but got {limit}")
    if kernels.native is not None:
        kernels.native.set_memory_limit(limit)
