"""Native copies with the elements in other places beside NumPy, for any number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg

SHAPES = st.sampled_from([(1,), (7,), (40_000,), (70, 65), (3, 700, 2), (40, 1, 33), (2, 5, 20, 17), (300, 300)])
DTYPES = ["bool", "int8", "int16", "float32", "float64", "complex128"]


def numbers(shape: tuple[int, ...], dtype: str) -> Any:
    return (np.arange(np.prod(shape)) % 251).reshape(shape).astype(dtype)


def check(call: Any, expected: Any) -> None:
    """The result on one thread and on several."""
    threads = wg.get_num_threads()
    try:
        for count in (1, 3):
            wg.set_num_threads(count)
            found = call().numpy()
            assert found.dtype == expected.dtype
            assert np.array_equal(found, expected)
    finally:
        wg.set_num_threads(threads)


@given(st.data(), SHAPES, st.sampled_from(DTYPES))
@settings(deadline=None)
def test_dimensions_are_flipped_as_by_numpy(data, shape, dtype):
    x = numbers(shape, dtype)
    dims = data.draw(st.lists(st.integers(0, len(shape) - 1), min_size=1, unique=True))
    signed = [dim - len(shape) if data.draw(st.booleans()) else dim for dim in dims]
    check(lambda: wg.from_numpy(x).flip(signed), np.flip(x, dims))


@given(st.data(), SHAPES, st.sampled_from(DTYPES))
@settings(deadline=None)
def test_elements_are_rolled_as_by_numpy(data, shape, dtype):
    x = numbers(shape, dtype)
    dims = data.draw(st.lists(st.integers(-len(shape), len(shape) - 1), max_size=3))
    shifts = [data.draw(st.integers(-1000, 1000) | st.sampled_from([2**62, -(2**63)])) for _ in dims or [0]]
    rolled = x
    for shift, dim in zip(shifts, dims):
        rolled = np.roll(rolled, shift % shape[dim], dim)
    expected = rolled if dims else np.roll(x, shifts[0] % x.size)
    check(lambda: wg.from_numpy(x).roll(shifts, dims), expected)


@given(st.data(), SHAPES.filter(lambda shape: len(shape) > 1), st.sampled_from(DTYPES))
@settings(deadline=None)
def test_triangles_are_those_of_numpy(data, shape, dtype):
    x = numbers(shape, dtype)
    diagonal = data.draw(st.integers(-400, 400))
    check(lambda: wg.from_numpy(x).tril(diagonal), np.tril(x, diagonal))
    check(lambda: wg.from_numpy(x).triu(diagonal), np.triu(x, diagonal))


@pytest.mark.parametrize("diagonal", [2**62, -(2**62)])
def test_a_diagonal_far_outside_takes_all_or_nothing(diagonal):
    x = wg.ones(3, 4)
    assert bool(x.tril(diagonal).all()) == (diagonal > 0)
    assert bool(x.triu(diagonal).all()) == (diagonal < 0)


@given(st.data(), st.sampled_from([(9, 30, 41), (2, 40, 3, 64), (5000, 3), (3, 5, 7, 70), (130, 1, 300)]))
@settings(deadline=None)
def test_arrays_that_lie_anyhow_are_copied_in_rows(data, shape):
    """Whole or without their first elements, every second one, one for many, turned round; pieces long and short."""
    x = numbers(shape, data.draw(st.sampled_from(DTYPES)))
    steps = st.sampled_from([slice(None), slice(None), slice(1, None), slice(None, None, 2)])
    x = x[tuple(data.draw(steps) if length > 2 else slice(None) for length in shape)]
    x = x.transpose(data.draw(st.permutations(range(x.ndim))))
    tensor, many = wg.from_numpy(x), data.draw(st.sampled_from([1, 3]))
    seen = tensor.expand(many, *x.shape)
    check(lambda: seen.clone(memory_format=wg.contiguous_format), np.broadcast_to(x, (many, *x.shape)))
    check(tensor.contiguous, x)
