"""`torch.distributed`: not available; programs that ask first go on in one process."""

from __future__ import annotations

from typing import Any, NoReturn


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


def __getattr__(name: str) -> Any:
    """Everything else is refused when it is called, and names no class."""
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(
            f"torch.distributed.{name}: there is one process here; ask torch.distributed.is_available() first"
        )

    return refuse
