"""`func.jet` and `func.taylor`: closed forms, compositions, matrices, nesting with the other modes, refusals."""

from __future__ import annotations

from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.polynomial import Polynomial

import wengert as wg
from wengert._core.state.modes import current
from wengert.func import grad, hessian, jacfwd, jet, jvp, taylor, vjp
from wengert.nn import functional as F

ORDER = 12


def number(value, **options):
    return wg.tensor(value, dtype=wg.float64, **options)


def along_line(function, x, order=ORDER):
    """The derivatives of a function of one number."""
    return [each.item() for each in taylor(function, (number(x),), (number(1.0),), order)]


def of_arctan(x, n):
    """Source: the partial fractions of 1 / (1 + x^2)."""
    return np.arctan(x) if n == 0 else (-1) ** (n - 1) * factorial(n - 1) * ((x - 1j) ** -n).imag


def of_gaussian(x, n):
    """Derivatives of exp(-x^2), by Hermite's polynomials."""
    return (-1) ** n * np.polynomial.hermite.hermval(x, [0] * n + [1]) * np.exp(-x * x)


def of_power(power, x, n):
    return np.prod([power - k for k in range(n)]) * x ** (power - n)


CLOSED = {
    "exp": (lambda x: (2 * x).exp(), lambda x, n: 2.0**n * np.exp(2 * x)),
    "expm1": (lambda x: x.expm1(), lambda x, n: np.expm1(x) if n == 0 else np.exp(x)),
    "exp2": (lambda x: x.exp2(), lambda x, n: np.log(2) ** n * 2.0**x),
    "power of a number": (lambda x: 3.0**x, lambda x, n: np.log(3) ** n * 3.0**x),
    "sin": (lambda x: x.sin(), lambda x, n: np.sin(x + n * np.pi / 2)),
    "cos": (lambda x: x.cos(), lambda x, n: np.cos(x + n * np.pi / 2)),
    "sinh": (lambda x: x.sinh(), lambda x, n: np.cosh(x) if n % 2 else np.sinh(x)),
    "cosh": (lambda x: x.cosh(), lambda x, n: np.sinh(x) if n % 2 else np.cosh(x)),
    "log": (lambda x: x.log(), lambda x, n: np.log(x) if n == 0 else (-1) ** (n - 1) * factorial(n - 1) / x**n),
    "reciprocal": (lambda x: 1 / x, lambda x, n: (-1) ** n * factorial(n) / x ** (n + 1)),
    "sqrt": (lambda x: x.sqrt(), lambda x, n: of_power(0.5, x, n)),
    "rsqrt": (lambda x: x.rsqrt(), lambda x, n: of_power(-0.5, x, n)),
    "power": (lambda x: x**2.5, lambda x, n: of_power(2.5, x, n)),
    "whole power": (lambda x: x**7, lambda x, n: of_power(7, x, n)),
    "negative power": (lambda x: x**-3, lambda x, n: of_power(-3, x, n)),
    "atan": (lambda x: x.atan(), of_arctan),
    "gaussian": (lambda x: (-x * x).exp(), of_gaussian),
    "erf": (lambda x: x.erf(), lambda x, n: None if n == 0 else 2 / np.pi**0.5 * of_gaussian(x, n - 1)),
    "x to x": (lambda x: x**x, lambda x, n: None if n > 1 else (x**x, x**x * (np.log(x) + 1))[n]),
}


@pytest.mark.parametrize("name", CLOSED)
@pytest.mark.parametrize("x", [0.4, 1.3])
def test_derivatives_to_the_twelfth_are_those_of_closed_forms(name, x):
    function, closed = CLOSED[name]
    for n, found in enumerate(along_line(function, x)):
        wanted = closed(x, n)
        if wanted is not None:
            assert abs(found - wanted) <= 1e-10 * abs(wanted) + 1e-9, n


@pytest.mark.parametrize("power", range(6))
def test_whole_powers_are_right_at_zero(power):
    found = along_line(lambda x: x**power, 0.0, 8)
    assert found == [factorial(power) if n == power else 0.0 for n in range(9)]


def test_tangents_and_series_of_numbers_of_bernoulli_and_euler():
    assert np.allclose(along_line(lambda x: x.tan(), 0.0, 9), [0, 1, 0, 2, 0, 16, 0, 272, 0, 7936])
    assert np.allclose(along_line(lambda x: x.tanh(), 0.0, 9), [0, 1, 0, -2, 0, 16, 0, -272, 0, 7936])
    assert np.allclose(along_line(lambda x: 1 / x.cos(), 0.0, 8), [1, 0, 1, 0, 5, 0, 61, 0, 1385])


coefficients = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=5)


@settings(max_examples=60, deadline=None)
@given(coefficients, coefficients)
def test_a_polynomial_of_a_curve_is_the_composed_polynomial(outer, inner):
    def function(x):
        found = x * 0
        for each in reversed(outer):
            found = found * x + each
        return found

    curve, order = Polynomial(inner), 6
    given_series = [number(curve.deriv(n)(0.0)) for n in range(1, order + 1)]
    value, found = jet(function, (number(curve(0.0)),), (given_series,))
    composed = Polynomial(outer)(curve)
    wanted = [composed(0.0), *(composed.deriv(n)(0.0) for n in range(1, order + 1))]
    assert np.allclose([value.item(), *(each.item() for each in found)], wanted)


UNARY = ("sin", "cos", "exp", "tanh", "sigmoid", "atan", "square", "softplus", "erf", "asinh", "neg", "sinh")


@st.composite
def programs(draw, depth=3):
    """Functions of two numbers, composed of others."""
    if depth == 0:
        return draw(st.sampled_from([lambda x, y: x, lambda x, y: y, lambda x, y: x * 0.5 + 1]))
    one = draw(programs(depth - 1))
    if draw(st.booleans()):
        name = draw(st.sampled_from(UNARY))
        return lambda x, y: getattr(F if name == "softplus" else wg, name)(one(x, y))
    other = draw(programs(depth - 1))
    return draw(
        st.sampled_from(
            [
                lambda x, y: one(x, y) + other(x, y),
                lambda x, y: one(x, y) * other(x, y),
                lambda x, y: one(x, y) / (other(x, y) ** 2 + 1.5),
                lambda x, y: (one(x, y) ** 2 + 0.5) ** other(x, y).sin(),
                lambda x, y: one(x, y).where(other(x, y) > one(x, y), other(x, y)),
            ]
        )
    )


def nested(function, order, ways):
    """The derivative of an order along a direction, by forward mode of forward mode."""
    for _ in range(order):
        function = lambda *at, inner=function: jvp(inner, at, ways)[1]  # noqa: E731
    return function


@settings(max_examples=80, deadline=None)
@given(programs())
def test_composed_programs_agree_with_nested_forward_mode(program):
    at, ways = (number(0.3), number(-0.6)), (number(0.8), number(0.5))
    found = taylor(program, at, ways, 4)
    for order in range(5):
        wanted = nested(program, order, ways)(*at).item()
        assert abs(found[order].item() - wanted) <= 1e-9 * (1 + abs(wanted))


def test_a_curve_goes_through_two_functions_as_through_their_composition():
    first, second = lambda x: (x * x).tanh() + x, lambda y: (y.exp() + 1).log()
    series = [number(0.3), number(-1.0), number(2.0), number(0.7)]
    value, found = jet(first, (number(0.4),), (series,))
    assert np.allclose(
        jet(second, (value,), (found,))[1], jet(lambda x: second(first(x)), (number(0.4),), (series,))[1], rtol=1e-12
    )


def network(x, first, second):
    return F.linear((x @ first).tanh(), second).softmax(-1)


def test_matrices():
    random = np.random.default_rng(0)
    x, first, second = (wg.from_numpy(random.standard_normal(shape)) for shape in ((3, 4), (4, 5), (2, 5)))
    ways = tuple(wg.from_numpy(random.standard_normal(tuple(each.shape))) for each in (x, first, second))
    found = taylor(network, (x, first, second), ways, 4)
    for order in range(5):
        assert np.allclose(found[order], nested(network, order, ways)(x, first, second), rtol=1e-9, atol=1e-9)
    assert found[0].shape == (3, 2)


def test_the_inverse_of_a_series_of_matrices():
    """A solution of (A + t B) x(t) = b by fixed A: the series that Neumann's gives."""
    random = np.random.default_rng(1)
    a, b = random.standard_normal((3, 3)) / 6, random.standard_normal(3)

    def partial_sum(m):
        found = power = wg.from_numpy(b)
        for _ in range(6):
            power = m @ power
            found = found + power
        return found

    direction = random.standard_normal((3, 3))
    found = taylor(partial_sum, (wg.from_numpy(a),), (wg.from_numpy(direction),), 6)

    def value(t):
        m = a + t * direction
        return sum(np.linalg.matrix_power(m, k) @ b for k in range(7))

    t = 0.3
    assert np.allclose(sum(t**n / factorial(n) * each.numpy() for n, each in enumerate(found)), value(t), rtol=1e-12)


class TestTogetherWithOtherModes:
    """Coefficients are tensors, to be differentiated and followed."""

    def test_gradients_of_derivatives(self):
        third = lambda x: taylor(wg.sin, (x,), (wg.ones_like(x),), 3)[3].sum()  # noqa: E731
        x = wg.tensor([0.3, 1.2], dtype=wg.float64)
        assert np.allclose(grad(third)(x), x.sin())
        assert np.allclose(hessian(third)(x), np.diag(x.cos()))

    def test_leaves_get_gradients(self):
        weight, x = number(2.0, requires_grad=True), number(0.5, requires_grad=True)
        found = taylor(lambda x: (weight * x).exp(), (x,), (number(1.0),), 4)
        found[4].backward()
        assert np.isclose(weight.grad.item(), 4 * 8 * np.exp(1) + 16 * 0.5 * np.exp(1))
        assert np.isclose(x.grad.item(), 2.0**5 * np.exp(1))

    def test_gradients_by_the_direction(self):
        x, v = number(0.5), number(2.0)
        assert np.isclose(grad(lambda v: taylor(wg.exp, (x,), (v,), 3)[3])(v).item(), 3 * 4 * np.exp(0.5))

    def test_series_of_gradients(self):
        slope = grad(lambda x: x.tanh() * x.sin())
        direct = taylor(lambda x: x.tanh() * x.cos() + (1 - x.tanh() ** 2) * x.sin(), (number(0.7),), (number(1.0),), 5)
        assert np.allclose(taylor(slope, (number(0.7),), (number(1.0),), 5), direct)
        weight = wg.tensor([[1.0, 2.0], [0.5, -1.0]], dtype=wg.float64)
        loss = lambda x: F.gelu(x @ weight).softmax(-1).square().sum()  # noqa: E731
        x, v = wg.tensor([0.3, -0.2], dtype=wg.float64), wg.tensor([1.0, 0.5], dtype=wg.float64)
        found = taylor(grad(loss), (x,), (v,), 3)
        for order in range(4):
            assert np.allclose(found[order], nested(grad(loss), order, (v,))(x), rtol=1e-9)

    def test_series_of_series(self):
        x, y, one = number(0.4), number(0.7), number(1.0)
        mixed = taylor(
            lambda y: taylor(lambda x: (x * y).sin() * x, (x,), (one,), 3)[3], (y,), (one,), 2
        )  # d^3/dx^3 d^n/dy^n
        wanted = [nested(lambda y: nested(lambda x: (x * y).sin() * x, 3, (one,))(x), n, (one,))(y) for n in range(3)]
        assert np.allclose([each.item() for each in mixed], [each.item() for each in wanted])

    def test_forward_mode_around(self):
        third = lambda x: taylor(wg.exp, (2 * x,), (wg.ones_like(x),), 3)[3]  # noqa: E731
        x = wg.tensor([0.1, 0.2], dtype=wg.float64)
        assert np.allclose(jacfwd(third)(x), np.diag(2 * (2 * x).exp()))
        assert np.allclose(vjp(third, x)[1](wg.ones_like(x))[0], 2 * (2 * x).exp())

    def test_perturbations_are_not_confused(self):
        x, one = number(3.0), number(1.0)
        inner = lambda x: x * taylor(lambda y: x + y, (one,), (one,), 1)[1]  # noqa: E731
        assert taylor(inner, (x,), (one,), 1)[1].item() == 1.0
        assert taylor(lambda y: y + x, (x,), (one,), 1)[1].item() == 1.0
        assert taylor(lambda y: y * x, (x,), (x,), 2)[1].item() == 9.0

    def test_what_is_detached_is_constant(self):
        assert along_line(lambda x: x * x.detach(), 3.0, 2) == [9.0, 3.0, 0.0]

    def test_without_recording(self):
        with wg.no_grad():
            found = taylor(wg.exp, (number(0.0, requires_grad=True),), (number(1.0),), 2)
        assert [each.requires_grad for each in found] == [False] * 3


class TestForms:
    """What goes in and comes out."""

    def test_containers(self):
        def function(pair, more):
            return {"sum": pair[0] + more["z"], "product": (pair[1] * more["z"], wg.ones(2))}

        given = ((number(1.0), number(2.0)), {"z": number(3.0)})
        value, found = jet(function, given, [[given[0]], [given[1]]])
        assert value["sum"].item() == 4.0 and found[0]["sum"].item() == 4.0
        assert found[0]["product"][0].item() == 12.0
        assert found[0]["product"][1].tolist() == [0.0, 0.0]

    def test_the_data_type_is_kept(self):
        x = wg.ones(2)
        assert [each.dtype for each in taylor(lambda x: x.exp() * 2, (x,), (x,), 3)] == [wg.float32] * 4

    def test_shapes_are_those_of_the_outputs(self):
        x = wg.ones(3, 1, dtype=wg.float64)
        found = taylor(lambda x: (x + wg.zeros(4, dtype=wg.float64)).t().reshape(2, 6), (x,), (x,), 2)
        assert [tuple(each.shape) for each in found] == [(2, 6)] * 3
        assert found[1].tolist() == [[1.0] * 6] * 2

    def test_complex_numbers(self):
        z = wg.tensor(0.3 + 0.4j, dtype=wg.complex128)
        found = taylor(lambda z: z.exp() * z, (z,), (z,), 3)
        wanted = [np.exp(z.item()) * (z.item() + n) * z.item() ** n for n in range(4)]
        assert np.allclose(found, wanted)

    def test_the_least_orders(self):
        assert [each.item() for each in taylor(wg.exp, (number(0.0),), (number(1.0),), 0)] == [1.0]
        assert along_line(wg.exp, 0.0, 1) == [1.0, 1.0]
        value, found = jet(wg.exp, (number(0.0),), ((),))
        assert value.item() == 1.0 and found == []


class Cube(wg.autograd.Function):
    """A Function of the program's own."""

    @staticmethod
    def forward(ctx, x):
        return x**3


def writing(x):
    y = x.clone()
    y.mul_(x)
    return y


def filling(x):
    y = wg.zeros(2, dtype=wg.float64)
    y[0] = x
    return y


REFUSED = {
    "mul_ writes .* in place": writing,
    "copy_ writes|fill_ writes|index_put_ writes": filling,
    "the custom Function Cube has no rule": lambda x: Cube.apply(x),
    "cumprod has no rule": lambda x: x.reshape(1).cumprod(0),
    "dual tensor of forward mode that began inside": lambda x: jvp(wg.sin, (x,), (wg.ones_like(x),))[1] * x,
    "add writes|out": lambda x: wg.add(x, x, out=wg.empty((), dtype=wg.float64)),
}


@pytest.mark.parametrize("says", REFUSED)
def test_what_has_no_series_is_refused_by_name(says):
    with pytest.raises(NotImplementedError, match=f"jet: .*({says})"):
        along_line(REFUSED[says], 0.5, 2)
    assert current().observers == []
    assert along_line(wg.exp, 0.0, 2) == [1.0, 1.0, 1.0]


def test_what_is_not_followed_is_not_refused():
    def function(x):
        factor = wg.zeros((), dtype=wg.float64)
        factor.add_(2.0)
        return x * factor * Cube.apply(factor)

    assert along_line(function, 3.0, 1) == [48.0, 16.0]


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda x: jet(wg.sin, x, ((x,),)), RuntimeError, "primals to be a tuple"),
        (lambda x: jet(wg.sin, (x,), ()), ValueError, "a series for each of the 1 primals"),
        (lambda x: jet(wg.add, (x, x), ((x,), (x, x))), ValueError, r"same length, but they have \[1, 2\]"),
        (lambda x: jet(wg.sin, (3,), ((x,),)), RuntimeError, "only contain Tensors"),
        (lambda x: jet(wg.sin, (wg.tensor(1),), ((x,),)), ValueError, "primal"),
        (lambda x: jet(wg.sin, (x,), ((wg.ones(2),),)), RuntimeError, r"of the shape \(\), but got \(2,\)"),
        (lambda x: jet(wg.sin, (x,), ((1,),)), RuntimeError, "but got int"),
        (lambda x: jet(wg.sin, (x,), ([[x]],)), RuntimeError, "structure of the primals"),
        (lambda x: jet(lambda x: 3, (x,), ((x,),)), RuntimeError, "only tensors"),
        (lambda x: taylor(wg.sin, (x,), (x,), -1), ValueError, "order must be an integer, 0 or more, but got -1"),
        (lambda x: taylor(wg.sin, (x,), (x,), 1.0), ValueError, "order must be an integer"),
        (lambda x: taylor(wg.sin, x, x, 1), ValueError, "tuples of the same length"),
    ],
)
def test_bad_input_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call(number(0.5))
    assert current().observers == []
