"""Containers of arrays as one vector, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..boxes import boxed
from ..products import variable_of


def leaves(value: Any) -> list[Any]:
    """What is in lists, tuples and dictionaries, these by their sorted keys."""
    if isinstance(value, dict):
        return [each for key in sorted(value) for each in leaves(value[key])]
    if isinstance(value, (list, tuple)):
        return [each for part in value for each in leaves(part)]
    return [value]


def filled(value: Any, parts: list[Any]) -> Any:
    """Containers like these with other leaves, which are taken from the front of a list."""
    if isinstance(value, dict):
        found = {key: filled(value[key], parts) for key in sorted(value)}
        return {key: found[key] for key in value}
    if isinstance(value, (list, tuple)):
        made = [filled(each, parts) for each in value]
        return type(value)(*made) if hasattr(value, "_fields") else type(value)(made)
    return parts.pop(0)


def flatten(value: Any) -> tuple[Any, Callable[[Any], Any]]:
    """All numbers in nested lists, tuples and dictionaries as one vector, and the function that undoes it.

    >>> vector, unflatten = flatten({"b": 3.0, "a": [1.0, 2.0]})
    >>> vector
    array([1., 2., 3.])
    >>> unflatten(2 * vector)
    {'b': np.float64(6.0), 'a': [np.float64(2.0), np.float64(4.0)]}
    """
    parts = [boxed(variable_of(each)) for each in leaves(value)]
    shapes = [np.shape(each) for each in parts]
    ends = np.cumsum([0, *(int(np.prod(shape)) for shape in shapes)])

    def unflatten(vector: Any) -> Any:
        found = [
            np.reshape(vector[start:end], shape)[()] if shape else vector[int(start)]
            for start, end, shape in zip(ends[:-1], ends[1:], shapes)
        ]
        return filled(value, found)

    return (np.concatenate([np.ravel(each) for each in parts]) if parts else np.array([])), unflatten


def flatten_func(func: Callable[..., Any], example: Any) -> tuple[Callable[..., Any], Callable[[Any], Any], Any]:
    """A function of containers as one of vectors, the function that makes containers of them, and the vector of an
    example.
    """
    vector, unflatten = flatten(example)
    return lambda x, *args: flatten(func(unflatten(x), *args))[0], unflatten, vector


__all__ = ["flatten", "flatten_func"]
