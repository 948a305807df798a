"""The short-time transform beside its definition, with arguments made at random."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg


def close(found, wanted, digits=1e-9):
    np.testing.assert_allclose(found.numpy(), wanted, rtol=digits, atol=digits)


def pieces(signal, points, hop):
    """The pieces of a signal, one below the other."""
    return np.stack([signal[..., at : at + points] for at in range(0, signal.shape[-1] - points + 1, hop)], -2)


@given(st.data(), st.integers(2, 9), st.integers(0, 2), st.booleans(), st.booleans(), st.booleans(), st.integers(0, 99))
def test_spectra_are_those_of_the_pieces(data, points, batch, center, onesided, normalized, seed):
    draw = np.random.default_rng(seed)
    signal = draw.standard_normal((batch, 20) if batch else 20)
    hop, width = data.draw(st.integers(1, 6)), data.draw(st.integers(1, points))
    window = draw.uniform(0.5, 1.5, width)
    found = wg.stft(
        wg.tensor(signal),
        points,
        hop,
        width,
        wg.tensor(window),
        center,
        normalized=normalized,
        onesided=onesided,
        return_complex=True,
    )
    if center:
        signal = np.pad(signal, [(0, 0)] * (signal.ndim - 1) + [(points // 2, points // 2)], mode="reflect")
    left = (points - width) // 2
    weights = np.pad(window, (left, points - width - left))
    transform = np.fft.rfft if onesided else np.fft.fft
    wanted = transform(pieces(signal, points, hop) * weights, norm="ortho" if normalized else None)
    close(found, np.swapaxes(wanted, -1, -2))


@given(st.data(), st.integers(2, 9), st.booleans(), st.booleans(), st.booleans(), st.integers(0, 99))
def test_the_inverse_gives_the_signal_back(data, points, complex_ones, normalized, two, seed):
    draw = np.random.default_rng(seed)
    shape = (2, 24) if two else (24,)
    signal = draw.standard_normal(shape) + (1j * draw.standard_normal(shape) if complex_ones else 0)
    hop = data.draw(st.integers(1, max(points // 2, 1)))
    window = wg.tensor(draw.uniform(0.5, 1.5, points))
    spectra = wg.stft(wg.tensor(signal), points, hop, window=window, normalized=normalized, return_complex=True)
    covered = hop * (spectra.shape[-1] - 1)
    back = wg.istft(
        spectra, points, hop, window=window, normalized=normalized, length=covered, return_complex=complex_ones
    )
    close(back, signal[..., :covered])


def test_what_torch_warns_of_is_warned_of():
    x, window = wg.ones(12), wg.hann_window(4)
    with pytest.warns(UserWarning, match="A window was not provided"):
        spectra = x.stft(4, return_complex=True)
    with pytest.warns(UserWarning, match="make the inversion lossless"):
        assert spectra.istft(4).tolist() == [1] * 12
    with pytest.warns(UserWarning, match="return_complex=False is deprecated"):
        pairs = wg.stft(x, 4, window=window, return_complex=False)
    assert pairs.shape == (3, 13, 2)
    with pytest.warns(UserWarning, match="padded with zeros in the tail"):
        longer = wg.istft(wg.stft(x, 4, window=window, return_complex=True), 4, window=window, length=20)
    assert longer.shape == (20,)


@pytest.mark.parametrize(
    "given_ones, says",
    [
        ({"n_fft": 16}, "Padding size should be less than the corresponding input dimension"),
        ({"n_fft": 4, "hop_length": 0}, "expected hop_length > 0, but got hop_length=0"),
        ({"n_fft": 4, "win_length": 5}, "expected 0 < win_length <= n_fft, but got win_length=5"),
        ({"n_fft": 4, "win_length": 3}, "expected a 1D window tensor of size equal to win_length=3"),
        ({"n_fft": 0}, "expected 0 < n_fft < 6, but got n_fft=0"),
        ({"n_fft": 4, "align_to_window": True}, "stft align_to_window should only be set when center = false"),
        ({"n_fft": 8, "center": False}, "stft(torch.FloatTensor[6], n_fft=8, hop_length=2, win_length=8, window="),
    ],
)
def test_what_cannot_be_cut_is_refused_in_torchs_words(given_ones, says):
    with pytest.raises(RuntimeError, match=re.escape(says)):
        wg.stft(wg.ones(6), window=wg.hann_window(4), return_complex=True, **given_ones)


def test_windows_that_leave_gaps_are_refused():
    spectra = wg.stft(wg.ones(12), 4, 4, window=wg.hann_window(4), center=False, return_complex=True)
    with pytest.raises(RuntimeError, match="window overlap add min: 1"):
        wg.istft(spectra, 4, 4, window=wg.hann_window(4), center=False)
    with pytest.raises(RuntimeError, match="Cannot have onesided output if window or input is complex"):
        wg.istft(spectra, 4, 4, window=wg.ones(4), return_complex=True)


def test_windows_of_halves_are_added_up_one_after_the_other():
    """As torch does: where the sum were rounded once, the fourth number would be 3.007."""
    window = wg.hann_window(8)
    spectra = wg.stft(wg.arange(32.0), 8, window=window, return_complex=True)
    made = wg.istft(spectra, 8, window=window.bfloat16())
    assert made.dtype is wg.float32
    assert [round(each, 3) for each in made[1:8].tolist()] == [0.998, 2.0, 2.991, 4.0, 4.985, 6.0, 6.979]


def test_a_short_time_transform_of_truth_values_has_no_border():
    with pytest.raises(NotImplementedError, match=r"reflection_pad1d.* not implemented for 'Bool'"):
        wg.stft(wg.ones(10, dtype=wg.bool), 4, window=wg.ones(4), return_complex=True)
