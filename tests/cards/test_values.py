"""Every operator, in every dtype that its card declares: values, dtypes, untouched inputs."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert._core.cards.card import FLOATS, Card
from wengert._core.types import dtypes
from wengert.testing import Case, cases
from wengert.testing.calls import dtypes_of, one_dtype
from wengert.testing.in_place import check_out
from wengert.testing.seeds import reseed
from wengert.testing.values import check_close, check_mixed, check_values, widest

ALL = cases(lambda operator, dtype: True)
ONCE = [case for case in ALL if case.dtype is one_dtype(case.operator)]
PLAIN = [case for case in ONCE if isinstance(case.operator, Card) and not (case.operator.view or case.operator.several)]


@pytest.mark.parametrize("case", [case for case in ALL if widest(case.dtype) in dtypes_of(case.operator)], ids=repr)
def test_values_agree_with_the_widest_dtype_and_the_dtype_is_the_promoted_one(case: Case):
    check_values(case.call(), case.dtype)


@pytest.mark.parametrize("case", PLAIN, ids=repr)
def test_out_takes_the_result(case: Case):
    check_out(case.call(requires_grad=False))


def is_promoting(card) -> bool:
    if not isinstance(card, Card) or card.mixed is not None:  # those that refuse some pairs have tests of their own
        return False
    return card.promotion is not None and card.allows_larger and card.declared_dtypes >= FLOATS


PROMOTING = [case for case in ALL if case.dtype is dtypes.float32 and is_promoting(case.operator)]


@pytest.mark.parametrize(
    "other", [dtypes.float64, dtypes.complex64, dtypes.int64, dtypes.float16], ids=lambda each: each.name
)
@pytest.mark.parametrize("case", PROMOTING, ids=repr)
def test_operands_of_different_dtypes_are_promoted(case: Case, other):
    call = case.call()
    if len(call.tensors()) > 1 and call.tensors()[0].dtype is case.dtype:
        check_mixed(call, other)


METHODS = [case for case in ONCE if case.operator.method and case.operator.function]


@pytest.mark.parametrize("case", METHODS, ids=repr)
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
