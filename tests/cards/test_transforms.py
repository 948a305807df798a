"""Transforms combined: the check that the table of coverage, and the hunt, run for each operator.

`tests/docs/test_coverage_table.py` checks the first sample of every differentiable operator, out of place and in place,
in real and complex numbers; `make hunt` checks all samples with operands of other kinds of shapes.
"""

from __future__ import annotations

import pytest

from tools.hunt import transforms as hunt
from wengert._core.cards.card import COMPLEXES, FLOATS, REGISTRY, Array, op, pointwise
from wengert._core.types import dtypes
from wengert.testing import Call, Maker, Wrong
from wengert.testing.transforms import check_transforms, variants


@pytest.mark.parametrize("variant", ["ordinary", "postponed", "zero-size", "0-dim", "one element", "expanded"])
@pytest.mark.parametrize("name", ["mul", "true_divide", "atan2", "pow", "sigmoid", "_where"])
def test_pointwise_operators_are_right_for_operands_of_all_kinds_of_shapes(name, variant):
    cases = [case for case in hunt.samples() if case.name == name]
    tried = [case for case in cases if variant in variants(case.call())][:1]
    assert tried
    for case in tried:
        for kind, in_place in hunt.tries(case):
            if kind == variant:
                assert hunt.attempt(case, kind, in_place)[1] == ""


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
    card = declaration(name="planted", public="neither", dtypes=dtypes, **options)(square)
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
        assert len(check_transforms(call)) > 20, name


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
