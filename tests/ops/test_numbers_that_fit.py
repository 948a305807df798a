"""Numbers that are written into tensors: which fit, and what becomes of negative ones."""

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


@pytest.mark.parametrize("make", [wg.add, wg.sub, wg.rsub])
def test_a_truth_is_no_factor(make) -> None:
    x = wg.ones(2)
    with pytest.raises(RuntimeError, match="Boolean alpha only supported for Boolean results"):
        make(x, x, alpha=True)
    assert make(x, x, alpha=1).shape == (2,)


def test_limits_that_are_not_finite_in_the_dtype_are_refused() -> None:
    with pytest.raises(RuntimeError, match="type float without overflow"):
        wg.ones(2).clamp(max=1e39)
    assert wg.ones(2).clamp(max=math.inf).tolist() == [1, 1]


def test_a_range_is_not_written_into_elements_that_share_memory() -> None:
    for make in (lambda out: wg.arange(3, out=out), lambda out: wg.linspace(0, 1, 3, out=out)):
        out = wg.zeros(1)
        with pytest.raises(RuntimeError, match="single memory location"):
            make(out.expand(3))
        assert out.item() == 0


def test_halves_count_as_weights() -> None:
    for dtype in (wg.float16, wg.bfloat16):
        made = wg.bincount(wg.tensor([0, 1, 1]), wg.tensor([0.5, 0.25, 1], dtype=dtype))
        assert made.dtype is wg.float64 and made.tolist() == [0.5, 1.25]


def test_points_in_half_precision_are_rounded_at_each_step() -> None:
    assert wg.linspace(-3, 1, 7, dtype=wg.float16).tolist() == [
        -3.0, -2.333984375, -1.6669921875, -1.0, -0.3330078125, 0.33349609375, 1.0,
    ]  # fmt: skip
    assert wg.linspace(0, 1, 7, dtype=wg.bfloat16)[4].item() == 0.6640625
