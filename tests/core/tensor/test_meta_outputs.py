"""Outputs and storages on the device "meta"."""

from __future__ import annotations

import copy
import pickle

import pytest

import wengert as wg


def nothing(*shape, dtype=None):
    return wg.empty(*shape, dtype=dtype, device="meta")


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        (lambda out: wg.add(nothing(2, 3), 1, out=out), (2, 3)),
        (lambda out: wg.mm(nothing(2, 3), nothing(3, 4), out=out), (2, 4)),
        (lambda out: wg.sum(nothing(2, 3), 0, out=out), (3,)),
        (lambda out: wg.softmax(nothing(2, 3), 0, out=out), (2, 3)),
        (lambda out: wg.zeros(2, 3, out=out), (2, 3)),
        (lambda out: wg.ones(2, 3, out=out, device="meta"), (2, 3)),
        (lambda out: wg.arange(4, out=out), (4,)),
    ],
)
def test_an_output_takes_the_shape_of_the_result(call, shape):
    out = nothing(0)
    assert call(out) is out and out.shape == shape and out.is_meta and out._version > 0


def test_an_output_of_the_right_shape_keeps_its_strides():
    out = nothing(3, 2).t()
    assert wg.add(nothing(2, 3), 1, out=out) is out and out.stride() == (1, 2)


def test_values_with_indices_go_into_two_outputs():
    values, indices = wg.max(nothing(2, 3), 0, out=(nothing(0), nothing(0, dtype=wg.int64)))
    assert values.shape == indices.shape == (3,) and indices.dtype is wg.int64


def test_an_output_on_the_other_device_is_refused():
    with pytest.raises(RuntimeError, match="Attempting to copy from device meta to device cpu"):
        wg.add(nothing(2), 1, out=wg.empty(2))
    with pytest.raises(RuntimeError, match="Attempting to copy from device cpu to device meta"):
        wg.add(wg.ones(2), 1, out=nothing(2))
    with pytest.raises(RuntimeError, match=r"device type meta does not match device type of out parameter \(cpu\)"):
        wg.zeros(2, out=wg.empty(2), device="meta")


def test_a_storage_has_a_size_and_no_bytes():
    x = nothing(2, 3)
    found = x.untyped_storage()
    assert isinstance(found, wg.UntypedStorage) and type(found).__name__ == "UntypedStorage"
    assert found.nbytes() == len(found) == 24 and found.device == wg.device("meta") and found.data_ptr() == 0
    assert found == x.view(6).untyped_storage() and found != nothing(2, 3).untyped_storage()
    assert repr(found) == "...\n[torch.storage.UntypedStorage(device=meta) of size 24]"
    assert found.fill_(1) is found and len(found.clone()) == len(copy.deepcopy(found)) == 24
    for read in (lambda: found[0], found.tolist, lambda: next(iter(found))):
        with pytest.raises(NotImplementedError, match="Not available for 'meta' device type"):
            read()
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor; no data!"):
        pickle.dumps(found)
