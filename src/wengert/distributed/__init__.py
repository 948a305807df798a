"""`torch.distributed`: not available; programs that ask first go on in one process."""

from __future__ import annotations

import functools
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


MODULES = frozenset(
    """
    algorithms autograd checkpoint device_mesh distributed_c10d elastic fsdp launcher nn optim pipelining rpc tensor
    """.split()  # noqa: SIM905 - so that it can be read
)
"""Modules that torch has loaded with others, so that programs ask for them without an import."""


@functools.cache
def below(name: str) -> ModuleType:
    """A module below this one, whose names all refuse."""
    return absent.hollow(name, stand_in)


def stand_in(module: str, name: str) -> Any:
    """What a module of torch.distributed has in the place of `name`."""
    if name in ("is_available", "is_initialized"):
        return lambda: False
    if name in MODULES:
        return below(f"{module}.{name}")
    if module.endswith(".rpc") and name == "api":  # what libraries look for to see whether there are remote calls
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    return absent.stand_in(module, name, "there is one process here; ask torch.distributed.is_available() first")


def __getattr__(name: str) -> Any:
    """Everything else is refused when it is called or made."""
    return stand_in(__name__, name)


Below = functools.partial(absent.Below, below)
"""Gives the modules below this one."""
