"""tanh and erf in float32, against float64: within 1 and 1.5 units in the last place, on each set of instructions."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import numpy as np
import pytest

from wengert import _kernels

BOUNDS = {"tanh": (math.tanh, 1.0), "erf": (math.erf, 1.5)}


def places() -> np.ndarray:
    """Numbers of every magnitude, and many of those where the functions bend."""
    bits = np.arange(1, 0x7F800000, 99_991, dtype=np.uint32).view(np.float32)
    near = np.linspace(1e-3, 10, 40_001, dtype=np.float32)
    positive = np.concatenate([bits, near, np.array([0, 1, np.nextafter(np.float32(1), np.float32(2)), np.inf], "f4")])
    return np.concatenate([positive, -positive])


def error_in_ulp(made: np.ndarray, exact: np.ndarray) -> float:
    """The largest distance, in units in the last place of the exact value."""
    _, exponent = np.frexp(np.abs(exact.astype(np.float32)))
    unit = np.ldexp(1.0, np.maximum(exponent - 24, -149))
    return float(np.max(np.abs(made.astype(np.float64) - exact) / unit))


@pytest.mark.parametrize("name", BOUNDS)
def test_functions_of_float32_are_within_their_bound(native, name):
    function, bound = BOUNDS[name]
    x = places()
    exact = np.array([function(float(each)) for each in x])
    assert error_in_ulp(getattr(native, name)(x), exact) <= bound


def test_logarithms_of_float32_are_within_their_bound(native):
    x = np.unique(np.abs(places()))
    x = np.concatenate([x[(x > 0) & np.isfinite(x)], np.linspace(0.7, 1.5, 100_001, dtype=np.float32)])
    exact = np.array([math.log(float(each)) for each in x])
    found = native.log(x)
    assert (found[x == 1] == 0).all()
    assert error_in_ulp(found[x != 1], exact[x != 1]) <= 0.85


@pytest.mark.parametrize("name", BOUNDS)
def test_zeros_keep_their_sign_and_nan_stays(native, name):
    made = getattr(native, name)(np.array([0.0, -0.0, np.inf, -np.inf, np.nan], np.float32))
    assert made[:4].tolist() == [0, 0, 1, -1]
    assert np.signbit(made[:2]).tolist() == [False, True]
    assert np.isnan(made[4])


ON_OTHERS = (test_functions_of_float32_are_within_their_bound, test_logarithms_of_float32_are_within_their_bound)


@pytest.mark.parametrize("instructions", ["baseline", "avx2"])
def test_functions_of_float32_are_within_their_bound_on_other_instructions(pass_on, instructions):
    pass_on(instructions, *ON_OTHERS)


def test_an_unknown_set_of_instructions_is_refused(native):
    environment = {**os.environ, "WENGERT_INSTRUCTIONS": "mmx"}
    ran = subprocess.run([sys.executable, "-c", "import wengert"], env=environment, capture_output=True, check=False)
    assert ran.returncode
    assert b'WENGERT_INSTRUCTIONS: expected "baseline"' in ran.stderr


def test_the_chosen_kernels_are_those_tested():
    assert _kernels.native is None or _kernels.erf is _kernels.native.erf


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_sine_and_cosine_of_float64_are_the_librarys_to_a_unit(native, name, random):
    eighths = np.arange(-2000.0, 2000.0) * math.pi / 4
    near = np.concatenate([np.nextafter(eighths, side) for side in (-np.inf, 0, np.inf)])
    spread = random.normal(size=20_000) * 10.0 ** random.integers(-12, 7, 20_000)
    x = np.concatenate([eighths, near, spread, [1e6, 1e6 + 1, 1e22, 5e-324, 0.0]])
    for each in (x, x[:63], x[-5:]):
        exact = np.array([getattr(math, name)(float(number)) for number in each])
        made = _kernels.direct.get(name, getattr(native, name))(each)
        assert np.max(np.abs(made - exact) / np.spacing(np.abs(exact))) <= 1
    strange = getattr(native, name)(np.array([0.0, -0.0, np.nan]))
    assert np.signbit(strange[:2]).tolist() == [False, name == "sin"] and np.isnan(strange[2])
