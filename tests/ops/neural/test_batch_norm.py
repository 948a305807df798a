"""Normalisation of batches: momenta, statistics, layouts, and second derivatives."""

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


def test_a_truth_value_is_a_momentum():
    for call in (F.batch_norm, F.instance_norm):
        for momentum, wanted in ((True, [3.0]), (False, [0.0])):
            mean = wg.zeros(1)
            call(
                wg.full((1, 1, 2), 3.0),
                mean,
                wg.ones(1),
                momentum=momentum,
                **({"training": True} if call is F.batch_norm else {}),
            )
            assert mean.tolist() == wanted


@pytest.mark.parametrize(("training", "eps"), [(True, 0.0), (True, -1.0), (False, -1.0)])
def test_batch_norm_refuses_an_eps_that_may_divide_by_zero(training, eps):
    with pytest.raises(ValueError, match="batch_norm eps must be"):
        F.batch_norm(wg.rand(3, 2), wg.zeros(2), wg.ones(2), training=training, eps=eps)
    assert F.batch_norm(wg.rand(3, 2), wg.zeros(2), wg.ones(2), eps=0.0).shape == (3, 2)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("training", [True, False])
def test_second_derivatives_of_normalised_channels_are_none_where_nothing_depends(affine, training):
    norm = wg.nn.BatchNorm1d(3, affine=affine).train(training)
    x = wg.rand(4, 3).requires_grad_()
    operands = [x, *norm.parameters()]
    grads = wg.autograd.grad(norm(x), operands, wg.ones(4, 3), create_graph=True)
    assert all(each.requires_grad for each in grads)
    second = wg.autograd.grad(grads[0].sum(), operands, allow_unused=True, retain_graph=True)
    assert [each is None for each in second] == [not training, False, True][: len(operands)]
    for at, grad in enumerate(grads[1:], 1):
        second = wg.autograd.grad(grad.sum(), operands, allow_unused=True, retain_graph=True)
        assert [each is None for each in second] == [at == 2, True, True]


@pytest.mark.parametrize("training", [False, True])
def test_the_momentum_is_a_number_even_where_nothing_moves(training):
    for momentum in (wg.tensor([0.5]), "a", None):
        with pytest.raises(TypeError, match="argument 'momentum'"):
            F.batch_norm(wg.rand(3, 2), wg.zeros(2), wg.ones(2), training=training, momentum=momentum)
    assert F.batch_norm(wg.rand(3, 2), wg.zeros(2), wg.ones(2), training=training, momentum=True).shape == (3, 2)


def test_momentum_may_stand_in_a_complex_tensor():
    x, mean = wg.rand(4, 3), wg.zeros(3)
    F.batch_norm(x, mean, wg.ones(3), training=True, momentum=wg.tensor(1 + 0j))
    assert wg.allclose(mean, x.mean(0))


def test_statistics_of_nothing_are_refused_where_they_are_results():
    for shape in ((2, 0, 4), (0, 3, 4), (2, 3, 0)):
        with pytest.raises(RuntimeError, match="input tensor must have at least one element"):
            wg.native_batch_norm(wg.zeros(shape), None, None, None, None, True, 0.1, 1e-5)


@pytest.mark.parametrize("dtype", [wg.float64, wg.bfloat16, wg.int64])
def test_instance_norm_keeps_statistics_of_any_dtype(dtype):
    mean, variance = wg.zeros(1, dtype=dtype), wg.ones(1, dtype=dtype)
    F.instance_norm(wg.tensor([[[0.0, 20.0]]]), mean, variance, momentum=0.5)
    assert mean.dtype is variance.dtype is dtype
    assert mean.tolist() == [5] and variance.tolist() == [pytest.approx(100.5, abs=0.5)]
