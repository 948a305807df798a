"""Schedules of a profile: activities, actions of steps, and handlers of traces."""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable
from enum import Enum
from typing import Any


class ProfilerActivity(Enum):
    """Activities that can be profiled; only the CPU is available."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


class ProfilerAction(Enum):
    """Action of a profile in a step: nothing, prepare, record, or record and deliver the trace."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def supported_activities() -> set[ProfilerActivity]:
    """Return the available activities: `{ProfilerActivity.CPU}`."""
    return {ProfilerActivity.CPU}


def kineto_available() -> bool:
    """Return whether `wg.profiler` is available: True."""
    return True


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """Return a schedule of cycles of steps in which a profile waits, prepares, and records.

    Args:
        wait, warmup, active: the number of steps of each kind in a cycle.
        repeat: the number of cycles; 0 for no end.
        skip_first: the number of steps before the first cycle.
        skip_first_wait: if not 0, the first cycle does not wait.

    Returns:
        A function of the number of a step, the argument `schedule` of `profile`.

    Raises:
        AssertionError: if a number is negative, or no step is active.

    Examples:
        >>> from wengert.profiler import schedule
        >>> plan = schedule(wait=1, warmup=1, active=2, repeat=1)
        >>> [plan(step).name for step in range(5)]
        ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """
    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
            f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0)."
        )
    if warmup == 0:
        warnings.warn("Profiler won't be using warmup, this can skew profiler results", stacklevel=2)
    length = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        cycle, place = divmod(step - skip_first + (wait if skip_first_wait else 0), length)
        if (repeat and cycle >= repeat) or place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD_AND_SAVE if place == length - 1 else ProfilerAction.RECORD

    return action


def always(step: int) -> ProfilerAction:
    """Return `RECORD`: the default schedule of a profile."""
    return ProfilerAction.RECORD


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False, use_python_export: bool = False
) -> Callable[[Any], None]:
    """Return a handler that writes traces into a folder for TensorBoard's profiler plugin.

    Args:
        dir_name: the folder; it is created on demand.
        worker_name: the prefix of the names of the files; by default host and process.
        use_gzip: compress the files.
        use_python_export: no effect.

    Returns:
        The argument `on_trace_ready` of `profile`.
    """

    def handle(prof: Any) -> None:
        import socket

        os.makedirs(dir_name, exist_ok=True)
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        name = f"{worker}.{time.time_ns()}.pt.trace.json{'.gz' if use_gzip else ''}"
        prof.export_chrome_trace(os.path.join(dir_name, name))

    return handle
