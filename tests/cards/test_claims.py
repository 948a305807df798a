"""What the cards claim for forward mode is true."""

from __future__ import annotations

import pytest

from wengert._core.cards.card import Card
from wengert._core.types import dtypes
from wengert.testing import Case, cases
from wengert.testing.claims import check_linear, check_partials, partials_of

DOUBLE = (dtypes.float64, dtypes.complex128)
LINEAR = cases(lambda operator, dtype: dtype in DOUBLE and isinstance(operator, Card) and bool(operator.linear))
PARTIAL = cases(lambda operator, dtype: dtype in DOUBLE and isinstance(operator, Card) and bool(partials_of(operator)))


@pytest.mark.parametrize("case", LINEAR, ids=repr)
def test_an_operator_is_linear_in_the_inputs_that_its_card_names(case: Case):
    check_linear(case.call(requires_grad=False))


@pytest.mark.parametrize("case", PARTIAL, ids=repr)
def test_partials_equal_difference_quotients(case: Case):
    check_partials(case.call(requires_grad=False))


@pytest.mark.parametrize("name", sorted({case.name for case in LINEAR}))
def test_the_linearity_of_an_operator_is_checked_by_at_least_one_sample(name):
    assert any(check_linear(case.call(requires_grad=False)) for case in LINEAR if case.name == name)
