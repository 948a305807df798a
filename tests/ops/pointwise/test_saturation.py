"""Derivatives where results level off: beyond them the closed form is a normal number, and so is what is computed."""

from __future__ import annotations

import functools
import math

import mpmath as mp
import numpy as np
import pytest

import wengert as wg
from wengert.nn import functional

PLACES = [-700.0, -88.0, -40.0, -20.0, -9.0, -3.0, 0.4, 3.0, 9.0, 20.0, 40.0, 88.0, 700.0]
DIGITS = {"float64": 1e-6, "float32": 1e-3, "float16": 0.06, "bfloat16": 0.08, "complex128": 1e-6, "complex64": 1e-3}


def logistic(x):
    return 1 / (1 + mp.exp(-x))


# What is computed, and its formula; those of one operand.
LEVEL = {
    "sigmoid": (wg.sigmoid, logistic),
    "tanh": (wg.tanh, mp.tanh),
    "expm1": (wg.expm1, mp.expm1),
    "logsigmoid": (functional.logsigmoid, lambda x: -mp.log1p(mp.exp(-x))),
    "silu": (functional.silu, lambda x: x * logistic(x)),
    "mish": (functional.mish, lambda x: x * mp.tanh(mp.log1p(mp.exp(x)))),
    "softsign": (functional.softsign, lambda x: x / (1 + abs(x))),
    "gelu": (functional.gelu, lambda x: x * mp.erfc(-x / mp.sqrt(2)) / 2),
    "ndtr": (wg.special.ndtr, lambda x: mp.erfc(-x / mp.sqrt(2)) / 2),
}
SQUARED = [LEVEL[name][1] for name in ("gelu", "ndtr")]
COMPLEX = ("sigmoid", "tanh", "expm1", "silu")
CASES = [(name, kind) for name in LEVEL for kind in DIGITS if "complex" not in kind or name in COMPLEX]


@functools.cache
def derivatives(formula, x, order):
    """The derivatives up to an order, in as many digits as e^-2x has zeros, and more."""
    with mp.workdps(60 + int(x * x if formula in SQUARED else 1.8 * abs(x))):
        terms = mp.taylor(formula, mp.mpf(x), order)
        return [term * mp.factorial(at) for at, term in enumerate(terms)]


def check(found, wanted, kind, digits=None):
    """Relatively near, wherever what is wanted is a normal number of the dtype."""
    part = {"bfloat16": "float32", "complex64": "float32", "complex128": "float64"}.get(kind, kind)
    least, most = float(np.finfo(part).tiny), float(np.finfo(part).max)
    if kind == "float16":
        least = 2.0**-14
    for value, exact in zip(found, wanted):
        if least < abs(exact) < most:
            assert abs(complex(value) - complex(exact)) <= (digits or DIGITS[kind]) * abs(complex(exact)), (
                value,
                exact,
            )


def places(name, kind):
    wide = PLACES if kind in ("float64", "complex128") else [x for x in PLACES if abs(x) < 100]
    if name in ("gelu", "ndtr"):  # the argument x / sqrt(2) is rounded: of halves that counts x^2 times
        wide = [x for x in wide if abs(x) < (4 if "16" in kind else 30)]
    return [x for x in wide if name != "expm1" or x < 100]


def along(function, times):
    """Forward derivatives of forward derivatives."""
    for _ in range(times):
        function = (lambda inner: lambda x: wg.func.jvp(inner, (x,), (wg.ones_like(x),))[1])(function)
    return function


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_values_and_derivatives_of_three_orders_have_their_digits_where_results_level_off(name, kind):
    function, formula = LEVEL[name]
    x = wg.tensor(places(name, kind), dtype=getattr(wg, kind), requires_grad=True)
    half = kind in ("float16", "bfloat16")
    exact = [derivatives(formula, each, 3) for each in x.detach().real.to(wg.float64).tolist()]
    value = function(x)
    check(value.detach().tolist(), [each[0] for each in exact], kind)
    for order in range(1, 2 if half else 4):
        (value,) = wg.autograd.grad(value, x, wg.ones_like(value), create_graph=True)
        check(value.detach().tolist(), [each[order] for each in exact], kind, None if order < 3 else 2e-3)
    for order in range(1, 2 if half else 4):
        check(
            along(function, order)(x.detach()).tolist(),
            [each[order] for each in exact],
            kind,
            None if order < 3 else 2e-3,
        )


@pytest.mark.parametrize("name", ["sigmoid", "tanh", "expm1"])
def test_a_saturated_derivative_is_right_however_it_is_taken(name):
    function, formula = LEVEL[name]
    x = wg.tensor(places(name, "float64"), dtype=wg.float64)
    first, second = zip(*[derivatives(formula, each, 2)[1:] for each in x.tolist()])
    total = lambda x: function(x).sum()  # noqa: E731
    check(wg.func.vmap(wg.func.grad(function))(x).tolist(), first, "float64")
    check(wg.func.vmap(wg.func.grad(wg.func.grad(function)))(x).tolist(), second, "float64")
    check(wg.func.hessian(total)(x).diagonal().tolist(), second, "float64")
    check(wg.func.grad(lambda x: along(function, 1)(x).sum())(x).tolist(), second, "float64")
    leaf = x.clone().requires_grad_()
    written = leaf * 1
    getattr(written, f"{name}_")()
    check(wg.autograd.grad(written.sum(), leaf)[0].tolist(), first, "float64")
    table = leaf.repeat(3, 1).t()[:, 1]  # a view with gaps
    check(wg.autograd.grad(function(table).sum(), leaf)[0].tolist(), first, "float64")


@pytest.mark.parametrize("name", ["sigmoid", "tanh", "expm1"])
@pytest.mark.parametrize("place", [0.5, 40.0, -40.0])
def test_the_operand_may_be_written_to_since_only_the_result_is_kept(name, place):
    leaf = wg.tensor([place], dtype=wg.float64, requires_grad=True)
    x = leaf * 1
    y = getattr(wg, name)(x)
    x.mul_(0)
    (found,) = wg.autograd.grad(y.sum(), leaf)
    check(found.tolist(), [derivatives(LEVEL[name][1], place, 1)[1]], "float64")
    assert not hasattr(y.grad_fn, "_saved_self") and not hasattr(y.grad_fn, "_saved_self_tail")


@pytest.mark.parametrize("name", ["sigmoid_saturates", "tanh_saturates", "expm1_saturates"])
@pytest.mark.parametrize("kind", ["float64", "float32", "float16"])
def test_saturation_is_looked_for_as_in_numpy(name, kind):
    from wengert import _kernels as kernels
    from wengert._kernels import activation

    for extreme in (-25.0, -10.0, -5.0, -3.0, 0.0, 3.0, 5.0, 10.0, 25.0, math.inf, -math.inf, math.nan):
        for shape in ((1,), (70, 100), (3, 0)):
            x = np.full(shape, 0.25, kind)
            if x.size:
                x.reshape(-1)[-1] = extreme
            for each in (x, x.T, x[::2]):
                assert getattr(kernels, name)(each) is getattr(activation, name)(each)


@pytest.mark.parametrize("kind", ["float64", "float32"])
@pytest.mark.parametrize("target", [0.0, 1.0, 0.3])
def test_binary_cross_entropy_of_certain_logits_keeps_its_digits(kind, target):
    x = wg.tensor(places("sigmoid", kind), dtype=getattr(wg, kind), requires_grad=True)
    goal = wg.full_like(x, target).detach()
    rest = 1 - mp.mpf(goal[0].item())
    formula = lambda x: rest * x + mp.log1p(mp.exp(-x))  # noqa: E731
    exact = [derivatives(formula, each, 2) for each in x.tolist()]
    for weight in (None, wg.ones_like(goal)):
        loss = lambda x: functional.binary_cross_entropy_with_logits(x, goal, pos_weight=weight, reduction="none")  # noqa: E731, B023
        (plain,) = wg.autograd.grad(loss(x).sum(), x)
        (first,) = wg.autograd.grad(loss(x).sum(), x, create_graph=True)
        (second,) = wg.autograd.grad(first.sum(), x)
        for found, order in ((loss(x), 0), (plain, 1), (first, 1), (second, 2)):
            check(found.detach().tolist(), [each[order] for each in exact], kind)
        check(along(loss, 2)(x.detach()).tolist(), [each[2] for each in exact], kind)
