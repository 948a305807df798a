"""Element types that torch names and NumPy has no numbers for."""

from __future__ import annotations

import copy
import pickle

import pytest

import wengert as wg
from wengert._core.types.dtypes import UNHELD

SIGNED = {"complex32": True, "float8_e4m3fn": True, "float8_e8m0fnu": False, "int4": True, "uint4": False, "bit": False}


def test_every_one_is_a_name_of_the_package():
    assert all(getattr(wg, name) is UNHELD[name] for name in UNHELD)


@pytest.mark.parametrize("name", UNHELD)
def test_it_is_a_dtype_that_copies_and_pickles_as_itself(name):
    found = UNHELD[name]
    assert type(found) is wg.dtype and {found: 1}[found] == 1
    assert copy.deepcopy(found) is found and pickle.loads(pickle.dumps(found)) is found


def test_it_tells_its_size_and_kind():
    assert wg.chalf is wg.complex32 and repr(wg.complex32) == "torch.complex32"
    assert (wg.complex32.itemsize, wg.float8_e5m2.itemsize, wg.qint32.itemsize, wg.bits16.itemsize) == (4, 1, 4, 2)
    assert wg.float8_e5m2.is_floating_point and wg.complex32.is_complex and not wg.qint8.is_floating_point
    assert {name: UNHELD[name].is_signed for name in SIGNED} == SIGNED


@pytest.mark.parametrize(
    "refused",
    [
        lambda dtype: wg.zeros(3, dtype=dtype),
        lambda dtype: wg.tensor([1.0], dtype=dtype),
        lambda dtype: wg.ones(3).to(dtype),
        lambda dtype: wg.ones(3).sum(dtype=dtype),
        lambda dtype: wg.nn.Linear(2, 2).to(dtype),
        wg.set_default_dtype,
    ],
)
def test_a_tensor_of_it_is_refused_with_the_reason(refused):
    before = wg.get_default_dtype()
    with pytest.raises(TypeError, match=r"no tensors of torch\.float8_e4m3fn"):
        refused(wg.float8_e4m3fn)
    assert wg.get_default_dtype() is before


def test_the_limits_of_floating_point_numbers_of_8_bits_are_told():
    pytest.importorskip("ml_dtypes", reason="describes them")
    found = wg.finfo(wg.float8_e4m3fn)
    assert (found.bits, found.eps, found.max, found.min, found.tiny) == (8, 0.125, 448.0, -448.0, 0.015625)
    assert found.resolution == 1.0 and found.dtype == "float8_e4m3fn"
    assert wg.finfo(wg.float8_e5m2).max == 57344.0
