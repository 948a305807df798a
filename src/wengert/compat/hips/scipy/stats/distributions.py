"""What the modules of distributions have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def sampling(name: str) -> Callable[[str], Any]:
    """The `__getattr__` of a distribution's module: what it has no formula for is SciPy's, and takes no boxes."""

    def get(attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(f"the distribution {name} has no attribute {attribute!r}")
        try:
            import scipy.stats
        except ImportError as error:
            raise ImportError("wengert.compat.hips.scipy needs SciPy: pip install 'wengert[full]'") from error
        return getattr(getattr(scipy.stats, name), attribute)

    return get
