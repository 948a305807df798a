"""Handles and markers of hooks: the mirror of `torch.utils.hooks`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._tensor.attributes import RemovableHandle
from .._tensor.pickling import warn_of_hooks as warn_if_has_hooks
from ..nn.modules.backward_hooks import BackwardHook

__all__ = ["BackwardHook", "RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]


def unserializable_hook(f: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a hook of a tensor, so that pickling drops it without a warning."""
    f.__torch_unserializable__ = True  # type: ignore[attr-defined]
    return f
