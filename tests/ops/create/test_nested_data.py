"""Tensors of nested data: lists that hold tensors, NumPy's numbers or themselves; lists as deep as arrays."""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg

T = wg.tensor


@pytest.mark.parametrize("make", [wg.tensor, wg.as_tensor])
@pytest.mark.parametrize(
    ("data", "dtype", "values"),
    [
        ([T(1), 2.5], wg.float32, [1, 2.5]),
        ([T([3]), T([[4]])], wg.int64, [3, 4]),
        ([[T(1.0, dtype=wg.float64)], [2]], wg.float64, [[1], [2]]),
        ([np.float32(1.5), 1], wg.float32, [1.5, 1]),
        ([np.float64(1.5), np.float32(2)], wg.float64, [1.5, 2]),
        ([np.int8(3), T(4, dtype=wg.uint8)], wg.int16, [3, 4]),
        ([1, np.array(2)], wg.int64, [1, 2]),
        ([np.array([1, 2]), [T(3), 4]], wg.int64, [[1, 2], [3, 4]]),
        ([np.array([1.0, 2], np.float32)] * 2, wg.float32, [[1, 2], [1, 2]]),
    ],
)
def test_numbers_of_every_kind_are_read(make, data, dtype, values):
    made = make(data)
    assert made.dtype is dtype
    assert made.tolist() == values


@pytest.mark.parametrize(
    "data",
    [np.float32(1.5), [np.float32(1.5)], [1, np.True_], [np.complex64(1j)], [np.array([1.0], np.float32)], [None]],
)
def test_an_integer_dtype_wants_integers_of_numpy(data):
    with pytest.raises(TypeError, match="object cannot be interpreted as an integer"):
        T(data, dtype=wg.int64)


@pytest.mark.parametrize("data", [[T(2.5)], [[T([1, 2])]]])
def test_an_integer_dtype_wants_integer_tensors_of_one_element(data):
    with pytest.raises(TypeError, match="only integer tensors of a single element can be converted to an index"):
        T(data, dtype=wg.int64)


def test_floats_of_python_are_cut_and_complex_numbers_of_numpy_lose_their_imaginary_part():
    assert T([2.5, np.float64(3.5)], dtype=wg.int64).tolist() == [2, 3]
    assert T([np.complex64(2 + 1j)], dtype=wg.float32).tolist() == [2]
    with pytest.raises(TypeError, match="must be real number, not NoneType"):
        T([None], dtype=wg.float32)


def holding_itself() -> list:
    data: list = []
    data.append(data)
    return data


def mutually_nested() -> list:
    one: list = []
    other = [one, 1.0]
    one.append(other)
    return one


@pytest.mark.parametrize("make", [wg.tensor, wg.as_tensor, wg.asarray, lambda data: wg.zeros(2).new_tensor(data)])
@pytest.mark.parametrize("data", [holding_itself, mutually_nested])
def test_a_list_that_holds_itself_is_refused(make, data):
    with pytest.raises(ValueError, match="too many dimensions 'list'"):
        make(data())


def test_lists_as_deep_as_arrays_are_read():
    data: object = 1.0
    for _ in range(64):
        data = [data]
    assert wg.tensor(data).ndim == 64
    with pytest.raises(ValueError, match="too many dimensions 'list'"):
        wg.tensor([data])


def test_a_list_that_holds_itself_behind_the_first_element_is_refused():
    data: list = [1.0]
    data.append(data)
    with pytest.raises(TypeError, match="self-referential lists are incompatible"):
        wg.tensor(data)
    one: list = [1.0]
    one.append([2.0, one])
    with pytest.raises(ValueError, match="too many dimensions 'list'"):
        wg.tensor(one)
