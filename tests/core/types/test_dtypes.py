"""Element types: their short names, limits, and those that have no complex ones."""

from __future__ import annotations

import pytest

import wengert as wg


def test_dtypes_have_short_names():
    names = "float32 int64 bool bfloat16 complex64 uint8 float16 complex128 uint16"
    wanted = "f32 i64 b8 bf16 c64 u8 f16 c128 u16"
    assert [getattr(wg, name).abbr for name in names.split()] == wanted.split()
    assert wg.float8_e4m3fn.abbr == "f8e4m3fn"


def test_integers_have_no_complex_dtype():
    with pytest.raises(RuntimeError, match="Unknown Complex ScalarType for Int"):
        wg.int32.to_complex()
    with pytest.raises(TypeError, match="invalid dtype object: only floating-point types are supported"):
        wg.set_default_dtype("float64")


def test_limits_of_one_dtype_are_equal():
    assert wg.finfo(wg.float32) == wg.finfo(wg.float32) != wg.finfo(wg.float64)
    assert wg.iinfo(wg.int8) == wg.iinfo(wg.int8) != wg.iinfo(wg.uint8)
