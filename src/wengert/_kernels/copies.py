"""Copies of elements into existing memory."""

from __future__ import annotations

import numpy as np

from .results import Array


def copy_into(target: Array, source: Array) -> None:
    """Write the elements of `source`, broadcast to the shape of `target`, of the same dtype, into it."""
    np.copyto(target, source)
