"""NumPy's arrays and numbers in files of `save`."""

from __future__ import annotations

import io

import numpy as np
import pytest

import wengert as wg
from wengert._core.tensor.storage import Storage
from wengert.io.budget import Budget
from wengert.io.decoding import Decoder


def again(value):
    """What comes out of a file into which a value was put."""
    file = io.BytesIO()
    wg.save(value, file)
    file.seek(0)
    return wg.load(file, weights_only=False)


@pytest.mark.parametrize(
    "value",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6).reshape(2, 3)),
        np.array(["a", "bc"]),
        np.array(3),
        np.zeros((0, 2), np.complex64),
        np.float64(2.5),
        np.int8(-3),
        np.bool_(True),
        np.datetime64("2020-01-01"),
        np.arange(10)[::-3],
        np.random.RandomState(0).get_state()[1],
        np.array(b"a\0b"),
    ],
)
def test_arrays_and_numbers_of_numpy_come_back(value):
    found = again({"a": value})["a"]
    assert type(found) is type(value) and found.dtype == value.dtype and found.shape == value.shape
    assert found.tolist() == value.tolist() and found.flags.fnc == value.flags.fnc


def test_an_array_that_comes_up_twice_is_one_array_that_can_be_written_to():
    x = np.ones(2)
    one, other, view = again([x, x, x[:1]])
    one[0] = 5
    assert one is other and view.tolist() == [1]


@pytest.mark.parametrize(
    "entry",
    [
        ["a", "|O", [1], "C"],
        ["a", "<f8", [2], "C"],
        ["a", "<f8", [-1], "C"],
        ["a", "<f8", [1], "K"],
        ["a", "V8", [1], "C"],
    ],
)
def test_an_array_that_a_file_cannot_hold_is_refused(entry):
    memory = {"a": Storage(np.zeros(8, np.uint8))}
    decoder = Decoder(memory.__getitem__, [], Budget(1), Budget(1))
    assert decoder.decode({"array": ["a", "<f8", [1], "F"]}).tolist() == [0]
    with pytest.raises(ValueError, match=r"no arrays of|has not 8 bytes"):
        decoder.decode({"array": entry})
