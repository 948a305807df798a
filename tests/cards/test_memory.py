"""What results share with their inputs, and what nodes keep."""

from __future__ import annotations

import pytest

from wengert._core.cards.card import Card
from wengert.testing import Case
from wengert.testing.calls import numbers_of, once
from wengert.testing.memory import (
    check_gradient_memory,
    check_saved,
    check_sharing,
    check_tangent_memory,
    check_writes_between,
)


def has_rules(operator, dtype) -> bool:
    return once(operator, dtype) and isinstance(operator, Card) and bool(operator.rules)


@pytest.mark.cases(together=True, wanted=once)
def test_views_share_memory_with_their_input_and_other_results_do_not(case: Case):
    check_sharing(case.call())


@pytest.mark.cases(together=True, wanted=has_rules)
def test_what_a_node_saved_is_there_before_the_backward_pass_and_gone_after_it(case: Case):
    check_saved(case.call())


def has_derivatives(operator, dtype) -> bool:
    return has_rules(operator, dtype) and not operator.why


def is_first(case: Case) -> bool:
    return case.number == numbers_of(case.operator, case.dtype)[0]


@pytest.mark.cases(together=True, wanted=has_derivatives)
def test_a_tangent_has_memory_of_its_own_unless_the_result_is_a_view(case: Case):
    check_tangent_memory(case.call())


@pytest.mark.cases(together=True, wanted=has_derivatives, where=is_first)
def test_gradients_that_leaves_keep_have_memory_of_their_own(case: Case):
    check_gradient_memory(case.call())


@pytest.mark.cases(together=True, wanted=has_derivatives, where=is_first)
def test_a_write_before_the_backward_pass_is_refused_or_does_not_matter(case: Case):
    check_writes_between(case.call())
