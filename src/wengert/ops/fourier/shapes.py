"""The shapes of spectra and signals; the transformed dimensions lie innermost."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.operators import layouts
from ..create.factory import refuse_dtype
from ..shape_rules import real
from .transforms import (
    SIGNALS,
    SPECTRA,
    complex_to_complex,
    complex_to_real,
    outermost_first,
    real_to_complex,
    spectral,
    spectrum_shape,
    strides_in_room,
)


@complex_to_complex.shape
def spectrum_of_spectrum(self: Any, dim: Any, *others: Any) -> Any:
    refuse_dtype("_fft_c2c", self, SPECTRA)
    if not dim:
        return self.shape, self.dtype, layouts.preserved(self)
    return self.shape, self.dtype, strides_in_room(self, self.shape, outermost_first(self, dim))


@real_to_complex.shape
def spectrum_of_signal(self: Any, dim: Any, normalization: int, onesided: bool) -> Any:
    refuse_dtype("_fft_r2c", self, SIGNALS)
    dims = [*outermost_first(self, dim[:-1]), dim[-1]]
    shape = spectrum_shape(self.shape, dim[-1], onesided)
    return shape, np.dtype(spectral(self.dtype)), strides_in_room(self, shape, dims)


@complex_to_real.shape
def signal_of_spectrum(self: Any, dim: Any, normalization: int, last_dim_size: int) -> Any:
    refuse_dtype("_fft_c2r", self, SPECTRA)
    last, shape = dim[-1], self.shape
    steps = strides_in_room(self, shape, outermost_first(self, dim[:-1])) if dim[1:] else layouts.steps_of(self)
    others = sorted([axis for axis in range(self.ndim) if axis != last], key=lambda axis: -steps[axis])
    shape = (*shape[:last], last_dim_size, *shape[last + 1 :])
    return shape, real(self.dtype), layouts.packed(shape, [*others, last][::-1])
