"""Powers of many floats: within an ulp, and at special numbers those of the C library."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import wengert as wg

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, -3.0, 2.0**24 + 2, 1e-40, -1e-40, 3e38, -3e38, np.inf, -np.inf, np.nan]


def powers(bases: Any, exponents: Any) -> np.ndarray:
    return wg.pow(wg.tensor(bases), exponents if isinstance(exponents, float) else wg.tensor(exponents)).numpy()


def test_powers_of_many_floats_are_within_an_ulp():
    random = np.random.default_rng(0)
    bases = np.exp(random.normal(size=20_000) * 8).astype(np.float32)
    bases[::3] *= -1
    whole = random.integers(-9, 10, 20_000).astype(np.float32)
    exponents = np.where(bases < 0, whole, random.normal(size=20_000) * 4).astype(np.float32)
    found = powers(bases, exponents)
    with np.errstate(over="ignore", under="ignore"):
        exact = np.power(bases.astype(np.float64), exponents.astype(np.float64))
        rounded = exact.astype(np.float32)
    assert np.array_equal(np.isinf(found), np.isinf(rounded))
    held = np.isfinite(rounded) & (np.abs(rounded) > 1e-37)
    apart = np.abs(found[held].astype(np.float64) - exact[held]) / np.spacing(np.abs(rounded[held]))
    assert apart.max() < 1


@pytest.mark.parametrize("exponent", [None, *SPECIAL])
def test_powers_of_special_numbers_are_those_of_the_c_library(exponent):
    bases = np.repeat(np.float32(SPECIAL), len(SPECIAL) * 4)
    exponents = np.tile(np.float32(SPECIAL), len(SPECIAL) * 4)
    with np.errstate(all="ignore"):
        expected = np.power(bases, exponents if exponent is None else np.float32(exponent))
    found = powers(bases, exponents if exponent is None else float(exponent))
    np.testing.assert_array_max_ulp(np.nan_to_num(found, nan=7), np.nan_to_num(expected, nan=7), 1)
    assert np.array_equal(np.isnan(found), np.isnan(expected))
    assert np.array_equal(np.signbit(found)[~np.isnan(found)], np.signbit(expected)[~np.isnan(expected)])


def test_a_power_of_many_in_place_and_its_gradient_are_those_of_the_formula():
    x = wg.linspace(0.1, 3, 5000).requires_grad_()
    (x**1.5).sum().backward()
    wg.testing.assert_close(x.grad, 1.5 * x.detach().sqrt())
    y = x.detach().clone()
    y.pow_(2.5)
    wg.testing.assert_close(y, x.detach().square() * x.detach().sqrt())
    z = x.detach().clone()
    z.pow_(z)
    assert wg.equal(z, x.detach().pow(x.detach()))
