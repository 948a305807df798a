"""Common parts of the modules of distributions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def sampling(name: str) -> Callable[[str], Any]:
    """Return the `__getattr__` of a distribution's module: functions without a formula are SciPy's, without boxes."""

    def get(attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(f"the distribution {name} has no attribute {attribute!r}")
        try:
            import scipy.stats
        except ImportError as error:
            raise ImportError("wengert.compat.hips.scipy needs SciPy: pip install 'wengert[full]'") from error
        return getattr(getattr(scipy.stats, name), attribute)

    return get
