"""The ranges that random fills draw from, of every dtype: what they reach, and what is refused or warned of."""

from __future__ import annotations

import warnings

import pytest

import wengert as wg

INTEGERS = (wg.uint8, wg.int8, wg.int16, wg.int32, wg.int64)
EXACT = {wg.bfloat16: 8, wg.float16: 11, wg.float32: 24, wg.float64: 53}
COUNT = 4000


def drawn(dtype, *bounds):
    wg.manual_seed(3)
    return wg.empty(COUNT, dtype=dtype).random_(*bounds)


def within(values, low, high):
    """Whether values lie from `low` up to `high`, and come near to both ends."""
    least, most, slack = int(values.min()), int(values.max()), max((high - low) // 100, 0)
    return low <= least <= low + slack and high - slack <= most <= high


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_reach_both_ends_of_their_dtype(dtype):
    info = wg.iinfo(dtype)
    assert within(drawn(dtype), 0, info.max)
    assert within(drawn(dtype, info.min, None), info.min, info.max)
    assert within(drawn(dtype, 0, None), 0, info.max)
    if dtype is not wg.int64:
        assert within(drawn(dtype, info.min, info.max + 1), info.min, info.max)
        for low, high in ((info.min - 1, 5), (0, info.max + 2)):
            with pytest.raises(RuntimeError, match=r"^(from|to - 1) is out of bounds for "):
                drawn(dtype, low, high)
        with pytest.raises(RuntimeError, match="handles only int64, double, float and bfloat16"):
            drawn(dtype, -(2**63), None)


@pytest.mark.parametrize(("dtype", "bits"), EXACT.items(), ids=str)
def test_floating_point_numbers_reach_the_last_integer_without_gaps(dtype, bits):
    with warnings.catch_warnings(action="error"):
        assert within(drawn(dtype), 0, 1 << bits)
        assert within(drawn(dtype, -3, None), -3, 1 << bits)
        assert within(drawn(dtype, -(1 << bits), (1 << bits) + 1), -(1 << bits), 1 << bits)
    if dtype is wg.float16:
        with pytest.raises(NotImplementedError, match="not implemented for 'Half'"):
            drawn(dtype, -(2**63), None)
        return
    with pytest.raises(RuntimeError, match="'from' casted to dtype to be less than"):
        drawn(dtype, (1 << bits) + 1, None)
    everything = drawn(dtype, -(2**63), None)
    assert within(everything.double(), -(2**63), 2**63)


@pytest.mark.parametrize(("dtype", "bits"), EXACT.items(), ids=str)
def test_bounds_beyond_are_warned_of_and_kept(dtype, bits):
    low, high = (1 << bits) + 2, (1 << bits + 1) + (1 << bits)
    with pytest.warns(UserWarning, match=r"(from|to - 1) is out of bounds \[-\(2\^"):
        values = drawn(dtype, low, high)
    assert within(values.double(), low, high - 1)


def test_nothing_between_bounds_is_refused():
    for dtype in (*INTEGERS, *EXACT):
        for low, high in ((5, 5), (5, 4)):
            with pytest.raises(RuntimeError, match="'from' to be less than 'to'"):
                drawn(dtype, low, high)
    with warnings.catch_warnings(action="ignore"), pytest.raises(RuntimeError, match="casted to dtype"):
        drawn(wg.bfloat16, 1025, 1026)


def test_truth_values_are_drawn_from_both():
    assert within(drawn(wg.bool).int(), 0, 1) and within(drawn(wg.bool, 0, None).int(), 0, 1)
    with pytest.raises(RuntimeError, match="to - 1 is out of bounds for bool"):
        drawn(wg.bool, 0, 3)


@pytest.mark.parametrize("dtype", EXACT, ids=str)
def test_uniform_numbers_are_not_drawn_from_ranges_wider_than_the_dtype(dtype):
    largest = wg.finfo(dtype).max
    assert wg.empty(3, dtype=dtype).uniform_(-largest / 2, largest / 2).isfinite().all()
    for low, high in ((-largest, largest), (-0.6 * largest, 0.6 * largest)):
        with pytest.raises(RuntimeError, match="uniform_ expects to-from <= "):
            wg.empty(3, dtype=dtype).uniform_(low, high)


def test_parameters_are_looked_at_before_the_dtype():
    for dtype in (wg.int64, wg.bool, wg.complex64):
        with pytest.raises(RuntimeError, match="log_normal_ expects std > 0"):
            wg.empty(3, dtype=dtype).log_normal_(0, 0)
    with pytest.raises(NotImplementedError, match=r"bernoulli_scalar.* not implemented for 'ComplexFloat'"):
        wg.empty(3, dtype=wg.complex64).bernoulli_(0.5)


HALVES = (wg.bfloat16, wg.float16)


@pytest.mark.parametrize("dtype", HALVES)
def test_a_number_that_rounds_to_the_upper_end_becomes_the_lower_one(dtype: wg.dtype) -> None:
    generator = wg.manual_seed(0)
    drawn = wg.rand(20000, dtype=dtype)
    assert drawn.max() < 1
    exact = wg.rand(20000, generator=generator.manual_seed(0))
    rounded = exact.to(dtype)
    assert (rounded == 1).any()
    assert wg.equal(drawn, wg.where(rounded == 1, 0, rounded))


@pytest.mark.parametrize("dtype", (*HALVES, wg.float32, wg.float64))
def test_a_range_stays_half_open_where_numbers_are_coarse(dtype: wg.dtype) -> None:
    wg.manual_seed(0)
    step = wg.finfo(dtype).eps
    drawn = wg.empty(1000, dtype=dtype).uniform_(1.0, 1.0 + step)
    assert drawn.unique().tolist() == [1.0]


def test_a_range_of_no_length_gives_its_one_number() -> None:
    assert wg.empty(3).uniform_(2.5, 2.5).tolist() == [2.5, 2.5, 2.5]


@pytest.mark.parametrize("name", ["uniform_", "normal_", "cauchy_", "log_normal_"])
def test_a_real_parameter_may_stand_in_a_complex_tensor(name):
    filled = [getattr(wg.zeros(3), name)(low, 2.0, generator=wg.Generator()) for low in (1.0, wg.tensor(1 + 0j))]
    assert filled[0].tolist() == filled[1].tolist()
    with pytest.raises(RuntimeError, match="value cannot be converted to type double without overflow"):
        getattr(wg.zeros(3), name)(wg.tensor(1 + 1j), 2.0)
    for wrong in (1 + 0j, wg.tensor([1]), wg.tensor([1.0]), "a"):
        with pytest.raises(TypeError, match="must be float, not"):
            getattr(wg.zeros(3), name)(wrong, 2.0)
