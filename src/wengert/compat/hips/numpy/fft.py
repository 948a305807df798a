"""`numpy.fft`, whose functions also accept boxes; their rules are in `fourier`."""

from __future__ import annotations

import numpy as np

from .passing import passing

__getattr__ = passing(globals(), np.fft)
