"""`map`: a function for each of the slices of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .elements import joined, slices_of, tensors_in


def map(f: Callable[..., Any], xs: Any, *args: Any) -> Any:
    """Apply a function to each slice along the first dimension, and stack the results.

    Args:
        f: function of a slice, in the containers of `xs`, and `args`, that returns tensors or containers of tensors.
        xs: a tensor, or containers of tensors of one length.
        args: the same for all.

    Raises:
        RuntimeError: if `xs` holds anything but tensors of one length, from 1.

    >>> import wengert as wg
    >>> map(lambda row, factor: row.sum() * factor, wg.ones(2, 3), 2.0)
    tensor([6., 6.])
    """
    if not callable(f):
        raise RuntimeError(f"map: f must be a callable, but got {f}")
    leaves, structure, length = tensors_in("map", xs, 0)
    at = slices_of(leaves, structure, 0)
    return joined([f(at(place), *args) for place in range(length)])


map_impl = map

__all__ = ["map", "map_impl"]
