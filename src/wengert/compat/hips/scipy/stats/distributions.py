"""Common parts of the modules of distributions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....._start.loading import load_scipy


def sampling(name: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a distribution's module: functions without a formula are SciPy's, without boxes."""

    def get(attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(f"the distribution {name} has no attribute {attribute!r}")
        stats = load_scipy("stats", "wengert.compat.hips.scipy")
        return getattr(getattr(stats, name), attribute)

    return get
