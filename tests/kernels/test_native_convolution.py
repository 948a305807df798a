"""Native convolutions and max pooling: equal to their twins for any sizes, to the bit for any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

given_fixtures = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)


def numbers(count: int, low: int, high: int) -> st.SearchStrategy[tuple[int, ...]]:
    """So many numbers."""
    return st.tuples(*[st.integers(low, high)] * count)


def pairs(low: int, high: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Two numbers."""
    return numbers(2, low, high)


@st.composite
def convolutions(draw):
    """Input, kernels and options in one to three dimensions; kernels of few and of many elements, groups of one channel
    and of several."""
    count = draw(st.sampled_from([1, 2, 2, 3]))
    kernel, stride, padding, dilation = (draw(numbers(count, *each)) for each in ((1, 5), (1, 7), (0, 4), (1, 3)))
    least = [max(1, dilation[a] * (kernel[a] - 1) + 1 - 2 * padding[a]) for a in range(count)]
    size = tuple(each + draw(st.integers(0, 60 if count == 1 else 20 if count == 2 else 5)) for each in least)
    groups = draw(st.sampled_from([1, 1, 2, 5]))
    inputs, outputs = draw(st.sampled_from([1, 1, 2, 9, 40])), draw(st.sampled_from([1, 1, 3, 7, 13, 20, 37]))
    dtype = draw(st.sampled_from([np.float32, np.float64]))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    x = random.normal(size=(draw(st.integers(1, 5)), inputs * groups, *size)).astype(dtype)
    weight = random.normal(size=(outputs * groups, inputs, *kernel)).astype(dtype)
    if draw(st.booleans()):
        x[random.random(x.shape) < 0.01] = random.choice([np.inf, -np.inf, np.nan, 0.0])
    return x, weight, random, (stride, padding, dilation, groups)


@given_fixtures
@given(convolutions())
def test_convolutions_of_any_sizes_agree_with_their_twins(native, twin, close, problem):
    x, weight, random, options = problem
    bias = random.normal(size=weight.shape[:1]).astype(x.dtype)
    expected = twin("convolution")(x, weight, bias, *options)
    close(native.convolution(x, weight, bias, *options), expected, 10)
    grad = random.normal(size=expected.shape).astype(x.dtype)
    for name, first, second, shape in (("input", grad, weight, x.shape), ("weight", grad, x, weight.shape)):
        function = f"convolution_backward_{name}"
        given = (first, second, shape, *options)
        close(getattr(native, function)(*given), twin(function)(*given), 20)


PROBLEMS = {
    "stride": ((8, 16, 33, 31), (24, 16, 3, 3), (2, 2), (1, 1), (1, 1), 1),
    "small planes": ((9, 130, 2, 2), (70, 130, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "few places": ((4, 200, 3, 3), (220, 100, 3, 3), (2, 1), (1, 1), (1, 1), 2),
    "one image": ((1, 40, 30, 30), (50, 40, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "one by one": ((8, 70, 20, 20), (30, 70, 1, 1), (1, 1), (0, 0), (1, 1), 1),
    "depthwise": ((6, 32, 29, 30), (32, 1, 3, 3), (2, 1), (1, 1), (1, 2), 32),
    "groups": ((6, 32, 29, 30), (32, 8, 3, 3), (1, 1), (1, 1), (1, 1), 4),
    "few kernels": ((6, 16, 30, 32), (16, 16, 3, 3), (1, 1), (1, 1), (1, 1), 1),
    "signal": ((8, 32, 500), (32, 32, 5), (1,), (2,), (1,), 1),
    "volumes": ((3, 20, 7, 12, 13), (30, 10, 3, 3, 3), (2, 1, 2), (1, 1, 0), (1, 2, 1), 2),
    "tiles of volumes": ((2, 20, 7, 12, 13), (18, 20, 3, 3, 3), (1, 1, 1), (1, 1, 2), (1, 1, 1), 1),
    "few kernels of volumes": ((2, 6, 9, 9, 16), (10, 6, 3, 3, 3), (1, 1, 1), (1, 1, 1), (1, 1, 1), 1),
    "depthwise volumes": ((2, 6, 9, 9, 16), (6, 1, 3, 3, 3), (2, 1, 2), (1, 1, 1), (1, 2, 1), 6),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kernels", range(1, 40))
def test_any_number_of_kernels(kernels, dtype, native, twin, close, random):
    """Panels are shared out by the number of kernels, and few kernels have gradients of their own way."""
    x, weight = (random.normal(size=size).astype(dtype) for size in ((3, 5, 9, 16), (kernels, 5, 3, 3)))
    options = ((1, 1), (1, 1), (1, 1), 1)
    expected = twin("convolution")(x, weight, None, *options)
    close(native.convolution(x, weight, None, *options), expected, 10)
    grad = random.normal(size=expected.shape).astype(dtype)
    given = (grad, x, weight.shape, *options)
    close(native.convolution_backward_weight(*given), twin("convolution_backward_weight")(*given), 20)
    given = (grad, weight, x.shape, *options)
    close(native.convolution_backward_input(*given), twin("convolution_backward_input")(*given), 20)


@pytest.mark.parametrize("options", [((1, 1), (1, 1), (1, 1)), ((2, 3), (1, 0), (1, 1)), ((1, 2), (2, 2), (2, 1))])
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_many_channels_with_few_places(dtype, groups, options, native, twin, close, random):
    """Kernels are read where they lie, since to pack them takes as long as to multiply them."""
    x = random.normal(size=(3, 100 * groups, 3, 4)).astype(dtype)
    weight = random.normal(size=(110 * groups, 100, 3, 3)).astype(dtype)
    bias = random.normal(size=weight.shape[0]).astype(dtype)
    expected = twin("convolution")(x, weight, bias, *options, groups)
    close(native.convolution(x, weight, bias, *options, groups), expected, 20)
    grad = random.normal(size=expected.shape).astype(dtype)
    given = (grad, weight, x.shape, *options, groups)
    close(native.convolution_backward_input(*given), twin("convolution_backward_input")(*given), 20)


@pytest.mark.parametrize("kernels", [1, 9, 20, 37])
@pytest.mark.parametrize("groups", [1, 2])
def test_many_images_are_taken_in_turns(groups, kernels, native, twin, close, random):
    """More places than are worked through together, and in the last turn fewer images than before."""
    x = random.normal(size=(13, 2 * groups, 48, 47))
    weight = random.normal(size=(kernels * groups, 2, 3, 2))
    options = ((1, 1), (1, 0), (2, 1), groups)
    expected = twin("convolution")(x, weight, None, *options)
    grad = random.normal(size=expected.shape)
    close(native.convolution(x, weight, None, *options), expected, 10)
    given = (grad, x, weight.shape, *options)
    close(native.convolution_backward_weight(*given), twin("convolution_backward_weight")(*given), 40)
    given = (grad, weight, x.shape, *options)
    close(native.convolution_backward_input(*given), twin("convolution_backward_input")(*given), 20)


@pytest.mark.parametrize("width", [14, 16, 30, 31])
@pytest.mark.parametrize("padding", [0, 1])
@pytest.mark.parametrize("value", [np.inf, np.nan])
@pytest.mark.parametrize("count", [2, 3])
def test_what_is_no_number_stays_at_its_place(count, value, padding, width, native, twin, random):
    sizes = ((2, 2, *(5,) * (count - 1), width), (4, 2, *(3,) * count))
    x, weight = (random.normal(size=size).astype(np.float32) for size in sizes)
    x[0, 1, *(0,) * count] = value
    options = ((1,) * count, (padding,) * count, (1,) * count, 1)
    grad = random.normal(size=twin("convolution")(x, weight, None, *options).shape).astype(np.float32)
    given = (grad, x, weight.shape, *options)
    np.testing.assert_array_equal(
        np.isfinite(native.convolution_backward_weight(*given)),
        np.isfinite(twin("convolution_backward_weight")(*given)),
    )


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_convolution_is_the_same_to_the_bit_for_any_number_of_threads(name, native, random):
    shape, weight_shape, *options = PROBLEMS[name]
    x, weight = (random.normal(size=each).astype(np.float32) for each in (shape, weight_shape))
    grad = random.normal(size=native.convolution(x, weight, None, *options).shape).astype(np.float32)
    before, results = native.get_num_threads(), []
    try:
        for count in (1, 2, 3, 4, 1):
            native.set_num_threads(count)
            results.append(
                [
                    native.convolution(x, weight, None, *options),
                    native.convolution_backward_input(grad, weight, shape, *options),
                    native.convolution_backward_weight(grad, x, weight_shape, *options),
                ]
            )
    finally:
        native.set_num_threads(before)
    for others in results[1:]:
        assert all(np.array_equal(one, other) for one, other in zip(results[0], others, strict=True))


@pytest.mark.parametrize(
    "options",
    [
        ((10**12, 10**12), (0, 0), (1, 1), 1),
        ((3, 10**9), (1, 1), (1, 1), 1),
        ((50, 1), (60, 2), (1, 1), 1),
        ((1, 1), (1, 1), (2, 2), 1),
    ],
)
def test_strides_beyond_the_plane_agree_with_the_twin(options, only_native, twin, close, random):
    x, weight = random.normal(size=(2, 3, 7, 9)), random.normal(size=(4, 3, 3, 2))
    expected = twin("convolution")(x, weight, None, *options)
    close(only_native.convolution(x, weight, None, *options), expected)
    grad = random.normal(size=expected.shape)
    given = (grad, weight, x.shape, *options)
    close(only_native.convolution_backward_input(*given), twin("convolution_backward_input")(*given))
    given = (grad, x, weight.shape, *options)
    close(only_native.convolution_backward_weight(*given), twin("convolution_backward_weight")(*given))


@given_fixtures
@given(st.data())
def test_max_pooling_of_any_windows_equals_its_twin(native, twin, close, data):
    kernel, stride, dilation = data.draw(pairs(1, 6)), data.draw(pairs(1, 8)), data.draw(pairs(1, 3))
    padding = tuple(data.draw(st.integers(0, each // 2)) for each in kernel)
    size = [max(1, dilation[a] * (kernel[a] - 1) + 1 - 2 * padding[a]) + data.draw(st.integers(0, 20)) for a in (0, 1)]
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    dtype = data.draw(st.sampled_from([np.float32, np.float64]))
    x = np.round(random.normal(size=(2, 3, *size)) * 2).astype(dtype)
    x[random.random(x.shape) < 0.2] = data.draw(st.sampled_from([0.0, np.nan, np.inf, -np.inf]))
    given = (x, kernel, stride, padding, dilation, data.draw(st.booleans()))
    close(native.max_pool2d(*given), twin("max_pool2d")(*given))
