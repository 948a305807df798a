"""`torch.accelerator` without an accelerator."""

from __future__ import annotations

import time
from typing import Any, NoReturn

from wengert._core.types.devices import device, refuse_absent

_IN_PACKAGE = ("Event", "Stream")

__all__ = [
    "Event",
    "Stream",
    "current_accelerator",
    "current_device_idx",
    "current_device_index",
    "current_stream",
    "device_count",
    "empty_cache",
    "is_available",
    "max_memory_allocated",
    "memory_allocated",
    "memory_reserved",
    "memory_stats",
    "set_device_idx",
    "set_device_index",
    "set_stream",
    "synchronize",
]


def is_available() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """Return None: there is no accelerator."""


def synchronize(device: Any = None) -> None:
    """Do nothing: there is no asynchronous work."""


def empty_cache() -> None:
    """Do nothing: there is no cache of device memory."""


def refuse(*args: object, **kwargs: object) -> NoReturn:
    """Raise RuntimeError: there is no accelerator.

    Raises:
        RuntimeError: always; there is no accelerator.
    """
    raise RuntimeError("Cannot access accelerator device when none is available.")


current_device_index = set_device_index = current_device_idx = set_device_idx = current_stream = set_stream = refuse
memory_allocated = max_memory_allocated = memory_reserved = memory_stats = refuse


class Stream:
    """A queue of work on a device; on the CPU all work is complete at once.

    Args:
        device: the CPU.
        priority: ignored.

    Raises:
        AssertionError, RuntimeError: if the device is not the CPU.

    >>> import wengert as wg
    >>> wg.Stream()
    torch.Stream device_type=cpu, device_index=-1, stream_id=0
    """

    def __init__(self, device: Any = None, *, priority: int = 0) -> None:
        self.device = on_the_cpu(device)
        self.stream_id = 0

    def query(self) -> bool:
        """True: nothing is left to be done."""
        return True

    def synchronize(self) -> None:
        """Nothing: it is empty."""

    def wait_event(self, event: Event) -> None:
        """Do nothing: the work before the event is complete."""

    def wait_stream(self, stream: Stream) -> None:
        """Nothing: the other one is empty."""

    def record_event(self, event: Event | None = None) -> Event:
        """The event, or a new one, recorded here."""
        event = Event(self.device) if event is None else event
        event.record(self)
        return event

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing is put back."""

    def __repr__(self) -> str:
        return f"torch.Stream device_type={self.device.type}, device_index=-1, stream_id={self.stream_id}"


class Event:
    """A mark in a queue of work; on the CPU the work before it is complete when it is set.

    Args:
        device: the CPU.
        enable_timing: whether `elapsed_time` may be called.
        blocking, interprocess: ignored.

    Raises:
        AssertionError, RuntimeError: if the device is not the CPU.
    """

    def __init__(
        self, device: Any = None, *, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> None:
        self.device = on_the_cpu(device)
        self.event_id = 0
        self._timed, self._time = enable_timing, -1

    def record(self, stream: Stream | None = None) -> None:
        """Set the mark now."""
        self._time = time.perf_counter_ns()

    def query(self) -> bool:
        """Return True: the work before the event is complete."""
        return True

    def wait(self, stream: Stream | None = None) -> None:
        """Do nothing: the work before the event is complete."""

    def synchronize(self) -> None:
        """Do nothing: the work before the event is complete."""

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds between this mark and another one.

        Raises:
            ValueError: if an event was created without `enable_timing`, or was not recorded.
        """
        if not (self._timed and end_event._timed):
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._time < 0 or end_event._time < 0:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (end_event._time - self._time) / 1e6

    def __repr__(self) -> str:
        return f"torch.Event device_type={self.device.type}, device_index=-1, event_flag=0, event_id={self.event_id}"


def on_the_cpu(place: Any) -> Any:
    """Return the device of a stream or event.

    Raises:
        AssertionError, RuntimeError: if the device is not the CPU.
    """
    refuse_absent("cpu" if place is None else place)
    return device("cpu")
