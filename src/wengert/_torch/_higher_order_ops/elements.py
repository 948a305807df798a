"""The tensors in containers, cut along a dimension and joined again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert._tensor import Tensor
from wengert.ops.shapes.join import stack
from wengert.utils._pytree import tree_flatten, tree_unflatten


def tensors_in(name: str, xs: Any, dim: int) -> tuple[list[Any], Any, int]:
    """The tensors in a container, its structure, and their common length along a dimension.

    Raises:
        RuntimeError: if there are no tensors, or other values, or their lengths differ or are 0.
    """
    leaves, structure = tree_flatten(xs)
    if not leaves or not all(isinstance(leaf, Tensor) for leaf in leaves):
        raise RuntimeError(f"{name}: xs can only consist of tensors, at least one. Got xs {leaves}.")
    lengths = {leaf.shape[dim] if leaf.ndim else 0 for leaf in leaves}
    if len(lengths) != 1:
        raise RuntimeError(f"{name}: all xs must have the same length along dim {dim}, got {sorted(lengths)}")
    if not (length := lengths.pop()):
        raise RuntimeError(f"{name}: Leading dimensions of mapped xs cannot be 0.")
    return leaves, structure, length


def joined(parts: list[Any], dim: int = 0) -> Any:
    """Stack the tensors of several containers of one structure along a new dimension."""
    structure = tree_flatten(parts[0])[1]
    columns = zip(*[tree_flatten(part)[0] for part in parts])
    return tree_unflatten([stack(list(column), dim) for column in columns], structure)


def slices_of(leaves: list[Any], structure: Any, dim: int) -> Callable[[int], Any]:
    """Return a function that returns the container of the slices at an index."""

    def at(place: int) -> Any:
        return tree_unflatten([leaf.select(dim, place) for leaf in leaves], structure)

    return at
