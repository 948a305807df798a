"""arange, linspace and logspace in every dtype; the values are torch's."""

from __future__ import annotations

import math

import numpy as np
import pytest

import wengert as wg
from wengert._kernels.ranges import counted, spread

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize("dtype", [wg.uint8, wg.int8, wg.int16, wg.int32])
def test_bounds_of_narrow_integers_are_cut_after_the_length_was_counted(dtype):
    assert wg.arange(0, 1, 0.1, dtype=dtype).tolist() == [0] * 10
    assert wg.arange(0, 5, 1.9, dtype=dtype).tolist() == [0, 1, 2]
    assert wg.arange(5, 0, -1.5, dtype=dtype).tolist() == [5, 4, 3, 2]
    assert wg.arange(3, 3, 0.5, dtype=dtype).tolist() == []


def test_what_is_too_large_for_a_narrow_integer_wraps_around():
    assert wg.arange(300, 303, dtype=wg.uint8).tolist() == [44, 45, 46]
    assert wg.arange(0, 1e10, 5e9, dtype=wg.int32).tolist() == [0, 705032704]


def test_bounds_of_the_widest_integers_are_cut_before():
    assert wg.arange(0, 5, 1.9, dtype=wg.int64).tolist() == [0, 1, 2, 3, 4]
    assert wg.arange(5, 0, -1.5, dtype=wg.int64).tolist() == [5, 4, 3, 2, 1]
    assert wg.arange(2**53, 2**53 + 3).tolist() == [2**53, 2**53 + 1, 2**53 + 2]
    with pytest.raises(ValueError, match="step must be nonzero"):
        wg.arange(0, 1, 0.1, dtype=wg.int64)


def test_an_infinite_step_gives_nothing():
    assert wg.arange(0, 3, INF).tolist() == []
    with pytest.raises(RuntimeError, match="type int64_t without overflow"):
        wg.arange(0, 3, INF, dtype=wg.int32)


@pytest.mark.parametrize(
    ("bounds", "says"),
    [
        ((0, 1, NAN), "step must be nonzero"),
        ((1e10, NAN, -1), r"unsupported range: 1e\+10 -> nan"),
        ((0, 1, 1e-30), "invalid size, possible overflow"),
        ((2**62,), "Storage size calculation overflowed"),
        ((0, 5, -0.1), "inconsistent with step sign"),
    ],
)
def test_ranges_that_cannot_be_are_refused(bounds, says):
    with pytest.raises(RuntimeError, match=says):
        wg.arange(*bounds)


@pytest.mark.parametrize(
    "make",
    [lambda **k: wg.arange(3, **k), lambda **k: wg.linspace(0, 1, 3, **k), lambda **k: wg.logspace(0, 1, 3, **k)],
)
@pytest.mark.parametrize("dtype", [wg.uint16, wg.uint32, wg.uint64, wg.bool])
def test_there_are_no_ranges_of_bools_and_wide_unsigned_integers(make, dtype):
    with pytest.raises(NotImplementedError, match="not implemented for"):
        make(dtype=dtype)


def test_linspace_of_integers_is_cut_at_the_end():
    assert wg.linspace(1, 3, 5, dtype=wg.int64).tolist() == [1, 1, 2, 2, 3]
    assert wg.linspace(1.9, 5.5, 4, dtype=wg.int64).tolist() == [1, 2, 3, 5]
    assert wg.linspace(0, 1, 0, dtype=wg.bool).tolist() == []


def test_logspace_of_integers_takes_powers_of_cut_exponents_and_wraps_around():
    assert wg.logspace(0.5, 3.5, 4, dtype=wg.int64).tolist() == [1, 10, 100, 1000]
    assert wg.logspace(0, 2.5, 3, 2, dtype=wg.int32).tolist() == [1, 2, 4]
    assert wg.logspace(0, 3, 3, dtype=wg.uint8).tolist() == [1, 31, 232]
    assert wg.logspace(-1, 3, 5, 2, dtype=wg.int64).tolist() == [0, 1, 2, 4, 8]


def test_logspace_computes_powers_wide():
    expected = np.power(10.0, np.linspace(1, 2.5, 5)).astype(np.float32)
    assert wg.logspace(1, 2.5, 5).tolist() == expected.tolist()


@pytest.mark.parametrize("name", ["linspace", "logspace"])
def test_complex_bounds_need_a_complex_dtype(name):
    make = getattr(wg, name)
    assert make(1j, 2, 3).dtype is wg.complex64
    with pytest.raises(RuntimeError, match="can't be safely cast to passed dtype Float"):
        make(1j, 2, 3, dtype=wg.float32)


def test_a_complex_base_is_refused():
    with pytest.raises(TypeError, match="base"):
        wg.logspace(0, 1, 3, 2j)


def test_ranges_round_products_and_sums_once_as_torch_does():
    spread = wg.linspace(-1, 1, 11)
    assert spread[5].item() == -1.4901161193847656e-08  # 1 - 0.2 * 5, the product not rounded
    assert wg.linspace(0.1, 0.7, 7, dtype=wg.float64)[2].item() == 0.3
    assert wg.arange(0.3, 60, 0.7)[25].item() == 17.80000114440918  # counted from the first of a block of eight
    assert wg.arange(0.3, 60, 0.7)[38].item() == 26.900001525878906


@pytest.mark.parametrize("dtype", [wg.float32, wg.float64])
def test_native_ranges_are_those_of_numpy(dtype):
    for count in (1, 7, 8, 15, 16, 33, 100):
        low, pace = 0.3, 0.7
        native = wg.arange(low, low + pace * count - 0.1, pace, dtype=dtype)
        assert (native.numpy() == counted(low, pace, len(native), dtype.numpy)).all()
        if count > 1:
            ends = dtype.numpy.type(-1.7), dtype.numpy.type(3.3)
            found = wg.linspace(-1.7, 3.3, count, dtype=dtype).numpy()
            assert (found == spread(*ends, count)).all()


def test_factories_write_into_outputs_of_another_shape_without_a_warning():
    for made in (
        wg.zeros(2, out=wg.ones(3)),
        wg.full((2,), 0, out=wg.ones(3)),
        wg.linspace(0, 0, 2, out=wg.ones(3)),
        wg.eye(2, out=wg.ones(3))[0] * 0,
    ):
        assert made.tolist() == [0, 0]
    with pytest.warns(UserWarning, match="is 2 which does not match the computed number of elements 3"):
        assert wg.arange(3, out=wg.empty(2)).tolist() == [0, 1, 2]


@pytest.mark.parametrize("function", [wg.linspace, lambda *args, **options: wg.logspace(*args, base=2, **options)])
@pytest.mark.parametrize("options", [{}, {"dtype": wg.int64}, {"dtype": wg.float64}, {"dtype": wg.complex64}])
@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_ends_may_be_other_ones_for_each_member_of_a_batch(function, options, steps):
    starts, ends = wg.tensor([1.0, 2.5, -3.0]), wg.tensor([4, 5, 6])
    for call, members in (
        (lambda a, b: function(a, b, steps, **options), [(a, b) for a, b in zip(starts, ends)]),
        (lambda a, b: function(a, 5, steps, **options), [(a, 5) for a in starts]),
        (lambda a, b: function(0, b, steps, **options), [(0, b) for b in ends]),
    ):
        made = wg.vmap(call)(starts, ends)
        wanted = wg.stack([function(a, b, steps, **options) for a, b in members])
        assert made.dtype is wanted.dtype and made.shape == wanted.shape
        assert wg.allclose(made, wanted, rtol=1e-6)


def test_ends_of_a_batch_have_gradients():
    slope = wg.func.grad(lambda x: wg.vmap(lambda start: wg.linspace(start, 5, 3))(x).sum())(wg.tensor([1.0, 2.0]))
    assert slope.tolist() == [1.5, 1.5]
    with pytest.raises(RuntimeError, match="cannot write numbers between ends"):
        wg.vmap(lambda start: wg.linspace(start, 5, 3, out=wg.empty(3)))(wg.ones(2))


def test_an_end_with_dimensions_is_refused_by_its_name():
    with pytest.raises(RuntimeError, match=r"but got start with 1 dimension\(s\)\.$"):
        wg.linspace(wg.ones(1), 2, 3)
    with pytest.raises(RuntimeError, match=r"but got start with 0 dimension\(s\) and end with 1 dimension\(s\)\.$"):
        wg.logspace(wg.ones(()), wg.ones(1), 3)


inf, nan = math.inf, math.nan


def shown(values):
    return [str(each) for each in values.tolist()]


@pytest.mark.parametrize(
    ("base", "wanted"),
    [
        (0.0, ["(nan+nanj)", "-0j", "-0j"]),
        (inf, ["(nan+nanj)", "(inf+nanj)", "(inf+nanj)"]),
        (nan, ["(nan+nanj)"] * 3),
    ],
)
def test_complex_powers_at_equal_distances_come_by_way_of_the_logarithm(base, wanted):
    assert shown(wg.logspace(0, 2, 3, base=base, dtype=wg.complex128)) == wanted


def test_one_complex_power_is_made_of_length_and_angle():
    assert shown(wg.logspace(0, 3, 1, base=inf, dtype=wg.complex64)) == ["(nan+nanj)"]
    assert shown(wg.logspace(inf, 3, 1, base=1.0, dtype=wg.complex64)) == ["(1+0j)"]


def test_integers_that_powers_do_not_fit_are_the_lowest():
    assert wg.logspace(0, 40, 3, base=2, dtype=wg.int32).tolist() == [1, 1048576, -(2**31)]
    assert wg.logspace(0, 12, 2, dtype=wg.uint8).tolist() == [1, 0]
    assert wg.logspace(0, 70, 2, base=2, dtype=wg.int64).tolist() == [1, -(2**63)]
    with pytest.raises(RuntimeError, match="cannot be converted to type uint8_t without overflow"):
        wg.logspace(5, 20, 1, dtype=wg.uint8)


@pytest.mark.parametrize(
    ("bounds", "named"),
    [
        ((0,), {"end": None}),
        ((3,), {"step": None}),
        ((0, 3), {"step": None}),
        ((), {"start": None, "end": 3}),
        ((1, 2), {"end": 5}),
        ((1, 2, 3, 4), {}),
    ],
)
def test_a_range_takes_no_none_for_a_bound(bounds, named):
    with pytest.raises(TypeError, match="received an invalid combination of arguments"):
        wg.arange(*bounds, **named)


def test_ranges_by_name():
    assert wg.arange(end=3).tolist() == wg.arange(0, end=3).tolist() == [0, 1, 2]
    assert wg.arange(1, end=6, step=2).tolist() == wg.arange(start=1, end=6, step=2).tolist() == [1, 3, 5]


def test_a_range_is_not_written_into_elements_that_share_memory() -> None:
    for make in (lambda out: wg.arange(3, out=out), lambda out: wg.linspace(0, 1, 3, out=out)):
        out = wg.zeros(1)
        with pytest.raises(RuntimeError, match="single memory location"):
            make(out.expand(3))
        assert out.item() == 0


def test_points_in_half_precision_are_rounded_at_each_step() -> None:
    assert wg.linspace(-3, 1, 7, dtype=wg.float16).tolist() == [
        -3.0,
        -2.333984375,
        -1.6669921875,
        -1.0,
        -0.3330078125,
        0.33349609375,
        1.0,
    ]
    assert wg.linspace(0, 1, 7, dtype=wg.bfloat16)[4].item() == 0.6640625


def test_torchs_inclusive_range_warns():
    with pytest.warns(UserWarning, match=r"torch.range is deprecated"):
        assert wg.range(1, 2, 0.5).tolist() == [1.0, 1.5, 2.0]
    with pytest.warns(UserWarning):
        assert wg.range(3, 1, -1, dtype=wg.int64).tolist() == [3, 2, 1]
