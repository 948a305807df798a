"""Logs for TensorBoard, by the package tensorboardX if installed: the mirror of `torch.utils.tensorboard`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

NAMES = ("FileWriter", "SummaryWriter")
MISSING = (
    "torch.utils.tensorboard: {} comes from the package tensorboardX, which is not installed: pip install "
    "tensorboardX. (The package tensorboard shows logs; it has no {} of its own.)"
)


def writers() -> ModuleType:
    """Return the package that writes logs.

    Raises:
        ImportError: if it is not installed.
    """
    import tensorboardX  # type: ignore[import-not-found]

    return tensorboardX


def __getattr__(name: str) -> Any:
    """Return `SummaryWriter` or `FileWriter` on first access.

    Raises:
        ImportError: if the package that has them is not installed.
        AttributeError: if `name` is another one.
    """
    if name not in NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(writers(), name)
    except ImportError as error:
        raise ImportError(MISSING.format(name, name)) from error


def __dir__() -> list[str]:
    """Return the names that are available: none without the package, as `inspect.getmembers` asks for each."""
    try:
        writers()
    except ImportError:
        return []
    return [*NAMES]


__all__ = ["FileWriter", "SummaryWriter"]
