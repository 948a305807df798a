"""logsumexp and its like where one element outweighs all others: values and derivatives have their digits."""

from __future__ import annotations

import importlib

import mpmath as mp
import numpy as np
import pytest

import wengert as wg

LINES = [
    [30.0, 0.0, -3.0],
    [0.0, 30.0, -3.0],
    [0.0, 1.0, 40.0],
    [-30.0, 0.0, -30.0],
    [0.3, 0.2, 0.5],
    [0.0, -40.0, -41.0],
]


def total(x):
    return mp.log(sum(mp.exp(each) for each in x))


# What is computed of a line, and its formula.
OF_LINES = {
    "logsumexp": (lambda x: x.logsumexp(0), total),
    "logsumexp of two dimensions": (lambda x: x.reshape(1, 3, 1).logsumexp((0, 1)).sum(), total),
    "logcumsumexp": (lambda x: x.logcumsumexp(0)[1], lambda x: total(x[:2])),
    **{
        f"{name}[{at}]{kind}": (
            lambda x, name=name, at=at, kind=kind: getattr(x.reshape(3, 1) if kind else x, name)(0).reshape(3)[at],
            lambda x, name=name, at=at: (lambda y: mp.exp(y) if name == "softmax" else y)(x[at] - total(x)),
        )
        for name in ("softmax", "log_softmax")
        for at in range(3)
        for kind in ("", " of a column")
    },
}


def weights(line):
    """The parts of the sum of exponentials, in many digits."""
    powers = [mp.exp(mp.mpf(each)) for each in line]
    return [each / sum(powers) for each in powers]


def exact_of(name, line):
    """Value, gradient and Hessian."""
    shown = line[:2] if name == "logcumsumexp" else line
    p = weights(shown) + [mp.mpf(0)] * (3 - len(shown))
    bend = [[(p[i] if i == j else 0) - p[i] * p[j] for j in range(3)] for i in range(3)]
    if name.startswith("logsumexp") or name == "logcumsumexp":
        return total([mp.mpf(each) for each in shown]), p, bend
    at = int(name[name.index("[") + 1])
    slope = [(1 if i == at else 0) - p[i] for i in range(3)]
    slope[at] = sum(p) - p[at]
    if name.startswith("log_softmax"):
        return mp.log(p[at]), slope, [[-each for each in row] for row in bend]
    first = [p[at] * each for each in slope]
    second = [[p[at] * (slope[i] * slope[j] - bend[i][j]) for j in range(3)] for i in range(3)]
    return p[at], first, second


def check(found, exact, kind):
    least = float(np.finfo(kind).tiny)
    room = 1e-9 if kind == "float64" else 1e-3
    for value, wanted in zip(np.ravel(found), np.ravel(np.array(exact, object))):
        if abs(wanted) > least:
            assert abs(float(value) - wanted) <= room * abs(wanted), (value, wanted)


@pytest.mark.parametrize("kind", ["float64", "float32"])
@pytest.mark.parametrize("name", OF_LINES)
def test_values_and_derivatives_have_their_digits_beside_a_weight_of_nearly_one(name, kind):
    function, _ = OF_LINES[name]
    for line in LINES if kind == "float64" else [[each / 2 for each in line] for line in LINES]:
        x = wg.tensor(line, dtype=getattr(wg, kind))
        with mp.workdps(60):
            value, first, second = exact_of(name, x.tolist())
            check(function(x).numpy(), value, kind)
            leaf = x.clone().requires_grad_()
            check(wg.autograd.grad(function(leaf), leaf)[0].numpy(), first, kind)
            check(wg.func.jacfwd(function)(x).numpy(), first, kind)
            for outer in (wg.func.jacfwd, wg.func.jacrev):
                for inner in (wg.func.jacfwd, wg.func.jacrev):
                    check(outer(inner(function))(x).numpy(), second, kind)


def test_the_weights_of_the_formulas_are_their_derivatives():
    for name, (_, formula) in OF_LINES.items():
        line = [0.3, 0.2, 0.5]
        _, first, _ = exact_of(name, line)
        for at in range(3):
            moved = lambda t, at=at: formula([mp.mpf(v) + (t if i == at else 0) for i, v in enumerate(line)])  # noqa: E731, B023
            assert abs(mp.diff(moved, 0) - first[at]) < 1e-9


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (2, 3, 40), (40, 2, 3), (3, 2000)])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_native_rows_and_columns_equal_their_twins_beside_heavy_weights(shape, name):
    from wengert import _kernels as kernels

    twins = importlib.import_module("wengert._kernels.softmaxes")

    random = np.random.default_rng(3)
    x = random.normal(size=shape)
    x.reshape(-1)[:: 1 + x.size // 7] += 25
    grad = random.normal(size=shape)
    for axis in range(len(shape)):
        result = getattr(twins, name)(x, axis)
        np.testing.assert_allclose(getattr(kernels, name)(x, axis), result, rtol=1e-12, atol=1e-300)
        wanted = getattr(twins, f"{name}_backward")(grad, result, axis)
        np.testing.assert_allclose(
            getattr(kernels, f"{name}_backward")(grad, result, axis), wanted, rtol=1e-9, atol=1e-13
        )
        leaf = wg.tensor(x, requires_grad=True)
        value = getattr(leaf, name)(axis)
        np.testing.assert_allclose(value.detach().numpy(), result, rtol=1e-12, atol=1e-300)
        (found,) = wg.autograd.grad(value, leaf, wg.tensor(grad))
        np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-9, atol=1e-13)


def test_weights_that_add_up_to_no_whole_are_taken_as_they_are():
    grad, result = np.array([1.0, 2.0, 4.0]), np.array([0.99, 0.5, 0.25])
    from wengert import _kernels as kernels

    wanted = result * (grad - (grad * result).sum())
    np.testing.assert_allclose(kernels.softmax_backward(grad, result, 0), wanted)


@pytest.mark.parametrize("name", ["logaddexp", "logaddexp2"])
@pytest.mark.parametrize("gap", [0.0, 1.5, 30.0, 800.0, 1e300])
def test_second_derivatives_of_two_far_apart_vanish(name, gap):
    base = mp.e if name == "logaddexp" else mp.mpf(2)
    power = base ** (-mp.mpf(gap)) if gap < 1e4 else mp.mpf(0)
    exact = [1 / (1 + power), power / (1 + power) ** 2 * mp.log(base)]
    for sign in (1, -1):
        x = wg.tensor(sign * gap, dtype=wg.float64, requires_grad=True)
        (first,) = wg.autograd.grad(getattr(wg, name)(x, wg.zeros_like(x)), x, create_graph=True)
        (second,) = wg.autograd.grad(first, x)
        check([first.item(), second.item()], exact if sign > 0 else [power / (1 + power), exact[1]], "float64")
        assert np.isfinite([first.item(), second.item()]).all()


@pytest.mark.parametrize("way", ["reverse", "forward"])
@pytest.mark.parametrize(
    "name",
    ["logaddexp", "logaddexp2", "atan2", "maximum", "minimum", "fmax", "fmin", "pow", "xlogy", "ldexp", "copysign"],
)
def test_truth_values_beside_numbers_count_as_0_and_1(name, way):
    function = getattr(wg, name)
    truth, x = wg.tensor([True, False, True]), wg.tensor([0.5, 1.5, -0.5], dtype=wg.float64)
    for place in (0, 1):
        both = lambda x, other: function(x, other) if place else function(other, x)  # noqa: E731, B023
        found = []
        for other in (truth, truth.to(wg.float64)):
            if way == "forward":
                found.append(wg.func.jvp(lambda x: both(x, other), (x,), (wg.ones_like(x),))[1])  # noqa: B023
            else:
                found.append(wg.func.grad(lambda x: both(x, other).sum())(x))  # noqa: B023
        np.testing.assert_allclose(found[0].numpy(), found[1].numpy())
