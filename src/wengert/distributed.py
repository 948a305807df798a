"""`torch.distributed`: not available; programs that ask first go on in one process."""

from __future__ import annotations

from typing import Any, NoReturn


def is_available() -> bool:
    """False."""
    return False


def is_initialized() -> bool:
    """False."""
    return False


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
