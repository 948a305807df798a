"""`torch.cpu`: the device on which everything is computed, with the functions that others have."""

from __future__ import annotations

import sys
from typing import Any

from wengert._core.types.devices import refuse_absent
from wengert._start.boundary import boundary
from wengert._start.loading import on_demand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import amp as amp

_IN_PACKAGE = ("get_device_module",)


def is_available() -> bool:
    """True."""
    return True


def is_initialized() -> bool:
    """True."""
    return True


def device_count() -> int:
    """1."""
    return 1


def current_device() -> str:
    """'cpu'."""
    return "cpu"


def set_device(device: Any) -> None:
    """Do nothing: there is only one device."""


def synchronize(device: Any = None) -> None:
    """Nothing: an operator has ended when its call returns."""


class Stream:
    """The only queue of work, in which all work is complete at once."""

    def __init__(self, priority: int = -1) -> None:
        self.priority = priority

    def wait_stream(self, stream: Stream) -> None:
        """Nothing: the other one is empty."""

    def synchronize(self) -> None:
        """Nothing: it is empty."""


def current_stream(device: Any = None) -> Stream:
    """Return the only stream."""
    return Stream()


@boundary
def get_device_module(device: Any = None) -> Any:
    """Return the module of a device, which is always `cpu`.

    Raises:
        RuntimeError: if the device is not available.
    """
    refuse_absent("cpu" if device is None else device)
    return sys.modules[__name__]


__getattr__, __dir__ = on_demand(globals())
