"""The checks of the cards can fail: each finds what is planted for it, and passes the operator without the fault."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from wengert._core.cards.card import COMPLEXES, FLOATS, NUMBERS, REGISTRY, Array, Sample, op, pointwise
from wengert._core.types import dtypes
from wengert.testing import Call, Case, Maker, Wrong, cases, check_first_order, check_second_order
from wengert.testing.calls import copied
from wengert.testing.claims import check_linear, check_partials
from wengert.testing.in_place import check_in_place, check_out, check_refused_in_place
from wengert.testing.memory import check_saved, check_sharing
from wengert.testing.values import check_mixed, check_values
from wengert.testing.variants import check_broadcast, check_empty, check_layout, check_scalars


@pytest.fixture
def plant():
    """Declares operators that are gone after the test."""
    before = set(REGISTRY)
    yield declare
    for name in set(REGISTRY) - before:
        del REGISTRY[name]


def declare(body, *, rule=None, inputs=("self",), partials=None, declaration=op, **options):
    options.setdefault("dtypes", FLOATS)
    card = declaration(name="planted", public="neither", **options)(body)
    if rule is not None:
        card.vjp(*inputs)(rule)
    if partials is not None:
        card.partials(**partials)
    return card


def call_of(card, *shapes, dtype=dtypes.float64, **options):
    maker = Maker(dtype, "planted")
    return Call(card, [maker(*shape, **options) for shape in shapes])


def cube(self: Array):
    """self ** 3."""
    return self * self * self


def product(self: Array, other: Array):
    """self * other."""
    return self * other


# Rules with parameters named as the cards want them.
def right(grad, self):
    return grad * (self * self).conj() * 3


def factor_two(grad, self):
    return grad * (self * self).conj() * 6


def no_conj(grad, self):
    return grad * (self * self) * 3


def one_wrong_element(grad, self):
    made = right(grad, self).clone()
    made._array_.reshape(-1)[0] *= 1.001
    return made


def wrong_second(grad, self):
    return grad * (self * self.detach()).conj() * 3


def wrong_shape(grad, self):
    return right(grad, self).reshape(-1)


def wrong_in_grad(grad, self):
    return grad.detach() * (self * self).conj() * 3


def test_a_right_rule_passes_in_both_fields(plant):
    card = plant(cube, rule=right)
    for dtype in (dtypes.float64, dtypes.complex128):
        assert check_first_order(call_of(card, (3, 4), dtype=dtype))
        assert check_second_order(call_of(card, (3, 4), dtype=dtype))


@pytest.mark.parametrize("rule", [factor_two, one_wrong_element], ids=lambda rule: rule.__name__)
def test_a_wrong_rule_is_found(plant, rule):
    card = plant(cube, rule=rule)
    with pytest.raises(Wrong, match="central differences give"):
        check_first_order(call_of(card, (3, 4)))


def test_a_missing_conj_is_found_in_complex_and_is_right_in_real_numbers(plant):
    card = plant(cube, rule=no_conj)
    assert check_first_order(call_of(card, (3, 4)))
    with pytest.raises(Wrong, match="gradient along a random direction"):
        check_first_order(call_of(card, (3, 4), dtype=dtypes.complex128))


@pytest.mark.parametrize("rule", [wrong_second, wrong_in_grad], ids=lambda rule: rule.__name__)
def test_a_rule_that_is_right_once_and_wrong_differentiated_is_found(plant, rule):
    card = plant(cube, rule=rule)
    assert check_first_order(call_of(card, (3,)))
    with pytest.raises(Wrong, match="second derivative"):
        check_second_order(call_of(card, (3,)))


def test_a_gradient_of_a_wrong_shape_is_found(plant):
    card = plant(cube, rule=wrong_shape)
    with pytest.raises(RuntimeError, match=r"returned an invalid gradient at index 0 - got \[12\]"):
        check_first_order(call_of(card, (3, 4)))


def test_a_wrong_linear_claim_is_found(plant):
    card = plant(cube, rule=right, linear="self")
    with pytest.raises(Wrong, match="is not linear in 'self'"):
        check_linear(call_of(card, (3,)))


def test_an_affine_operator_is_not_linear(plant):
    def shifted(self: Array, other: Array):
        return self + other

    card = plant(shifted, linear="self")
    with pytest.raises(Wrong, match="is not linear"):
        check_linear(call_of(card, (3,), (3,)))


def test_a_right_linear_claim_passes(plant):
    card = plant(product, linear=("self", "other"))
    assert check_linear(call_of(card, (3,), (3,))) == 2


@pytest.mark.parametrize("dtype", [dtypes.float64, dtypes.complex128], ids=repr)
def test_a_wrong_partial_is_found(plant, dtype):
    card = plant(cube, partials={"self": lambda self: self * self * 2}, declaration=pointwise)
    with pytest.raises(Wrong, match="partial derivative by 'self' is wrong"):
        check_partials(call_of(card, (3,), dtype=dtype))
    with pytest.raises(Wrong):
        check_first_order(call_of(card, (3,), dtype=dtype))


def test_partials_of_an_operator_that_is_not_holomorphic_are_found(plant):
    def square(self: Array):
        return self * np.conj(self)

    card = plant(square, partials={"self": lambda self: self.conj() * 2}, declaration=pointwise)
    with pytest.raises(Wrong, match="partial"):
        check_partials(call_of(card, (3,), dtype=dtypes.complex128))


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (lambda self: self.astype(np.float64), "has dtype float64, expected float32"),
        (lambda self: self * self.dtype.type(1 + 1e-4 * (self.dtype == np.float32)), "expected"),
        (lambda self: self[..., : 1 + (self.dtype == np.float64)], "has shape"),
        (lambda self: np.where(self.dtype == np.float64, np.inf, self).astype(self.dtype), "expected inf"),
        (lambda self: np.negative(self, out=self), "changed one of its inputs"),
    ],
    ids=["dtype", "value", "shape", "infinity", "input"],
)
def test_wrong_values_are_found(plant, body, says):
    card = plant(renamed(body))
    with pytest.raises(Wrong, match=says):
        check_values(call_of(card, (3,), dtype=dtypes.float32, requires_grad=False), dtypes.float32)


def test_wrong_integers_are_found_and_those_that_wrap_around_are_not(plant):
    card = plant(renamed(lambda self: self * self + (self.dtype == np.int8)), dtypes=NUMBERS)
    with pytest.raises(Wrong, match="expected"):
        check_values(call_of(card, (3,), dtype=dtypes.int8), dtypes.int8)
    card.body = renamed(lambda self: self * self)
    check_values(call_of(card, (3,), dtype=dtypes.int8), dtypes.int8)
    check_values(call_of(card, (3,), dtype=dtypes.int8, low=50, high=60), dtypes.int8)


def test_a_wrong_promotion_is_found(plant):
    card = plant(renamed(lambda self, other: self * other), declaration=pointwise)
    check_mixed(call_of(card, (3,), (3,), dtype=dtypes.float32), dtypes.float64)
    card.promotion = None
    card.body = renamed(lambda self, other: self * other.astype(self.dtype))
    with pytest.raises(Wrong, match="has dtype float32, expected float64"):
        check_mixed(call_of(card, (3,), (3,), dtype=dtypes.float32), dtypes.float64)


def test_a_result_that_is_not_written_to_out_is_found(plant, monkeypatch):
    card = plant(cube, rule=right)
    call = call_of(card, (3,), requires_grad=False)
    check_out(call)
    monkeypatch.setattr("wengert._core.calls.out.put_out", lambda tensor, made: None)
    with pytest.raises(Wrong):
        check_out(call)


def test_random_results_are_not_compared(plant):
    card = plant(renamed(lambda self: np.random.standard_normal(self.shape).astype(self.dtype)))
    check_values(call_of(card, (3,), dtype=dtypes.float32), dtypes.float32)


def renamed(body):
    """A function with the parameters of `body`, annotated as a card wants them."""
    body.__annotations__ = dict.fromkeys(inspect.signature(body).parameters, "Array")
    return body


def in_place_card(plant, body=cube, rule=right):
    return plant(body, rule=rule, inplace=True, declaration=pointwise)


def test_a_right_in_place_form_passes(plant):
    check_in_place(call_of(in_place_card(plant), (3, 4)))


@pytest.mark.parametrize("fault", ["value", "other object", "no version", "two versions", "same node", "gradient"])
def test_a_wrong_in_place_form_is_found(plant, fault, monkeypatch):
    card = in_place_card(plant)

    def wrong(target):
        if fault == "other object":
            return REGISTRY["planted"].in_place(target).clone()
        if fault == "same node":
            target._array_[...] = target._array_**3
            target._storage_.version += 1
            return target
        if fault == "gradient":
            return target.mul_((target.detach() * target.detach()).clone())
        card.in_place(target)
        if fault == "value":
            target._array_[0] += 1
        target._storage_.version += {"no version": -1, "two versions": 1}.get(fault, 0)
        return target

    monkeypatch.setattr("wengert.testing.in_place.run_in_place", lambda call, target: wrong(target))
    with pytest.raises(Wrong):
        check_in_place(call_of(card, (3,)))


def test_a_refusal_that_leaves_something_behind_is_found(plant, monkeypatch):
    def refuse(call, target):
        target._array_[0] = 7
        raise RuntimeError("refused")

    monkeypatch.setattr("wengert.testing.in_place.run_in_place", refuse)
    with pytest.raises(Wrong, match="data, version or history have changed"):
        check_refused_in_place(call_of(in_place_card(plant), (3,)))


def test_a_call_that_is_not_refused_is_found(plant):
    with pytest.raises(Wrong, match="was not refused"):
        check_refused_in_place(call_of(in_place_card(plant), (3,)))


def test_an_operator_that_looks_at_the_memory_order_is_found(plant):
    card = plant(renamed(lambda self: self.ravel("K").reshape(self.shape)))
    with pytest.raises(Wrong):
        check_layout(call_of(card, (3, 4)), "transposed")
    card.body = renamed(lambda self: self * self.strides[-1])
    with pytest.raises(Wrong):
        check_layout(call_of(card, (3, 4)), "strided")


def test_wrong_variants_of_pointwise_operators_are_found(plant):
    card = plant(renamed(lambda self, other: self * other * (1 + (self.ndim == 0))), declaration=pointwise)
    with pytest.raises(Wrong):
        check_scalars(call_of(card, (3,), (3,)))
    card.body = renamed(lambda self, other: (self * other).reshape(-1))
    with pytest.raises(Wrong, match="every operand is empty"):
        check_empty(call_of(card, (3,), (3,)))
    card.body = renamed(lambda self, other: self * other + (self.shape != other.shape))
    with pytest.raises(Wrong):
        check_broadcast(call_of(card, (3, 4), (3, 4)), 1)


def not_summed(grad, self, other_shape):
    return (grad * self)[..., : other_shape[-1]]


def test_a_gradient_that_is_not_summed_over_a_stretched_dimension_is_found(plant):
    card = plant(product, rule=not_summed, inputs=("other",), declaration=pointwise)
    with pytest.raises(Wrong):
        check_broadcast(call_of(card, (3, 4), (3, 4)), 1)


def test_a_view_that_copies_and_a_copy_that_shares_are_found(plant):
    card = plant(renamed(lambda self: self.copy()), view=True)
    with pytest.raises(Wrong, match="does not share the memory"):
        check_sharing(call_of(card, (3,)))
    card.view, card.body = False, renamed(lambda self: self[1:])
    with pytest.raises(Wrong, match="is not declared a view"):
        check_sharing(call_of(card, (3,)))


def test_a_saved_tensor_that_outlives_the_pass_is_found(plant):
    card = plant(cube, rule=right)
    assert check_saved(call_of(card, (3,))) == 1
    card.node_class._saved_self = property(lambda node: copied(KEPT))
    with pytest.raises(Wrong, match="can still be read"):
        check_saved(call_of(card, (3,)))


KEPT = Maker()(2)


def test_the_search_finds_every_sample_of_a_new_operator_in_every_dtype(plant):
    card = plant(cube, rule=right, dtypes=FLOATS)
    card.samples(lambda make: (Sample(make(each)) for each in (1, 2)))
    found = cases(lambda operator, dtype: operator is card)
    assert len(found) == 2 * len(FLOATS - {dtypes.bfloat16})
    assert all(isinstance(case, Case) and case.call().tensors()[0].dtype is case.dtype for case in found)
    assert {repr(case) for case in found if case.dtype in COMPLEXES} == {
        f"planted-complex{bits}-{number}" for bits in (64, 128) for number in (0, 1)
    }
