"""Numbers that are written into integer tensors: which fit, and what becomes of negative ones."""

from __future__ import annotations

import math

import pytest

import wengert as wg


def set_item(x: wg.Tensor, value: float) -> None:
    """`x[0] = value`."""
    x[0] = value


WRITES = {
    "fill_": lambda x, value: x.fill_(value),
    "masked_fill_": lambda x, value: x.masked_fill_(wg.tensor([True]), value),
    "index_fill_": lambda x, value: x.index_fill_(0, wg.tensor([0]), value),
    "setitem": set_item,
}


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize(
    ("dtype", "value"),
    [
        (wg.int8, 300),
        (wg.int8, -300),
        (wg.int8, 1000000.0),
        (wg.int32, 2**40),
        (wg.uint8, -256),
        (wg.uint8, -0.5),
        (wg.int64, math.inf),
        (wg.int16, math.nan),
        (wg.int8, 1e39),
    ],
)
def test_a_number_that_does_not_fit_is_refused(name: str, dtype: wg.dtype, value: float) -> None:
    x = wg.ones(1, dtype=dtype)
    with pytest.raises(RuntimeError, match="without overflow"):
        WRITES[name](x, value)
    assert x.item() == 1


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize(
    ("dtype", "value", "wanted"),
    [
        (wg.uint8, -1, 255),
        (wg.uint8, -255, 1),
        (wg.int8, 2.7, 2),
        (wg.int8, -0.5, 0),
        (wg.uint8, True, 1),
        (wg.int64, 2**40, 2**40),
        (wg.int8, -128, -128),
    ],
)
def test_a_number_that_fits_is_written_as_torch_does(name: str, dtype: wg.dtype, value: float, wanted: int) -> None:
    x = wg.ones(1, dtype=dtype)
    WRITES[name](x, value)
    assert x.item() == wanted


def test_the_copying_forms_write_the_same() -> None:
    x, mask = wg.zeros(1, dtype=wg.uint8), wg.tensor([True])
    assert (
        x.masked_fill(mask, -1).item() == wg.fill(x, -1).item() == wg.index_fill(x, 0, wg.tensor([0]), -1).item() == 255
    )
    with pytest.raises(RuntimeError, match="without overflow"):
        x.masked_fill(mask, 300)
