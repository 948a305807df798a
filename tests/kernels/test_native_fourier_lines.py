"""Fourier transforms of arrays: many lines at a time, long lines in two steps, any strides, beside NumPy in float64."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import wengert as wg
from wengert import _kernels as kernels
from wengert._kernels import fourier

FREE = settings(deadline=None, max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
LENGTHS = st.one_of(
    st.integers(1, 130),
    st.sampled_from(
        [240, 256, 343, 360, 499, 500, 1000, 1001, 1024, 2187, 2310, 4096, 4100, 4225, 5000, 8192, 8198, 10000]
    ),
)
LINES = st.one_of(st.integers(1, 20), st.integers(30, 40))
LAYOUTS = st.sampled_from(["rows", "columns", "gaps", "backwards"])


def laid_out(x: np.ndarray, layout: str) -> np.ndarray:
    """The same numbers in other places of memory."""
    if layout == "columns":
        return np.asfortranarray(x)
    if layout == "gaps":
        return np.repeat(x, 2, 1)[:, ::2]
    return x[::-1, ::-1].copy()[::-1, ::-1] if layout == "backwards" else x


def drawn(seed: int, shape: tuple[int, int], wide: bool, layout: str) -> np.ndarray:
    random = np.random.default_rng(seed)
    x = random.normal(size=shape) + 1j * random.normal(size=shape)
    return laid_out(x.astype(np.complex128 if wide else np.complex64), layout)


def close(found: np.ndarray, wanted: np.ndarray) -> None:
    """As exact as the sums of transforms allow: the mean of all squares counts, as in their bounds."""
    size = np.sqrt(np.mean(np.abs(wanted) ** 2)) or 1.0
    assert np.abs(found - wanted).max() <= 32 * np.finfo(found.dtype).eps * size


def shape_of(lines: int, length: int, axis: int) -> tuple[int, int]:
    return (lines, length) if axis else (length, lines)


@FREE
@given(
    LENGTHS,
    LINES,
    st.integers(0, 1),
    LAYOUTS,
    LAYOUTS,
    st.integers(0, 2),
    st.booleans(),
    st.booleans(),
    st.integers(0, 99),
)
def test_complex_numbers(length, lines, axis, layout, behind, scale, forward, wide, seed):
    x = drawn(seed, shape_of(lines, length, axis), wide, layout)
    made = laid_out(np.zeros_like(x), behind)
    wanted = fourier.fft_lines(x.astype(complex), axis, scale, forward, np.empty(x.shape, complex))
    assert kernels.fft_lines(x, axis, scale, forward, made) is made
    close(made, wanted)
    own = x.copy()
    assert kernels.fft_lines(own, axis, scale, forward, own) is own
    assert np.array_equal(own, kernels.fft_lines(x.copy(), axis, scale, forward, np.empty_like(own)))


@FREE
@given(LENGTHS, LINES, st.integers(0, 1), LAYOUTS, st.integers(0, 2), st.booleans(), st.booleans(), st.integers(0, 99))
def test_real_numbers_there_and_back(length, lines, axis, layout, scale, onesided, wide, seed):
    spectrum = drawn(seed, shape_of(lines, length, axis), wide, layout)
    x = laid_out(spectrum.real.copy(), layout)
    shape = list(x.shape)
    half = shape[axis] = length // 2 + 1
    made = np.empty(shape if onesided else x.shape, spectrum.dtype)
    kernels.rfft_lines(x, axis, scale, onesided, made)
    close(made, fourier.rfft_lines(x.astype(float), axis, scale, onesided, np.empty(made.shape, complex)))
    assert not (onesided and np.take(made, 0, axis).imag.any())
    spectrum = spectrum[:, :half] if axis else spectrum[:half]
    back = np.empty_like(x)
    kernels.irfft_lines(spectrum, axis, scale, length, back)
    close(back, fourier.irfft_lines(spectrum.astype(complex), axis, scale, length, np.empty(x.shape)))


@pytest.mark.parametrize("length", [2, 3, 4, 6, 8, 256, 512])
@pytest.mark.parametrize("lines", [1, 2, 5, 40])
@pytest.mark.parametrize("axis", [0, 1])
def test_expanded_numbers(length, lines, axis):
    shape = shape_of(lines, length, axis)
    x = drawn(5, shape, True, "rows")
    for same in (np.broadcast_to(x[:1], shape), np.broadcast_to(x[:, :1], shape), np.broadcast_to(x[0, 0], shape)):
        made = kernels.fft_lines(same, axis, 0, True, np.empty_like(x))
        np.testing.assert_allclose(made, np.fft.fft(same, axis=axis), atol=1e-10)
        half = np.fft.rfft(same.real, axis=axis)
        made = kernels.rfft_lines(same.real, axis, 0, True, np.empty_like(half))
        np.testing.assert_allclose(made, half, atol=1e-10)
        same = np.broadcast_to(same[:1, :1], half.shape)
        back = kernels.irfft_lines(same, axis, 0, length, np.empty(shape))
        np.testing.assert_allclose(back, np.fft.irfft(same, length, axis, "forward"), atol=1e-10)


@pytest.mark.parametrize("wide", [False, True])
def test_threads_change_no_bit(wide):
    x = drawn(1, (50, 6000), wide, "rows")
    before = wg.get_num_threads()
    found = []
    try:
        for threads in (1, 2, 3, 4):
            wg.set_num_threads(threads)
            found.append([kernels.fft_lines(x, axis, 0, True, np.empty_like(x)) for axis in (0, 1)])
    finally:
        wg.set_num_threads(before)
    for others in found[1:]:
        assert all(np.array_equal(a, b) for a, b in zip(found[0], others, strict=True))


def test_a_line_of_large_numbers_leaves_its_neighbours_alone():
    x = np.ones((8, 1000), np.float32)
    x[3] = 1e37
    x[5, 7] = np.nan
    found = kernels.rfft_lines(x, 1, 0, True, np.empty((8, 501), np.complex64))
    for line in (0, 1, 2, 4, 6, 7):
        assert found[line, 0] == 1000 and np.abs(found[line, 1:]).max() < 1e-3
    assert np.isnan(found[5]).any()


def test_what_memory_cannot_take_is_numpys():
    """Shapes that do not belong together are refused by the twin, memory that overlaps is filled by it."""
    x = drawn(3, (4, 40), True, "rows")
    for made in (np.empty((4, 39), complex), np.empty((5, 40), complex), np.empty((4, 40))):
        with pytest.raises((ValueError, TypeError)):
            kernels.fft_lines(x, 1, 0, True, made)
    with pytest.raises(ValueError):
        kernels.rfft_lines(x.real.copy(), 1, 0, True, np.empty((4, 20), complex))
    locked = np.empty_like(x)
    locked.flags.writeable = False
    with pytest.raises((ValueError, TypeError)):
        kernels.fft_lines(x, 1, 0, True, locked)
    with pytest.raises((IndexError, ValueError)):
        kernels.fft_lines(x, 2, 0, True, np.empty_like(x))
    memory, wanted = np.arange(200, dtype=complex), np.fft.fft(np.arange(160, dtype=complex).reshape(4, 40))
    made = memory[40:].reshape(4, 40)
    kernels.fft_lines(memory[:160].reshape(4, 40), 1, 0, True, made)
    close(made, wanted)


@FREE
@given(
    st.sampled_from([(30, 40), (3, 33, 20), (2, 300, 7), (1, 4096)]),
    st.integers(0, 99),
    st.sampled_from([np.float32, np.float64]),
)
def test_transforms_along_all_dimensions(shape, seed, dtype):
    x = np.random.default_rng(seed).normal(size=shape).astype(dtype)
    t = wg.from_numpy(x)
    close(wg.fft.fftn(t).numpy(), np.fft.fftn(x.astype(float)))
    close(wg.fft.rfftn(t).numpy(), np.fft.rfftn(x.astype(float)))
    close(wg.fft.irfftn(wg.fft.rfftn(t), shape).numpy(), x)
    close(wg.fft.ifft2(wg.fft.fft2(t)).numpy(), x.astype(complex))
