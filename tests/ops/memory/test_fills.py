"""Numbers that are written into tensors: which fit, and what becomes of the others."""

from __future__ import annotations

import math
import warnings

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


FLOATING = [
    (wg.float32, 1e39),
    (wg.float32, -3.4028235677973366e38),
    (wg.complex64, 1e39),
    (wg.complex64, 1 + 1e39j),
    (wg.float64, 1 + 2j),
]
HALVES = [(wg.float16, 65505), (wg.float16, -1e39), (wg.bfloat16, 3.4e38)]
FILLS = {
    **{name: write for name, write in WRITES.items() if name != "setitem"},
    "fill_diagonal_": lambda x, value: x.view(1, 1).fill_diagonal_(value),
}


@pytest.mark.parametrize("name", [*WRITES, "fill_diagonal_"])
@pytest.mark.parametrize(("dtype", "value"), FLOATING)
def test_a_number_that_is_not_finite_in_the_dtype_is_refused(name: str, dtype: wg.dtype, value: complex) -> None:
    x = wg.ones(1, dtype=dtype)
    says = "Converting complex Scalar" if name == "index_fill_" and value == 1 + 2j else "without overflow"
    with pytest.raises(RuntimeError, match=says):
        {**WRITES, **FILLS}[name](x, value)
    assert x.item() == 1


@pytest.mark.parametrize(("dtype", "value"), HALVES)
def test_halves_are_filled_with_what_fits_and_take_what_is_converted(dtype: wg.dtype, value: float) -> None:
    x, several = wg.ones(1, dtype=dtype), wg.ones(2, dtype=dtype)
    for name, fill in FILLS.items():
        with pytest.raises(RuntimeError, match="without overflow"):
            fill(x if name == "fill_diagonal_" else several, value)
    for make in (
        lambda: wg.full((2,), value, dtype=dtype),
        lambda: wg.full_like(several, value),
        lambda: x.new_full((2,), value),
    ):
        with pytest.raises(RuntimeError, match="without overflow"):
            make()
    assert x.item() == 1 and several.tolist() == [1, 1]
    converted = value if dtype is wg.float16 and value == 65505 else math.copysign(math.inf, value)
    x[0] = value
    assert x.item() == pytest.approx(converted, rel=1e-3) == wg.scalar_tensor(value, dtype=dtype).item()
    assert x.new_full((1,), value).item() == wg.full_like(x, value).item() == x.item()


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan, 3e38, complex(2, 0)])
def test_infinities_and_what_fits_are_written_into_floats(value: complex) -> None:
    for name, write in WRITES.items():
        if name == "index_fill_" and isinstance(value, complex):
            continue  # torch refuses it any complex number
        x = wg.ones(1)
        write(x, value)
        assert wg.equal(x, wg.tensor([complex(value).real])) or x.isnan().all()


ROW, MASK, PLACE = wg.ones(2), wg.tensor([True, False]), wg.tensor([0])


@pytest.mark.parametrize("dtype", [wg.uint8, wg.int64, wg.float16, wg.float32])
def test_what_a_tensor_fills_with_is_cast_and_a_number_has_to_fit(dtype):
    x = ROW.to(dtype)
    assert x.clone().fill_(wg.tensor(3 + 2j)).tolist() == wg.fill(x, wg.tensor(3 + 2j)).tolist() == [3, 3]
    with pytest.raises(RuntimeError, match=r"value cannot be converted to type .* without overflow"):
        x.fill_(3 + 2j)
    assert x.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("dtype", "value", "name"),
    [
        (wg.uint8, wg.tensor(300), "uint8_t"),
        (wg.uint8, wg.tensor(-1.0), "uint8_t"),
        (wg.int32, wg.tensor(1 << 40), "int"),
        (wg.float16, wg.tensor(1e30), "c10::Half"),
        (wg.float32, wg.tensor(1e300, dtype=wg.float64), "float"),
        (wg.bfloat16, wg.tensor(1e300, dtype=wg.float64), "c10::BFloat16"),
    ],
)
def test_the_number_in_a_tensor_has_to_fit_where_it_fills_parts(dtype, value, name):
    x = ROW.to(dtype)
    writes = {
        "masked_fill": lambda: x.masked_fill(MASK, value),
        "masked_fill_": lambda: x.masked_fill_(MASK, value),
        "index_fill": lambda: x.index_fill(0, PLACE, value),
        "index_fill_": lambda: x.index_fill_(0, PLACE, value),
        "x[mask]": lambda: x.__setitem__(MASK, value),
    }
    for each, write in writes.items():
        with pytest.raises(RuntimeError, match=f"converted to type {name} without overflow"):
            write()
        assert x.tolist() == [1, 1], each


def test_a_complex_number_without_imaginary_part_may_fill_real_elements():
    mask, given = wg.tensor([True, False]), wg.tensor(3.5 + 0j)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert wg.zeros(2).masked_fill(mask, given).tolist() == [3.5, 0]
        assert wg.zeros(2).fill_(given).tolist() == [3.5, 3.5]
    x = wg.zeros(2)
    for write in (lambda: x.masked_fill_(mask, given + 1j), lambda: x.__setitem__(mask, given + 1j)):
        with pytest.raises(RuntimeError, match="cannot be converted"):
            write()
    with pytest.raises(RuntimeError, match="Converting complex Scalar to non-complex type"):
        x.index_fill(0, wg.tensor([0]), given)
    assert x.tolist() == [0, 0]
