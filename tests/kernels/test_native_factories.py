"""Native factories beside NumPy: new arrays of plain arguments, and what they leave to the Python functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from wengert import _kernels

pytestmark = pytest.mark.skipif(not _kernels.direct, reason="there is no extension: Python functions only")

REAL = st.sampled_from([np.dtype("f4"), np.dtype("f8")])
SHAPES = st.lists(st.integers(0, 4), max_size=4).map(tuple)
NUMBERS = st.one_of(st.integers(-(2**70), 2**70), st.floats(), st.booleans(), st.none(), st.just("text"), st.just(1j))


def same(made: Any, wanted: Any) -> None:
    assert made.dtype == wanted.dtype and made.shape == wanted.shape and made.strides == wanted.strides
    assert made.flags.owndata and made.flags.writeable
    np.testing.assert_array_equal(made, wanted)


@given(REAL, SHAPES)
def test_constants_have_the_default_dtype(default: Any, shape: Any):
    for size in ((shape,), (list(shape),), shape or ((),)):
        same(_kernels.direct["zeros"](default, *size), np.zeros(shape, default))
        same(_kernels.direct["ones"](default, *size), np.ones(shape, default))
        assert _kernels.direct["empty"](default, *size).shape == shape


@given(REAL, SHAPES, NUMBERS)
def test_a_number_everywhere_has_its_own_dtype(default: Any, shape: Any, number: Any):
    made = _kernels.direct["full"](default, shape, number)
    if type(number) is float:
        if default == np.float32 and np.isfinite(number) and abs(number) > np.finfo(np.float32).max:
            assert made is NotImplemented
        else:
            same(made, np.full(shape, number, default))
    elif type(number) is bool:
        same(made, np.full(shape, number))
    elif type(number) is int and abs(number) < 2**63:
        same(made, np.full(shape, number, np.int64))
    elif number != -(2**63):
        assert made is NotImplemented


@given(REAL, SHAPES, st.sampled_from(["f4", "f8", "i8", "?", "i4", "c8"]), NUMBERS, st.booleans())
def test_arrays_like_another(default: Any, shape: Any, dtype: str, number: Any, turned: bool):
    model = np.ones(shape, dtype)
    model = model.T if turned else model
    rows = model.size and model.strides == np.empty(model.shape, model.dtype).strides
    answered = rows and dtype in ("f4", "f8", "i8", "c8")
    for name, value in (("zeros_like", 0), ("ones_like", 1)):
        made = _kernels.direct[name](default, model)
        if answered:
            same(made, np.full(model.shape, value, dtype))
        else:
            assert made is NotImplemented
    made = _kernels.direct["full_like"](default, model, number)
    if made is not NotImplemented:
        assert answered and type(number) in (int, float)
        same(made, np.full(model.shape, number, dtype))


@given(REAL, st.lists(st.integers(-50, 50), min_size=1, max_size=3))
def test_ranges_of_integers(default: Any, bounds: Any):
    made = _kernels.direct["arange"](default, *bounds)
    start, end = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
    if made is NotImplemented:
        assert end < start or (len(bounds) == 3 and bounds[2] < 1)
    else:
        same(made, np.arange(*bounds))


def test_what_is_large_or_wrong_is_left():
    default = np.dtype("f4")
    for bounds in ((2**63,), (2**40,), (-(2**62), 2**62), (True,), (), (0, 1, 1, 1), (-1,)):
        assert _kernels.direct["arange"](default, *bounds) is NotImplemented
    for size in ((2**20, 2**20), (2**62, 4), (-1,), (2**64,), (1.5,)):
        assert _kernels.direct["full"](default, size, 1.0) is NotImplemented
    assert _kernels.direct["full"](default, 3, 1.0) is NotImplemented
    assert _kernels.direct["zeros_like"](default, [1.0]) is NotImplemented
