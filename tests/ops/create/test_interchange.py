"""Tensors of buffers and of what `asarray` takes: memory that is shared, locked or in pieces."""

from __future__ import annotations

import array

import numpy as np
import pytest

import wengert as wg


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


def test_asarray_reads_buffers_in_the_dtype_wanted():
    assert wg.asarray(bytearray(b"abcd"), dtype=wg.int16).tolist() == [25185, 25699]
    with pytest.raises(ValueError, match="must be a multiple of element size"):
        wg.asarray(bytearray(b"abcde"), dtype=wg.int16)


def test_asarray_keeps_whether_a_gradient_is_required():
    x = wg.ones(2, requires_grad=True)
    assert wg.asarray(x).requires_grad
    assert not wg.asarray(x, requires_grad=False).requires_grad
