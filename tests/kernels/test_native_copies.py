"""Copies into memory that is there: the native function and its twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert import _kernels

from .conftest import find_twin

DTYPES = ["f4", "f8", "i8", "i2", "?", "c8", "c16"]


@st.composite
def targets_and_sources(draw):
    """Memory in any order of its dimensions, and what is broadcast into it, which may run backwards or have gaps."""
    dtype = draw(st.sampled_from(DTYPES))
    shape = tuple(draw(st.lists(st.integers(0, 5), max_size=4)))
    if draw(st.booleans()) and shape:
        shape = (*shape[:-1], draw(st.sampled_from([1, 70, 40_000])))
    order = draw(st.permutations(range(len(shape))))
    target = np.zeros([shape[i] for i in order], dtype).transpose(np.argsort(order))
    missing = draw(st.integers(0, len(shape)))
    lengths = [1 if draw(st.booleans()) else length for length in shape[missing:]]
    step = draw(st.sampled_from([1, 2, -1]))
    random = np.random.default_rng(draw(st.integers(0, 99)))
    whole = random.normal(size=[2 * length for length in lengths] or ()) * 9
    source = whole.astype(dtype)[tuple(slice(None, None, step) for _ in lengths)]
    return target, source[tuple(slice(0, length) for length in lengths)]


@given(targets_and_sources())
@settings(deadline=None, max_examples=150)
def test_elements_are_copied_from_any_order_into_any(case):
    target, source = case
    expected = target.copy()
    find_twin("copy_into")(expected, source)
    assert _kernels.copy_into(target, source) is None
    np.testing.assert_array_equal(target, expected)


def test_a_source_that_does_not_fit_is_refused_and_nothing_is_written():
    target = np.zeros((2, 3), "f4")
    with pytest.raises(ValueError):
        _kernels.copy_into(target, np.ones((2, 2), "f4"))
    assert not target.any()


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_gradient_that_repeats_one_number_is_copied_into_memory_of_its_own(threads):
    before = wg.get_num_threads()
    wg.set_num_threads(threads)
    try:
        x = wg.zeros(300, 400, requires_grad=True)
        (x.sum() * 3).backward()
    finally:
        wg.set_num_threads(before)
    assert x.grad.stride() == (400, 1) and (x.grad == 3).all()


def test_a_copy_of_one_number_repeated_lies_in_rows():
    assert wg.tensor(2.0).expand(300, 400).clone().stride() == (400, 1)
    assert (wg.tensor(2.0).expand(300, 400).clone() == 2).all()
