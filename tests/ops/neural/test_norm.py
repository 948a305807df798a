"""Normalisation of dimensions: layouts and dtypes."""

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
@pytest.mark.parametrize("parameters", [True, False])
def test_layer_norm_of_a_transposed_tensor(parameters, dtype) -> None:
    x = wg.randn(3, 5, 8, dtype=dtype)
    moved = x.transpose(1, 2).contiguous().transpose(1, 2)
    weights = [wg.rand(8, dtype=dtype), wg.rand(8, dtype=dtype)] if parameters else []

    def function(x, *weights):
        return F.layer_norm(x, (8,), *weights)

    for one, other in zip(results(function, moved, *weights), results(function, x, *weights)):
        wg.testing.assert_close(one, other)


def test_parameters_of_a_norm_are_of_one_dtype():
    x = wg.ones(3, dtype=wg.bfloat16)
    with pytest.raises(RuntimeError, match="expect parameter to have scalar type of Float"):
        F.layer_norm(x, [3], wg.ones(3), wg.ones(3, dtype=wg.bfloat16))
    assert F.layer_norm(x, [3], wg.ones(3), wg.ones(3)).tolist() == [1, 1, 1]
