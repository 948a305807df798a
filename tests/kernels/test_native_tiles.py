"""Convolutions of 3 x 3 kernels by tiles of four results: equal to the twin, and finite wherever the twin is."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

given_fixtures = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
PLAIN = ((1, 1), (1, 1), (1, 1), 1)
VALUES = [np.inf, -np.inf, np.nan, 3e38]


@st.composite
def tiled(draw):
    """Planes or volumes, and kernels, that are worth it; more than a panel of tiles and of kernels, or less."""
    groups, padding = draw(st.sampled_from([1, 1, 2])), draw(st.tuples(st.integers(0, 3), st.integers(0, 3)))
    inputs, outputs = draw(st.integers(16, 40)), draw(st.integers(16, 40))
    size = tuple(draw(st.integers(max(1, 9 - 2 * each), 24)) for each in padding)
    deep = draw(st.booleans())
    taps = (draw(st.integers(1, 4)), 3, 3) if deep else (3, 3)
    if deep:
        padding = (draw(st.integers(0, 4)), *padding)
        size = (draw(st.integers(max(1, taps[0] - 2 * padding[0]), 5)), *size)
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    x = random.normal(size=(draw(st.integers(1, 4 if deep else 12)), inputs * groups, *size)).astype(dtype)
    weight = random.normal(size=(outputs * groups, inputs, *taps)).astype(dtype)
    steps = (1,) * len(taps)
    return x, weight, random, (steps, padding, steps, groups)


@given_fixtures
@given(tiled())
def test_tiles_of_any_sizes_agree_with_the_twin(native, twin, close, problem):
    x, weight, random, options = problem
    bias = random.normal(size=weight.shape[:1]).astype(x.dtype)
    expected = twin("convolution")(x, weight, bias, *options)
    close(native.convolution(x, weight, bias, *options), expected, 20)
    grad = random.normal(size=expected.shape).astype(x.dtype)
    for name, first, second, shape in (("input", grad, weight, x.shape), ("weight", grad, x, weight.shape)):
        given = (first, second, shape, *options)
        close(getattr(native, f"convolution_backward_{name}")(*given), twin(f"convolution_backward_{name}")(*given), 20)


def check_places(native, twin, x, weight, options, slope, value):
    """What is not finite is so at the places of the twin's; of the gradients for one slope of that value."""
    with np.errstate(over="ignore", invalid="ignore"):
        expected, found = twin("convolution")(x, weight, None, *options), native.convolution(x, weight, None, *options)
        np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
        np.testing.assert_array_equal(found[~np.isfinite(expected)], expected[~np.isfinite(expected)])
        grad = np.zeros(expected.shape, np.float32)
        grad[slope] = value
        for name, other, shape in (("input", weight, x.shape), ("weight", x, weight.shape)):
            given, function = (grad, other, shape, *options), f"convolution_backward_{name}"
            expected, found = twin(function)(*given), getattr(native, function)(*given)
            np.testing.assert_array_equal(np.isfinite(found), np.isfinite(expected))


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("place", list(itertools.product([0, 5, 14], [0, 6, 14])))
def test_what_is_no_number_or_too_large_stays_at_its_place(place, value, native, twin, random):
    """A tile's results are sums of differences of all that it sees: an infinity would spread over four of them."""
    x, weight = (random.normal(size=size).astype(np.float32) for size in ((4, 20, 15, 15), (20, 20, 3, 3)))
    x[(2, 7, *place)] = value
    for padding in (0, 1):
        check_places(native, twin, x, weight, ((1, 1), (padding, padding), (1, 1), 1), (0, 1, 3, 4), value)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("place", [(0, 0, 0), (2, 5, 6), (4, 14, 0)])
def test_what_is_no_number_in_a_volume_stays_at_its_place(place, value, native, twin, random):
    x, weight = (random.normal(size=size).astype(np.float32) for size in ((2, 20, 5, 15, 15), (20, 20, 3, 3, 3)))
    x[(1, 7, *place)] = value
    check_places(native, twin, x, weight, ((1, 1, 1), (1, 0, 1), (1, 1, 1), 1), (0, 1, 1, 3, 4), value)


def test_a_kernel_that_is_no_number_is_that_of_one_output(native, twin, random):
    x, weight = (random.normal(size=size).astype(np.float32) for size in ((4, 20, 14, 14), (20, 20, 3, 3)))
    weight[3, 4, 1, 1] = np.nan
    found = native.convolution(x, weight, None, *PLAIN)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(twin("convolution")(x, weight, None, *PLAIN)))


@pytest.mark.parametrize("channels", [16, 64, 300])
def test_the_error_of_tiles_is_within_its_bound(channels, native, random):
    """A result is off by at most 8 units of rounding of all its products' sizes, mostly by a twentieth of that."""
    x, weight = (random.normal(size=size).astype(np.float32) for size in ((4, channels, 12, 12), (32, channels, 3, 3)))
    wide = native.convolution(x.astype(float), weight.astype(float), None, *PLAIN)
    sizes = native.convolution(np.abs(x).astype(float), np.abs(weight).astype(float), None, *PLAIN)
    error = np.abs(native.convolution(x, weight, None, *PLAIN) - wide)
    assert (error <= 8 * np.finfo(np.float32).eps / 2 * sizes).all()
    assert error.mean() <= 0.25 * np.finfo(np.float32).eps * sizes.mean()
    grad = random.normal(size=wide.shape).astype(np.float32)
    wide, sizes = (
        native.convolution_backward_weight(one.astype(float), other.astype(float), weight.shape, *PLAIN)
        for one, other in ((grad, x), (np.abs(grad), np.abs(x)))
    )
    error = np.abs(native.convolution_backward_weight(grad, x, weight.shape, *PLAIN) - wide)
    assert (error <= 8 * np.finfo(np.float32).eps / 2 * sizes).all()
    assert error.mean() <= 0.25 * np.finfo(np.float32).eps * sizes.mean()


@pytest.mark.parametrize("shape", [(8, 32, 17, 15), (1, 48, 16, 16), (40, 16, 6, 6)])
def test_tiles_are_the_same_to_the_bit_for_any_number_of_threads_and_images(shape, native, random):
    x, weight = (random.normal(size=size).astype(np.float32) for size in (shape, (72, shape[1], 3, 3)))
    before, results = native.get_num_threads(), []
    grad = random.normal(size=(shape[0], 72, *shape[2:])).astype(np.float32)
    try:
        for count in (1, 2, 3, 4, 1):
            native.set_num_threads(count)
            given = (grad, weight, x.shape, *PLAIN)
            inputs = native.convolution_backward_input(*given)
            kernels = native.convolution_backward_weight(grad, x, weight.shape, *PLAIN)
            results.append((native.convolution(x, weight, None, *PLAIN), inputs, kernels))
    finally:
        native.set_num_threads(before)
    for one, other in itertools.pairwise(results):
        assert all(map(np.array_equal, one, other))


@pytest.mark.parametrize("padding", [0, 1])
def test_nothing_is_read_behind_planes_that_need_no_padding(padding, native, twin, close, random):
    """The last rows of planes of even sizes are whole vectors, at the very end of the memory."""
    x, weight = (random.normal(size=size).astype(np.float32) for size in ((3, 32, 34, 34), (32, 32, 3, 3)))
    options = ((1, 1), (padding, padding), (1, 1), 1)
    close(native.convolution(x, weight, None, *options), twin("convolution")(x, weight, None, *options), 20)
