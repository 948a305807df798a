"""Native functions of few integers of any size beside NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from wengert import _kernels

pytestmark = pytest.mark.skipif(_kernels.native is None, reason="there are no native functions in this build")

KINDS = st.sampled_from(["i1", "i2", "i4", "i8", "u1"])
SHAPES = st.lists(st.integers(1, 4), min_size=0, max_size=3)


def drawn(shape: Any, kind: str, seed: int) -> Any:
    limits = np.iinfo(kind)
    return np.random.default_rng(seed).integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)


def same(made: Any, wanted: Any) -> None:
    np.testing.assert_array_equal(made, wanted, strict=True)


@given(SHAPES, KINDS, st.integers(0, 99), st.booleans(), st.data())
def test_extremes_and_where_they_are(shape: list[int], kind: str, seed: int, keep: bool, data: Any):
    x = drawn(shape, kind, seed)
    call = _kernels.direct
    same(call["max_whole"](x, None, False), np.asarray(x.max()))
    same(call["min_whole"](x, None, False), np.asarray(x.min()))
    if not shape:
        return
    dim = data.draw(st.integers(-len(shape), len(shape) - 1))
    same(call["amax"](x, dim, keep), np.asarray(x.max(dim, keepdims=keep)))
    same(call["argmin"](x, dim, keep), np.asarray(x.argmin(dim, keepdims=keep)))
    values, places = call["max_dim"](x, dim, keep)
    same(values, np.asarray(x.max(dim, keepdims=keep)))
    same(places, np.asarray(x.argmax(dim, keepdims=keep)))


@given(SHAPES, KINDS, st.integers(0, 99), st.integers(-200, 200))
def test_quotients_and_remainders(shape: list[int], kind: str, seed: int, number: int):
    x, other = drawn(shape, kind, seed), drawn(shape, kind, seed + 1)
    limits = np.iinfo(kind)
    for name, function in (("floor_divide", np.floor_divide), ("remainder", np.remainder)):
        call = _kernels.direct[name]
        if number == 0 or not limits.min <= number <= limits.max:
            assert call(x, number) is NotImplemented
        else:
            with np.errstate(all="ignore"):
                same(call(x, number), function(x, x.dtype.type(number)))
        if (other == 0).any():
            assert call(x, other) is NotImplemented
        else:
            with np.errstate(all="ignore"):
                same(call(x, other), function(x, other))


@given(SHAPES, st.sampled_from(["i1", "i2", "i4", "i8"]), st.integers(0, 99))
def test_negatives_and_squares(shape: list[int], kind: str, seed: int):
    x = drawn(shape, kind, seed)
    with np.errstate(all="ignore"):
        same(_kernels.direct["negative"](x), np.asarray(-x))
        same(_kernels.direct["square"](x), np.asarray(x * x))
