"""Derivatives of numbers so large or small that their squares are none, where the derivative is a normal number."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

import wengert as wg

POLES = {
    "asinh": lambda x: mp.asinh(x),
    "acosh": lambda x: mp.acosh(x),
    "atan": lambda x: mp.atan(x),
    "log1p": lambda x: mp.log1p(x),
    "reciprocal": lambda x: 1 / x,
    "rsqrt": lambda x: 1 / mp.sqrt(x),
    "sqrt": lambda x: mp.sqrt(x),
    "log": lambda x: mp.log(x),
    "softsign": lambda x: x / (1 + x),
    "erfcx": lambda x: mp.exp(x * x) * mp.erfc(x) if x < 30 else erfcx_far(x),
}
SIZES = {"float64": [1e8, 1e70, 1e100, 1e154, 1e200, 1e300], "float32": [1e4, 1e9, 1e15, 1e20, 1e37]}
SMALL = ("reciprocal", "rsqrt", "sqrt", "log")


def erfcx_far(x):
    """By the asymptotic series."""
    return sum((-1) ** k * mp.fac2(2 * k - 1) / (2 * x * x) ** k for k in range(12)) / (x * mp.sqrt(mp.pi))


def function_of(name):
    return getattr(wg, name, None) or getattr(wg.special, name, None) or getattr(wg.nn.functional, name)


@pytest.mark.parametrize("kind", SIZES)
@pytest.mark.parametrize("name", POLES)
def test_derivatives_of_huge_and_tiny_numbers_are_normal_where_the_formula_is(name, kind):
    sizes = SIZES[kind] + ([1 / each for each in SIZES[kind]] if name in SMALL else [])
    function, x = function_of(name), wg.tensor(sizes, dtype=getattr(wg, kind), requires_grad=True)
    least, most = float(np.finfo(kind).tiny), float(np.finfo(kind).max)
    value = function(x)
    (plain,) = wg.autograd.grad(value.sum(), x, retain_graph=True)
    (first,) = wg.autograd.grad(value.sum(), x, create_graph=True)
    (second,) = wg.autograd.grad(first.sum(), x)
    along = lambda x: wg.func.jvp(function, (x,), (wg.ones_like(x),))[1]  # noqa: E731
    again = wg.func.jvp(along, (x.detach(),), (wg.ones_like(x).detach(),))[1]
    made = [(0, value), (1, plain), (1, first), (1, along(x.detach())), (2, second), (2, again)]
    for at, place in enumerate(x.tolist()):
        with mp.workdps(400):  # of which mpmath takes four times as many for differences
            terms = mp.taylor(lambda t: POLES[name](mp.mpf(place) * (1 + t)), 0, 2)  # noqa: B023
            for order, found in made:
                wanted = terms[order] * mp.factorial(order) / mp.mpf(place) ** order
                if least < abs(wanted) < most:
                    assert found[at].item() == pytest.approx(float(wanted), rel=1e-4, abs=0), (place, order)


@pytest.mark.parametrize(
    ("kind", "scale"),
    [
        ("float16", 100.0),
        ("float16", 1e-4),
        ("bfloat16", 1e30),
        ("float32", 1e30),
        ("float32", 1e-30),
        ("float64", 1e200),
        ("float64", 1e-200),
    ],
)
@pytest.mark.parametrize("sides", [(3.0, 4.0), (-3.0, 4.0), (4.0, -3.0)])
def test_angles_and_distances_of_huge_and_tiny_points(kind, scale, sides):
    y, x = (wg.tensor(each * scale, dtype=getattr(wg, kind), requires_grad=True) for each in sides)
    room = {"float16": 5e-3, "bfloat16": 3e-2}.get(kind, 1e-5)
    b, a = (each.item() for each in (y, x))
    size = float(mp.sqrt(mp.mpf(a) ** 2 + mp.mpf(b) ** 2))
    slopes = wg.autograd.grad(wg.atan2(y, x), (y, x), create_graph=True)
    assert [each.item() for each in slopes] == pytest.approx([a / size / size, -b / size / size], rel=room, abs=0)
    assert [each.item() for each in wg.autograd.grad(wg.hypot(y, x), (y, x))] == pytest.approx(
        [b / size, a / size], rel=room
    )
    ones, zeros = wg.ones_like(y).detach(), wg.zeros_like(y).detach()
    tangent = wg.func.jvp(wg.atan2, (y.detach(), x.detach()), (ones, zeros))[1]
    assert tangent.item() == pytest.approx(a / size / size, rel=room, abs=0)


def test_the_angle_of_the_origin_has_no_derivative_of_any_order():
    y, x = (wg.zeros((), dtype=wg.float64, requires_grad=True) for _ in range(2))
    first = wg.autograd.grad(wg.atan2(y, x), (y, x), create_graph=True)
    assert [each.item() for each in first] == [0, 0]
    assert [each.item() for each in wg.autograd.grad(first[0] + first[1], (y, x))] == [0, 0]


COMPLEX = {
    "log": (lambda z: z.log(), lambda z: (mp.log(z), 1 / z)),
    "sqrt": (lambda z: z.sqrt(), lambda z: (mp.sqrt(z), 1 / (2 * mp.sqrt(z)))),
    "reciprocal": (lambda z: z.reciprocal(), lambda z: (1 / z, -1 / z**2)),
    "quotient": (lambda z: z / z.detach(), lambda z: (mp.mpc(1), 1 / z)),
    "divisor": (lambda z: z.detach() / z, lambda z: (mp.mpc(1), -1 / z)),
    "number over": (lambda z: (2 + 1j) / z, lambda z: (mp.mpc(2, 1) / z, -mp.mpc(2, 1) / z**2)),
}
REAL = {
    "abs": (lambda z: z.abs(), lambda z: (abs(z), z / abs(z))),
    "angle": (lambda z: z.angle(), lambda z: (mp.arg(z), 1j * z / abs(z) ** 2)),
    "sgn": (lambda z: z.sgn().real, lambda z: (mp.re(z) / abs(z), (1 - mp.re(z / abs(z)) * z / abs(z)) / abs(z))),
}


@pytest.mark.parametrize("count", [1, 7, 600])
@pytest.mark.parametrize(
    ("kind", "scale"),
    [
        ("complex64", 1e-30),
        ("complex64", 1e-20),
        ("complex64", 1e30),
        ("complex128", 1e-200),
        ("complex128", 1e200),
        ("complex128", 1e-300),
    ],
)
@pytest.mark.parametrize("name", [*COMPLEX, *REAL])
def test_complex_functions_of_huge_and_tiny_numbers(name, kind, scale, count):
    function, formula = {**COMPLEX, **REAL}[name]
    part = "float32" if kind == "complex64" else "float64"
    least, most = float(np.finfo(part).tiny), float(np.finfo(part).max)
    for direction in (3 + 4j, -3 + 0.5j):
        z = wg.full((count,), direction * scale, dtype=getattr(wg, kind), requires_grad=True)
        value = function(z)
        (found,) = wg.autograd.grad(value, z, wg.ones_like(value))
        tangent = wg.func.jvp(function, (z.detach(),), (wg.ones_like(z).detach(),))[1]
        with mp.workdps(40):
            exact, slope = formula(mp.mpc(z[0].item()))
        gradient = slope if name in REAL else mp.conj(slope)
        for made, wanted in ((value, exact), (found, gradient), (tangent, mp.re(slope) if name in REAL else slope)):
            if least < abs(wanted) < most:
                for each in (made[0].item(), made[-1].item()):
                    assert abs(complex(each) - complex(wanted)) <= 2e-5 * abs(complex(wanted))


def test_powers_of_two_at_the_ends_of_the_range_have_derivatives():
    x = wg.tensor([1023.0, 1023.4, -1021.0], dtype=wg.float64, requires_grad=True)
    value = wg.exp2(x)
    (found,) = wg.autograd.grad(value, x, wg.ones_like(x))
    exact = [mp.mpf(2) ** mp.mpf(each) for each in x.tolist()]
    np.testing.assert_allclose(value.detach().numpy(), [float(each) for each in exact], rtol=1e-13)
    np.testing.assert_allclose(found.numpy(), [float(each * mp.log(2)) for each in exact], rtol=1e-13)


def test_erfcx_of_a_large_number_and_its_derivatives_are_those_of_the_series():
    x = wg.tensor([5.0, 8.9, 9.1, 30.0, 1e8], dtype=wg.float64, requires_grad=True)
    (first,) = wg.autograd.grad(wg.special.erfcx(x).sum(), x, create_graph=True)
    (second,) = wg.autograd.grad(first.sum(), x)
    with mp.workdps(400):
        for at, place in enumerate(x.tolist()):
            formula = lambda x: mp.exp(x * x) * mp.erfc(x) if place < 20 else erfcx_far(x)  # noqa: E731, B023
            terms = mp.taylor(formula, mp.mpf(place), 2)
            assert first[at].item() == pytest.approx(float(terms[1]), rel=1e-9, abs=0)
            assert second[at].item() == pytest.approx(float(2 * terms[2]), rel=1e-8, abs=0)
