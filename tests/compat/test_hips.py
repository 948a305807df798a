"""`wengert.compat.hips`: what goes in and comes out, boxes beside NumPy, primitives, errors."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy
import pytest
import scipy.optimize

import wengert.compat.hips as autograd
import wengert.compat.hips.numpy as np
from wengert.compat.hips import test_util
from wengert.compat.hips.boxes import CONSTANT, RULES, ArrayBox, getval
from wengert.compat.hips.extend import defjvp, defvjp, defvjp_argnum, notrace_primitive, primitive
from wengert.compat.hips.misc.flatten import flatten_func

X = numpy.array([0.5, -1.0, 2.0])


def seen(function, x=X):
    """What a function gives while it is differentiated."""
    kept = []

    def noting(x):
        kept.append(function(x))
        return np.sum(x)

    autograd.grad(noting)(x)
    return kept[0]


@pytest.mark.parametrize(
    ("argument", "kind"),
    [(2.0, numpy.float64), (numpy.float32(2), numpy.float32), (1j, numpy.complex128), (X, numpy.ndarray)],
)
def test_numpy_comes_out(argument, kind):
    found = autograd.grad(lambda x: np.sum(np.real(x * x)))(argument)
    assert type(found) is kind
    assert numpy.allclose(found, 2 * numpy.asarray(argument))


def test_data_types_of_arguments_are_kept():
    found = autograd.grad(lambda x: np.sum(x * numpy.ones(3)))(X.astype(numpy.float32))
    assert found.dtype == numpy.float32


def test_whole_numbers_in_arrays_count_as_floats():
    assert autograd.grad(lambda x: np.sum(x**2))(numpy.array([1, 2])).tolist() == [2.0, 4.0]


def test_containers_come_out_as_they_went_in():
    given = {"a": [1.0, (X, 2.0)], "b": numpy.ones(())}
    found = autograd.grad(lambda d: d["a"][0] * np.sum(d["a"][1][0]) * d["a"][1][1] * d["b"])(given)
    assert type(found["a"][1]) is tuple
    assert (found["a"][0], found["a"][1][1], found["b"]) == (3.0, 1.5, 3.0)
    assert found["a"][1][0].tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize("argnum", [(0, 2), [0, 2]])
def test_several_arguments(argnum):
    assert autograd.grad(lambda x, y, z: x * y * z, argnum)(2.0, 3.0, 5.0) == (15.0, 6.0)


def test_the_last_argument_and_keywords():
    assert autograd.grad(lambda x, y, power=1: x * y**power, -1)(2.0, 3.0, power=2) == 12.0


def test_names_tell_what_a_function_is():
    made = autograd.value_and_grad(np.sum, 0)
    assert made.__name__ == "value_and_grad_of_sum_wrt_argnum_0"


def test_perturbations_are_not_confused():
    assert autograd.grad(lambda x: x * autograd.grad(lambda y: x + y)(1.0))(1.0) == 1.0
    assert autograd.deriv(lambda x: x * autograd.deriv(lambda y: x + y)(1.0))(1.0) == 1.0
    assert autograd.grad(lambda x: x * autograd.deriv(lambda y: x * y)(1.0))(3.0) == 6.0
    assert autograd.deriv(lambda x: x * autograd.grad(lambda y: x * y)(1.0))(3.0) == 6.0


@pytest.mark.parametrize("operators", [("grad", "deriv", "grad"), ("deriv", "grad", "deriv"), ("grad",) * 4])
def test_operators_nest(operators):
    function = np.sin
    for name in operators:
        function = getattr(autograd, name)(function)
    wanted = (numpy.cos, lambda x: -numpy.sin(x), lambda x: -numpy.cos(x), numpy.sin)[len(operators) - 1]
    assert abs(function(0.7) - wanted(0.7)) < 1e-14


def test_a_vjp_can_be_used_again_and_nested():
    vjp, _ = autograd.make_vjp(lambda x: x**3)(X)
    assert (vjp(numpy.ones(3)) == vjp(numpy.ones(3))).all()
    twice = autograd.make_vjp(vjp)(numpy.ones(3))[0](numpy.ones(3))
    assert type(twice) is numpy.ndarray
    assert numpy.allclose(twice, 3 * X**2)
    assert numpy.allclose(autograd.make_jvp_reversemode(lambda x: x**3)(X)(X), 3 * X**3)


def test_scipy_minimises():
    found = scipy.optimize.minimize(
        autograd.value_and_grad(lambda x: np.sum((x - X) ** 4 + (x - X) ** 2)), numpy.zeros(3), jac=True
    )
    assert numpy.allclose(found.x, X, atol=1e-4)


def test_all_arguments_by_name():
    found = autograd.multigrad_dict(lambda x, y=3.0, *more, scale=2.0: scale * x * y + sum(more, 0.0))(5.0)
    assert found == {"x": 6.0, "y": 10.0, "more": (), "scale": 15.0}
    found = autograd.multigrad_dict(lambda x, *more, **others: x * more[1] * others["z"])(2.0, 3.0, 5.0, z=7.0)
    assert found == {"x": 35.0, "more": (0.0, 14.0), "others": {"z": 10.0}}


def test_a_checkpoint_runs_again_and_is_differentiated_twice():
    runs = []

    @autograd.checkpoint
    def function(x, scale=1.0):
        runs.append(1)
        return scale * np.sum(x**3)

    assert numpy.allclose(autograd.grad(function)(X, scale=2.0), 6 * X**2)
    assert len(runs) == 2
    assert numpy.allclose(autograd.hessian(function)(X), numpy.diag(6 * X))
    assert numpy.allclose(autograd.make_jvp(function)(X)(numpy.ones(3))[1], sum(3 * X**2))


def test_an_output_that_depends_on_nothing_is_told_of():
    with pytest.warns(UserWarning, match="Output seems independent of input"):
        assert autograd.grad(lambda x: 3.0)(2.0) == 0.0
    with pytest.warns(UserWarning, match="independent"):
        assert autograd.make_jvp(lambda x: numpy.ones(2))(2.0)(1.0)[1].tolist() == [0.0, 0.0]


class TestBoxes:
    """What stands for an argument while a function is differentiated."""

    def test_it_tells_what_an_array_tells(self):
        x = numpy.ones((2, 3), numpy.float32)
        told = seen(lambda b: (b.shape, b.ndim, b.size, b.dtype, len(b), str(b), b.T.shape), x)
        assert told == ((2, 3), 2, 6, numpy.float32, 2, f"Autograd ArrayBox with value {x}", (3, 2))

    @pytest.mark.parametrize(
        "function", [lambda x: x > 0, np.floor, np.argmax, np.sign, np.zeros_like, np.isnan, lambda x: x.argsort()]
    )
    def test_what_has_no_derivative_is_plain(self, function):
        assert isinstance(seen(function), (numpy.ndarray, numpy.number))
        assert numpy.array_equal(seen(function), function(X))

    def test_numpy_itself_takes_boxes(self):
        found = autograd.grad(lambda x: numpy.sum(numpy.tanh(x)) + numpy.linalg.norm(x) + X @ (X * x))(X)
        assert numpy.allclose(found, 1 / numpy.cosh(X) ** 2 + X / numpy.linalg.norm(X) + X * X)

    def test_conditions_and_values(self):
        assert autograd.grad(lambda x: x**2 if x > 0 else x)(3.0) == 6.0
        assert type(seen(getval)) is numpy.ndarray
        assert seen(lambda x: x._value is not x and 2.0 in x and bool(x[0]))
        assert seen(lambda x: autograd.isinstance(x, numpy.ndarray) and autograd.type(x) is numpy.ndarray)
        assert seen(lambda x: autograd.tracer.isbox(x) and not autograd.tracer.isbox(X))

    def test_it_is_rebound_by_operators_with_assignment(self):
        def function(x):
            y = x
            y += 1
            y *= x
            return np.sum(y)

        assert numpy.allclose(autograd.grad(function)(X), 2 * X + 1)

    @pytest.mark.parametrize(
        ("function", "error", "says"),
        [
            (lambda x: numpy.zeros(3).__setitem__(0, x[0]), (TypeError, ValueError), "lose its derivative|sequence"),
            (lambda x: numpy.zeros(3).__iadd__(x), TypeError, "add: `out`.* write `a = a [+] x`"),
            (lambda x: x.__setitem__(0, 1.0), AttributeError, "__setitem__"),
            (lambda x: float(x[0]), TypeError, "float"),
            (lambda x: numpy.array([x, x]), TypeError, r"np.array\(\[x, y\]\)"),
            (lambda x: np.median(x), NotImplementedError, "no derivative of NumPy's median: .*defvjp"),
            (lambda x: np.add.outer(x, x), NotImplementedError, "outer"),
            (lambda x: np.linalg.svd(x[:, None] * x[:2]), NotImplementedError, "full_matrices=False"),
            (lambda x: np.pad(x, 1, "mean"), NotImplementedError, "'mean'"),
            (lambda x: np.sum(x, axis=3), ValueError, "axis 3 is out of bounds"),
            (lambda x: x + numpy.array(["a"]), TypeError, "array of numbers.*<U32"),
        ],
    )
    def test_what_would_lose_a_derivative_is_refused(self, function, error, says):
        with pytest.raises(error, match=says):
            autograd.grad(lambda x: np.sum(function(x)))(X)

    def test_a_kept_one_is_no_danger(self):
        kept = []
        autograd.grad(lambda x: kept.append(x) or np.sum(x))(X)
        assert numpy.allclose(getval(kept[0] * 2), 2 * X)

    def test_a_function_either_has_a_derivative_or_none(self):
        assert not CONSTANT & set(RULES)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda: autograd.grad(lambda x: x)(3), TypeError, "w.r.t. type <class 'int'>"),
        (lambda: autograd.grad(lambda x: x)(None), TypeError, "NoneType"),
        (lambda: autograd.grad(lambda x: x * 2)(X), TypeError, "Grad only applies to real scalar-output"),
        (lambda: autograd.grad(lambda x: x * 2)(1j), TypeError, "holomorphic_grad"),
        (lambda: autograd.value_and_grad(lambda x: x * 2)(X), TypeError, "value_and_grad only applies"),
        (lambda: autograd.elementwise_grad(lambda x: x * 1j)(X), TypeError, "real-output"),
        (lambda: autograd.grad(lambda x: None)(1.0), TypeError, "Can't find vector space for value None"),
        (lambda: autograd.grad(lambda x: np.allclose(x, x * 1.0))(X), TypeError, "vector space for value True"),
        (lambda: autograd.grad(lambda x: 3)(1.0), TypeError, "vector space for value 3 of type <class 'int'>"),
        (lambda: autograd.grad(lambda x: x, 2)(1.0), IndexError, "out of range"),
        (lambda: autograd.grad(lambda x: x, "x")(1.0), TypeError, "grad: argnum must be an int.*'x'"),
        (lambda: autograd.jacobian(lambda x: x * 1j)(X), TypeError, "real array"),
        (lambda: autograd.jacobian(lambda x: [x])(X), TypeError, "not a list"),
        (lambda: autograd.jacobian(lambda x, y: x * y, (0, 1))(X, X), TypeError, "not a tuple"),
        (lambda: autograd.make_vjp(lambda x: x)(X)[0](numpy.ones(2)), ValueError, r"vjp: .*\(3,\), but got \(2,\)"),
        (lambda: autograd.make_vjp(lambda x: x)(X)[0]([X]), TypeError, "vjp: expected .* structure"),
        (lambda: autograd.make_jvp(lambda x: x)(X)(1.0), ValueError, r"jvp: .*\(3,\), but got \(\)"),
        (lambda: autograd.grad(lambda x: x)(numpy.longdouble(1)), TypeError, "at most 64 bits"),
        (lambda: defvjp(numpy.sin, None), TypeError, "defvjp: .* result of primitive"),
        (lambda: test_util.check_grads(np.sin, modes=["both"])(1.0), ValueError, "both"),
    ],
)
def test_bad_input_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call()


def test_after_an_error_nothing_is_left_behind():
    with pytest.raises(ZeroDivisionError):
        autograd.grad(lambda x: x / 0 if x > 9 else 1 / 0)(1.0)
    assert type(autograd.grad(lambda x: x * x)(3.0)) is numpy.float64
    assert autograd.make_vjp(autograd.grad(lambda x: x**3))(2.0)[1] == 12.0


def test_threads_differentiate_beside_each_other():
    found = {}

    def work(number):
        found[number] = [autograd.grad(autograd.grad(lambda x: x**3))(float(number)) for _ in range(50)]

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == {number: [6.0 * number] * 50 for number in range(4)}


class TestPrimitives:
    """Functions with derivatives of the program's own."""

    def test_boxes_do_not_come_into_it(self):
        kinds = []

        @primitive
        def double(x):
            kinds.append(type(x))
            return 2 * x

        defvjp(double, lambda ans, x: lambda g: 2 * g)
        assert autograd.grad(autograd.grad(lambda x: double(x) ** 2))(3.0) == 8.0
        assert set(kinds) <= {float, numpy.float64}
        assert double(X).tolist() == (2 * X).tolist()

    def test_without_a_derivative_it_is_refused(self):
        lonely = primitive(lambda x, y: x * y)
        with pytest.raises(NotImplementedError, match=r"VJP of <lambda> wrt argnums \(0,\) not defined: see defvjp"):
            autograd.grad(lonely)(1.0, 2.0)
        with pytest.raises(NotImplementedError, match=r"JVP of <lambda> wrt argnums \(1,\) not defined: see defjvp"):
            autograd.deriv(lonely, 1)(1.0, 2.0)
        defvjp(lonely, lambda ans, x, y: lambda g: g * y)
        assert autograd.grad(lonely)(1.0, 2.0) == 2.0
        with pytest.raises(NotImplementedError, match=r"VJP of <lambda> wrt argnums \(1,\)"):
            autograd.grad(lonely, 1)(1.0, 2.0)

    def test_none_means_no_dependence(self):
        steps = primitive(lambda x, y: numpy.round(x) * y)
        defvjp(steps, None, lambda ans, x, y: lambda g: g * np.round(x))
        defjvp(steps, None, "same")
        assert autograd.grad(steps, (0, 1))(2.2, 3.0) == (0.0, 2.0)
        assert autograd.make_jvp(steps, (0, 1))(2.2, 3.0)((1.0, 5.0)) == (6.0, 10.0)

    def test_chosen_arguments(self):
        power = primitive(lambda n, x: x**n)
        defvjp(power, lambda ans, n, x: lambda g: g * n * x ** (n - 1), argnums=[1])
        assert autograd.grad(power, 1)(3, 2.0) == 12.0

    def test_containers_go_in_and_come_out(self):
        @primitive
        def both(pair, scale):
            return {"sum": scale * (pair[0] + pair[1]), "product": pair[0] * pair[1]}

        def gradients(argnum, ans, args, kwargs):
            pair, scale = args
            if argnum == 1:
                return lambda g: np.sum(g["sum"] * (pair[0] + pair[1]))
            return lambda g: [scale * g["sum"] + g["product"] * pair[1], scale * g["sum"] + g["product"] * pair[0]]

        defvjp_argnum(both, gradients)

        def function(pair, scale):
            found = both(pair, scale)
            return np.sum(found["product"] ** 2) + np.sum(found["sum"])

        pair, scale = autograd.grad(function, (0, 1))([X, X + 1], 3.0)
        assert numpy.allclose(pair[0], 2 * X * (X + 1) ** 2 + 3)
        assert numpy.allclose(pair[1], 2 * X**2 * (X + 1) + 3)
        assert numpy.allclose(scale, numpy.sum(2 * X + 1))
        test_util.check_grads(lambda p: function(p, 2.0), modes=["rev"])([X, X + 1])

    def test_keywords_are_constants(self):
        scaled = primitive(lambda x, scale=1.0: x * scale)
        defvjp(scaled, lambda ans, x, scale=1.0: lambda g: g * scale)
        assert autograd.grad(lambda x: scaled(x, scale=3.0))(2.0) == 3.0
        with pytest.raises(TypeError, match="by position"):
            autograd.grad(lambda x: scaled(1.0, scale=x))(2.0)

    def test_plain_values_where_no_trace_is_wanted(self):
        rounded = notrace_primitive(lambda x: numpy.round(x))
        assert type(seen(rounded)) is numpy.ndarray

    def test_complex_gradients_are_conjugate_to_torchs(self):
        square = primitive(lambda z: z * z)
        defvjp(square, lambda ans, z: lambda g: 2 * g * z)
        z = numpy.array([1 + 2j, 0.5j])
        weights = numpy.array([2 - 1j, 1j])
        wanted = autograd.make_vjp(lambda z: z * z)(z)[0](weights)
        assert numpy.allclose(autograd.make_vjp(square)(z)[0](weights), wanted)


class TestChecks:
    """The checks find wrong derivatives."""

    @pytest.mark.parametrize("mode", ["rev", "fwd"])
    @pytest.mark.parametrize("order", [1, 2])
    def test_a_planted_mistake_is_found(self, mode, order):
        wrong = primitive(lambda x: numpy.sin(x))
        slope = (lambda x: 1.1 * np.cos(x)) if order == 1 else (lambda x: numpy.cos(getval(x)))
        defvjp(wrong, lambda ans, x: lambda g: g * slope(x))
        defjvp(wrong, lambda g, ans, x: g * slope(x))
        with pytest.raises(AssertionError, match=r"check of (jvp_|vjp_)?<lambda> failed with arg"):
            test_util.check_grads(wrong, modes=[mode], order=2)(X)
        if order == 2:
            test_util.check_grads(wrong, modes=[mode], order=1)(X)

    def test_a_gradient_of_another_shape_is_found(self):
        with pytest.raises(AssertionError, match="VSpace mismatch"):
            test_util.check_equivalent(numpy.ones(2), numpy.ones((2, 1)))

    def test_all_combinations_are_tried(self):
        tried = []
        function = lambda x, y, power=1: tried.append((getval(x), power)) or x * y**power  # noqa: E731
        test_util.combo_check(function, modes=["rev"], order=1)([1.0, 2.0], [3.0], power=[1, 2])
        assert set(tried) >= {(1.0, 1), (1.0, 2), (2.0, 1), (2.0, 2)}


def test_flattening_is_undone_and_differentiable():
    flatten = autograd.misc.flatten
    given = {"w": [numpy.ones((2, 2)), 3.0], "a": (X,)}
    vector, unflatten = flatten(given)
    assert vector.tolist() == [*X, 1.0, 1.0, 1.0, 1.0, 3.0]
    again = unflatten(vector)
    assert list(again) == ["w", "a"] and again["w"][0].shape == (2, 2) and type(again["a"]) is tuple
    slope = autograd.grad(lambda d: np.sum(flatten(d)[0] ** 2))(given)
    assert numpy.allclose(slope["w"][0], 2) and numpy.allclose(slope["a"][0], 2 * X)
    function, _, start = flatten_func(lambda d: {"w": d["w"]}, given)
    assert function(start).tolist() == [1.0, 1.0, 1.0, 1.0, 3.0]


def test_boxes_are_no_arrays_to_numpys_tests():
    assert seen(lambda x: isinstance(x, ArrayBox) and not isinstance(x, numpy.ndarray))


@pytest.mark.parametrize("call", ["special.gammaln(1.0)", "stats.norm.cdf(0.0)", "stats.t.rvs(3)"])
def test_without_scipy_it_is_asked_for(call):
    code = f"""
import sys
sys.modules["scipy"] = sys.modules["scipy.special"] = sys.modules["scipy.stats"] = None
import wengert.compat.hips.scipy as scipy
try:
    scipy.{call}
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], env=os.environ, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "wengert.compat.hips.scipy needs SciPy: pip install 'wengert[full]'"
