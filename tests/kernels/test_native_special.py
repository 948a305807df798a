"""Special functions of float32, native: against SciPy's in float64, on each set of instructions."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.test_native_functions import error_in_ulp, places

special = pytest.importorskip("scipy.special")

BOUND = 0.53
"""Units in the last place; what is rounded once stays below it."""

FUNCTIONS = {
    "exp2": (np.exp2, 1.1),  # in float32 all the way
    "erfc": (special.erfc, BOUND),
    "erfcx": (special.erfcx, BOUND),
    "log_ndtr": (special.log_ndtr, BOUND),
    "erfinv": (special.erfinv, BOUND),
    "ndtri": (special.ndtri, BOUND),
    "i0": (special.i0, BOUND),
    "i0e": (special.i0e, BOUND),
    "i1": (special.i1, BOUND),
    "i1e": (special.i1e, BOUND),
}
GAMMAS = {"gammaln": special.gammaln, "digamma": special.psi}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_special_functions_of_float32_are_rounded_once(native, name):
    function, bound = FUNCTIONS[name]
    x = places()
    if name == "erfinv":
        x = x[~(np.abs(x) > 1)]
    with np.errstate(all="ignore"):
        exact = function(x.astype(np.float64))
        errors = error_in_ulp(getattr(native, f"direct_{name}")(x), exact)
    assert errors.max() <= bound, (x[errors.argmax()], errors.max())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", GAMMAS)
def test_gamma_functions_of_positive_float32_are_rounded_once(native, name):
    x = places()
    x = x[x > 0]
    near = np.concatenate([np.linspace(0.5, 3, 20_001), 1 + np.arange(-50, 50) * 2.0**-24]).astype(np.float32)
    x = np.concatenate([x[: x.size // 64 * 64], near])
    with np.errstate(all="ignore"):
        exact = GAMMAS[name](x.astype(np.float64))
        made = getattr(native, f"direct_{name}")(x)
        errors = error_in_ulp(made, exact)
    near_zero = np.abs(made - exact) <= (2.0**-30 if name == "digamma" else 0)
    errors[near_zero] = 0
    assert errors.max() <= BOUND, (x[errors.argmax()], errors.max())


@pytest.mark.parametrize("name", GAMMAS)
def test_gamma_functions_below_zero_are_those_of_float64(native, name):
    places_below = -np.arange(0.1, 40, 0.37), -(2.0 ** np.arange(-30, 6)) * 1.01, [-3.0625, -10.5]
    x = np.concatenate(places_below).astype(np.float32)
    exact = GAMMAS[name](x.astype(np.float64))
    np.testing.assert_allclose(getattr(native, f"direct_{name}")(x), exact, rtol=1e-6, atol=1e-6)


def test_poles_of_gamma_functions_are_where_torch_has_them(native):
    x = np.array([0.0, -0.0, -1, -7, np.inf, -np.inf, np.nan], np.float32)
    np.testing.assert_array_equal(native.direct_gammaln(x), [np.inf] * 6 + [np.nan])
    found = [-np.inf, np.inf, np.nan, np.nan, np.inf, np.nan, np.nan]
    np.testing.assert_array_equal(native.direct_digamma(x), found)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_derivatives_of_digamma_are_rounded_once(native, order):
    bits = np.arange(1, 0x7F800000, 99_991, dtype=np.uint32).view(np.float32)
    x = np.concatenate([bits, np.linspace(0.01, 30, 20_001, dtype=np.float32)])
    with np.errstate(all="ignore"):
        exact = special.polygamma(order, x.astype(np.float64))
        errors = error_in_ulp(native.direct_polygamma(order, x), exact)
    assert errors.max() <= BOUND, (x[errors.argmax()], errors.max())


def test_logit_of_float32_is_rounded_once(native):
    x = np.concatenate([np.linspace(0, 1, 50_001), 2.0 ** -np.arange(1, 149), [-0.5, 1.5, np.nan]]).astype(np.float32)
    wide = x.astype(np.longdouble)
    with np.errstate(all="ignore"):
        exact = np.log(wide / (1 - wide))
    assert error_in_ulp(native.direct_logit(x, None), exact).max() <= BOUND


@pytest.mark.parametrize("name", [*FUNCTIONS, *GAMMAS])
def test_special_values_are_those_of_float64(native, name):
    x = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 0.5, 2.5, 1e-45, 100, -100], np.float32)
    if name in GAMMAS or name == "erfinv":
        x = x[(x > 0) & (x <= 1)]
    reference = FUNCTIONS[name][0] if name in FUNCTIONS else GAMMAS[name]
    with np.errstate(all="ignore"):
        expected = reference(x.astype(np.float64)).astype(np.float32)
        each = np.concatenate([getattr(native, f"direct_{name}")(one[None]) for one in x])
    np.testing.assert_allclose(each, expected, rtol=3e-7)
    np.testing.assert_array_equal(np.signbit(each[each == 0]), np.signbit(expected[each == 0]))


@pytest.mark.parametrize("name", [*FUNCTIONS, *GAMMAS])
def test_an_element_does_not_depend_on_its_neighbours(native, name):
    x = np.linspace(0.01, 0.99, 200, dtype=np.float32)
    function = getattr(native, f"direct_{name}")
    np.testing.assert_array_equal(function(x)[37:38], function(x[37:38].copy()))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_neighbours_and_signs_are_numpys(native, dtype, random):
    a, b = random.normal(size=(2, 1000)).astype(dtype)
    a[:12] = [0, -0.0, 0, 1, 1, np.inf, -np.inf, np.inf, np.nan, 1, np.finfo(dtype).max, 5e-324]
    b[:12] = [1, 1, -0.0, 1, -np.inf, 0, 0, np.inf, 1, np.nan, np.inf, 0]
    for name, function in (("nextafter", np.nextafter), ("copysign", np.copysign)):
        made, expected = getattr(native, f"direct_{name}")(a, b), function(a, b)
        np.testing.assert_array_equal(made, expected)
        np.testing.assert_array_equal(np.signbit(made[made == 0]), np.signbit(expected[made == 0]))


def test_logaddexp2_of_float32_agrees_with_float64(native, random):
    a, b = (random.normal(size=(2, 1000)) * 20).astype(np.float32)
    a[:5], b[:5] = [np.inf, -np.inf, np.nan, 0, np.inf], [1, -np.inf, 0, np.nan, np.inf]
    expected = np.logaddexp2(a.astype(np.float64), b.astype(np.float64)).astype(np.float32)
    np.testing.assert_allclose(native.direct_logaddexp2(a, b), expected, rtol=3e-7, atol=1e-7)


@pytest.mark.parametrize("instructions", ["baseline", "avx2"])
def test_special_functions_are_as_accurate_on_other_instructions(pass_on, instructions):
    pass_on(
        instructions,
        test_special_functions_of_float32_are_rounded_once,
        test_gamma_functions_of_positive_float32_are_rounded_once,
        test_derivatives_of_digamma_are_rounded_once,
    )
