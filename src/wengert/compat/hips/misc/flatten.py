"""Conversion of containers of arrays to one vector, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..boxes import boxed
from ..products import variable_of


def leaves(value: Any) -> list[Any]:
    """Return the leaves of lists, tuples and dictionaries, the latter by sorted keys."""
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in leaves(value[key])]
    if isinstance(value, (list, tuple)):
        return [leaf for part in value for leaf in leaves(part)]
    return [value]


def filled(value: Any, parts: list[Any]) -> Any:
    """Return such containers with other leaves, which are taken from the front of a list."""
    if isinstance(value, dict):
        filled_items = {key: filled(value[key], parts) for key in sorted(value)}
        return {key: filled_items[key] for key in value}
    if isinstance(value, (list, tuple)):
        items = [filled(item, parts) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return parts.pop(0)


def flatten(value: Any) -> tuple[Any, Callable[[Any], Any]]:
    """Return all numbers in nested lists, tuples and dictionaries as one vector, and the inverse function.

    >>> vector, unflatten = flatten({"b": 3.0, "a": [1.0, 2.0]})
    >>> vector
    array([1., 2., 3.])
    >>> unflatten(2 * vector)
    {'b': np.float64(6.0), 'a': [np.float64(2.0), np.float64(4.0)]}
    """
    parts = [boxed(variable_of(leaf)) for leaf in leaves(value)]
    shapes = [np.shape(part) for part in parts]
    ends = np.cumsum([0, *(int(np.prod(shape)) for shape in shapes)])

    def unflatten(vector: Any) -> Any:
        values = [
            np.reshape(vector[start:end], shape)[()] if shape else vector[int(start)]
            for start, end, shape in zip(ends[:-1], ends[1:], shapes)
        ]
        return filled(value, values)

    return (np.concatenate([np.ravel(part) for part in parts]) if parts else np.array([])), unflatten


def flatten_func(func: Callable[..., Any], example: Any) -> tuple[Callable[..., Any], Callable[[Any], Any], Any]:
    """Return a function of containers as a function of vectors, the function from vectors to containers, and the vector
    of an example.
    """
    vector, unflatten = flatten(example)
    return lambda x, *args: flatten(func(unflatten(x), *args))[0], unflatten, vector


__all__ = ["flatten", "flatten_func"]
