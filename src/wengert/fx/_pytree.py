"""`torch.fx._pytree`: nested containers taken apart by a structure that is known."""

from __future__ import annotations

from typing import Any

from ..utils._pytree import TreeSpec

__all__ = ["tree_flatten_spec"]


def tree_flatten_spec(pytree: Any, spec: TreeSpec) -> list[Any]:
    """The values that stand in containers at the places of a structure's leaves."""
    return spec.flatten_up_to(pytree)
