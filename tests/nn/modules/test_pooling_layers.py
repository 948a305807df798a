"""Pooling, its inverses, borders and patches: layers against sums and maxima taken window by window in NumPy."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import wengert as wg
from wengert import nn
from wengert.nn import functional

# What torch 2.13 prints.
PRINTED = [
    ("MaxPool3d((1, 2, 3), 2)", "MaxPool3d(kernel_size=(1, 2, 3), stride=2, padding=0, dilation=1, ceil_mode=False)"),
    ("AvgPool3d(2)", "AvgPool3d(kernel_size=2, stride=2, padding=0)"),
    ("MaxUnpool2d((2, 1), stride=3)", "MaxUnpool2d(kernel_size=(2, 1), stride=(3, 3), padding=(0, 0))"),
    ("FractionalMaxPool2d(2, 3)", "FractionalMaxPool2d()"),
    ("LPPool2d(2, 3)", "LPPool2d(norm_type=2, kernel_size=3, stride=None, ceil_mode=False)"),
    ("AdaptiveMaxPool3d((2, None, 1))", "AdaptiveMaxPool3d(output_size=(2, None, 1))"),
    ("CircularPad2d(1)", "CircularPad2d((1, 1, 1, 1))"),
    ("ConstantPad1d((1, 2), 3.5)", "ConstantPad1d(padding=(1, 2), value=3.5)"),
    ("ZeroPad3d(1)", "ZeroPad3d((1, 1, 1, 1, 1, 1))"),
    ("Fold((4, 5), 2)", "Fold(output_size=(4, 5), kernel_size=2, dilation=1, padding=0, stride=1)"),
    ("Unfold(2)", "Unfold(kernel_size=2, dilation=1, padding=0, stride=1)"),
]


@pytest.mark.parametrize(("source", "printed"), PRINTED)
def test_a_layer_prints_as_in_torch(source, printed):
    assert repr(eval(f"nn.{source}", {"nn": nn})) == printed


@st.composite
def poolings(draw):
    """Options of pooling in one to three dimensions, and the lengths of an input for it."""
    count = draw(st.integers(1, 3))
    each = []
    for _ in range(count):
        taps = draw(st.integers(1, 3))
        length = taps + draw(st.integers(0, 3))
        each.append((taps, draw(st.integers(1, 3)), draw(st.integers(0, taps // 2)), length))
    kernel, stride, padding, lengths = zip(*each)
    return kernel, stride, padding, draw(st.booleans()), lengths


def windows(lengths, kernel, stride, padding, ceil_mode):
    """For each window its place in the result, and for each dimension its first place and that behind its last."""
    along = []
    for length, taps, step, side in zip(lengths, kernel, stride, padding):
        starts = [-side]
        while starts[-1] + step + taps <= length + side or (
            ceil_mode and starts[-1] + taps < length + side and starts[-1] + step < length
        ):
            starts.append(starts[-1] + step)
        along.append([(start, min(start + taps, length + side)) for start in starts])
    return [len(each) for each in along], itertools.product(*map(enumerate, along))


@given(poolings())
def test_averages_and_maxima_are_those_of_each_window(given):
    kernel, stride, padding, ceil_mode, lengths = given
    count = len(kernel)
    x = np.random.default_rng(len(lengths)).standard_normal((2, *lengths))
    sizes, bounds = windows(lengths, kernel, stride, padding, ceil_mode)
    mean, mean_inside, largest = np.zeros((3, 2, *sizes))
    place = np.zeros((2, *sizes), int)
    for window in bounds:
        at = (slice(None), *(number for number, _ in window))
        inside = (slice(None), *(slice(max(start, 0), end) for _, (start, end) in window))
        part = x[inside].reshape(2, -1)
        mean[at] = part.sum(1) / math.prod(end - start for _, (start, end) in window)
        mean_inside[at], largest[at] = part.mean(1), part.max(1)
        place[at] = np.arange(math.prod(lengths)).reshape(lengths)[inside[1:]].ravel()[part.argmax(1)]
    options = (kernel, stride, padding, ceil_mode)
    average = getattr(nn, f"AvgPool{count}d")
    np.testing.assert_allclose(average(*options)(wg.tensor(x)).numpy(), mean, rtol=1e-12)
    np.testing.assert_allclose(average(*options, False)(wg.tensor(x)).numpy(), mean_inside, rtol=1e-12)
    pool = getattr(nn, f"MaxPool{count}d")(kernel, stride, padding, return_indices=True, ceil_mode=ceil_mode)
    values, indices = pool(wg.tensor(x))
    assert (values.numpy() == largest).all() and (indices.numpy() == place).all()
    usual = [(size - 1) * step + taps - 2 * side for size, step, taps, side in zip(sizes, stride, kernel, padding)]
    if all(abs(size - length) < step for size, length, step in zip(usual, lengths, stride)):
        unpool = getattr(nn, f"MaxUnpool{count}d")(kernel, stride, padding)
        chosen = np.zeros((2, math.prod(lengths)), bool)
        np.put_along_axis(chosen, place.reshape(2, -1), True, 1)
        assert (unpool(values, indices, lengths).numpy() == np.where(chosen.reshape(x.shape), x, 0)).all()


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 7)), min_size=1, max_size=3))
def test_adaptive_windows_divide_the_input(lengths_and_sizes):
    lengths, sizes = zip(*lengths_and_sizes)
    count = len(lengths)
    x = np.random.default_rng(sum(lengths)).standard_normal((2, *lengths))
    mean, largest = np.zeros((2, 2, *sizes))
    for at in itertools.product(*map(range, sizes)):
        part = x[(slice(None), *(slice(a * n // m, -(-(a + 1) * n // m)) for a, n, m in zip(at, lengths, sizes)))]
        mean[(slice(None), *at)], largest[(slice(None), *at)] = part.reshape(2, -1).mean(1), part.reshape(2, -1).max(1)
    np.testing.assert_allclose(getattr(nn, f"AdaptiveAvgPool{count}d")(sizes)(wg.tensor(x)).numpy(), mean, rtol=1e-12)
    values, indices = getattr(nn, f"AdaptiveMaxPool{count}d")(sizes, True)(wg.tensor(x))
    assert (values.numpy() == largest).all()
    assert (
        np.take_along_axis(x.reshape(2, -1), indices.numpy().reshape(2, -1), 1) == values.numpy().reshape(2, -1)
    ).all()


@pytest.mark.parametrize("count", [1, 2, 3])
def test_power_averages_are_norms(count):
    x = wg.rand(2, 3, *(6, 4, 2)[:count], dtype=wg.float64)
    layer = getattr(nn, f"LPPool{count}d")
    parts = x.reshape(2, 3, *(each for length in (3, 2, 1)[:count] for each in (length, 2)))
    dims = tuple(range(3, 3 + 2 * count, 2))
    wg.testing.assert_close(layer(3, 2)(x), (parts**3).sum(dims) ** (1 / 3))
    wg.testing.assert_close(layer(math.inf, 2)(x), parts.amax(dims))
    wg.testing.assert_close(layer(-math.inf, 2)(x), parts.amin(dims))


@pytest.mark.parametrize("count", [2, 3])
def test_fractional_windows_are_as_many_as_asked_for_and_hold_their_values(count):
    lengths, sizes = (8, 7, 9)[:count], (3, 4, 5)[:count]
    layer = getattr(nn, f"FractionalMaxPool{count}d")(3, sizes, return_indices=True)
    x = wg.randn(2, 3, *lengths)
    values, indices = layer(x)
    assert values.shape == indices.shape == (2, 3, *sizes)
    wg.testing.assert_close(x.flatten(2).gather(2, indices.flatten(2)), values.flatten(2))
    draws = wg.rand(2, 3, count)
    fixed = getattr(nn, f"FractionalMaxPool{count}d")(3, output_ratio=0.5, _random_samples=draws)
    assert list(fixed.state_dict()) == ["_random_samples"]
    assert (fixed(x) == fixed(x)).all() and fixed(x).shape == (2, 3, *(length // 2 for length in lengths))


@pytest.mark.parametrize("kind", ["Circular", "Reflection", "Replication", "Constant", "Zero"])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_borders_are_those_of_numpy(kind, count):
    widths = (1, 2, 0, 1, 2, 2)[: 2 * count]
    more = (2.5,) if kind == "Constant" else ()
    layer = getattr(nn, f"{kind}Pad{count}d")(widths, *more)
    x = np.random.default_rng(count).standard_normal((2, 3, *(4, 3, 5)[:count]))
    sides = [(0, 0), (0, 0), *list(zip(widths[::2], widths[1::2]))[::-1]]
    mode = {"Circular": "wrap", "Reflection": "reflect", "Replication": "edge"}.get(kind, "constant")
    expected = np.pad(x, sides, mode, **({"constant_values": 2.5} if more else {}))
    assert (layer(wg.tensor(x)).numpy() == expected).all()
    assert (layer(wg.tensor(x[0])).numpy() == expected[0]).all()


def test_patches_added_up_count_how_often_a_pixel_is_in_one():
    x = wg.rand(2, 3, 5, 6)
    options = {"kernel_size": (2, 3), "dilation": (1, 2), "padding": 1, "stride": (2, 1)}
    columns, fold = nn.Unfold(**options), nn.Fold((5, 6), **options)
    wg.testing.assert_close(fold(columns(x)), x * fold(columns(wg.ones(1, 1, 5, 6))))
    assert fold(columns(x[0])).shape == x[0].shape


def test_the_forms_with_indices_always_give_them():
    x = wg.rand(1, 2, 4, 4)
    values, indices = functional.max_pool2d_with_indices(x, 2)
    assert (values == functional.max_pool2d(x, 2)).all() and indices.dtype is wg.int64
    assert len(functional.adaptive_max_pool2d_with_indices(x, 2, return_indices=False)) == 2
    assert len(functional.fractional_max_pool2d_with_indices(x, 2, 3)) == 2


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: nn.MaxPool3d(2)(wg.ones(4, 4, 4)), RuntimeError, "non-empty 4D or 5D"),
        (lambda: nn.AvgPool3d((2, 2))(wg.ones(1, 4, 4, 4)), RuntimeError, "a tuple of three ints"),
        (lambda: nn.FractionalMaxPool2d(2), ValueError, "specifying either an output size, or a pooling ratio"),
        (lambda: nn.FractionalMaxPool3d(2, 1, 0.5), ValueError, "only one of output_size and output_ratio"),
        (lambda: nn.FractionalMaxPool2d(2, output_ratio=1.5), ValueError, r"between 0 and 1 \(got 1.5\)"),
        (
            lambda: functional.fractional_max_pool2d(wg.ones(1, 4, 4), 2),
            ValueError,
            "an output_size or an output_ratio",
        ),
        (lambda: nn.CircularPad1d(1)(wg.ones(3)), ValueError, r"expected 2D or 3D input \(got 1D input\)"),
        (
            lambda: nn.MaxUnpool2d(2)(wg.ones(1, 2, 2), wg.zeros(1, 2, 2).long(), (9, 9)),
            ValueError,
            r"invalid output_size .* \(dim 0 must be between 2 and 6\)",
        ),
        (
            lambda: nn.MaxUnpool2d(2)(wg.ones(1, 2, 2), wg.full((1, 2, 2), 16)),
            RuntimeError,
            r"Found an invalid max index: 16 \(output volumes are of size 4x4\)",
        ),
        (
            lambda: nn.MaxUnpool2d(2)(wg.ones(1, 2, 2), wg.zeros(1, 2, 2).long(), (1, 1, 1)),
            ValueError,
            "should be a sequence containing 2 or 4 elements",
        ),
    ],
)
def test_bad_options_and_inputs_are_refused(make, error, says):
    with pytest.raises(error, match=says):
        make()
