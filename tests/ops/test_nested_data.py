"""Tensors of nested data that holds tensors and NumPy's numbers; of buffers; of more dimensions than there are."""

from __future__ import annotations

import array

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


def test_writes_go_both_ways_between_a_buffer_and_its_tensor():
    for buffer in (bytearray(8), array.array("i", [0, 0]), memoryview(bytearray(8)), np.zeros(2, np.int32)):
        x = wg.frombuffer(buffer, dtype=wg.int32)
        x[0] = 7
        x[1:].add_(2)
        assert bytes(memoryview(buffer)) == np.array([7, 2], np.int32).tobytes()
        memoryview(buffer).cast("B")[4] = 9
        assert x.tolist() == [7, 9]


def test_a_read_only_buffer_warns_and_stays_as_it_is():
    with pytest.warns(UserWarning, match="The given buffer is not writable"):
        x = wg.frombuffer(bytes(8), dtype=wg.int32)
    with pytest.raises((ValueError, RuntimeError), match="read-only"):
        x.add_(1)
    assert x.tolist() == [0, 0]


def test_what_is_no_buffer_or_lies_in_pieces_is_refused():
    with pytest.raises(ValueError, match="object does not implement Python buffer protocol"):
        wg.frombuffer([1], dtype=wg.int32)
    for pieces in (memoryview(bytearray(8))[::2], np.zeros((4, 4))[:, ::2]):
        with pytest.raises(RuntimeError, match="could not retrieve buffer from object"):
            wg.frombuffer(pieces, dtype=wg.uint8)
    with pytest.raises(TypeError, match=r"must be torch\.dtype, not NoneType"):
        wg.frombuffer(bytearray(8), dtype=None)


def test_reductions_go_as_far_as_dimensions_and_say_how_many_there_are():
    x = wg.ones([1] * 64)
    for reduce in ("sum", "mean", "prod", "amax", "logsumexp", "all"):
        assert getattr(x, reduce)(0).ndim == 63
    assert x.sum(tuple(range(40))).ndim == 24
    for make in (wg.ones, wg.zeros, wg.empty, wg.randn):
        with pytest.raises(RuntimeError, match="only tensors with up to 64 dims are supported"):
            make([1] * 65)
