"""`torch.fx._pytree`: nested containers taken apart by a structure that is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.utils._pytree import TreeSpec

__all__ = ["register_pytree_flatten_spec", "tree_flatten_spec"]


def tree_flatten_spec(pytree: Any, spec: TreeSpec) -> list[Any]:
    """The values that stand in containers at the places of a structure's leaves."""
    return spec.flatten_up_to(pytree)


def register_pytree_flatten_spec(
    cls: type, flatten_fn_spec: Callable[..., Any], flatten_fn_exact_match_spec: Callable[..., Any] | None = None
) -> None:
    """Nothing: containers that `utils._pytree` knows are taken apart by what was said there of them."""
