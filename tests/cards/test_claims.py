"""What the cards claim for forward mode is true."""

from __future__ import annotations

import pytest

from wengert._core.cards.card import Card
from wengert._core.types import dtypes
from wengert.testing import Case, cases
from wengert.testing.calls import names_of
from wengert.testing.claims import check_linear, check_partials, partials_of

DOUBLE = (dtypes.float64, dtypes.complex128)


def is_linear(operator, dtype):
    return dtype in DOUBLE and isinstance(operator, Card) and bool(operator.linear)


@pytest.mark.cases(wanted=is_linear)
def test_an_operator_is_linear_in_the_inputs_that_its_card_names(case: Case):
    check_linear(case.call(requires_grad=False))


@pytest.mark.cases(
    wanted=lambda operator, dtype: dtype in DOUBLE and isinstance(operator, Card) and partials_of(operator)
)
def test_partials_equal_difference_quotients(case: Case):
    check_partials(case.call(requires_grad=False))


@pytest.mark.parametrize("name", names_of(is_linear))
def test_the_linearity_of_an_operator_is_checked_by_at_least_one_sample(name):
    assert any(check_linear(case.call(requires_grad=False)) for case in cases(is_linear, names=[name]))
