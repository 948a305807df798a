"""`gradcheck` and `gradgradcheck`, element by element, of every operator in double precision, real and complex.

`make test-all` only: `test_derivatives.py` has the same derivatives along random directions, which is as strict; in all
the time since it was written this file has found one fault, of inputs without elements, and none in a rule.
"""

from __future__ import annotations

import pytest

from wengert._core.cards.card import Card
from wengert._core.types import dtypes
from wengert.autograd import gradcheck, gradgradcheck
from wengert.testing import cases
from wengert.testing.calls import names_of
from wengert.testing.differences import as_function, recorded

pytestmark = pytest.mark.exhaustive

DOUBLE = (dtypes.float64, dtypes.complex128)
# What torch calls the gradient of these is not the derivative (test_derivatives.py).
OTHERWISE = (
    "embedding",
    "embedding_bag",
    "embedding_lookup",
    "normal",
    "normal_about",
    "_standard_gamma",
    "_sample_dirichlet",
    *(f"fake_quantize_per_{kind}_affine{end}" for kind in ("tensor", "channel") for end in ("", "_cachemask")),
)
# Their rule raises, as torch's does.
REFUSED = ("floor_divide", "heaviside")


def has_derivative(operator, dtype) -> bool:
    return dtype in DOUBLE and operator.name not in OTHERWISE and not (isinstance(operator, Card) and operator.why)


NAMES = names_of(has_derivative)


def cases_of(name):
    return cases(has_derivative, names=[name])


def subjects(name):
    """The samples of an operator that differences say something about."""
    for case in cases_of(name):
        function, inputs = as_function(case.call())
        if inputs:
            yield function, inputs


@pytest.mark.parametrize("name", NAMES)
def test_first_derivatives(name):
    checked = [gradcheck(*each) and gradcheck(*each, fast_mode=True) for each in subjects(name)]
    assert all(checked)
    if not checked:
        calls = [case.call() for case in cases_of(name)]
        assert name in REFUSED or not any(each.differentiable() and recorded(each) for each in calls)


@pytest.mark.parametrize("name", NAMES)
def test_second_derivatives(name):
    for function, inputs in subjects(name):
        if function(*inputs):
            assert gradgradcheck(function, inputs, atol=1e-4)
