"""`torch.multiprocessing`: Python's, whose queues and pipes send tensors as copies, or their memory if it is shared."""

from __future__ import annotations

import multiprocessing as _multiprocessing
from multiprocessing import *  # noqa: F403 - a mirror of that module
from typing import Any

__all__ = [
    *_multiprocessing.__all__,
    "get_all_sharing_strategies",
    "get_sharing_strategy",
    "set_sharing_strategy",
    "spawn",
]


def get_all_sharing_strategies() -> set[str]:
    """{"copy"}."""
    return {"copy"}


def get_sharing_strategy() -> str:
    """'copy'."""
    return "copy"


def set_sharing_strategy(new_strategy: str) -> None:
    """Do nothing: tensors are always copied between processes."""


def spawn(
    fn: Any, args: tuple[Any, ...] = (), nprocs: int = 1, join: bool = True, daemon: bool = False, **options: Any
) -> Any:
    """Start processes that call `fn(number, *args)`.

    Args:
        fn: a function that can be pickled.
        args: its further arguments.
        nprocs: how many processes.
        join: wait for them.
        daemon: whether they end with this process.

    Returns:
        None, or the processes if `join` is off.

    Raises:
        RuntimeError: if one of them ended with an error.
    """
    context = _multiprocessing.get_context(options.get("start_method", "spawn"))
    started = [context.Process(target=fn, args=(number, *args), daemon=daemon) for number in range(nprocs)]
    for process in started:
        process.start()
    if not join:
        return started
    for number, process in enumerate(started):
        process.join()
        if process.exitcode:
            raise RuntimeError(f"process {number} terminated with exit code {process.exitcode}")
    return None
