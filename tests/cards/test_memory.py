"""What results share with their inputs, and what nodes keep."""

from __future__ import annotations

import pytest

from wengert._core.cards.card import Card
from wengert.testing import Case, cases
from wengert.testing.calls import one_dtype
from wengert.testing.memory import (
    check_gradient_memory,
    check_saved,
    check_sharing,
    check_tangent_memory,
    check_writes_between,
)

ALL = cases(lambda operator, dtype: dtype is one_dtype(operator))
RULES = [case for case in ALL if isinstance(case.operator, Card) and case.operator.rules]


@pytest.mark.parametrize("case", ALL, ids=repr)
def test_views_share_memory_with_their_input_and_other_results_do_not(case: Case):
    check_sharing(case.call())


@pytest.mark.parametrize("case", RULES, ids=repr)
def test_what_a_node_saved_is_there_before_the_backward_pass_and_gone_after_it(case: Case):
    check_saved(case.call())


DERIVATIVES = [case for case in RULES if not case.operator.why]
FIRST = list({case.name: case for case in reversed(DERIVATIVES)}.values())


@pytest.mark.parametrize("case", DERIVATIVES, ids=repr)
def test_a_tangent_has_memory_of_its_own_unless_the_result_is_a_view(case: Case):
    check_tangent_memory(case.call())


@pytest.mark.parametrize("case", FIRST, ids=repr)
def test_gradients_that_leaves_keep_have_memory_of_their_own(case: Case):
    check_gradient_memory(case.call())


@pytest.mark.parametrize("case", FIRST, ids=repr)
def test_a_write_before_the_backward_pass_is_refused_or_does_not_matter(case: Case):
    check_writes_between(case.call())
