"""Choices between two tensors by a condition."""

from __future__ import annotations

import math

import pytest

import wengert as wg


@pytest.mark.parametrize(
    ("dtype", "number", "kind"),
    [("uint8", 70000, "uint8_t"), ("int8", 128, "int8_t"), ("int16", -40000, "int16_t"), ("float32", 1e39, "float")],
)
def test_where_refuses_a_number_that_the_dtype_has_not(dtype, number, kind):
    x = wg.tensor([1, 2]).to(getattr(wg, dtype))
    mask = x > 1
    for call in (lambda: wg.where(mask, x, number), lambda: wg.where(mask, number, x), lambda: x.where(mask, number)):
        with pytest.raises(RuntimeError, match=f"value cannot be converted to type {kind} without overflow"):
            call()
    assert wg.where(mask, x, wg.tensor(0).to(x.dtype)).tolist() == [0, 2]


def test_where_takes_numbers_that_wrap_around_or_have_no_end():
    x = wg.tensor([1, 2], dtype=wg.uint8)
    assert x.where(x > 1, -1).tolist() == [255, 2] and x.where(x > 1, 255).tolist() == [255, 2]
    assert wg.where(wg.tensor([True, False]), math.inf, wg.zeros(2)).tolist() == [math.inf, 0]
