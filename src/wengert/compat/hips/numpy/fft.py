"""`numpy.fft`, whose functions also take boxes; their rules are in `fourier`."""

from __future__ import annotations

from typing import Any

import numpy as np


def __getattr__(name: str) -> Any:
    """NumPy's."""
    return getattr(np.fft, name)
