"""Functions of float64 by loops of our own: against mpmath in 40 digits, on each set of instructions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from hypothesis.extra import numpy as arrays

mpmath = pytest.importorskip("mpmath")

BOUND = 4
"""Units in the last place."""


def places(name: str) -> np.ndarray:
    """Numbers where the function is usual, where its parts meet, and far away."""
    random = np.random.default_rng(7)
    powers = 2.0 ** random.uniform(-60, 8, 200)
    around = np.array([edge + side for edge in (0.5, 1, 2, 3, 10) for side in (-1e-9, 0, 1e-9)])
    if name == "erfinv":
        return np.concatenate(
            [random.uniform(-1, 1, 200), 1 - 2.0 ** -random.uniform(1, 53, 200), 2.0 ** -random.uniform(1, 60, 99)]
        )
    if name in ("gammaln", "digamma"):
        return np.concatenate(
            [random.uniform(0, 12, 500), 2.0 ** random.uniform(-300, 300, 200), around, 1.46163 + powers * 1e-4]
        )
    if name == "erfc":
        return np.concatenate([random.uniform(-7, 27, 300), powers[powers < 27], -powers, around])
    return np.concatenate([random.normal(size=300) ** 2 - 0.99, powers, -powers[powers < 1], around])


def inverse_error_function(x: mpmath.mpf, found: float) -> mpmath.mpf:
    """By one step of Newton's method from what was found."""
    at = mpmath.mpf(found)
    return at - (mpmath.erf(at) - x) * mpmath.sqrt(mpmath.pi) / 2 * mpmath.exp(at * at)


EXACT = {
    "erfc": lambda x, found: mpmath.erfc(x),
    "erfinv": inverse_error_function,
    "gammaln": lambda x, found: mpmath.loggamma(x),
    "digamma": lambda x, found: mpmath.digamma(x),
    "log1p": lambda x, found: mpmath.log1p(x),
    "log_sigmoid": lambda x, found: -mpmath.log1p(mpmath.exp(-x)),
}


@pytest.mark.parametrize("name", EXACT)
def test_functions_of_float64_are_within_their_bound(native, name):
    x = places(name)
    made = getattr(native, f"direct_{name}")(x) if name != "log1p" else native.log1p(x)
    with mpmath.workdps(40):
        exact = [EXACT[name](mpmath.mpf(float(at)), float(found)) for at, found in zip(x, made, strict=True)]
        errors = [
            float(abs(mpmath.mpf(float(m)) - e) / float(np.spacing(abs(float(e)))))
            for m, e in zip(made, exact, strict=True)
        ]
    assert max(errors) <= BOUND, (x[np.argmax(errors)], max(errors))


@pytest.mark.parametrize("name", ["erfc", "erfinv", "gammaln", "digamma", "log1p"])
def test_special_values_of_float64_are_those_of_float32(native, name):
    x = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, -7, 300])
    function = native.log1p if name == "log1p" else getattr(native, f"direct_{name}")
    for one in x:
        made, expected = function(one[None]), function(one[None].astype(np.float32))
        np.testing.assert_allclose(made, expected, rtol=1e-6)
        if not np.isnan(one):  # whose sign is the processor's affair
            np.testing.assert_array_equal(np.signbit(made), np.signbit(expected))


@pytest.mark.parametrize("name", ["gammaln", "digamma"])
def test_gamma_functions_of_float64_below_zero(native, name):
    x = np.concatenate([-np.arange(0.123, 40, 0.37), -(2.0 ** np.arange(-30, 6)) * 1.0123, [-5e-324, 5e-324, -1e-310]])
    with mpmath.workdps(60):
        exact = [
            float(
                mpmath.log(abs(mpmath.gamma(mpmath.mpf(float(at)))))
                if name == "gammaln"
                else mpmath.digamma(mpmath.mpf(float(at)))
            )
            for at in x
        ]
    np.testing.assert_allclose(getattr(native, f"direct_{name}")(x), exact, rtol=2e-14, atol=1e-13)


@pytest.mark.parametrize("name", EXACT)
def test_an_element_does_not_depend_on_its_neighbours(native, name):
    x = np.linspace(0.01, 0.99, 200)
    function = native.log1p if name == "log1p" else getattr(native, f"direct_{name}")
    np.testing.assert_array_equal(function(x)[37:38], function(x[37:38].copy()))


pairs = arrays.arrays(np.float64, (2, 70), elements=st.floats() | st.floats(-9, 9) | st.integers(-5, 5).map(float))


@pytest.mark.parametrize("name", ["fmod", "remainder", "floor_divide"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(pair=pairs)
def test_rests_of_float64_are_numpys(native, name, pair):
    with np.errstate(all="ignore"):
        made, expected = getattr(native, name)(*pair), getattr(np, name)(*pair)
    fits = ~((pair[1] == 0) & (name == "floor_divide"))  # by 0, torch's quotient
    np.testing.assert_array_equal(made[fits], expected[fits])
    np.testing.assert_array_equal(
        np.signbit(made[fits & ~np.isnan(made)]), np.signbit(expected[fits & ~np.isnan(made)])
    )


@pytest.mark.parametrize("name", ["fmod", "remainder", "floor_divide"])
def test_rests_of_near_float64_are_numpys(native, name, random):
    a, b = random.normal(size=(2, 20_000)) * 10.0 ** random.integers(-6, 7, (2, 20_000))
    a[::3] = np.rint(a[::3]) * b[::3]  # whole quotients, nearly
    a[:64], b[:64] = np.nextafter(np.arange(64) * 0.1, 0), 0.1
    np.testing.assert_array_equal(getattr(native, name)(a, b), getattr(np, name)(a, b))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(pair=pairs)
def test_hypot_and_logaddexp_of_float64_agree_with_numpy(native, pair):
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(native.direct_hypot(*pair), np.hypot(*pair), rtol=3e-16, atol=5e-324)
        np.testing.assert_allclose(native.direct_logaddexp(*pair), np.logaddexp(*pair), rtol=4e-16, atol=3e-16)


@pytest.mark.parametrize("instructions", ["baseline", "avx2"])
def test_functions_of_float64_are_as_accurate_on_other_instructions(pass_on, instructions):
    pass_on(
        instructions,
        test_functions_of_float64_are_within_their_bound,
        test_gamma_functions_of_float64_below_zero,
        test_rests_of_float64_are_numpys,
        test_rests_of_near_float64_are_numpys,
        test_hypot_and_logaddexp_of_float64_agree_with_numpy,
    )
