"""Brackets with several index tensors, masks and whole dimensions: what is read, written and handed back is NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg


@st.composite
def places(draw: Any) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """A shape, and an index for its leading dimensions: whole ones, arrays that broadcast, one mask, few integers."""
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    common = draw(st.sampled_from([(2,), (3, 1), (1, 3), (2, 2), (0,)]))
    index: list[Any] = []
    for length in shape[: draw(st.integers(1, len(shape)))]:
        kind = draw(st.sampled_from(["array", "array", "whole", "all of it", "mask", "integer"]))
        if kind == "array":
            some = draw(st.sampled_from([common, common[-1:], (1,)]))
            index.append(
                np.array(
                    draw(
                        st.lists(
                            st.integers(-length, length - 1), min_size=int(np.prod(some)), max_size=int(np.prod(some))
                        )
                    ),
                    np.int64,
                ).reshape(some)
            )
        elif kind == "mask":
            index.append(np.array(draw(st.lists(st.booleans(), min_size=length, max_size=length))))
        else:
            index.append({"whole": slice(None), "all of it": slice(0, length), "integer": 0}[kind])
    return shape, tuple(index)


def chosen(array: Any, index: tuple[Any, ...]) -> Any:
    """The view that the integers of an index choose."""
    return array[(*[each if type(each) is int else slice(None) for each in index], ...)]


def expected(array: Any, index: tuple[Any, ...]) -> Any:
    """What is left of an index behind its integers, which choose first in torch, and what NumPy makes of it; None if it
    refuses it."""
    kept = tuple(each for each in index if type(each) is not int)
    try:
        return kept, np.asarray(chosen(array, index)[kept])
    except IndexError:
        return None


@given(case=places())
def test_several_index_tensors_read_and_write_what_numpy_does(case: Any):
    shape, index = case
    array = np.arange(np.prod(shape), dtype=np.float64).reshape(shape)
    known = expected(array, index)
    if known is None:
        return
    tensor = wg.tensor(array, requires_grad=True)
    given_index = tuple(wg.tensor(each) if isinstance(each, np.ndarray) else each for each in index)
    read = tensor[given_index]
    assert read.shape == known[1].shape
    assert np.array_equal(read.detach().numpy(), known[1])
    read.sum().backward()
    wanted = np.zeros(shape)
    np.add.at(chosen(wanted, index), known[0], 1.0)
    assert np.array_equal(tensor.grad.numpy(), wanted)
    written, target = tensor.detach().clone(), array.copy()
    written[given_index] = -1.0
    chosen(target, index)[known[0]] = -1.0
    assert np.array_equal(written.numpy(), target)


@given(case=places(), value=st.floats(-3, 3))
def test_the_gradient_of_what_was_written_at_index_tensors(case: Any, value: float):
    shape, index = case
    array = np.arange(np.prod(shape), dtype=np.float64).reshape(shape)
    if expected(array, index) is None or any(type(each) is int for each in index):
        return
    source, one = wg.tensor(array, requires_grad=True), wg.tensor(value, dtype=wg.float64, requires_grad=True)
    copy = source.clone()
    copy[tuple(wg.tensor(each) if isinstance(each, np.ndarray) else each for each in index)] = one
    copy.sum().backward()
    kept = np.ones(shape)
    kept[index] = 0
    assert np.array_equal(source.grad.numpy(), kept)


@pytest.mark.parametrize(
    ("shape", "strides", "index", "wanted"),
    [
        ((1, 5, 5), (1, 1, 5), (slice(None), [0, 3]), (10, 5, 1)),
        ((1, 5, 5), (1, 5, 1), (slice(None), [0, 3]), (10, 5, 1)),
        ((1, 5, 5), (1, 1, 5), (slice(None), slice(None), [0, 3]), (2, 2, 1)),
        ((5, 1, 5), (1, 1, 5), ([0, 3],), (5, 1, 1)),
        ((5, 5, 1), (1, 5, 25), ([0, 3],), (5, 1, 5)),
    ],
)
def test_index_arrays_tell_the_place_of_dimensions_of_one_element(shape, strides, index, wanted):
    assert wg.empty_strided(shape, strides).zero_()[index].stride() == wanted


def test_an_index_that_is_expanded_beyond_memory_is_refused_before_it_is_spread():
    with pytest.raises((MemoryError, ValueError)):
        wg.ones(3)[wg.zeros(1, dtype=wg.int64).expand(2**47)]
