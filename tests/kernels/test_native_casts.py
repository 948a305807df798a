"""Copies in another dtype beside NumPy's."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

import wengert as wg
from wengert import _kernels

if not _kernels.direct:
    pytest.skip("no native kernels here", allow_module_level=True)

KINDS = [wg.float32, wg.float64, wg.bool, wg.uint8, wg.int8, wg.int16, wg.int32, wg.int64]


@given(st.data(), st.sampled_from(KINDS), st.sampled_from(KINDS), st.sampled_from([0, 3, 1024, 1025, 70_000]))
def test_a_copy_in_another_dtype_is_numpys(data: Any, source: Any, target: Any, repeat: int):
    some = data.draw(hnp.arrays(source.numpy, hnp.array_shapes(min_side=0)))
    array = np.resize(some, repeat) if repeat and some.size else some
    made = _kernels.direct["to_copy"](array, target, None)
    if made is NotImplemented:
        integers = source.is_floating_point and target.numpy.kind in "iu"
        assert source is target or integers or not array.size
        return
    with np.errstate(all="ignore"):
        wanted = array.astype(target.numpy)
    assert made.dtype == wanted.dtype and made.strides == wanted.strides and made.flags.owndata
    np.testing.assert_array_equal(made, wanted)


@pytest.mark.parametrize("half", [wg.float16, wg.bfloat16], ids=str)
@given(st.lists(st.integers(0, 2**32 - 1), min_size=1, max_size=50))
def test_floats_become_the_nearest_half(half: Any, bits: list[int]):
    array = np.array(bits, np.uint32).view(np.float32)
    with np.errstate(all="ignore"):
        wanted = array.astype(half.numpy)
    np.testing.assert_array_equal(_kernels.direct["to_copy"](array, half, None).view("u2"), wanted.view("u2"))
    assert _kernels.direct["to_copy"](array.astype("f8"), half, None) is NotImplemented  # to be rounded once


@pytest.mark.parametrize("half", [wg.float16, wg.bfloat16], ids=str)
def test_each_half_becomes_the_number_that_it_is(half: Any):
    array = np.arange(1 << 16, dtype=np.uint16).view(half.numpy)
    np.testing.assert_array_equal(_kernels.direct["to_copy"](array, wg.float32, None), array.astype(np.float32))
    assert _kernels.direct["to_copy"](array, wg.float64, None) is NotImplemented
    for ties in (array[:-1].astype("f4") + np.diff(array.astype("f4")) / 2, array.astype("f4")):
        finite = ties[np.isfinite(ties)]  # between neighbours, and what is one
        made = _kernels.direct["to_copy"](finite, half, None)
        np.testing.assert_array_equal(made.view("u2"), finite.astype(half.numpy).view("u2"))


@pytest.mark.parametrize("target", [each for each in KINDS if each.numpy.kind in "iu"], ids=str)
@pytest.mark.parametrize("source", [np.float32, np.float64])
def test_a_number_that_is_no_integer_of_the_dtype_is_left_to_numpy(target: Any, source: Any):
    least, most = np.iinfo(target.numpy).min, np.iinfo(target.numpy).max
    for value in (np.nan, np.inf, -np.inf, most * 1.01 + 2, least * 1.01 - 2):
        assert _kernels.direct["to_copy"](np.array([0, value], source), target, None) is NotImplemented
    inside = np.array([least / 2, most / 2, 0.9, -0.9], source)
    made = _kernels.direct["to_copy"](inside, target, None)
    np.testing.assert_array_equal(made, inside.astype(target.numpy))


def test_what_it_does_not_know_is_left_alone():
    call, x = _kernels.direct["to_copy"], np.ones((2, 3))
    strange = [
        x[::-1],
        x.astype(">f8"),
        np.ones(2, np.longdouble),
        np.ones(2, complex),
        np.array("a"),
        1.0,
        None,
    ]
    assert all(call(each, wg.float32, None) is NotImplemented for each in strange)
    assert call(x, wg.float32, wg.channels_last) is call(x, None, None) is NotImplemented
    with pytest.raises(AttributeError):
        call(x, 3, None)


@pytest.mark.parametrize("target", [wg.complex64, wg.complex128], ids=str)
@pytest.mark.parametrize("source", ["f4", "f8", "i4", "u1", "?", "c8", "c16"])
def test_complex_numbers_of_others(target: Any, source: str):
    x = np.array([[0, 1, 2], [3, 4, 5]]).astype(source)
    made = _kernels.direct["to_copy"](x, target, None)
    if x.dtype == target.numpy:
        assert made is NotImplemented
    else:
        assert made.dtype == target.numpy
        np.testing.assert_array_equal(made, x.astype(target.numpy))


def test_results_are_those_of_one_thread():
    code = """
        import sys, wengert as wg
        wg.set_num_threads(int(sys.argv[1]))
        x = wg.arange(300_000).to(wg.float32)
        print(x.double().sum().item(), (x != 0).float().sum().item())
    """
    said = {
        subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code), threads],
            env=os.environ,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in "124"
    }
    assert len(said) == 1
