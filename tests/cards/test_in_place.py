"""In-place forms of all operators that have one."""

from __future__ import annotations

import numpy as np
import pytest

from wengert._core.cards.card import Card
from wengert._core.types import dtypes
from wengert.testing import Case, cases
from wengert.testing.calls import names_of
from wengert.testing.in_place import check_in_place, check_refused_in_place, fits_in_place, target_of


def has_form(operator, dtype) -> bool:
    return isinstance(operator, Card) and operator.in_place is not None


def in_double(operator, dtype) -> bool:
    wanted = (dtypes.float64, dtypes.complex128, dtypes.int64)
    if has_form(operator, dtype) and not operator.declared_dtypes.intersection(wanted):
        return True
    return has_form(operator, dtype) and dtype in wanted


def has_target(case: Case) -> bool:
    return target_of(case.call()) is not None


@pytest.mark.cases(together=True, wanted=in_double, where=has_target)
def test_the_in_place_form_equals_the_functional_one_or_refuses_and_leaves_no_trace(case: Case):
    call = case.call()
    if not fits_in_place(call):
        check_refused_in_place(call)
    elif call.run().dtype is target_of(call).dtype:
        check_in_place(call)
    else:  # abs of complex numbers: some operators refuse what the dtypes would allow
        try:
            check_in_place(call)
        except RuntimeError:
            check_refused_in_place(call)


@pytest.mark.cases(together=True, wanted=in_double, where=has_target, bad=True)
def test_a_refused_in_place_call_leaves_data_version_and_history_untouched(case: Case):
    sample, _ = case.sample()
    text = check_refused_in_place(case.call(), (sample.raises, RuntimeError))
    assert text


@pytest.mark.cases(
    together=True,
    wanted=lambda operator, dtype: has_form(operator, dtype) and dtype is dtypes.float64,
    where=has_target,
)
def test_a_leaf_that_requires_a_gradient_is_not_written_to_while_recording(case: Case):
    call = case.call()
    target = target_of(call)
    if target.requires_grad:
        before = target._array_.copy()
        with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
            getattr(target, call.operator.in_place.name)(*call.args[1:], **call.kwargs)
        assert np.array_equal(target._array_, before, equal_nan=True) and target._version == 0


@pytest.mark.parametrize("name", names_of(in_double))
def test_an_in_place_form_is_compared_with_the_functional_one_by_at_least_one_sample(name):
    own = [case for case in cases(in_double, names=[name]) if has_target(case)]
    assert not own or any(fits_in_place(case.call()) for case in own)
