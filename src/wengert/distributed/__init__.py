"""`torch.distributed`: not available; programs that ask first go on in one process."""

from __future__ import annotations

import functools
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from .. import absent


def is_available() -> bool:
    """False."""
    return False


def is_initialized() -> bool:
    """False."""
    return False


class GroupMember:
    """Groups of processes: there are none, as before torch's `init_process_group`."""

    WORLD = None
    NON_GROUP_MEMBER = -100


class group(GroupMember):  # noqa: N801 - torch's name
    """The group of all processes, which is not there: `WORLD` is None, as before torch's `init_process_group`."""


def is_torchelastic_launched() -> bool:
    """False."""
    return False


def stand_in(module: str, name: str) -> Any:
    """What a module of torch.distributed has in the place of `name`."""
    if name in ("is_available", "is_initialized"):
        return lambda: False
    return absent.stand_in(module, name, "there is one process here; ask torch.distributed.is_available() first")


def __getattr__(name: str) -> Any:
    """Everything else is refused when it is called or made."""
    return stand_in(__name__, name)


class Below(Loader):
    """Gives the modules below this one, for programs that import them before they ask: all their names refuse."""

    def create_module(self, spec: ModuleSpec) -> None:
        """A module as Python makes it."""

    def exec_module(self, module: ModuleType) -> None:
        """Give it its names."""
        vars(module)["__getattr__"] = functools.partial(stand_in, module.__name__)
