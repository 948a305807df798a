"""Native Fourier transforms of few points beside NumPy's, for every length that they know."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

MOST = 256
FREE = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
NORMS = (("backward", "forward"), ("ortho", "ortho"), ("forward", "backward"))
"""NumPy's names by `normalization`: of a forward transform, of an inverse one."""


def close(found: np.ndarray, wanted: np.ndarray) -> None:
    """Every term as exact as sums of so many allow: the mean of all squares counts, as in their bounds."""
    assert found.shape == wanted.shape and found.flags.c_contiguous
    size = np.sqrt(np.mean(np.abs(wanted) ** 2)) or 1.0
    assert np.abs(found - wanted).max() <= 32 * np.finfo(found.dtype).eps * size


@pytest.mark.parametrize("first", range(1, MOST + 1, 32))
def test_every_length_is_numpys(native, first):
    random = np.random.default_rng(first)
    for length in range(first, first + 32):
        x = random.normal(size=length) + 1j * random.normal(size=length)
        close(native.direct_fft_c2c(x, (0,), 0, True), np.fft.fft(x))
        close(native.direct_fft_c2c(x, (0,), 2, False), np.fft.ifft(x))
        close(native.direct_fft_r2c(x.real.copy(), (0,), 0, True), np.fft.rfft(x.real))
        close(native.direct_fft_r2c(x.real.copy(), (0,), 0, False), np.fft.fft(x.real))
        half = x[: length // 2 + 1].copy()
        close(native.direct_fft_c2r(half, (0,), 2, length), np.fft.irfft(half, length))


def test_simple_signals_are_exact(native):
    for length in range(1, MOST + 1):
        one = np.zeros(length, complex)
        one[0] = 1
        assert (native.direct_fft_c2c(one, (0,), 0, True) == 1).all()
        assert native.direct_fft_r2c(np.ones(length), (0,), 0, True)[0] == length
    for length in range(2, MOST + 1, 2):
        turns = native.direct_fft_c2c(np.eye(length)[:2].astype(complex)[1], (0,), 0, True)
        assert turns[length // 2] == -1
        assert length % 4 or turns[length // 4] == -1j


@settings(FREE, max_examples=60)
@given(
    shape=st.tuples(st.integers(1, 4), st.integers(1, 12), st.integers(1, 20)),
    named=st.integers(1, 3),
    scale=st.integers(0, 2),
    forward=st.booleans(),
    wide=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_several_dimensions_are_numpys(native, shape, named, scale, forward, wide, seed):
    random = np.random.default_rng(seed)
    x = (random.normal(size=shape) + 1j * random.normal(size=shape)).astype(np.complex128 if wide else np.complex64)
    dims = tuple(range(3 - named, 3))
    transform = np.fft.fftn if forward else np.fft.ifftn
    found = native.direct_fft_c2c(x, dims, scale, forward)
    assert found.dtype == x.dtype
    close(found, transform(x.astype(complex), axes=dims, norm=NORMS[scale][not forward]))


@settings(FREE, max_examples=60)
@given(rows=st.integers(1, 4), length=st.integers(1, 64), scale=st.integers(0, 2), seed=st.integers(0, 2**32 - 1))
def test_real_numbers_in_float32_are_numpys(native, rows, length, scale, seed):
    random = np.random.default_rng(seed)
    x = random.normal(size=(rows, length)).astype(np.float32)
    spectrum = native.direct_fft_r2c(x, (1,), scale, True)
    assert spectrum.dtype == np.complex64
    close(spectrum, np.fft.rfft(x.astype(float), norm=NORMS[scale][0]))
    back = native.direct_fft_c2r(spectrum, (1,), scale, length)
    assert back.dtype == np.float32
    close(back, np.fft.irfft(spectrum.astype(complex), length, norm=NORMS[scale][1]))


def test_the_second_half_of_a_real_spectrum_is_the_conjugate_of_the_first(native):
    for length in (2, 7, 12, 30, 64, 97):
        found = native.direct_fft_r2c(np.random.default_rng(length).normal(size=length), (0,), 0, False)
        assert np.array_equal(found[1:], found[:0:-1].conj()) and found[0].imag == 0


def test_what_is_not_plain_is_left_to_the_body(native):
    x = np.ones((3, 4), complex)
    for wrong in (
        (x.T, (1,), 0, True),  # other orders
        (x, (0,), 0, True),  # not the last dimensions
        (x, (1, 0), 0, True),
        (x, (), 0, True),
        (x, (1,), 3, True),
        (np.ones(257, complex), (0,), 0, True),
        (x * np.inf, (1,), 0, True),
        (x * np.nan, (1,), 0, True),
        (x.astype(np.complex256), (1,), 0, True),
    ):
        assert native.direct_fft_c2c(*wrong) is NotImplemented
    assert native.direct_fft_c2r(x, (1,), 0, 5) is NotImplemented  # has four terms, and should have three
    assert native.direct_fft_c2r(x, (1,), 0, 2**62) is NotImplemented
