"""NumPy twins of convolution, pooling, normalisation, losses, indexing, optimisers and drawing against plain loops."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest


def plain_convolution(x, weight, bias, stride, padding, dilation, groups):
    """The sum written out; what is read outside the image is zero."""
    (batch, _, *lengths), (kernels, channels, *elements) = x.shape, weight.shape
    axes = range(len(lengths))
    sizes = [(lengths[a] + 2 * padding[a] - dilation[a] * (elements[a] - 1) - 1) // stride[a] + 1 for a in axes]
    result = np.zeros((batch, kernels, *sizes))
    reads = []
    for n, o, *at in np.ndindex(result.shape):
        group = o // (kernels // groups)
        for k, *element in np.ndindex(channels, *elements):
            seen = [at[a] * stride[a] + element[a] * dilation[a] - padding[a] for a in axes]
            if all(0 <= seen[a] < lengths[a] for a in axes):
                made, place, tap = (n, o, *at), (n, group * channels + k, *seen), (o, k, *element)
                result[made] += x[place] * weight[tap]
                reads.append((made, place, tap))
    return result + (0 if bias is None else bias.reshape(1, -1, *(1 for _ in axes))), reads


@pytest.mark.parametrize(
    ("channels", "kernels", "size", "stride", "padding", "dilation", "groups"),
    [
        (2, 3, (3, 2), (1, 1), (0, 0), (1, 1), 1),
        (2, 4, (2, 3), (2, 1), (1, 2), (1, 1), 2),
        (3, 3, (2, 2), (1, 3), (0, 1), (2, 1), 3),
        (2, 4, (3,), (2,), (1,), (2,), 2),
        (2, 4, (2, 2, 3), (2, 1, 1), (1, 0, 1), (1, 2, 1), 2),
    ],
)
def test_convolution_and_its_gradients_equal_plain_loops(
    channels, kernels, size, stride, padding, dilation, groups, twin, close, random
):
    x, bias = random.normal(size=(2, channels, 5, 6, 4)[: 2 + len(size)]), random.normal(size=kernels)
    weight = random.normal(size=(kernels, channels // groups, *size))
    settings = (stride, padding, dilation, groups)
    expected, reads = plain_convolution(x, weight, bias, *settings)
    close(twin("convolution")(x, weight, bias, *settings), expected)
    grad = random.normal(size=expected.shape)
    grad_x, grad_weight = np.zeros_like(x), np.zeros_like(weight)
    for out, place, tap in reads:
        grad_x[place] += grad[out] * weight[tap]
        grad_weight[tap] += grad[out] * x[place]
    close(twin("convolution_backward_input")(grad, weight, x.shape, *settings), grad_x)
    close(twin("convolution_backward_weight")(grad, x, weight.shape, *settings), grad_weight)
    half = twin("convolution")(x.astype(np.float16), weight.astype(np.float16), None, *settings)
    assert half.dtype == np.float16


def test_max_pooling_finds_the_first_maximum_and_nan_before_all(twin):
    x = np.array([[[1.0, 3.0, 3.0, 0.0], [3.0, 2.0, np.nan, 5.0]]])
    values, indices = twin("max_pool2d")(x, (2, 2), (2, 2))
    np.testing.assert_array_equal(values, [[[3.0, np.nan]]])
    assert indices.tolist() == [[[1, 6]]]
    values, indices = twin("max_pool2d")(np.full((1, 2, 2), -np.inf), (2, 2), (1, 1), (1, 1))
    assert (values == -np.inf).all()
    assert indices[0, 0, 0] == 0
    values, _ = twin("max_pool2d")(np.array([[[-7, -9]]]), (1, 2), (1, 2))
    assert values.tolist() == [[[-7]]]


@pytest.mark.parametrize("ceil_mode", [False, True])
@pytest.mark.parametrize(
    ("kernel", "stride", "padding"), [((2, 2), (2, 2), (0, 0)), ((3, 2), (2, 3), (1, 1)), ((3, 3), (1, 1), (1, 0))]
)
def test_pooling_equals_plain_loops(kernel, stride, padding, ceil_mode, twin, close, random):
    x = random.normal(size=(2, 3, 7, 8))
    values, indices = twin("max_pool2d")(x, kernel, stride, padding, (1, 1), ceil_mode)
    means = twin("avg_pool2d")(x, kernel, stride, padding, ceil_mode, False)
    grad = random.normal(size=values.shape)
    grad_max, grad_mean = np.zeros_like(x), np.zeros_like(x)
    for n, c, r, k in np.ndindex(values.shape):
        rows = [i for i in range(r * stride[0] - padding[0], r * stride[0] - padding[0] + kernel[0]) if 0 <= i < 7]
        columns = [j for j in range(k * stride[1] - padding[1], k * stride[1] - padding[1] + kernel[1]) if 0 <= j < 8]
        window = [(x[n, c, i, j], i * 8 + j) for i, j in itertools.product(rows, columns)]
        best = max(window)
        assert (values[n, c, r, k], indices[n, c, r, k]) == best
        assert math.isclose(means[n, c, r, k], sum(value for value, _ in window) / len(window))
        grad_max[n, c].flat[best[1]] += grad[n, c, r, k]
        for _, place in window:
            grad_mean[n, c].flat[place] += grad[n, c, r, k] / len(window)
    close(twin("max_pool2d_backward")(grad, indices, x.shape), grad_max)
    close(twin("avg_pool2d_backward")(grad, x.shape, kernel, stride, padding, ceil_mode, False, None), grad_mean)


def test_average_pooling_counts_padding_or_takes_the_divisor_given(twin):
    x = np.ones((1, 2, 2))
    assert twin("avg_pool2d")(x, (2, 2), (1, 1), (1, 1))[0, 0, 0] == 0.25
    assert twin("avg_pool2d")(x, (2, 2), (1, 1), (1, 1), False, False)[0, 0, 0] == 1
    assert twin("avg_pool2d")(x, (2, 2), (1, 1), (0, 0), False, True, 3)[0, 0, 0] == 4 / 3


def gradient_by_differences(function, x, grad):
    """The gradient of sum(grad * function(x)) by central differences."""
    result, step = np.zeros_like(x), 1e-6
    for place in np.ndindex(x.shape):
        moved = [x.copy(), x.copy()]
        moved[0][place] += step
        moved[1][place] -= step
        result[place] = np.sum(grad * (function(moved[0]) - function(moved[1]))) / (2 * step)
    return result


@pytest.mark.parametrize("shape", [(5, 3), (3, 2, 2, 2)])
def test_batch_norm_standardises_each_channel_and_its_gradients_equal_differences(shape, twin, random):
    x, grad = random.normal(size=shape) * 2 + 1, random.normal(size=shape)
    weight, bias = random.normal(size=shape[1]), random.normal(size=shape[1])

    def run(x, weight=weight, bias=bias):
        mean, invstd, _ = twin("batch_norm_statistics")(x, 1e-5)
        return twin("batch_norm_apply")(x, mean, invstd, weight, bias)

    mean, invstd, variance = twin("batch_norm_statistics")(x, 1e-5)
    for channel in range(shape[1]):
        values = x[:, channel].ravel().tolist()
        centre = sum(values) / len(values)
        assert math.isclose(mean[channel], centre)
        assert math.isclose(variance[channel], sum((v - centre) ** 2 for v in values) / len(values))
        assert math.isclose(invstd[channel], (variance[channel] + 1e-5) ** -0.5)
    grads = twin("batch_norm_backward")(grad, x, mean, invstd, weight, True)
    np.testing.assert_allclose(grads[0], gradient_by_differences(run, x, grad), rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(
        grads[1], gradient_by_differences(lambda w: run(x, w), weight, grad), rtol=1e-6, atol=1e-8
    )
    np.testing.assert_allclose(
        grads[2], gradient_by_differences(lambda b: run(x, weight, b), bias, grad), rtol=1e-6, atol=1e-8
    )
    fixed = twin("batch_norm_backward")(grad, x, mean, invstd, weight, False)[0]
    expected = gradient_by_differences(lambda v: twin("batch_norm_apply")(v, mean, invstd, weight, bias), x, grad)
    np.testing.assert_allclose(fixed, expected, rtol=1e-6, atol=1e-8)


def test_layer_norm_standardises_rows_and_its_gradients_equal_differences(twin, random):
    x, grad = random.normal(size=(3, 2, 4)), random.normal(size=(3, 2, 4))
    weight, bias = random.normal(size=(2, 4)), random.normal(size=(2, 4))
    result, mean, invstd = twin("layer_norm")(x, 2)
    assert mean.shape == invstd.shape == (3, 1, 1)
    np.testing.assert_allclose(result.mean((1, 2)), 0, atol=1e-12)
    np.testing.assert_allclose(result.std((1, 2)), 1, rtol=1e-4)
    grads = twin("layer_norm_backward")(grad, x, 2, mean, invstd, weight)
    for place, value in enumerate((x, weight, bias)):
        arguments = [x, weight, bias]

        def run(changed, place=place, arguments=arguments):
            given = [*arguments[:place], changed, *arguments[place + 1 :]]
            return twin("layer_norm")(given[0], 2, given[1], given[2])[0]

        np.testing.assert_allclose(grads[place], gradient_by_differences(run, value, grad), rtol=1e-5, atol=1e-7)
    assert twin("layer_norm_backward")(grad, x, 2, mean, invstd, None)[1:] == (None, None)


@pytest.mark.parametrize("count", [0, 3, -(2**45), 2**45])
def test_layer_norm_refuses_axes_that_an_array_does_not_have(count, twin):
    x = np.ones((2, 3))
    with pytest.raises(ValueError, match=f"layer_norm: there are no {count} trailing axes in an array of 2 dimensions"):
        twin("layer_norm")(x, count)
    with pytest.raises(ValueError, match=f"layer_norm_backward: there are no {count} trailing axes"):
        twin("layer_norm_backward")(x, x, count, x[:, :1], x[:, :1], None)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("weighted", [False, True])
def test_nll_loss_equals_plain_loops(reduction, weighted, twin, random):
    logp, target = random.normal(size=(4, 3, 2)), random.integers(0, 3, (4, 2))
    target[0, 0] = -100
    weight = random.random(3) if weighted else None
    losses, total = np.zeros((4, 2)), 0.0
    for n, d in np.ndindex(4, 2):
        if target[n, d] != -100:
            w = weight[target[n, d]] if weighted else 1.0
            losses[n, d] = -w * logp[n, target[n, d], d]
            total += w
    expected = {"none": losses, "sum": losses.sum(), "mean": losses.sum() / total}[reduction]
    loss, total_weight = twin("nll_loss")(logp, target, weight, reduction)
    np.testing.assert_allclose(loss, expected)
    assert math.isclose(total_weight, 0 if reduction == "none" else total)
    grad = random.normal(size=loss.shape) if reduction == "none" else np.array(1.5)
    computed = twin("nll_loss_backward")(grad, logp, target, weight, reduction, -100, total_weight)
    differences = gradient_by_differences(lambda v: twin("nll_loss")(v, target, weight, reduction)[0], logp, grad)
    np.testing.assert_allclose(computed, differences, rtol=1e-6, atol=1e-8)


def test_nll_loss_of_nothing_is_nan_as_a_mean_and_zero_as_a_sum(twin):
    logp, target = np.zeros((0, 3)), np.zeros(0, np.int64)
    assert np.isnan(twin("nll_loss")(logp, target)[0])
    assert twin("nll_loss")(logp, target, None, "sum")[0] == 0
    assert np.isnan(twin("nll_loss")(np.zeros((2, 3)), np.array([-100, -100]))[0])
    with pytest.raises(IndexError, match=r"Target 3 is out of bounds\."):
        twin("nll_loss")(np.zeros((2, 3)), np.array([0, 3]))


def test_other_losses_equal_their_formulas(twin, random):
    x, target = random.normal(size=(3, 4)), random.random((3, 4))
    assert math.isclose(twin("mse_loss")(x, target), np.mean((x - target) ** 2))
    probability, positive, weight = 1 / (1 + np.exp(-x)), random.random(4), random.random(4)
    expected = -weight * (positive * target * np.log(probability) + (1 - target) * np.log(1 - probability))
    np.testing.assert_allclose(twin("bce_with_logits")(x, target, weight, positive, "none"), expected)
    assert twin("bce_with_logits")(np.array([1000.0, -1000.0]), np.array([0.0, 1.0]), reduction="sum") == 2000


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_gather_and_scatter_add_equal_plain_loops(axis, twin, random):
    x, source = random.normal(size=(3, 4, 5)), random.normal(size=(3, 4, 5))
    index = random.integers(0, 3, (2, 3, 4))
    gathered, scattered = np.zeros(index.shape), x.copy()
    for place in np.ndindex(index.shape):
        there = list(place)
        there[axis] = index[place]
        gathered[place] = x[tuple(there)]
        scattered[tuple(there)] += source[place]
    assert np.array_equal(twin("gather")(x, axis, index), gathered)
    np.testing.assert_allclose(twin("scatter_add")(x, axis, index, source), scattered)


def test_selection_and_addition_of_slices_equal_plain_loops(twin, random):
    x, source, index = random.normal(size=(3, 4)), random.normal(size=(3, 6)), random.integers(0, 4, 6)
    assert np.array_equal(twin("index_select")(x, 1, index), np.stack([x[:, i] for i in index], 1))
    expected = x.copy()
    for place, i in enumerate(index):
        expected[:, i] += 2 * source[:, place]
    np.testing.assert_allclose(twin("index_add")(x, 1, index, source, 2), expected)
    np.testing.assert_allclose(twin("index_put_add")(x, (slice(None), index), 2 * source), expected)
    assert twin("index_select")(np.array(5.0), 0, np.array([0])).shape == ()
    assert twin("masked_fill")(x, x > 0, -1.0).max() <= 0
    assert np.array_equal(twin("embedding")(x, index[:4].reshape(2, 2) % 3), x[index[:4].reshape(2, 2) % 3])
    grad, rows = random.normal(size=(5, 2)), np.array([0, 2, 0, 1, 2])
    expected = np.array([grad[rows == row].sum(0) * (row != 1) for row in range(3)])
    np.testing.assert_allclose(twin("embedding_backward")(grad, rows, 3, 1), expected)


def test_sgd_with_momentum_equals_the_numbers_worked_out(twin):
    param, settings = np.array([1.0]), (0.1, 0.5, 0.25, 0.2, True, False)
    buffers = twin("sgd_step")([param], [np.array([2.0])], [None], *settings)
    gradient = 2.0 + 0.2 * 1.0
    assert buffers[0].tolist() == [gradient]
    first = 1.0 - 0.1 * (gradient + 0.5 * gradient)
    assert math.isclose(param[0], first)
    buffers = twin("sgd_step")([param], [np.array([1.0])], buffers, *settings)
    gradient_2 = 1.0 + 0.2 * first
    buffer = 0.5 * gradient + 0.75 * gradient_2
    assert math.isclose(buffers[0][0], buffer)
    assert math.isclose(param[0], first - 0.1 * (gradient_2 + 0.5 * buffer))


def test_adam_equals_the_numbers_worked_out(twin):
    param, mean, square, largest = (np.array([value]) for value in (1.0, 0.5, 0.2, 9.0))
    twin("adam_step")(
        [param], [np.array([2.0])], [mean], [square], [largest], [3], 0.1, 0.9, 0.99, 1e-3, 0.1, True, True
    )
    gradient = -2.0 + 0.1
    new_mean, new_square = 0.9 * 0.5 + 0.1 * gradient, 0.99 * 0.2 + 0.01 * gradient**2
    assert math.isclose(mean[0], new_mean)
    assert math.isclose(square[0], new_square)
    divisor = math.sqrt(9.0) / math.sqrt(1 - 0.99**3) + 1e-3
    assert math.isclose(param[0], 1.0 - 0.1 / (1 - 0.9**3) * new_mean / divisor)


def test_drawing_is_repeated_by_the_seed_and_has_the_dtype_asked_for(twin):
    for dtype in (np.float16, np.float32, np.float64):
        first, second = (twin("uniform")(twin("generator")(5), (1000,), dtype) for _ in range(2))
        assert np.array_equal(first, second)
        assert first.dtype == dtype
        assert first.min() >= 0
        assert first.max() < 1
        assert twin("normal")(twin("generator")(5), (3,), dtype).dtype == dtype
    source = twin("generator")(0)
    assert abs(float(np.abs(twin("normal")(source, (20_000,), np.complex64)).astype(float).std() ** 2 - 0.2146)) < 0.02
    assert sorted(twin("permutation")(source, 10).tolist()) == list(range(10))
    drawn = twin("integers")(source, -2, 3, (1000,), np.int16)
    assert drawn.dtype == np.int16
    assert set(drawn.tolist()) == {-2, -1, 0, 1, 2}
    assert twin("uniform")(source, ()).shape == ()
    kept = twin("dropout_mask")(source, (20_000,), 0.3)
    assert abs(kept.mean() - 0.7) < 0.02


def test_dropout_scales_what_it_keeps(twin):
    x, mask = np.array([1.0, 2.0, np.inf]), np.array([True, False, False])
    np.testing.assert_array_equal(twin("dropout_apply")(x, mask, 0.5), [2.0, 0.0, np.nan])
    np.testing.assert_array_equal(twin("dropout_apply")(x[:2], np.array([False, False]), 1.0), [0.0, 0.0])
