"""`numpy.linalg`, whose functions also accept boxes; their rules are in `matrices`."""

from __future__ import annotations

import numpy as np

from .passing import passing

__getattr__ = passing(globals(), np.linalg)
