"""The three operators of all Fourier transforms: complex to complex, real to complex, complex to real."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import Array, Sample, op
from ..._core.operators import layouts
from ..._core.operators.batch_rules import along
from ..._core.tensor.base import wrap
from ..._core.tensor.meta_array import constant_beside
from ..._core.types import dtypes
from ..create.factory import refuse_dtype

native = kernels.direct_function

SPECTRA = frozenset({dtypes.complex64, dtypes.complex128})
SIGNALS = frozenset({dtypes.float32, dtypes.float64})

transform = partial(
    op,
    layout="own",
    linear="self",
    batching=along("dim", none=True),
    public="neither",
    describes="""
    Args:
        dim: distinct dimensions, counted from the front.
        normalization: 0 for plain sums, 1 to divide them by the square root of the number of points, 2 by the number.

    Returns:
        A new tensor.
    """,
)
"""Card decorator for a Fourier transform."""


def outermost_first(array: Any, dims: Any) -> list[int]:
    """Return dimensions in the order of an array's memory, the outermost first."""
    steps = layouts.steps_of(array)
    return sorted(dims, key=lambda dim: -steps[dim])


def strides_in_room(array: Any, shape: tuple[int, ...], dims: Any) -> tuple[int, ...]:
    """Return the strides of a result with the transformed dimensions innermost, in this order."""
    others = outermost_first(array, [dim for dim in range(array.ndim) if dim not in dims])
    return layouts.packed(shape, [*others, *dims][::-1])


def allocate(array: Any, shape: tuple[int, ...], dims: Any, dtype: Any) -> Any:
    """Allocate memory for the transform of an array: the transformed dimensions are innermost, their last one last.

    The others keep the order of the array, as in torch.
    """
    return layouts.empty(shape, strides_in_room(array, shape, dims), np.dtype(dtype))


def transformed(array: Any, dims: Any, normalization: int, forward: bool, result: Any) -> Any:
    """Fill `result` with the transform of complex numbers along dimensions, one after the other."""
    for dim in dims:
        array = kernels.fft_lines(array, dim, normalization, forward, result)
    return result


def spectral(dtype: Any) -> Any:
    """Return the complex dtype of the spectrum of real numbers."""
    return np.complex64 if dtype == np.float32 else np.complex128


@transform(name="_fft_c2c", node="FftC2CBackward0", dtypes=SPECTRA, native=native("fft_c2c"))
def complex_to_complex(self: Array, dim: Any, normalization: int, forward: bool) -> Any:
    """Fourier transform of complex numbers.

    Args:
        self: complex tensor.
        forward: use a negative exponent.
    """
    refuse_dtype("_fft_c2c", self, SPECTRA)
    if not dim:
        return layouts.with_strides(self.copy(), layouts.preserved(self))
    dims = outermost_first(self, dim)
    result = allocate(self, self.shape, dims, self.dtype)
    return transformed(self, dims[::-1], normalization, forward, result)


@complex_to_complex.vjp("self")
def complex_to_complex_vjp(grad: Any, dim: Any, normalization: int, forward: bool) -> Any:
    return complex_to_complex(grad, dim, normalization, not forward)


@complex_to_complex.samples
def complex_to_complex_samples(make: Any) -> Any:
    yield Sample(make(2, 3), (1,), 0, True)
    yield Sample(make(4, 3), (0, 1), 1, False)
    yield Sample(make(3, 2), (0,), 2, True)
    yield Sample(make(3), (), 0, True)


def spectrum_shape(shape: tuple[int, ...], dim: int, onesided: bool) -> tuple[int, ...]:
    """Return the shape of the spectrum of a real signal along a dimension."""
    return (*shape[:dim], shape[dim] // 2 + 1, *shape[dim + 1 :]) if onesided else shape


@transform(name="_fft_r2c", node="FftR2CBackward0", dtypes=SIGNALS, native=native("fft_r2c"))
def real_to_complex(self: Array, dim: Any, normalization: int, onesided: bool) -> Any:
    """Fourier transform of real numbers.

    Args:
        self: real tensor.
        onesided: return only the terms 0 to n // 2 along the last of `dim`; the others are their conjugates.
    """
    refuse_dtype("_fft_r2c", self, SIGNALS)
    dims = [*outermost_first(self, dim[:-1]), dim[-1]]
    result = allocate(self, spectrum_shape(self.shape, dim[-1], onesided), dims, spectral(self.dtype))
    kernels.rfft_lines(self, dims[-1], normalization, onesided, result)
    return transformed(result, dims[-2::-1], normalization, True, result)


def weighted(spectrum: Any, dim: int, length: int, weight: float) -> Any:
    """Multiply the terms of half a spectrum that stand for two of the whole one, of `length` points, by `weight`."""
    count = length // 2 + 1
    weights = np.full((count, *(1,) * (spectrum.ndim - 1 - dim)), weight, spectrum._array_.real.dtype)
    weights[0] = 1
    if length % 2 == 0:
        weights[-1] = 1
    return spectrum * constant_beside(spectrum, wrap(weights))


@real_to_complex.vjp("self")
def real_to_complex_vjp(grad: Any, self_shape: Any, dim: Any, normalization: int, onesided: bool) -> Any:
    if not onesided:
        return complex_to_complex(grad, dim, normalization, False).real
    length = self_shape[dim[-1]]
    return complex_to_real(weighted(grad, dim[-1], length, 0.5), dim, normalization, length)


@real_to_complex.samples
def real_to_complex_samples(make: Any) -> Any:
    yield Sample(make(2, 4), (1,), 0, True)
    yield Sample(make(2, 5), (1,), 0, False)
    yield Sample(make(5, 3), (1, 0), 1, True)
    yield Sample(make(2, 1), (0, 1), 2, True)


@transform(name="_fft_c2r", node="FftC2RBackward0", dtypes=SPECTRA, native=native("fft_c2r"))
def complex_to_real(self: Array, dim: Any, normalization: int, last_dim_size: int) -> Any:
    """Inverse Fourier transform of half a spectrum to real numbers.

    Args:
        self: complex tensor, with the terms 0 to n // 2 along the last of `dim`; the others count as their conjugates.
        last_dim_size: length n of the last of `dim`.
    """
    refuse_dtype("_fft_c2r", self, SPECTRA)
    last = dim[-1]
    if dim[1:]:
        dims = outermost_first(self, dim[:-1])
        result = allocate(self, self.shape, dims, self.dtype)
        self = transformed(self, dims[::-1], normalization, False, result)
    shape = (*self.shape[:last], last_dim_size, *self.shape[last + 1 :])
    result = allocate(self, shape, (last,), self.real.dtype)
    return kernels.irfft_lines(self, last, normalization, last_dim_size, result)


@complex_to_real.vjp("self")
def complex_to_real_vjp(grad: Any, dim: Any, normalization: int, last_dim_size: int) -> Any:
    return weighted(real_to_complex(grad, dim, normalization, True), dim[-1], last_dim_size, 2)


@complex_to_real.samples
def complex_to_real_samples(make: Any) -> Any:
    yield Sample(make(2, 3), (1,), 0, 4)
    yield Sample(make(2, 3), (1,), 2, 5)
    yield Sample(make(3, 4), (1, 0), 1, 4)
    yield Sample(make(3, 1), (1,), 1, 1)
