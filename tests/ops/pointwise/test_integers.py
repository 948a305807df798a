"""Bits, divisors and multiples of integers."""

from __future__ import annotations

import operator

import pytest
from hypothesis import given, strategies as st

import wengert as wg


@given(st.integers(-(2**20), 2**20), st.integers(0, 30))
def test_shifts_are_those_of_python(value, count):
    x, y = wg.tensor([value]), wg.tensor([count])
    for sign in (operator.lshift, operator.rshift):
        wanted = sign(value, count)
        assert sign(x, count).tolist() == sign(value, y).tolist() == sign(x, y).tolist() == [wanted]
    left, right = x.clone(), x.clone()
    before = left
    left <<= count
    right >>= y
    assert left is before and left.tolist() == [value << count] and right.tolist() == [value >> count]


def test_a_shift_by_no_place_that_there_is():
    small = wg.tensor([5, -5], dtype=wg.int8)
    assert (small << 8).tolist() == (small << -1).tolist() == [0, 0]
    assert (small >> 9).tolist() == (small >> -1).tolist() == [0, -1]
    assert (small << 6).tolist() == [64, -64]
    assert (wg.tensor([True, False]) << 1).tolist() == [2, 0]


def test_shifts_of_what_has_no_bits_are_refused():
    for call in (lambda: wg.ones(2) << 1, lambda: 1 >> wg.ones(2), lambda: wg.tensor([1]) << 1.5):
        with pytest.raises(NotImplementedError, match="not implemented for 'Float'"):
            call()
    with pytest.raises(TypeError, match="unsupported operand type"):
        wg.tensor([1]) << "a"


def test_divisors_and_multiples():
    assert wg.gcd(wg.tensor([-4, 0, 6]), wg.tensor([6, 0, -4])).tolist() == [2, 0, 2]
    assert wg.lcm(wg.tensor([-4, 0, 6]), wg.tensor([6, 0, -4])).tolist() == [12, 0, 12]
    assert wg.gcd(wg.tensor([6]), wg.tensor([4], dtype=wg.int8)).dtype is wg.int64


TABLE = wg.arange(6.0).reshape(2, 3)


def test_bits_of_floats_are_refused_in_the_words_of_the_function_or_the_sign():
    with pytest.raises(NotImplementedError, match="\"bitwise_not_cpu\" not implemented for 'Float'"):
        wg.bitwise_not(TABLE)
    with pytest.raises(TypeError, match=r"~ \(operator.invert\) is only implemented"):
        _ = ~TABLE
