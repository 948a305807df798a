"""Every operator, in every dtype that its card declares: values, dtypes, untouched inputs."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert._core.cards.card import FLOATS, Card
from wengert._core.types import dtypes
from wengert.testing import Case
from wengert.testing.calls import dtypes_of, named, once
from wengert.testing.in_place import check_out
from wengert.testing.seeds import reseed
from wengert.testing.values import check_close, check_mixed, check_values, widest


@pytest.mark.cases(together=True, wanted=lambda operator, dtype: widest(dtype) in dtypes_of(operator))
def test_values_agree_with_the_widest_dtype_and_the_dtype_is_the_promoted_one(case: Case):
    check_values(case.call(), case.dtype)


def is_plain(operator, dtype) -> bool:
    return once(operator, dtype) and isinstance(operator, Card) and not (operator.view or operator.several)


@pytest.mark.cases(together=True, wanted=is_plain)
def test_out_takes_the_result(case: Case):
    check_out(case.call(requires_grad=False))


def is_promoting(card) -> bool:
    if not isinstance(card, Card) or card.mixed is not None:  # those that refuse some pairs have tests of their own
        return False
    return card.promotion is not None and card.allows_larger and card.declared_dtypes >= FLOATS


@pytest.mark.cases(together=True, wanted=lambda operator, dtype: dtype is dtypes.float32 and is_promoting(operator))
def test_operands_of_different_dtypes_are_promoted(case: Case):
    for other in (dtypes.float64, dtypes.complex64, dtypes.int64, dtypes.float16):
        call = case.call()
        if len(call.tensors()) > 1 and call.tensors()[0].dtype is case.dtype:
            with named(other.name):
                check_mixed(call, other)


@pytest.mark.cases(
    together=True, wanted=lambda operator, dtype: once(operator, dtype) and operator.method and operator.function
)
def test_the_method_gives_what_the_function_gives(case: Case):
    call = case.call(requires_grad=False)
    if not (call.args and isinstance(call.args[0], wg.Tensor)):
        return
    reseed()
    wanted = [each._array_ for each in call.outputs()]
    call.operator = getattr(type(call.args[0]), case.name)
    reseed()
    got = [each._array_ for each in call.outputs()]
    for one, other in zip(got, wanted):
        assert one.dtype == other.dtype
        check_close(call, one, other, 1.0)
