"""Comparison of two Jacobians, and texts for their differences."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.tensor.base import wrap
from . import errors
from .errors import GradcheckError
from .subject import Options, Subject

Array = Any


def close(actual: Array, wanted: Array, rtol: float, atol: float) -> bool:
    """Return whether all elements of `actual` are within `atol + rtol * abs(wanted)` of `wanted`; NaN never is."""
    return bool(near(actual, wanted, rtol, atol).all())


def near(actual: Array, wanted: Array, rtol: float, atol: float) -> Array:
    """Return `close` element by element."""
    with np.errstate(all="ignore"):
        within = np.abs(actual - wanted) <= atol + rtol * np.abs(wanted)
        return within & np.isfinite(wanted) | (actual == wanted)


def worst(subject: Subject, output: int, leaf: int, numerical: Array, analytical: Array, options: Options) -> str:
    """Return a sentence about the element of two Jacobians that exceeds the tolerance most (NaN before all others)."""
    with np.errstate(all="ignore"):
        difference = np.where(numerical == analytical, 0, np.abs(analytical - numerical))
        allowed = options.atol + options.rtol * np.abs(numerical)
        beyond = np.where(np.isnan(difference), np.inf, difference - allowed)
    row, column = (int(index) for index in np.unravel_index(int(np.argmax(beyond)), beyond.shape))
    shapes = subject.leaves[leaf]._array_.shape, subject.outputs[output]._array_.shape
    places = [tuple(map(int, np.unravel_index(at, shape))) for at, shape in zip((row, column), shapes)]
    at = row, column
    shared = errors.shared_elements(leaf) if elements_meet(subject.leaves[leaf]._array_) else ""
    return shared + (
        f"The worst element is ({row}, {column}), the derivative of element {places[1]} of the output with respect to "
        f"element {places[0]} of the input: numerical {numerical[at]}, analytical {analytical[at]}, difference "
        f"{difference[at]:.3g} where {allowed[at]:.3g} is allowed.\n"
    )


def elements_meet(array: Array) -> bool:
    """Return whether two elements of an array share memory."""
    places = np.zeros(array.shape, np.intp)
    for axis, step in enumerate(array.strides):
        places += np.arange(array.shape[axis]).reshape(-1, *(1,) * (array.ndim - axis - 1)) * step
    return np.unique(places).size < places.size


def part_at(subject: Subject, output: int, leaf: int, forward: bool) -> str:
    """Return the checked part of a complex output (in forward mode, input); "" if it is real."""
    return subject.part if (leaf if forward else output) in subject.split else ""


def compare(
    subject: Subject, output: int, leaf: int, numerical: Array, analytical: Array, options: Options, forward: bool
) -> None:
    """Compare the two Jacobians of an output with respect to an input.

    Raises:
        GradcheckError: if they differ.
    """
    if close(analytical, numerical, options.rtol, options.atol):
        return
    part = part_at(subject, output, leaf, forward)
    text = errors.mismatch(output, leaf, part, forward, wrap(numerical), wrap(analytical))
    raise GradcheckError(text + worst(subject, output, leaf, numerical, analytical, options))
