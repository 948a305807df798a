"""Inspection functions of the array API standard."""

from __future__ import annotations

from typing import Any

import wengert as wg

from .data_types import KINDS


class Info:
    """Result of `__array_namespace_info__()`."""

    def capabilities(self) -> dict[str, Any]:
        """Return the capabilities: shapes may depend on values; the number of dimensions is limited by NumPy only."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Any:
        """Return the default device."""
        return wg.device("cpu")

    def devices(self) -> list[Any]:
        """Return all devices."""
        return [wg.device("cpu")]

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        """Return the default dtypes of functions."""
        real = wg.get_default_dtype()
        return {
            "real floating": real,
            "complex floating": wg.complex128 if real is wg.float64 else wg.complex64,
            "integral": wg.int64,
            "indexing": wg.int64,
        }

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, Any]:
        """Return the dtypes of a kind, or of a tuple of kinds, by name.

        Raises:
            ValueError: if no kind has that name.
        """
        kinds = ("bool", "numeric") if kind is None else kind if isinstance(kind, tuple) else (kind,)
        for name in kinds:
            if name not in KINDS:
                raise ValueError(f"dtypes: no kind {name!r}; there are {', '.join(KINDS)}")
        return {dtype.name: dtype for name in kinds for dtype in KINDS[name]}


def __array_namespace_info__() -> Info:  # noqa: N807 - the standard's name
    """Return information about the library, as the standard defines it."""
    return Info()
