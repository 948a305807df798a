"""`torch.fx._pytree`: nested containers taken apart by a structure that is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.utils._pytree import TreeSpec

__all__ = ["register_pytree_flatten_spec", "tree_flatten_spec"]


def tree_flatten_spec(pytree: Any, spec: TreeSpec) -> list[Any]:
    """Return the values in containers at the leaves of a structure."""
    return spec.flatten_up_to(pytree)


def register_pytree_flatten_spec(
    cls: type, flatten_fn_spec: Callable[..., Any], flatten_fn_exact_match_spec: Callable[..., Any] | None = None
) -> None:
    """Do nothing: containers registered in `utils._pytree` are flattened by the functions registered there."""
