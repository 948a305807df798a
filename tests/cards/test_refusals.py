"""What operators refuse, and that they say who refuses what."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert._core.cards.card import WIDE, Bad, Card
from wengert._core.errors import kernel_name
from wengert._core.operators import declaration
from wengert._core.operators.promotion import is_operand
from wengert._core.types import dtypes
from wengert.testing import Call, Case, Maker
from wengert.testing.calls import named, once, operators


@pytest.mark.cases(together=True, wanted=once, bad=True)
def test_bad_arguments_are_refused_with_the_declared_error(case: Case):
    sample, _ = case.sample()
    with pytest.raises(sample.raises) as caught:
        case.call().run()
    assert sample.says in str(caught.value)
    assert caught.value.__traceback__ is not None


# Errors of torch that call an operator something else than its name.
TORCHS_WORDS = {
    "neg": "Negation, the `-` operator",
    "sub": "Subtraction, the `-` operator",
    "rsub": "Subtraction, the `-` operator",
    "bitwise_not": '"bitwise_not_cpu" not implemented for',
    "relu": "clamp",
    "dist": "Subtraction, the `-` operator",
    "hash_tensor": "xor_sum",
}

REFUSED = {
    name: refused
    for name, operator in operators().items()
    if isinstance(operator, Card)
    and (refused := [dtype for dtype in dtypes.ALL if dtype in WIDE and dtype not in operator.declared_dtypes])
}


def reaches_accepted_dtype(call: Call, dtype: dtypes.dtype) -> bool:
    """Whether promotion takes the operands to a dtype that the operator exists for."""
    card = call.operator
    if card.promotion is None:
        return False
    if card.promotion == "float" and dtype.category < dtypes.FLOAT:
        return True
    bound = declaration.bind(card, call.args, call.kwargs)
    values = [bound[at] for at in card.grad_slots if is_operand(bound[at])]
    arrays = [each._array_ for each in values if isinstance(each, wg.Tensor)]
    numbers = [each for each in values if not isinstance(each, wg.Tensor)]
    return dtypes.result_type(arrays, numbers) in card.declared_dtypes


@pytest.mark.parametrize("name", REFUSED)
def test_dtypes_that_the_card_does_not_declare_are_refused_by_name(name):
    for dtype in REFUSED[name]:
        with named(dtype.name):
            check_refused(operators()[name], dtype)


def check_refused(card: Card, dtype: dtypes.dtype) -> None:
    """A dtype is refused by name, if the card has a sample with a tensor of it."""
    name = card.name
    maker = Maker(dtype, name)
    for sample in card.sampler(maker):
        if not isinstance(sample, Bad) and any(each.dtype is dtype for each in maker.tensors):
            break
        maker.begin()
    else:
        return
    call = Call(card, sample.args, sample.kwargs)
    if reaches_accepted_dtype(call, dtype):
        call.run()
        return
    with pytest.raises((RuntimeError, TypeError, ValueError)) as caught:  # torch's binomial raises the last
        call.run()
    parts = [part for part in name.split("_") if len(part) > 1]
    text = str(caught.value)
    words = (TORCHS_WORDS.get(name, name), f'"{kernel_name(name)}" not implemented for')
    assert any(part in text.lower() for part in parts) or any(each in text for each in words)
