"""Values, first and second derivatives of operators with a formula beside fifty digits, at easy and at hard points."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import wengert as wg
from wengert._core.cards.card import REGISTRY, Card
from wengert.testing import formulas, precision

SPECIAL = formulas.special()
FORMULAS = {**formulas.elementary(), **SPECIAL}
SECTIONS = formulas.sections()
DTYPES = ("float32", "float64", "complex128")
WAYS = ("reverse", "forward")
"""The modes, which one test compares with the same digits: those take longer than all else here."""


def has(name, kind):
    """Whether a card has a dtype of `DTYPES`; composites have the real ones."""
    return getattr(wg, kind) in getattr(REGISTRY[name], "declared_dtypes", (wg.float32, wg.float64))


CASES = [(name, kind) for name in FORMULAS for kind in DTYPES if has(name, kind)]
LINES = [(line, kind) for line, (name, _, _) in SECTIONS.items() for kind in DTYPES if has(name, kind)]

# In units in the last place: the value, the first derivative, the second.
BOUND = (4, 16, 32)

# Rules by the result, as torch's (1 - tanh^2): what saturation takes is lost of 1, not of the small derivative;
# likewise sums of terms of which the smaller is rounded to the larger.
OF_ONE = ("acosh", "expm1", "gelu", "logsigmoid", "mish", "sigmoid", "silu", "softplus", "tan", "tanh")

# 1 - z^2 and 1 + z^2 lose the digits that they cancel: three at 1e-3 from where they vanish. Derivatives of quantiles
# grow with e^(value^2), those of log_ndtr far below 0 are differences of numbers as large as x.
BESIDE_POLES = ("acos", "acosh", "asin", "asinh", "atan", "atanh", "erfinv", "special_log_ndtr", "special_ndtri")

# Of these torch has quotients whose parts vanish together at 0, and so have we.
BESIDE_ZERO = {"sinc": (1, 1e-3), "special_i1e": (2, 1e-5)}

# torch's softplus is the identity from 20 on: e^-20 is lost.
LINEAR_FROM = {"softplus": 20.0}

# Hundreds of digits of these take mpmath long; beyond, they are 0, 1 or linear.
MODERATE = ("erf", "erfc", "gelu", *SPECIAL)


COSTLY = tuple(name for name in SPECIAL if "airy" in name or name[-2:] in ("y0", "y1", "k0", "k1"))
"""Functions of which mpmath takes seconds at most points; `ops/pointwise/test_special.py` has them beside SciPy's."""


@functools.cache
def exact(name, kind):
    """The points of a case, and where the formula is finite there: value and derivatives."""
    points = precision.complex_points(kind) if "complex" in kind else precision.real_points(kind)
    if name in LINEAR_FROM:
        points = points[points < LINEAR_FROM[name]]
    if name in MODERATE or name in SECTIONS:
        points = points[(abs(points) > 1e-20) & (abs(points) < 20)]
    if name in COSTLY:
        points = points[(points > 0.6) & (points < 6)][::2]
    return points, list(precision.exact(FORMULAS[name] if name in FORMULAS else SECTIONS[name][2], points))


# The angle pi * z is rounded before its sine is taken, which is as large as e^18 here.
OF_ROUNDED = {"sinc": 16}


def bound(name, order):
    if name in OF_ROUNDED and not order:
        return OF_ROUNDED[name]
    return 1000 if name in BESIDE_POLES and order else BOUND[order]


def is_comparable(name, point, order):
    """Whether squares and fourth powers, which rules are made of, are numbers of the dtype."""
    first, distance = BESIDE_ZERO.get(name, (3, 0))
    if order >= first and abs(point) < distance:
        return False
    return order == 0 or abs(point) < float(np.finfo(point.dtype).max) ** 0.25


def wrong_ones(name, kind, made, scale, bounds):
    """What lies beyond its bound: order, point, what was computed, what is exact, how many units lie between."""
    points, wanted = exact(name, kind)
    assert len(wanted) > 4
    found = []
    for at, numbers in wanted:
        for order in range(3):
            if is_comparable(name, points[at], order):
                units = precision.error(made[order][at], numbers[order], kind, scale)
                if units > bounds[order]:
                    found.append((order, points[at], made[order][at], numbers[order], units))
    return found


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("name", "kind"), CASES)
def test_value_and_derivatives_lie_within_their_bound(name, kind):
    scale = 1.0 if name in OF_ONE or name in SPECIAL else 0.0
    for way in WAYS:
        made = precision.computed(REGISTRY[name], exact(name, kind)[0], way)
        wrong = wrong_ones(name, kind, made, scale, [bound(name, order) for order in range(3)])
        assert not wrong, f"{way}, (order, point, made, exact, units): {wrong[:5]} and {max(len(wrong) - 5, 0)} more"


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(("line", "kind"), LINES)
def test_functions_of_several_arguments_lie_within_their_bound_along_lines(line, kind):
    name, arguments, _ = SECTIONS[line]
    if name == "logaddexp" and "complex" in kind:
        pytest.skip("of a complex sum of exponentials torch takes another branch of the logarithm")
    for way in WAYS:
        made = precision.computed(lambda x: REGISTRY[name](*arguments(x)), exact(line, kind)[0], way)
        wrong = wrong_ones(line, kind, made, 1.0, (16, 16, 32))
        assert not wrong, f"{way}, (order, point, made, exact, units): {wrong[:5]} and {max(len(wrong) - 5, 0)} more"


def test_digamma_beside_its_poles():
    x = np.array([-1 + 2.0**-53, -1 - 2.0**-52, -1e6 + 2.0**-30, -0.999])
    made = wg.digamma(wg.tensor(x)).numpy()
    for at, (_, numbers) in enumerate(precision.exact(FORMULAS["digamma"], x)):
        assert precision.error(made[at], numbers[0], "float64") < 4


def test_every_smooth_function_of_one_tensor_has_a_formula():
    """Those without are piecewise polynomials, choices and roundings, whose values NumPy gives exactly."""
    rough = {
        "abs",
        "absolute",
        "angle",
        "ceil",
        "celu",
        "clamp",
        "clip",
        "elu",
        "fix",
        "floor",
        "frac",
        "hardshrink",
        "hardsigmoid",
        "hardswish",
        "hardtanh",
        "leaky_relu",
        "nan_to_num",
        "neg",
        "negative",
        "relu",
        "round",
        "sgn",
        "sign",
        "softshrink",
        "threshold",
        "trunc",
    }
    unary = {
        name
        for name, card in REGISTRY.items()
        if isinstance(card, Card)
        and not name.startswith("arc")
        and card.promotion is not None
        and len(card.tensor_slots) == 1
        and not card.why
    }
    assert unary - set(FORMULAS) - {name for name, _, _ in SECTIONS.values()} <= rough


def test_a_wrong_digit_is_found():
    x = np.array([0.5])
    ((_, numbers),) = precision.exact(FORMULAS["exp"], x)
    assert precision.error(np.exp(0.5), numbers[0], "float64") <= 1
    assert precision.error(np.exp(0.5) * (1 + 1e-14), numbers[0], "float64") > 30
