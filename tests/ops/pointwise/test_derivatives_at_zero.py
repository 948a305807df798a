"""Derivatives of every order at 0 and beside it, where quotients of the closed form lose their digits."""

from __future__ import annotations

import math

import mpmath as mp
import numpy as np
import pytest

import wengert as wg


def repeated(function, x, times):
    """The value and as many derivatives, by reverse mode of reverse mode."""
    x = x.clone().requires_grad_()
    value = function(x)
    found = [value.detach().numpy()]
    for _ in range(times):
        (value,) = wg.autograd.grad(value.sum(), x, create_graph=True, materialize_grads=True)
        found.append(value.detach().numpy())
    return found


def forward(function, x, times):
    """The same by forward mode of forward mode."""
    found = [function(x).numpy()]
    for _ in range(times):
        function = (lambda inner: lambda x: wg.func.jvp(inner, (x,), (wg.ones_like(x),))[1])(function)
        found.append(function(x).numpy())
    return found


def batched(function, x, times):
    """The same by gradients of gradients of the members of a batch."""
    found = [function(x).numpy()]
    for _ in range(times):
        function = wg.func.grad(function)
        found.append(wg.func.vmap(function)(x).numpy())
    return found


WAYS = {"reverse": repeated, "forward": forward, "batched": batched}
SERIES = {
    "sinc": [(-1) ** k * math.pi ** (2 * k) / math.factorial(2 * k + 1) for k in range(20)],
    "i0": [1 / (4**k * math.factorial(k) ** 2) for k in range(20)],
    "i1": [1 / (2 * 4**k * math.factorial(k) * math.factorial(k + 1)) for k in range(20)],
}
"""Coefficients of the powers of x^2, of the odd function i1 of x times these."""


def of_series(name, x, order):
    """A derivative by the power series."""
    odd = name == "i1"
    total = mp.mpf(0)
    for k, coefficient in enumerate(SERIES[name]):
        power = 2 * k + odd
        if power >= order:
            total += coefficient * mp.ff(power, order) * mp.mpf(x) ** (power - order)
    return float(total)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", SERIES)
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_derivatives_of_even_and_odd_functions_are_those_of_their_series(name, kind, way):
    small = np.array([0.0, 1e-300, 1e-20, 1e-8, 1e-5, 1e-3, 0.05, 0.49, -0.51, 0.6, -1.0, 1.4], kind)
    function = getattr(wg.special, name)
    for order, found in enumerate(WAYS[way](function, wg.tensor(small), 4)):
        wanted = [of_series(name, float(each), order) for each in small]
        np.testing.assert_allclose(
            found, wanted, rtol=1e-9 if kind == "float64" else 2e-3, atol=1e-11 if kind == "float64" else 2e-4
        )


def test_the_second_derivative_of_sinc_at_0_is_that_of_halves_and_complex_numbers_too():
    for kind in (wg.float16, wg.bfloat16, wg.float32, wg.float64):
        x = wg.zeros(2, dtype=kind, requires_grad=True)
        (first,) = wg.autograd.grad(wg.sinc(x).sum(), x, create_graph=True)
        (second,) = wg.autograd.grad(first.sum(), x)
        assert second.tolist() == pytest.approx([-(math.pi**2) / 3] * 2, rel=1e-2, abs=0)
    z = wg.tensor([0j, 1e-6 + 1e-6j, 0.3 - 0.2j, 2 + 0.5j], dtype=wg.complex128, requires_grad=True)
    first = wg.autograd.grad(wg.sinc(z), z, wg.ones_like(z), create_graph=True)[0]
    (second,) = wg.autograd.grad(first, z, wg.ones_like(z))
    with mp.workdps(60):
        formula = lambda z: mp.sincpi(z) if z else mp.mpf(1)  # noqa: E731
        for at, place in enumerate(z.detach().tolist()[1:], 1):
            terms = mp.taylor(formula, mp.mpc(place), 2)
            assert abs(first[at].item().conjugate() - complex(terms[1])) < 1e-9
            assert abs(second[at].item().conjugate() - 2 * complex(terms[2])) < 1e-8
    assert second[0].item() == pytest.approx(-(math.pi**2) / 3)


@pytest.mark.parametrize("name", ["i0e", "i1e"])
@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_derivatives_of_scaled_bessel_functions_near_0_and_far_from_it(name, kind):
    places = [1e-12, 1e-4, 0.3, 3.9, 4.1, 24.0, 26.0, 51.0, 130.0, -0.2, -7.0, -60.0]
    x = wg.tensor(places, dtype=getattr(wg, kind))
    found = [WAYS[way](getattr(wg.special, name), x, 3) for way in ("reverse", "forward")]
    order_of = int(name[1])
    with mp.workdps(60):
        for at, place in enumerate(x.tolist()):
            size, sign = abs(place), 1 if place > 0 else -1
            terms = mp.taylor(lambda x: mp.exp(-x) * mp.besseli(order_of, x), mp.mpf(size), 3)
            for order in range(4):
                wanted = float(terms[order] * mp.factorial(order) * sign ** (order + order_of))
                room = {"float64": 1e-9, "float32": (1e-5, 1e-4, 1e-3, 2e-2)[order]}[kind]
                for each in found:
                    assert each[order][at] == pytest.approx(wanted, rel=room, abs=0)


def test_scaled_bessel_functions_fall_off_like_a_root_far_away():
    x = wg.tensor([1e8, 1e15, 1e100], dtype=wg.float64)
    for name in ("i0e", "i1e"):
        _, first, second = repeated(getattr(wg.special, name), x, 2)
        root = 1 / np.sqrt(2 * np.pi * x.numpy())
        np.testing.assert_allclose(first, -root / (2 * x.numpy()), rtol=1e-7)
        np.testing.assert_allclose(second, 3 * root / (4 * x.numpy() ** 2), rtol=1e-7)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("exponent", range(6))
@pytest.mark.parametrize("function", ["pow", "float_power", "__pow__"])
def test_powers_by_whole_numbers_in_tensors_have_the_derivatives_of_polynomials_at_0(function, exponent, way):
    x = wg.tensor([0.0, -0.0, 2.0, -3.0], dtype=wg.float64)
    for held in (wg.tensor(float(exponent), dtype=wg.float64), exponent):
        raised = lambda x: (getattr(wg, function, None) or wg.Tensor.__pow__)(x, held)  # noqa: E731, B023
        for order, found in enumerate(WAYS[way](raised, x, 6)):
            wanted = math.perm(exponent, order) * x.numpy() ** max(exponent - order, 0)
            np.testing.assert_array_equal(found + 0.0, wanted + 0.0)


def test_mixed_derivatives_of_powers_at_0_are_their_limits():
    base = wg.tensor([0.0, 2.0], dtype=wg.float64, requires_grad=True)
    exponent = wg.tensor([3.0, 0.0], dtype=wg.float64, requires_grad=True)
    for one, other in ((base, exponent), (exponent, base)):
        (first,) = wg.autograd.grad((base**exponent).sum(), one, create_graph=True)
        assert wg.autograd.grad(first.sum(), other)[0].tolist() == [0.0, 0.5]


@pytest.mark.parametrize(("name", "pole"), [("xlogy", 0.0), ("xlog1py", -1.0)])
def test_a_logarithm_that_counts_for_nothing_has_no_derivative_at_its_pole(name, pole):
    x = wg.tensor([0.0, 0.0, 1.0], dtype=wg.float64, requires_grad=True)
    y = wg.tensor([pole, pole + 2, pole + 2], dtype=wg.float64, requires_grad=True)
    first, second = wg.autograd.grad(getattr(wg.special, name)(x, y).sum(), (x, y), create_graph=True)
    np.testing.assert_allclose(first.detach().numpy(), [0.0, math.log(2), math.log(2)])
    np.testing.assert_allclose(second.detach().numpy(), [0.0, 0.0, 0.5])
    (bend,) = wg.autograd.grad(second.sum(), y)
    np.testing.assert_allclose(bend.numpy(), [0.0, 0.0, -0.25])
