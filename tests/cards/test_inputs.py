"""No derivative vanishes: every floating-point input of every operator gets its own, or is refused."""

from __future__ import annotations

import warnings

import pytest

import wengert as wg
from wengert._core.cards.card import Array, Index, op
from wengert._core.operators.batch_rules import elementwise
from wengert._core.types import dtypes
from wengert.testing import Case, Wrong
from wengert.testing.calls import Call
from wengert.testing.inputs import OTHERWISE, check_gradients, check_inputs

DOUBLE = (dtypes.float64, dtypes.complex128)


def is_asked(operator, dtype):
    return dtype in DOUBLE and operator.name not in OTHERWISE


@pytest.mark.cases(wanted=is_asked, few=True)
def test_every_floating_point_input_has_its_derivative_or_is_refused(case: Case):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # samples hold infinities
        check_inputs(case.call(requires_grad=False))


@pytest.mark.cases(wanted=is_asked, few=True)
def test_every_gradient_has_its_derivative_by_the_other_inputs_or_is_refused(case: Case):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_gradients(case.call(requires_grad=False))


def product(self: Array, factor: Array):
    return self * factor


def of_constant(self: Array, factor: Index):
    return self * factor


def sample():
    return wg.tensor([1.0, 2.0], dtype=wg.float64), wg.tensor([3.0, 4.0], dtype=wg.float64)


def declared(body, **options):
    card = op(public="hidden", batching=elementwise, **options)(body)
    if "why" not in options:
        card.vjp("self")(lambda grad, factor: grad * factor)
        card.jvp("self")(lambda tangent, factor: tangent * factor)
    return card


def declared_constant(body, name):
    card = op(public="hidden", batching=elementwise)(body)
    card.constant_in(name)
    card.vjp("self")(lambda grad, factor: grad * factor)
    card.jvp("self")(lambda tangent, factor: tangent * factor)
    return card


def test_a_right_card_passes():
    card = declared(product)
    card.vjp("factor")(lambda grad, self: grad * self)
    card.jvp("factor")(lambda tangent, self: tangent * self)
    assert check_inputs(Call(card, sample())) == 6
    assert check_gradients(Call(card, sample())) == 2


def test_an_input_that_is_not_declared_is_refused():
    card = declared(of_constant)
    assert check_inputs(Call(card, sample())) == 3  # of the other one


@pytest.mark.parametrize(
    "card",
    [
        declared_constant(of_constant, "factor"),
        declared(product, why="wrongly said to be constant"),
    ],
)
def test_an_input_that_is_wrongly_called_zero_is_found(card):
    with pytest.raises(Wrong, match="is 0, differences give"):
        check_inputs(Call(card, sample()))


def test_a_forward_rule_that_forgets_its_input_is_found():
    card = declared(of_constant)
    card.jvp("factor")(lambda tangent: None)
    with pytest.raises(Wrong, match="the tangent of input 1 is 0, differences give"):
        check_inputs(Call(card, sample()))


def test_a_gradient_that_forgets_an_input_is_found():
    card = op(public="hidden")(of_constant)
    card.vjp("self")(lambda grad, factor: grad * factor.detach())
    card.jvp("factor")(lambda tangent, self: tangent * self)
    with pytest.raises(Wrong, match=r"the tangent by input 1 of the gradients of inputs .* is 0"):
        check_gradients(Call(card, sample()))
