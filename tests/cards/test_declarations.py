"""Every operator has samples, documentation, and rules or a reason for having none."""

from __future__ import annotations

import re

import wengert as wg
from wengert._core.cards.card import FLOATS, Card
from wengert.testing.calls import numbers_of, one_dtype, operators

ALL = operators()
CARDS = {name: each for name, each in ALL.items() if isinstance(each, Card)}
PUBLIC = {name: each for name, each in ALL.items() if each.method or each.function}


def body_of(operator):
    return operator.body


def each_of(operators):
    """A check of one operator as a test of all of them, which names those that fail: nobody needs an item for each."""

    def decorate(check):
        def test():
            failed = {}
            for name in operators:
                try:
                    check(name)
                except AssertionError as error:
                    failed[name] = str(error).partition("\n")[0]
            assert not failed

        return test

    return decorate


@each_of(ALL)
def test_an_operator_has_samples_that_it_must_accept(name):
    operator = ALL[name]
    assert operator.sampler is not None, "no samples"
    assert numbers_of(operator, one_dtype(operator)), "no sample that it must accept"


@each_of(ALL)
def test_an_operator_is_documented(name):
    assert body_of(ALL[name]).__doc__, "no docstring"


@each_of(PUBLIC)
def test_a_public_operator_says_what_it_takes_and_what_it_returns(name):
    text = PUBLIC[name].public.__doc__ or ""
    if re.match(r"(Alias of|NumPy's name for) `\w+`\.", text):
        return  # what that one says holds
    code = body_of(PUBLIC[name]).__code__
    takes = code.co_argcount + code.co_kwonlyargcount > 0 or code.co_flags & 0x0C
    assert not takes or "Args:" in text
    assert "Returns:" in text


@each_of(CARDS)
def test_an_operator_has_a_rule_for_every_differentiable_input_or_a_reason_for_having_none(name):
    card = CARDS[name]
    served = {slot for rule in card.rules for slot in rule.slots}
    if card.why:
        assert not served or card.refused, "a reason for having no derivative, and rules"
    elif card.declared_dtypes & FLOATS and card.grad_slots:
        missing = [card.names[card.grad_slots[at]] for at in range(len(card.grad_slots)) if at not in served]
        assert not missing, f"no rule for {', '.join(missing)}"


@each_of(PUBLIC)
def test_a_public_operator_can_be_reached(name):
    operator = PUBLIC[name]
    if operator.function:
        assert callable(getattr(wg, name))
    if operator.method:
        assert callable(getattr(wg.Tensor, name))


@each_of([name for name, each in CARDS.items() if each.in_place is not None])
def test_an_in_place_form_is_a_method_with_an_underscore(name):
    assert callable(getattr(wg.Tensor, CARDS[name].in_place.name))


@each_of([name for name, each in ALL.items() if getattr(each, "method", False)])
def test_a_method_is_of_a_type_that_python_calls_at_once(name):
    """Of a subclass in Python, a bound method is made first, and the call is no vector call: three times as long."""
    found = vars(wg.Tensor).get(name)
    assert not isinstance(found, Card) or type(found) is Card
