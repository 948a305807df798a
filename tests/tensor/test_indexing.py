"""Indexing equals NumPy's, and gradients go back to where the elements came from: as properties."""

from __future__ import annotations

import array
import collections
import math

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from hypothesis.extra import numpy as hnp

import wengert as wg

SHAPES = hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


@st.composite
def basic(draw):
    """A shape and an index of integers, slices, Ellipsis and None; torch knows no negative steps."""
    shape = draw(SHAPES)
    index = draw(hnp.basic_indices(shape, allow_newaxis=True, allow_ellipsis=True))
    parts = index if isinstance(index, tuple) else (index,)
    assume(all(not isinstance(each, slice) or each.step is None or each.step > 0 for each in parts))
    return shape, index


@st.composite
def advanced(draw):
    """A shape and an index with integer arrays (broadcast with each other) among slices and integers, or a mask.

    Integers stand beside the arrays only: torch takes them first, NumPy counts them as arrays, and where a slice
    separates them from the others the order of the dimensions differs."""
    shape = draw(hnp.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=4))
    if draw(st.booleans()):
        dims = draw(st.integers(1, len(shape)))
        return shape, (draw(hnp.arrays(bool, shape[:dims])),)
    parts = [draw(st.sampled_from(["whole", "slice", "integer", "array"])) for _ in shape]
    assume("array" in parts)
    taken = [at for at, part in enumerate(parts) if part in ("integer", "array")]
    assume("integer" not in parts or taken == list(range(taken[0], taken[-1] + 1)))
    index = []
    for part, length in zip(parts, shape):
        numbers = st.integers(-length, length - 1)
        index.append(
            {
                "whole": st.just(slice(None)),
                "slice": st.builds(slice, st.integers(0, length), st.integers(0, length)),
                "integer": numbers,
                "array": hnp.arrays(np.int64, draw(st.sampled_from([(1,), (3,), (2, 1), (2, 3)])), elements=numbers),
            }[part]
        )
    return shape, tuple(draw(each) for each in index)


def values(shape):
    return np.arange(1, 1 + int(np.prod(shape)), dtype=np.float64).reshape(shape)


def as_tensors(index):
    """The index with tensors in place of arrays."""
    if isinstance(index, tuple):
        return tuple(as_tensors(each) for each in index)
    return wg.tensor(index) if isinstance(index, np.ndarray) else index


def check_read(shape, index):
    array = values(shape)
    wanted = array[index]
    x = wg.tensor(array, requires_grad=True)
    got = x[as_tensors(index)]
    assert got.shape == wanted.shape
    np.testing.assert_array_equal(got.detach().numpy(), wanted)
    weights = np.asarray(np.random.default_rng(0).standard_normal(wanted.shape))
    got.backward(wg.tensor(weights))
    gradient = np.zeros(shape)
    np.add.at(gradient, index, weights)
    np.testing.assert_allclose(x.grad.numpy(), gradient, rtol=1e-12, atol=1e-12)


def check_write(shape, index, value):
    array, x = values(shape), wg.tensor(values(shape), requires_grad=True)
    fill = wg.tensor(value, requires_grad=True)
    array[index] = value
    target = x * 1
    target[as_tensors(index)] = fill
    np.testing.assert_array_equal(target.detach().numpy(), array)
    assert target._version == 1
    target.backward(wg.ones(target.shape, dtype=wg.float64))
    kept = np.ones(shape)
    kept[index] = 0
    np.testing.assert_array_equal(x.grad.numpy(), kept)
    return fill.grad


@given(basic())
def test_basic_indexing_equals_numpys(case):
    check_read(*case)


@given(basic())
def test_basic_indexing_gives_views(case):
    shape, index = case
    x = wg.tensor(values(shape))
    part = x[index]
    if part.numel():
        assert np.shares_memory(part.numpy(), x.numpy())
        part.fill_(-1)
        wanted = values(shape)
        wanted[index] = -1
        np.testing.assert_array_equal(x.numpy(), wanted)


@given(basic())
def test_assigning_to_a_basic_index_equals_numpys(case):
    shape, index = case
    count = values(shape)[index].size
    assert check_write(shape, index, np.array(-5.0)).item() == count


@given(advanced())
def test_advanced_indexing_equals_numpys(case):
    check_read(*case)


@given(advanced())
def test_assigning_to_an_advanced_index_equals_numpys(case):
    shape, index = case
    wanted = values(shape)[index]
    assume(np.unique(values(shape)[index]).size == wanted.size)  # elsewhere the order decides
    gradient = check_write(shape, index, -wanted)
    np.testing.assert_array_equal(gradient.numpy(), np.ones(wanted.shape))


@given(advanced())
def test_advanced_indexing_copies(case):
    shape, index = case
    x = wg.tensor(values(shape))
    part = x[as_tensors(index)]
    assert not np.shares_memory(part.numpy(), x.numpy())


def test_a_0_dim_integer_tensor_selects_and_gives_a_view():
    x = wg.arange(6).view(2, 3)
    assert x[wg.tensor(1)].tolist() == [3, 4, 5]
    assert x[:, wg.tensor(-1)].tolist() == [2, 5]
    assert np.shares_memory(x[wg.tensor(1)].numpy(), x.numpy())


@pytest.mark.parametrize(
    ("index", "error", "says"),
    [
        (5, IndexError, "index 5 is out of bounds for dimension 0 with size 3"),
        ((0, 0, 0), IndexError, "too many indices for tensor of dimension 2"),
        (slice(None, None, -1), ValueError, "step must be greater than zero"),
        (1.5, IndexError, "only integers, slices .* are valid indices \\(got float\\)"),
        ("a", TypeError, "invalid data type 'str'"),
    ],
    ids=["bounds", "too many", "negative step", "float", "string"],
)
def test_wrong_indices_are_refused(index, error, says):
    with pytest.raises(error, match=says):
        wg.ones(3, 4)[index]


@pytest.mark.parametrize("kind", [collections.UserList, collections.deque, lambda places: array.array("l", places)])
def test_any_sequence_of_places_is_an_index(kind):
    x = wg.arange(24).view(2, 3, 4)
    assert x[kind([0, 1])].equal(x) and x[0, kind([1, 0])].equal(x[0, [1, 0]])
    with pytest.raises(IndexError, match="valid indices"):
        x[{0: 1}]


def test_lists_of_numbers_lose_their_fractions_as_indices():
    x = wg.arange(5.0)
    assert x[[0.5]].tolist() == [0.0]
    assert x[[1.9, -1.5]].tolist() == [1.0, 4.0]
    assert x[[True, 0.5]].tolist() == [1.0, 0.0]
    assert wg.eye(3)[:, [1.5]].tolist() == [[0.0], [1.0], [0.0]]
    with pytest.raises(TypeError, match="'complex' object cannot be interpreted as an integer"):
        x[[1j]]
    with pytest.raises(TypeError, match=r"new\(\): invalid data type 'str'"):
        x[["a"]]
    for beyond in (math.nan, 1e30):
        with pytest.raises(RuntimeError, match="cannot be converted to type int64 without overflow"):
            x[[beyond]]
    with pytest.raises(IndexError, match="must be long, int, byte or bool"):
        x[wg.tensor([0.5])]
