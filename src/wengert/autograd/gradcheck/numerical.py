"""Derivatives by central differences; an input is changed in place, and restored."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._core.tensor.base import Tensor
from ..._core.tensor.postponed import resolved
from ..._core.types.dtypes import from_numpy
from ..._core.types.sizes import Size
from . import errors
from .subject import Subject, as_tuple

Array = Any


def jacobians(subject: Subject, places: Sequence[int], eps: float) -> list[list[Array]]:
    """Return the derivatives of the results at `places` with respect to each input that requires a gradient.

    Returns:
        For each input a list with an array for each result: a row for each element of the input, a column for each of
        the result. For a complex input, the gradient of a real result: the derivative with respect to the real part,
        plus i times that with respect to the imaginary part.
    """
    return [jacobian(subject, leaf, places, eps) for leaf in subject.leaves]


def jacobian(subject: Subject, leaf: Tensor, places: Sequence[int], eps: float) -> list[Array]:
    """Return the derivatives of the results at `places` with respect to one input."""
    array = leaf._array_
    keys = list(np.ndindex(array.shape))
    parts = []
    for step in (eps, eps * 1j) if array.dtype.kind == "c" else (eps,):
        columns = spaces(subject, places, len(keys))
        for row, key in enumerate(keys):
            central(subject, places, array, key, step, [column[row, ...] for column in columns])
        parts.append([flat(column) / (2 * eps) for column in columns])
    return gradients(parts, array.dtype)


def along(subject: Subject, leaf: Tensor, places: Sequence[int], direction: Any, eps: float) -> list[Array]:
    """Return the derivatives of the results at `places`, flat, along a direction of one input.

    Args:
        direction: an array of the input's shape; for a complex input two, along its real and imaginary parts.
    """
    array = leaf._array_
    units = (direction[0], direction[1] * 1j) if array.dtype.kind == "c" else (direction,)
    parts = []
    for unit in units:
        buffers = spaces(subject, places, 1)
        central(subject, places, array, ..., unit * eps, [buffer[0, ...] for buffer in buffers])
        parts.append([flat(buffer)[0] / (2 * eps) for buffer in buffers])
    return gradients(parts, array.dtype)


def spaces(subject: Subject, places: Sequence[int], count: int) -> list[Array]:
    """Return for each result at `places` an empty array for `count` values of it."""
    results = [subject.results[at]._array_ for at in places]
    return [np.empty((count, *result.shape), result.dtype) for result in results]


def flat(columns: Array) -> Array:
    """Return several results, each flattened to a row."""
    return columns.reshape(len(columns), math.prod(columns.shape[1:]))


def gradients(parts: list[list[Array]], dtype: Any) -> list[Array]:
    """Combine the derivatives with respect to both parts of a complex input; those of a real input are unchanged."""
    if len(parts) == 1:
        return parts[0]
    return [np.asarray(real + imaginary * 1j, dtype) for real, imaginary in zip(*parts)]


def central(subject: Subject, places: Sequence[int], array: Array, key: Any, step: Any, buffers: list[Array]) -> None:
    """Write into `buffers` the change of the results at `places` from `array[key] - step` to `array[key] + step`.

    The array is restored, also after an error. The version counter is not increased: a backward pass cannot see the
    change.
    """
    before = array[key].copy()
    try:
        array[key] = before - step
        for buffer, value in zip(buffers, evaluated(subject, places, key, step)):
            buffer[...] = value
        array[key] = before + step
        for buffer, value in zip(buffers, evaluated(subject, places, key, step)):
            np.subtract(value, buffer, out=buffer)
    finally:
        array[key] = before


def evaluated(subject: Subject, places: Sequence[int], key: Any, step: Any) -> list[Array]:
    """Return the results at `places` for the current values of the inputs.

    Raises:
        AssertionError: if number, shape or dtype of the results have changed.
    """
    results = as_tuple(subject.func(*subject.inputs))
    if len(results) != len(subject.results):
        refuse("number", key, step, len(subject.results), len(results))
    arrays = [resolved(results[at]._array_) for at in places]
    for at, array in zip(places, arrays):
        first = subject.results[at]._array_
        if array.shape != first.shape:
            refuse("shape", key, step, Size(first.shape), Size(array.shape))
        if array.dtype != first.dtype:
            refuse("dtype", key, step, from_numpy(first.dtype), from_numpy(array.dtype))
    return arrays


def refuse(what: str, key: Any, step: Any, value: Any, other: Any) -> None:
    """Raise the error for results whose number, shape or dtype depends on the values of the inputs.

    Raises:
        AssertionError: always; such a function has no derivative.
    """
    is_all = key is Ellipsis
    eps = float(np.abs(step).max(initial=0.0)) if is_all else abs(step)
    raise AssertionError(errors.unsteady(what, eps, None if is_all else key, value, other))
