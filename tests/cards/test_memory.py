"""What results share with their inputs, and what nodes keep."""

from __future__ import annotations

import pytest

from wengert._core.cards.card import Card
from wengert.testing import Case, cases
from wengert.testing.calls import one_dtype
from wengert.testing.memory import check_saved, check_sharing

ALL = cases(lambda operator, dtype: dtype is one_dtype(operator))
RULES = [case for case in ALL if isinstance(case.operator, Card) and case.operator.rules]


@pytest.mark.parametrize("case", ALL, ids=repr)
def test_views_share_memory_with_their_input_and_other_results_do_not(case: Case):
    check_sharing(case.call())


@pytest.mark.parametrize("case", RULES, ids=repr)
def test_what_a_node_saved_is_there_before_the_backward_pass_and_gone_after_it(case: Case):
    check_saved(case.call())
