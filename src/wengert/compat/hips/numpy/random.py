"""`numpy.random`: what it gives is never differentiated."""

from __future__ import annotations

from typing import Any

import numpy as np


def __getattr__(name: str) -> Any:
    """NumPy's."""
    return getattr(np.random, name)
