"""Memory layout of gradients: the check against torch's "default gradient layouts"."""

from __future__ import annotations

from typing import Any

from ..graph import anomaly
from ..operators.layouts import is_dense

WARNED: set[str] = set()
"""The ways of accumulating that have been warned of: torch warns once of each in a process."""


def look(leaf: Any, grad: Any, way: str) -> None:
    """Warn, once for each `way`, of a gradient whose strides are neither those of a dense leaf nor row-major."""
    if way in WARNED:
        return
    layout, array = leaf._array_, grad._array_
    if type(layout) is not type(array) or layout.shape != array.shape:  # of a batch, or of a leaf that changed since
        return
    if not is_dense(layout):
        fits = array.flags.c_contiguous
    else:
        fits = all(
            stride == other or length == 1 for stride, other, length in zip(layout.strides, array.strides, layout.shape)
        )
    if not fits:
        WARNED.add(way)
        anomaly.warn(
            "grad and param do not obey the gradient layout contract. This is not an error, but may impair performance."
            f"\ngrad.sizes() = {list(grad.shape)}, strides() = {list(grad.stride())}"
            f"\nparam.sizes() = {list(leaf.shape)}, strides() = {list(leaf.stride())}"
        )
