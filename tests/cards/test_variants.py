"""Calls derived from the samples: other memory layouts, broadcast, 0-dim, empty."""

from __future__ import annotations

import pytest

from wengert._core.cards.card import Card
from wengert.linalg import LinAlgError
from wengert.testing import Case, cases
from wengert.testing.calls import one_dtype
from wengert.testing.variants import (
    LAYOUTS,
    SIDES,
    check_broadcast,
    check_cotangents,
    check_empty,
    check_expanded,
    check_layout,
    check_scalars,
)


def is_pointwise(card) -> bool:
    """Whether a card was declared with `pointwise`."""
    return card.promotion is not None and card.allows_larger


def is_random(card) -> bool:
    """Whether an operator draws random numbers, in the order of memory."""
    return card.random if isinstance(card, Card) else card.name == "pca_lowrank"


# Composites that take a view without saying so in their declaration; torch refuses here too.
VIEWS = ("view", "view_as", "take_along_dim")

# Those that read the memory behind their input, whatever its layout says.
BEHIND = ("as_strided", "as_strided_from", "as_strided_copy", "_as_strided_copy", "as_strided_scatter")
ALL = [case for case in cases(lambda operator, dtype: dtype is one_dtype(operator)) if case.name not in BEHIND]
VALUED = [case for case in ALL if not case.name.startswith(("empty", "new_empty")) and not is_random(case.operator)]
POINTWISE = [case for case in ALL if isinstance(case.operator, Card) and is_pointwise(case.operator)]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("case", ALL, ids=repr)
def test_values_and_gradients_do_not_depend_on_the_memory_layout(case: Case, layout: str):
    try:
        check_layout(case.call(), layout)
    except RuntimeError as error:
        # Only a view may refuse, because the layout leaves it no way to share the memory.
        assert (isinstance(case.operator, Card) and case.operator.view) or case.name in VIEWS, error


@pytest.mark.parametrize("case", VALUED, ids=repr)
def test_values_and_gradients_do_not_depend_on_expanding(case: Case):
    for dim in SIDES:
        try:
            check_expanded(case.call(), dim)
        except LinAlgError:
            pass  # equal rows or columns have no inverse
        except RuntimeError as error:
            assert (isinstance(case.operator, Card) and case.operator.view) or case.name in VIEWS, error


@pytest.mark.parametrize("case", VALUED, ids=repr)
def test_gradients_do_not_depend_on_the_memory_layout_of_cotangents(case: Case):
    check_cotangents(case.call())


@pytest.mark.parametrize("case", POINTWISE, ids=repr)
def test_a_pointwise_operator_takes_0_dim_operands(case: Case):
    call = case.call()
    if call.tensors() and all(each._array_.size for each in call.tensors()):
        check_scalars(call)


@pytest.mark.parametrize("case", POINTWISE, ids=repr)
def test_a_pointwise_operator_takes_empty_operands(case: Case):
    check_empty(case.call())


@pytest.mark.parametrize("case", POINTWISE, ids=repr)
def test_a_pointwise_operator_stretches_each_operand_and_sums_its_gradient(case: Case):
    tensors = case.call().tensors()
    shapes = {each._array_.shape for each in tensors}
    if len(tensors) > 1 and len(shapes) == 1 and tensors[0]._array_.ndim and tensors[0]._array_.size:
        for at in range(len(tensors)):
            check_broadcast(case.call(), at)
