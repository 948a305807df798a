"""Taylor mode of every operator, from its samples: against nested forward mode, along curves, real and complex."""

from __future__ import annotations

import numpy as np
import pytest

from wengert._core.cards.card import Card
from wengert._core.state.modes import current
from wengert._core.types import dtypes
from wengert.autograd.taylor.following import COSTLY
from wengert.autograd.taylor.recurrences import RECURRENCES
from wengert.func import jet, jvp
from wengert.testing import Case, cases
from wengert.testing.calls import Call, leaf, names_of
from wengert.testing.differences import exchange, finite, random_like, recorded
from wengert.testing.seeds import reseed

DOUBLE = (dtypes.float64, dtypes.complex128)
ORDER = 3


def has_derivative(operator, dtype) -> bool:
    return dtype in DOUBLE and not (isinstance(operator, Card) and operator.why)


def as_function(call: Call, inputs):
    """The call as a function of its differentiable tensors; those of its results that have derivatives."""

    def function(*tensors):
        reseed()
        found = exchange(call, inputs, list(tensors)).outputs()
        return [each for each in found if each.dtype.is_floating_point or each.dtype.is_complex]

    return function


def nested(function, order):
    """The derivatives of a function along a line, each by forward mode of the one before."""
    found = [function]
    for _ in range(order):
        found.append(along(found[-1]))
    return found


def along(function):
    def derivative(point, *ways):
        def moved(*at):
            return function(at, *ways)

        return jvp(moved, tuple(point), ways[0])[1]

    return derivative


def along_line(call: Call, inputs, order):
    function = as_function(call, inputs)
    return nested(lambda point, *_: function(*point), order)


def has_something(case: Case) -> bool:
    """Whether a sample has a derivative, away from kinks."""
    call = case.call()
    return call.smooth and bool(call.differentiable()) and any(each.grad_fn is not None for each in recorded(call))


def curve_of(call: Call, seed=0):
    """The differentiable tensors of a call, and a direction."""
    random = np.random.default_rng(seed)
    points = tuple(leaf(each._array_.copy()) for each in call.differentiable())
    return points, tuple(leaf(random_like(random, each._array_)) for each in points)


def derivatives(call: Call, points, ways, order):
    """All derivatives of a call along a line, in one run."""
    zeros = tuple(each.new_zeros(each.shape) for each in ways)
    series = [[way, *[zero] * (order - 1)] for way, zero in zip(ways, zeros)]
    value, found = jet(as_function(call, call.differentiable()), points, series)
    return [value, *found]


def check(call: Call):
    """Compare Taylor mode with nested forward mode."""
    points, ways = curve_of(call)
    found = derivatives(call, points, ways, ORDER)
    chain = along_line(call, call.differentiable(), ORDER)
    for order in range(ORDER + 1):
        wanted = chain[order](points, ways)
        assert len(found[order]) == len(wanted)
        for one, other in zip(found[order], wanted):
            assert one.shape == other.shape and one.dtype == other.dtype
            if finite([other]):
                scale = np.max(np.abs(np.asarray(other)), initial=1.0)
                np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-8, atol=1e-9 * scale)


DRAWN = ("_standard_gamma", "_sample_dirichlet")
"""Draws with gradients whose second derivatives are refused, as torch's are."""


@pytest.mark.cases(
    wanted=lambda operator, dtype: has_derivative(operator, dtype) and operator.name not in {*COSTLY, *DRAWN}
)
def test_derivatives_along_a_line_are_those_of_nested_forward_mode(case: Case):
    if has_something(case):
        check(case.call())


def first(name: str) -> Call | None:
    """The first sample of an operator that has a derivative, if it has one."""
    return next((case.call() for case in cases(has_derivative, names=[name]) if has_something(case)), None)


@pytest.mark.parametrize("name", sorted(COSTLY))
def test_what_would_double_with_each_order_is_refused_by_name(name):
    call = first(name)
    with pytest.raises(NotImplementedError, match=f"jet: {name} has no rule"):
        derivatives(call, *curve_of(call), 2)


class Counting:
    """How many calls of operators there are."""

    def __init__(self):
        self.calls = 0

    def observe(self, op, args, proceed):
        self.calls += 1
        return proceed()


def calls_of(call: Call, order):
    """How many operators it takes to find all derivatives of a call."""
    counting, modes = Counting(), current()
    before = modes.observe([counting.observe])
    try:
        derivatives(call, *curve_of(call), order)
    finally:
        modes.observe(before)
    return counting.calls


@pytest.mark.parametrize("name", [name for name in names_of(has_derivative) if name not in {*COSTLY, *DRAWN}])
def test_the_cost_is_a_polynomial_of_the_order(name):
    call = first(name)
    if call is not None:
        assert calls_of(call, 8) <= 2**4 * calls_of(call, 4)


@pytest.mark.parametrize("name", ["tanh", "mul", "exp", "sqrt"])
def test_a_planted_mistake_is_found(name, monkeypatch):
    right = RECURRENCES[name]

    def wrong(y, *series):
        right(y, *series)
        y[2] = y[2] * 1.01

    monkeypatch.setitem(RECURRENCES, name, wrong)
    with pytest.raises(AssertionError):
        check(first(name))
