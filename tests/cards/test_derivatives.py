"""First and second derivatives of every operator against central differences, in double precision, real and complex."""

from __future__ import annotations

import pytest

from wengert._core.cards.card import Card
from wengert._core.types import dtypes
from wengert.testing import Case, cases, check_first_order, check_second_order
from wengert.testing.calls import names_of

DOUBLE = (dtypes.float64, dtypes.complex128)


def has_derivative(operator, dtype) -> bool:
    return dtype in DOUBLE and not (isinstance(operator, Card) and operator.why)


# Draws around a mean that requires a gradient: torch gives zeros, although the draw moves with its mean.
# How gamma and Dirichlet numbers move is implicit, of numbers whose rank stays (tests/distributions), not of the draw.
DRAWN = ("normal", "normal_about", "_standard_gamma", "_sample_dirichlet")

# Rows of a table that `padding_idx` names get no gradient, whatever the result does with them.
PADDED = ("embedding", "embedding_lookup", "embedding_bag")

# Rounding counts as the identity.
ROUNDED = tuple(f"fake_quantize_per_{kind}_affine{end}" for kind in ("tensor", "channel") for end in ("", "_cachemask"))


def is_ruled(operator, dtype) -> bool:
    """Whether what torch calls the gradient is the derivative."""
    return has_derivative(operator, dtype) and operator.name not in DRAWN + ROUNDED


def is_derivative(case) -> bool:
    """Whether no row of a sample goes without a gradient."""
    if case.name in PADDED:
        sample, _ = case.sample()
        return len(sample.args) < 3 and "padding_idx" not in sample.kwargs
    return True


RULES = pytest.mark.cases(wanted=is_ruled, where=is_derivative)


@RULES
def test_gradients_equal_central_differences(case: Case):
    check_first_order(case.call())


@RULES
def test_second_derivatives_equal_central_differences_of_gradients(case: Case):
    check_second_order(case.call())


@pytest.mark.cases(
    wanted=lambda operator, dtype: (
        dtype in DOUBLE and isinstance(operator, Card) and operator.why and not operator.refused
    )
)
def test_an_operator_that_gives_a_reason_for_having_no_derivative_records_nothing(case: Case):
    assert not any(each.requires_grad for each in case.call().outputs())


# Their rule raises, as torch's does.
REFUSED = ("floor_divide", "heaviside")
RULED = names_of(
    lambda operator, dtype: is_ruled(operator, dtype) and isinstance(operator, Card) and operator.name not in REFUSED
)


@pytest.mark.parametrize("name", RULED)
def test_an_operator_with_rules_has_a_sample_whose_derivative_is_checked(name):
    own = filter(is_derivative, cases(is_ruled, names=[name]))
    assert any(check_first_order(case.call(), directions=1) for case in own), (
        "no sample has finite inputs and outputs that require a gradient and lie away from kinks"
    )
