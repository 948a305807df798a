"""Forward mode of every operator, from its samples: against reverse mode, first and second order, real and complex."""

from __future__ import annotations

import pytest

from wengert._core.cards.card import Card
from wengert._core.operators.forward_rules import is_derived
from wengert._core.types import dtypes
from wengert.testing import Case, cases
from wengert.testing.calls import names_of, operators
from wengert.testing.forward import check_forward, check_forward_in_place, check_forward_second_order
from wengert.testing.in_place import fits_in_place, target_of

DOUBLE = (dtypes.float64, dtypes.complex128)


def has_derivative(operator, dtype) -> bool:
    return dtype in DOUBLE and not (isinstance(operator, Card) and operator.why)


# Draws whose gradients torch defines as zero, and rows of a table that get no gradient: no adjoint of forward mode.
NO_ADJOINT = ("normal", "normal_about", "embedding", "embedding_lookup", "embedding_bag")


def is_ruled(operator, dtype) -> bool:
    return has_derivative(operator, dtype) and operator.name not in NO_ADJOINT


CARDS = [operator for operator in operators().values() if isinstance(operator, Card) and operator.rules]


def test_every_card_with_a_derivative_has_a_forward_rule_for_each_input():
    for card in CARDS:
        names = {card.names[position] for slot, position in enumerate(card.grad_slots) if not is_derived(card, slot)}
        assert names == set(card.refused), card.name


@pytest.mark.cases(wanted=is_ruled)
def test_tangents_agree_with_gradients(case: Case):
    check_forward(case.call())


# How a gamma number moves with its concentration has no derivative, in torch neither.
ONCE_ONLY = ("_standard_gamma", "_sample_dirichlet")


@pytest.mark.cases(wanted=lambda operator, dtype: is_ruled(operator, dtype) and operator.name not in ONCE_ONLY)
def test_tangents_of_gradients_and_gradients_of_tangents_agree_with_second_gradients(case: Case):
    check_forward_second_order(case.call())


# These have no derivative by the first operand, as in torch.
BY_SECOND = ("igamma", "igammac")


def has_form(operator, dtype) -> bool:
    return has_derivative(operator, dtype) and operator.name not in BY_SECOND and getattr(operator, "in_place", None)


@pytest.mark.cases(wanted=has_form)
def test_an_in_place_form_writes_the_tangent_of_the_functional_form(case: Case):
    call = case.call()
    if target_of(call) is not None and fits_in_place(call) and call.run().dtype is target_of(call).dtype:
        check_forward_in_place(case.call(requires_grad=False))


REFUSED = ("floor_divide", "heaviside")
CHECKED = names_of(
    lambda operator, dtype: is_ruled(operator, dtype) and isinstance(operator, Card) and operator.name not in REFUSED
)


@pytest.mark.parametrize("name", CHECKED)
def test_an_operator_with_rules_has_a_sample_whose_tangents_are_checked(name):
    own = cases(is_ruled, names=[name])
    assert any(check_forward(case.call()) and case.call().smooth for case in own), (
        "no sample has finite inputs and outputs that require a gradient and lie away from kinks"
    )
