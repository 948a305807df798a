"""Draws of categories and permutations."""

from __future__ import annotations

import pytest

import wengert as wg


@pytest.mark.parametrize("dtype", [wg.bool, wg.complex64, wg.complex128, wg.uint16, wg.uint32, wg.uint64], ids=str)
def test_permutations_are_of_numbers(dtype):
    for count in (0, 1, 5):
        with pytest.raises(NotImplementedError, match='"randperm" not implemented for'):
            wg.randperm(count, dtype=dtype)
        with pytest.raises(NotImplementedError, match='"randperm" not implemented for'):
            wg.randperm(count, out=wg.empty(0, dtype=dtype))


def test_permutations_are_of_numbers_that_the_dtype_tells_apart():
    assert wg.randperm(2049, dtype=wg.float16).sort().values.equal(wg.arange(2049, dtype=wg.float16))
    for count, dtype in ((2050, wg.float16), (2**24 + 2, wg.float32)):
        with pytest.raises(RuntimeError, match="n cannot be greater than"):
            wg.randperm(count, dtype=dtype)
    for dtype in (wg.uint8, wg.int8, wg.int16):
        count = wg.iinfo(dtype).max + 1
        assert wg.randperm(count, dtype=dtype).sort().values.equal(wg.arange(count).to(dtype))
        with pytest.raises(RuntimeError, match="without overflow"):
            wg.randperm(count + 1, dtype=dtype)


@pytest.mark.parametrize("shape", [(0,), (2, 0)])
def test_no_category_can_be_drawn(shape):
    with pytest.raises(RuntimeError, match="invalid multinomial distribution"):
        wg.multinomial(wg.zeros(shape), 3, replacement=True)


def test_places_are_drawn_from_no_rows():
    assert wg.multinomial(wg.ones(0, 4), 3, replacement=True).shape == (0, 3)
