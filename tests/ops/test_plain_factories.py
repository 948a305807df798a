"""Factories by their native functions beside their bodies: the same tensors, and the same errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert._core.cards.card import REGISTRY

numbers = st.one_of(
    st.integers(-(2**70), 2**70), st.floats(), st.booleans(), st.integers(-9, 9), st.floats(width=32), st.just(1e300)
)
rows = st.lists(numbers, max_size=4)
data = st.one_of(numbers, rows, st.lists(rows, max_size=3), st.lists(st.lists(numbers, min_size=2, max_size=2)))
lengths = st.one_of(st.integers(0, 5), st.integers(-2, 2**40), st.booleans(), st.none(), st.just(2.0))


def told(function: Any, *args: Any, **options: Any) -> Any:
    """What a factory makes, or its error."""
    try:
        made = function(*args, **options)
    except Exception as error:
        return type(error), str(error)
    array = made.numpy() if not made.requires_grad else made.detach().numpy()
    return array.dtype, array.shape, array.strides, array.tobytes(), made.requires_grad, made.is_leaf


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("default", [wg.float32, wg.float64, wg.float16])
@settings(max_examples=150, deadline=None)
@given(values=data, wanted=st.booleans())
def test_numbers_and_lists_of_them_become_the_same_tensors(default: Any, values: Any, wanted: bool):
    before = wg.get_default_dtype()
    wg.set_default_dtype(default)
    try:
        options = {"requires_grad": True} if wanted else {}
        assert told(wg.tensor, values, **options) == told(REGISTRY["tensor"].body, values, **options)
    finally:
        wg.set_default_dtype(before)


@pytest.mark.parametrize("name", ["zeros", "ones"])
@settings(max_examples=150, deadline=None)
@given(sizes=st.one_of(st.lists(lengths, max_size=4), st.lists(st.lists(st.integers(0, 4), max_size=3), max_size=2)))
def test_lengths_become_the_same_tensors(name: str, sizes: list[Any]):
    if np.prod([each for each in sizes if type(each) is int and each > 0], dtype=float) > 1e6:
        return  # memory that nobody needs
    assert told(getattr(wg, name), *sizes) == told(REGISTRY[name].body, *sizes)
    assert told(getattr(wg, name), tuple(sizes)) == told(REGISTRY[name].body, tuple(sizes))


def test_new_tensors_of_inference_mode_are_inference_tensors():
    with wg.inference_mode():
        assert wg.zeros(2).is_inference() and wg.tensor(1.0).is_inference()
