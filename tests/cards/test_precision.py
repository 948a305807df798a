"""Values, first and second derivatives of operators with a formula beside fifty digits, at easy and at hard points."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import wengert as wg
from wengert._core.cards.card import REGISTRY, Card
from wengert.testing import precision

FORMULAS = precision.formulas()
DTYPES = ("float32", "float64", "complex128")
CASES = [(name, kind) for name in FORMULAS for kind in DTYPES if getattr(wg, kind) in REGISTRY[name].declared_dtypes]

# In units in the last place: the value, the first derivative, the second.
BOUND = (4, 16, 32)

# Rules by the result, as torch's (1 - tanh^2): what saturation takes is lost of 1, not of the small derivative;
# likewise sums of terms of which the smaller is rounded to the larger.
OF_ONE = ("acosh", "expm1", "gelu", "logsigmoid", "mish", "sigmoid", "silu", "softplus", "tan", "tanh")

# 1 - z^2 and 1 + z^2 lose the digits that they cancel: three at 1e-3 from where they vanish.
BESIDE_POLES = ("acos", "acosh", "asin", "asinh", "atan", "atanh")

# torch's softplus is the identity from 20 on: e^-20 is lost.
LINEAR_FROM = {"softplus": 20.0}

# Hundreds of digits of these take mpmath long; beyond, they are 0, 1 or linear.
ERROR_FUNCTIONS = ("erf", "erfc", "gelu")


@functools.cache
def exact(name, kind):
    """The points of a case, and where the formula is finite there: value and derivatives."""
    points = precision.complex_points(kind) if "complex" in kind else precision.real_points(kind)
    if name in LINEAR_FROM:
        points = points[points < LINEAR_FROM[name]]
    if name in ERROR_FUNCTIONS:
        points = points[(abs(points) > 1e-20) & (abs(points) < 20)]
    return points, list(precision.exact(FORMULAS[name], points))


def bound(name, order):
    return 1000 if name in BESIDE_POLES and order else BOUND[order]


def is_comparable(point, order):
    """Whether squares and fourth powers, which rules are made of, are numbers of the dtype."""
    return order == 0 or abs(point) < float(np.finfo(point.dtype).max) ** 0.25


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("way", ["reverse", "forward"])
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_value_and_derivatives_lie_within_their_bound(name, kind, way):
    points, wanted = exact(name, kind)
    made = precision.computed(REGISTRY[name], points, way)
    scale = 1.0 if name in OF_ONE else 0.0
    wrong = []
    for at, numbers in wanted:
        for order in range(3):
            if is_comparable(points[at], order):
                units = precision.error(made[order][at], numbers[order], kind, scale)
                if units > bound(name, order):
                    wrong.append((order, points[at], made[order][at], numbers[order], units))
    assert len(wanted) > 10
    assert not wrong, f"(order, point, made, exact, units): {wrong[:5]} and {max(len(wrong) - 5, 0)} more"


def test_every_smooth_function_of_one_tensor_has_a_formula():
    """Those without are piecewise polynomials, choices and roundings, whose values NumPy gives exactly."""
    rough = {
        "abs", "absolute", "angle", "ceil", "celu", "clamp", "clip", "elu", "fix", "floor", "frac", "hardshrink",
        "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "nan_to_num", "neg", "negative", "relu", "round", "sgn",
        "sign", "softshrink", "threshold", "trunc",
    }  # fmt: skip
    unary = {
        name
        for name, card in REGISTRY.items()
        if isinstance(card, Card)
        and not name.startswith("arc")
        and card.promotion is not None
        and len(card.tensor_slots) == 1
        and not card.why
    }
    special = {
        "deg2rad", "digamma", "erfinv", "i0", "lgamma", "logit", "mvlgamma", "polygamma", "rad2deg", "sinc",
        "special_entr",
        "special_erfcx", "special_i0e", "special_i1", "special_i1e", "special_log_ndtr", "special_ndtri",
    }  # fmt: skip  # SciPy's values; their derivatives are held to differences as those of all cards
    assert unary - set(FORMULAS) <= rough | special


def test_a_wrong_digit_is_found():
    x = np.array([0.5])
    ((_, numbers),) = precision.exact(FORMULAS["exp"], x)
    assert precision.error(np.exp(0.5), numbers[0], "float64") <= 1
    assert precision.error(np.exp(0.5) * (1 + 1e-14), numbers[0], "float64") > 30
