"""Transforms combined: each differentiable operator batched, nested and in place, in every order."""

from __future__ import annotations

import pytest

from wengert._core.cards.card import COMPLEXES, FLOATS, REGISTRY, Array, Card, op, pointwise
from wengert._core.types import dtypes
from wengert.testing import Call, Case, Maker, Wrong, cases
from wengert.testing.coverage import OF_MEMORY, WITHOUT_DERIVATIVE, is_derivative
from wengert.testing.transforms import check_transforms, variants, writes_in_place

DOUBLE = (dtypes.float64, dtypes.complex128)
LEFT_OUT = {
    **WITHOUT_DERIVATIVE,
    **dict.fromkeys(OF_MEMORY, "a view of the very memory, where members along other dimensions lie apart"),
    "masked_select": "the shape of the result depends on values, which members may disagree about",
}


def has_derivative(operator, dtype) -> bool:
    return dtype in DOUBLE and isinstance(operator, Card) and not operator.why and not operator.random


RULES = [case for case in cases(has_derivative) if case.name not in LEFT_OUT and is_derivative(case)]
FIRST = list({(case.name, case.dtype): case for case in reversed(RULES)}.values())
"""The first sample of each operator in float64 and complex128; `make hunt` checks all of them, and their variants."""


@pytest.mark.parametrize("case", FIRST, ids=repr)
def test_transforms_of_an_operator_agree_with_the_reverse_pass(case: Case):
    check_transforms(case.call())


WRITES = [case for case in FIRST if writes_in_place(case.call())]


@pytest.mark.parametrize("case", WRITES, ids=repr)
def test_transforms_of_a_write_in_place_agree_with_the_reverse_pass(case: Case):
    assert check_transforms(case.call(), in_place=True)


# ---- the check can fail ----------------------------------------------------------------------------------------------


@pytest.fixture
def plant():
    before = set(REGISTRY)
    yield
    for name in set(REGISTRY) - before:
        del REGISTRY[name]


def square(self: Array):
    """self ** 2."""
    return self * self


def planted(rule, *, tangent=None, dtypes=FLOATS, declaration=pointwise, **options):
    card = declaration(name="planted", method=False, function=False, dtypes=dtypes, **options)(square)
    card.vjp("self")(rule)
    if tangent is not None:
        card.jvp("self")(tangent)
    return card


def right(grad, self):
    return grad * 2 * self.conj()


def unlike_in_batches(grad, self):
    return grad * 2 * (self if self._flags_ & 16 else self.conj())


def tangent_of_half(tangent, self):
    return tangent * self


def tangent_that_is_constant(tangent, self):
    return tangent * 2 * self.detach()


def call_of(card, dtype=dtypes.float64):
    return Call(card, [Maker(dtype, "planted")(3)])


def test_a_right_rule_passes(plant):
    card = planted(right, promote="numbers")
    for name, call in variants(call_of(card)).items():
        assert check_transforms(call) > 20, name


@pytest.mark.parametrize(
    ("tangent", "combination"),
    [(tangent_of_half, "jvp"), (tangent_that_is_constant, "grad of jvp")],
)
def test_a_wrong_forward_rule_is_found(plant, tangent, combination):
    card = planted(right, tangent=tangent, promote="numbers")
    with pytest.raises(Wrong, match=combination):
        check_transforms(call_of(card))


def test_a_rule_that_is_wrong_for_batches_of_complex_numbers_only_is_found(plant):
    card = planted(unlike_in_batches, dtypes=COMPLEXES, promote="numbers")
    with pytest.raises(Wrong, match="vmap"):
        check_transforms(call_of(card, dtypes.complex128))


def test_a_wrong_batch_rule_is_found(plant):
    card = planted(right, tangent=lambda tangent, self: tangent * 2 * self, declaration=op)

    @card.batched
    def reversed_members(self):
        return card.call((self.flip(0),))

    with pytest.raises(Wrong, match="vmap"):
        check_transforms(call_of(card))
