"""Every operator of the registry in inference mode, and outside of it with inference tensors."""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg
from wengert._core import flags
from wengert._core.cards.card import Card
from wengert.testing import Case
from wengert.testing.calls import once


def is_early(case: Case) -> bool:
    return case.number < 2


def has_form(operator, dtype) -> bool:
    return once(operator, dtype) and isinstance(operator, Card) and operator.in_place is not None


FIRST = pytest.mark.cases(together=True, wanted=once, where=is_early)
pytestmark = pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel lengths")  # torch warns as well


def with_inference_tensors(case):
    """A call whose tensors are inference tensors."""
    call = case.call(requires_grad=False)
    for each in call.tensors():
        each._flags_ |= flags.INFERENCE
    return call


@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
@FIRST
def test_results_are_inference_tensors_unless_they_share_the_memory_of_a_normal_tensor(case: Case):
    call = case.call()
    known = {id(each._storage_) for each in call.tensors()}
    with wg.inference_mode():
        results = call.outputs()
    for each in results:
        assert each.is_inference() is (id(each._storage_) not in known)
        assert each._edge_ is None


@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
@FIRST
def test_results_outside_are_normal_unless_they_share_the_memory_of_an_inference_tensor(case: Case):
    call = with_inference_tensors(case)
    known = {id(each._storage_) for each in call.tensors()}
    for each in call.outputs():
        assert each.is_inference() is (id(each._storage_) in known)
        assert each._edge_ is None


@pytest.mark.cases(together=True, wanted=has_form, where=is_early)
def test_in_place_forms_refuse_inference_tensors_outside(case: Case):
    call = with_inference_tensors(case)
    target = call.tensors()[0]
    values, shape = target._array_.copy(), target.shape
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode is not allowed"):
        case.operator.in_place(*call.args, **call.kwargs)
    assert target.shape == shape and np.array_equal(target._array_, values, equal_nan=values.dtype.kind in "fc")
