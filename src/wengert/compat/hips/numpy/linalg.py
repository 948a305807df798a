"""`numpy.linalg`, whose functions also take boxes; their rules are in `matrices`."""

from __future__ import annotations

from typing import Any

import numpy as np


def __getattr__(name: str) -> Any:
    """NumPy's."""
    return getattr(np.linalg, name)
