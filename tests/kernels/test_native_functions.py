"""Elementary functions of float32, native: against long doubles over the whole range, on each set of instructions."""

from __future__ import annotations

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis.extra import numpy as arrays

BOUND = 0.52
"""Units in the last place; what is rounded once stays below it. The C library answers for sines beyond 10^5."""
BOUNDS = {"sin": 1.0, "cos": 1.0, "tan": 1.25, "arctan": 1.4, "arcsin": 1.3, "arccos": 1.25, "log2": 1.1, "log10": 1.1}
"""Of what is computed in float32 all the way, a tenth above what was found on three sets of instructions."""
LIBRARY_BOUND = 1.5

FUNCTIONS = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "arcsin": np.arcsin,
    "arccos": np.arccos,
    "arctan": np.arctan,
    "arcsinh": np.arcsinh,
    "arccosh": np.arccosh,
    "arctanh": np.arctanh,
    "expm1": np.expm1,
    "log1p": np.log1p,
    "log2": np.log2,
    "log10": np.log10,
    "log_sigmoid": lambda x: np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x))),
    "mish": lambda x: x * np.tanh(np.log1p(np.exp(x))),
}
PAIRS = {
    "arctan2": np.arctan2,
    "hypot": np.hypot,
    "fmod": np.fmod,
    "remainder": np.remainder,
    "floor_divide": np.floor_divide,
}
SPECIAL = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 3.5, -2.25, 1e-45, 8, 100], np.float32)


def places() -> np.ndarray:
    """Numbers of every magnitude, and many of those where the functions bend."""
    bits = np.arange(1, 0x7F800000, 199_933, dtype=np.uint32).view(np.float32)
    near = np.concatenate([np.linspace(1e-3, 1.01, 10_001), np.linspace(1, 120, 10_001)]).astype(np.float32)
    positive = np.concatenate([bits, near, SPECIAL])
    return np.concatenate([positive, -positive])


def error_in_ulp(made: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """The distances, in units in the last place of the exact value; what is not finite must be the same."""
    rounded = exact.astype(np.float32)
    finite = np.isfinite(rounded) & np.isfinite(made)
    np.testing.assert_array_equal(made[~finite], rounded[~finite])
    _, exponent = np.frexp(np.abs(rounded[finite]))
    unit = np.ldexp(1.0, np.maximum(exponent - 24, -149))
    errors = np.zeros(made.shape)
    errors[finite] = np.abs(made[finite].astype(exact.dtype) - exact[finite]) / unit
    return errors


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_float32_are_within_their_bound(native, name):
    x = places()
    if name == "mish":
        x = x[np.abs(x) < 80]  # beyond, the reference is 0 * inf
    if name in ("sin", "cos", "tan"):
        near = np.abs(x) <= 1e5
        exact = FUNCTIONS[name](x[~near].astype(np.longdouble))
        assert error_in_ulp(getattr(native, f"direct_{name}")(x[~near]), exact).max() <= LIBRARY_BOUND
        x = x[near]
    exact = FUNCTIONS[name](x.astype(np.longdouble))
    errors = error_in_ulp(getattr(native, f"direct_{name}")(x), exact)
    assert errors.max() <= BOUNDS.get(name, BOUND), x[errors.argmax()]


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in ("log_sigmoid", "mish")])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_special_values_and_signs_of_zeros_are_numpys(native, name, dtype):
    x = SPECIAL.astype(dtype)
    made, expected = getattr(native, f"direct_{name}")(x), FUNCTIONS[name](x)
    np.testing.assert_allclose(made, expected, rtol=1e-6 if dtype == np.float32 else 1e-15)
    zero = (made == 0) & (expected == 0)
    np.testing.assert_array_equal(np.signbit(made[zero]), np.signbit(expected[zero]))


def test_activations_keep_infinities_and_nan(native):
    x = np.array([np.inf, -np.inf, np.nan, 200, -200], np.float32)
    np.testing.assert_array_equal(native.direct_log_sigmoid(x), np.array([0, -np.inf, np.nan, 0, -200], np.float32))
    np.testing.assert_array_equal(native.direct_mish(x)[[0, 2, 3, 4]], np.array([np.inf, np.nan, 200, 0], np.float32))


numbers = arrays.arrays(np.float32, 70, elements=st.floats(width=32))


@pytest.mark.parametrize("name", PAIRS)
@hypothesis.given(a=numbers, b=numbers)
@hypothesis.settings(suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture], deadline=None)
def test_functions_of_two_float32_agree_with_numpy(native, name, a, b):
    function = getattr(native, f"direct_{name}")
    if name in ("fmod", "remainder", "floor_divide"):  # exact
        expected = PAIRS[name](a, b)
        np.testing.assert_array_equal(function(a, b), expected)
        np.testing.assert_array_equal(function(a, b[:1].reshape(())), PAIRS[name](a, b[0]))
        zero = expected == 0
        np.testing.assert_array_equal(np.signbit(function(a, b)[zero]), np.signbit(expected[zero]))
    else:
        assert (
            error_in_ulp(function(a, b), PAIRS[name](a.astype(np.longdouble), b.astype(np.longdouble))).max() <= BOUND
        )


@pytest.mark.parametrize("name", PAIRS)
def test_special_values_of_two_operands_are_numpys(native, name):
    a, b = (np.ascontiguousarray(each.reshape(-1)) for each in np.meshgrid(SPECIAL, SPECIAL))
    together = getattr(native, f"direct_{name}")(a, b)
    alone = [getattr(native, f"direct_{name}")(one[None], other[None])[0] for one, other in zip(a, b, strict=True)]
    np.testing.assert_allclose(together, PAIRS[name](a, b), rtol=3e-7)
    np.testing.assert_allclose(alone, PAIRS[name](a, b), rtol=3e-7)


@hypothesis.given(a=numbers, b=numbers)
@hypothesis.settings(suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture], deadline=None)
def test_logaddexp_of_float32_agrees_with_numpy(native, a, b):
    expected = np.logaddexp(a.astype(np.float64), b.astype(np.float64)).astype(np.float32)
    np.testing.assert_allclose(native.direct_logaddexp(a, b), expected, rtol=3e-7, atol=1e-7)


@pytest.mark.parametrize("instructions", ["baseline", "avx2"])
def test_functions_are_as_accurate_on_other_instructions(pass_on, instructions):
    pass_on(instructions, test_functions_of_float32_are_within_their_bound)
