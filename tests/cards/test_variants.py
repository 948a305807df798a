"""Calls derived from the samples: other memory layouts, broadcast, 0-dim, empty."""

from __future__ import annotations

import pytest

from wengert._core.cards.card import Card
from wengert.linalg import LinAlgError
from wengert.testing import Case
from wengert.testing.calls import named, once
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


def is_checked(operator, dtype) -> bool:
    return once(operator, dtype) and operator.name not in BEHIND


def is_valued(operator, dtype) -> bool:
    return (
        is_checked(operator, dtype) and not operator.name.startswith(("empty", "new_empty")) and not is_random(operator)
    )


POINTWISE = pytest.mark.cases(
    together=True,
    wanted=lambda operator, dtype: (
        is_checked(operator, dtype) and isinstance(operator, Card) and is_pointwise(operator)
    ),
)


@pytest.mark.cases(together=True, wanted=is_checked)
def test_values_and_gradients_do_not_depend_on_the_memory_layout(case: Case):
    for layout in LAYOUTS:
        with named(layout):
            try:
                check_layout(case.call(), layout)
            except RuntimeError as error:
                # Only a view may refuse, because the layout leaves it no way to share the memory.
                assert (isinstance(case.operator, Card) and case.operator.view) or case.name in VIEWS, error


@pytest.mark.cases(together=True, wanted=is_valued)
def test_values_and_gradients_do_not_depend_on_expanding(case: Case):
    for dim in SIDES:
        try:
            check_expanded(case.call(), dim)
        except LinAlgError:
            pass  # equal rows or columns have no inverse
        except RuntimeError as error:
            assert (isinstance(case.operator, Card) and case.operator.view) or case.name in VIEWS, error


@pytest.mark.cases(together=True, wanted=is_valued)
def test_gradients_do_not_depend_on_the_memory_layout_of_cotangents(case: Case):
    check_cotangents(case.call())


@POINTWISE
def test_a_pointwise_operator_takes_0_dim_operands(case: Case):
    call = case.call()
    if call.tensors() and all(each._array_.size for each in call.tensors()):
        check_scalars(call)


@POINTWISE
def test_a_pointwise_operator_takes_empty_operands(case: Case):
    check_empty(case.call())


@POINTWISE
def test_a_pointwise_operator_stretches_each_operand_and_sums_its_gradient(case: Case):
    tensors = case.call().tensors()
    shapes = {each._array_.shape for each in tensors}
    if len(tensors) > 1 and len(shapes) == 1 and tensors[0]._array_.ndim and tensors[0]._array_.size:
        for at in range(len(tensors)):
            check_broadcast(case.call(), at)
