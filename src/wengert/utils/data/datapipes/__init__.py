"""Data pipes: datasets composed by functions, `IterableWrapper(values).map(f).batch(8)`."""

from __future__ import annotations

from . import iter, map

__all__ = ["iter", "map"]
