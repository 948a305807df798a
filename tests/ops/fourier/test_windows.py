"""Windows beside SciPy's, and the numbers of points that they take."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.signal.windows as reference
from hypothesis import given, strategies as st

import wengert as wg

NAMES = ("bartlett", "blackman", "cosine", "hamming", "hann", "nuttall")
PARAMETERS = {
    "exponential": ({"tau": 1.5}, lambda n, sym: reference.exponential(n, tau=1.5, sym=sym)),
    "gaussian": ({"std": 0.9}, lambda n, sym: reference.gaussian(n, 0.9, sym)),
    "kaiser": ({"beta": 3.5}, lambda n, sym: reference.kaiser(n, 3.5, sym)),
    "general_cosine": ({"a": [0.4, 0.35, 0.25]}, lambda n, sym: reference.general_cosine(n, [0.4, 0.35, 0.25], sym)),
    "general_hamming": ({"alpha": 0.3}, lambda n, sym: reference.general_hamming(n, 0.3, sym)),
}


def close(found, wanted, digits=1e-9):
    np.testing.assert_allclose(found.numpy(), wanted, rtol=digits, atol=digits)


@given(st.sampled_from((*NAMES, *PARAMETERS)), st.integers(1, 40), st.booleans())
def test_a_window_is_scipys(name, count, sym):
    given_ones, wanted = PARAMETERS.get(name, ({}, lambda n, sym: getattr(reference, name)(n, sym)))
    found = getattr(wg.signal.windows, name)(count, sym=sym, dtype=wg.float64, **given_ones)
    close(found, wanted(count, sym), 1e-7 if name == "kaiser" else 1e-9)


@given(st.sampled_from(("bartlett", "blackman", "hamming", "hann", "kaiser")), st.integers(1, 40), st.booleans())
def test_a_window_of_the_package_is_scipys(name, count, periodic):
    found = getattr(wg, f"{name}_window")(count, periodic, dtype=wg.float64)
    close(found, getattr(reference, name)(count, *([12.0] if name == "kaiser" else []), sym=not periodic))


def test_a_window_is_a_leaf_and_that_of_signal_has_a_history():
    assert wg.hann_window(4, requires_grad=True).is_leaf
    assert wg.signal.windows.hann(4, requires_grad=True).grad_fn is not None
    with pytest.raises(ValueError, match="Center must be None for symmetric windows"):
        wg.signal.windows.exponential(4, center=1.0)
    with pytest.raises(RuntimeError, match="hann_window expects floating point dtypes"):
        wg.hann_window(4, dtype=wg.int64)


@pytest.mark.parametrize("name", ["hann", "cosine", "kaiser", "bartlett"])
def test_windows_of_a_float_in_a_tensor_are_those_of_the_float(name):
    window = getattr(wg.signal.windows, name)
    assert window(wg.tensor(0.0)).tolist() == []
    with pytest.raises(ValueError, match=r"requires non-negative window length, got M=-2\.0"):
        window(wg.tensor(-2.0))
    with pytest.raises(TypeError, match="must be int, not float"):
        window(wg.tensor(2.5))


@pytest.mark.parametrize("name", ["nuttall", "hann", "kaiser", "bartlett"])
def test_windows_have_no_fraction_of_a_point(name):
    window = getattr(wg.signal.windows, name)
    for count in (0.5, 1.5):
        with pytest.raises(TypeError, match="must be int, not float"):
            window(count)
    assert window(1.0).tolist() == [1]
