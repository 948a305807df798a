"""Native convolution and pooling against their NumPy twins."""

from __future__ import annotations

import numpy as np
import pytest

FLOATS = [np.float32, np.float64]
PLAIN = (None, (1, 1), (0, 0), (1, 1), 1)


def convolutions(random: np.random.Generator, count: int):
    """Random problems: input shape, weight shape, stride, padding, dilation, groups."""
    while count:
        groups = int(random.choice([1, 1, 2, 3]))
        inputs, outputs = (int(n) * groups for n in random.integers(1, 7, 2))
        kernel, dilation = (tuple(int(n) for n in random.integers(1, high, 2)) for high in (5, 3))
        stride = tuple(int(n) for n in random.integers(1, 4, 2)) if count % 2 else (1, 1)
        padding = tuple(int(n) for n in random.integers(0, 4, 2))
        size = tuple(int(n) for n in random.integers(1, 22, 2))
        if all(size[a] + 2 * padding[a] > dilation[a] * (kernel[a] - 1) for a in (0, 1)):
            count -= 1
            batch = int(random.integers(1, 5))
            yield (batch, inputs, *size), (outputs, inputs // groups, *kernel), stride, padding, dilation, groups


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("seed", range(12))
def test_convolution_and_its_gradients_agree_with_the_twin(seed, dtype, only_native, twin, close):
    random = np.random.default_rng(seed)
    for shape, weight_shape, *settings in convolutions(random, 8):
        x, weight, bias = (random.normal(size=s).astype(dtype) for s in (shape, weight_shape, weight_shape[:1]))
        expected = twin("convolution")(x, weight, bias, *settings)
        close(only_native.convolution(x, weight, bias, *settings), expected, 5)
        close(only_native.convolution(x, weight, None, *settings), twin("convolution")(x, weight, None, *settings))
        grad = random.normal(size=expected.shape).astype(dtype)
        arguments = (grad, weight, shape, *settings)
        close(only_native.convolution_backward_input(*arguments), twin("convolution_backward_input")(*arguments), 5)
        arguments = (grad, x, weight_shape, *settings)
        close(only_native.convolution_backward_weight(*arguments), twin("convolution_backward_weight")(*arguments), 5)


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_convolution_large_enough_for_threads_agrees_with_the_twin(dtype, only_native, twin, close, random):
    x, weight = random.normal(size=(33, 8, 17, 19)).astype(dtype), random.normal(size=(20, 8, 3, 3)).astype(dtype)
    settings = ((1, 1), (1, 1), (1, 1), 1)
    grad = twin("convolution")(x, weight, None, *settings)
    close(only_native.convolution(x, weight, None, *settings), grad)
    close(
        only_native.convolution_backward_input(grad, weight, x.shape, *settings),
        twin("convolution_backward_input")(grad, weight, x.shape, *settings),
    )
    close(
        only_native.convolution_backward_weight(grad, x, weight.shape, *settings),
        twin("convolution_backward_weight")(grad, x, weight.shape, *settings),
    )


def test_infinities_stay_where_they_belong(native, twin):
    x, weight = np.ones((1, 1, 5, 6), np.float32), np.ones((1, 1, 3, 3), np.float32)
    settings = ((1, 1), (0, 0), (1, 1), 1)
    x[0, 0, 0, 0] = np.inf
    grad = np.ones((1, 1, 3, 4), np.float32)
    assert np.array_equal(
        native.convolution(x, weight, None, *settings), twin("convolution")(x, weight, None, *settings)
    )
    for name, other, shape in (("weight", x, weight.shape), ("input", np.where(weight > 0, weight, 0), x.shape)):
        function = f"convolution_backward_{name}"
        assert np.array_equal(
            getattr(native, function)(grad, other, shape, *settings), twin(function)(grad, other, shape, *settings)
        )
    weight[0, 0, 1, 1] = -np.inf
    expected = twin("convolution_backward_input")(grad, weight, x.shape, *settings)
    assert np.array_equal(native.convolution_backward_input(grad, weight, x.shape, *settings), expected)


def test_convolution_of_what_native_code_does_not_know_comes_from_the_twin(native, twin, close, random):
    x, weight = random.normal(size=(2, 6, 7, 3)), random.normal(size=(3, 3, 3, 4))
    nchw, kernels = x.transpose(0, 3, 1, 2), weight.transpose(3, 0, 1, 2)
    close(native.convolution(nchw, kernels, *PLAIN), twin("convolution")(nchw, kernels, *PLAIN))
    half, complex_kernels = nchw.astype(np.float16), kernels.astype(np.complex64)
    given = (half, kernels.astype(np.float16), *PLAIN)
    close(native.convolution(*given), twin("convolution")(*given))
    given = (nchw.astype(np.complex64), complex_kernels, *PLAIN)
    close(native.convolution(*given), twin("convolution")(*given))
    assert native.convolution(np.zeros((0, 2, 4, 4)), np.zeros((3, 2, 3, 3)), *PLAIN).shape == (0, 3, 2, 2)


def poolings(random: np.random.Generator, count: int):
    """Random problems: input shape, kernel size, stride, padding, ceil_mode."""
    while count:
        kernel = (2, 2) if count % 3 == 0 else tuple(int(n) for n in random.integers(1, 5, 2))
        stride = tuple(int(n) for n in random.integers(1, 4, 2))
        padding = tuple(int(random.integers(0, n // 2 + 1)) for n in kernel)
        shape = tuple(int(n) for n in random.integers(1, 12, int(random.integers(3, 5))))
        if all(shape[a - 2] + 2 * padding[a] >= 2 * kernel[a] for a in (0, 1)):
            count -= 1
            yield shape, kernel, stride, padding, bool(count % 2)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("seed", range(4))
def test_max_pooling_equals_the_twin_with_ties_nan_and_infinities(seed, dtype, only_native, twin, close):
    random = np.random.default_rng(seed)
    for shape, kernel, stride, padding, ceil_mode in poolings(random, 12):
        x = np.round(random.normal(size=shape) * 2).astype(dtype)
        x[random.random(shape) < 0.1] = random.choice([np.nan, -np.inf, np.inf])
        for dilation in ((1, 1), (1, 2)):
            arguments = (x, kernel, stride, padding, dilation, ceil_mode)
            values, indices = twin("max_pool2d")(*arguments)
            close(only_native.max_pool2d(*arguments), (values, indices))
            grad = random.normal(size=values.shape).astype(dtype)
            close(
                only_native.max_pool2d_backward(grad, indices, shape), twin("max_pool2d_backward")(grad, indices, shape)
            )


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("seed", range(4))
def test_average_pooling_agrees_with_the_twin(seed, dtype, only_native, twin, close):
    random = np.random.default_rng(seed)
    for shape, kernel, stride, padding, ceil_mode in poolings(random, 12):
        x = random.normal(size=shape).astype(dtype)
        for include_pad, override in ((True, None), (False, None), (True, 3)):
            settings = (kernel, stride, padding, ceil_mode, include_pad, override)
            expected = twin("avg_pool2d")(x, *settings)
            close(only_native.avg_pool2d(x, *settings), expected)
            grad = random.normal(size=expected.shape).astype(dtype)
            close(
                only_native.avg_pool2d_backward(grad, shape, *settings),
                twin("avg_pool2d_backward")(grad, shape, *settings),
            )


def test_an_index_outside_the_plane_is_refused(native):
    grad = np.ones((1, 1, 1, 1), np.float32)
    with pytest.raises(IndexError):
        native.max_pool2d_backward(grad, np.full((1, 1, 1, 1), 99), (1, 1, 2, 2))
