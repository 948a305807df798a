"""Forward mode of every operator, from its samples: against reverse mode, first and second order, real and complex."""

from __future__ import annotations

import pytest

from wengert._core.cards.card import Card
from wengert._core.operators.forward_rules import is_derived
from wengert._core.types import dtypes
from wengert.testing import Case, cases
from wengert.testing.calls import operators
from wengert.testing.forward import check_forward, check_forward_in_place, check_forward_second_order
from wengert.testing.in_place import fits_in_place, target_of

DOUBLE = (dtypes.float64, dtypes.complex128)


def has_derivative(operator, dtype) -> bool:
    return dtype in DOUBLE and not (isinstance(operator, Card) and operator.why)


# Draws whose gradients torch defines as zero, and rows of a table that get no gradient: no adjoint of forward mode.
NO_ADJOINT = ("normal", "normal_about", "embedding", "embedding_lookup", "embedding_bag")
RULES = [case for case in cases(has_derivative) if case.name not in NO_ADJOINT]
CARDS = [operator for operator in operators().values() if isinstance(operator, Card) and operator.rules]


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.name)
def test_every_card_with_a_derivative_has_a_forward_rule_for_each_input(card: Card):
    names = {card.names[position] for slot, position in enumerate(card.grad_slots) if not is_derived(card, slot)}
    assert names == set(card.refused)


@pytest.mark.parametrize("case", RULES, ids=repr)
def test_tangents_agree_with_gradients(case: Case):
    check_forward(case.call())


# How a gamma number moves with its concentration has no derivative, in torch neither.
TWICE = [case for case in RULES if case.name not in ("_standard_gamma", "_sample_dirichlet")]


@pytest.mark.parametrize("case", TWICE, ids=repr)
def test_tangents_of_gradients_and_gradients_of_tangents_agree_with_second_gradients(case: Case):
    check_forward_second_order(case.call())


# These have no derivative by the first operand, as in torch.
BY_SECOND = ("igamma", "igammac")
IN_PLACE = [
    case
    for case in cases(
        lambda operator, dtype: has_derivative(operator, dtype) and bool(getattr(operator, "in_place", None))
    )
    if case.name not in BY_SECOND and target_of(case.call()) is not None and fits_in_place(case.call())
]


@pytest.mark.parametrize("case", IN_PLACE, ids=repr)
def test_an_in_place_form_writes_the_tangent_of_the_functional_form(case: Case):
    call = case.call()
    if call.run().dtype is target_of(call).dtype:
        check_forward_in_place(case.call(requires_grad=False))


CHECKED = sorted({case.name for case in RULES if isinstance(case.operator, Card)} - {"floor_divide", "heaviside"})


@pytest.mark.parametrize("name", CHECKED)
def test_an_operator_with_rules_has_a_sample_whose_tangents_are_checked(name):
    found = [check_forward(case.call()) and case.call().smooth for case in RULES if case.name == name]
    assert any(found), "no sample has finite inputs and outputs that require a gradient and lie away from kinks"
