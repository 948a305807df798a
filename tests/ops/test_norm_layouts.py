"""Normalisation of tensors whose channels, or normalised dimensions, do not lie innermost: as of contiguous ones."""

from __future__ import annotations

import pytest

import wengert as wg
import wengert.nn.functional as F


def results(function, x, *parameters):
    """What a function gives, and its gradients by all operands."""
    leaves = [x.detach().requires_grad_(), *[parameter.detach().requires_grad_() for parameter in parameters]]
    result = function(*leaves)
    weights = wg.arange(float(result.numel()), dtype=x.dtype).reshape(result.shape).cos()
    return [result, *wg.autograd.grad((result * weights).sum(), leaves)]


@pytest.mark.parametrize("dtype", [wg.float32, wg.float64])
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (2, 3, 7), (2, 3, 2, 3, 4), (1, 1, 4, 5), (3, 2, 1, 1)])
def test_batch_norm_of_channels_that_lie_innermost(shape, training, dtype) -> None:
    x = wg.randn(shape, dtype=dtype) * 3 + 1
    moved = x.movedim(1, -1).contiguous().movedim(-1, 1)
    channels = shape[1]
    weight, bias = wg.rand(channels, dtype=dtype), wg.rand(channels, dtype=dtype)
    mean, variance = wg.zeros(channels, dtype=dtype), wg.ones(channels, dtype=dtype)

    def function(x, weight, bias):
        return F.batch_norm(x, mean.clone(), variance.clone(), weight, bias, training)

    found, expected = results(function, moved, weight, bias), results(function, x, weight, bias)
    for one, other in zip(found, expected):
        wg.testing.assert_close(one, other)
    if len(shape) == 4 and min(shape[1:]) > 1:
        assert found[0].is_contiguous(memory_format=wg.channels_last)


@pytest.mark.parametrize("dtype", [wg.float32, wg.float64])
@pytest.mark.parametrize("parameters", [True, False])
def test_layer_norm_of_a_transposed_tensor(parameters, dtype) -> None:
    x = wg.randn(3, 5, 8, dtype=dtype)
    moved = x.transpose(1, 2).contiguous().transpose(1, 2)
    weights = [wg.rand(8, dtype=dtype), wg.rand(8, dtype=dtype)] if parameters else []

    def function(x, *weights):
        return F.layer_norm(x, (8,), *weights)

    for one, other in zip(results(function, moved, *weights), results(function, x, *weights)):
        wg.testing.assert_close(one, other)
