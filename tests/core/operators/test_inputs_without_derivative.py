"""Inputs by which an operator has no derivative: gradients and tangents are refused, or count as zero."""

from __future__ import annotations

import math

import numpy as np
import pytest

import wengert as wg
from wengert._core.cards.card import Array, Index, op
from wengert.autograd.forward_ad import dual_level, make_dual, unpack_dual
from wengert.nn import functional as F

REFUSED_FORWARD = "forward AD"


def values(*shape: int) -> wg.Tensor:
    return wg.tensor(np.linspace(0.2, 0.8, math.prod(shape)).reshape(shape))


def tangent_of(function, at):
    with dual_level():
        return unpack_dual(function(make_dual(at, wg.ones_like(at)))).tangent


LOGITS, TARGET, CLASSES = values(3), values(3).flip(0), wg.tensor([0, 1])
SCALES, ZEROS = wg.tensor([0.1, 0.2]), wg.tensor([0, 0], dtype=wg.int32)
CONSTANT = {
    "binary_cross_entropy": lambda w: F.binary_cross_entropy(LOGITS, TARGET, weight=w),
    "binary_cross_entropy_with_logits weight": lambda w: F.binary_cross_entropy_with_logits(LOGITS, TARGET, weight=w),
    "binary_cross_entropy_with_logits pos_weight": lambda w: F.binary_cross_entropy_with_logits(
        LOGITS, TARGET, pos_weight=w
    ),
    "multi_margin_loss": lambda w: F.multi_margin_loss(values(2, 3), CLASSES, weight=w),
    "nll_loss": lambda w: F.nll_loss(values(2, 3), CLASSES, weight=w),
    "cross_entropy": lambda w: F.cross_entropy(values(2, 3), CLASSES, weight=w, label_smoothing=0.1),
    "soft_margin_loss": lambda w: F.soft_margin_loss(LOGITS, w),
    "batch_norm mean": lambda w: F.batch_norm(values(2, 3), w, values(3)).sin().sum(),
    "batch_norm variance": lambda w: F.batch_norm(values(2, 3), values(3), w, values(3), values(3)).sin().sum(),
    "instance_norm mean": lambda w: F.instance_norm(values(1, 3, 4), w, values(3), use_input_stats=False).sin().sum(),
}


@pytest.mark.parametrize("name", CONSTANT)
def test_a_gradient_is_refused_in_the_words_of_torch(name):
    with pytest.raises(RuntimeError, match="is not differentiable with respect to argument"):
        CONSTANT[name](values(3).requires_grad_())


@pytest.mark.parametrize("name", CONSTANT)
def test_nothing_is_refused_while_nothing_is_recorded(name):
    with wg.no_grad():
        assert CONSTANT[name](values(3).requires_grad_()).item() == CONSTANT[name](values(3)).item()


@pytest.mark.parametrize("name", CONSTANT)
def test_its_tangent_is_the_derivative(name):
    function, step = CONSTANT[name], 1e-6
    expected = (function(values(3) + step) - function(values(3) - step)) / (2 * step)
    assert tangent_of(function, values(3)).item() == pytest.approx(expected.item(), rel=1e-6)


def test_the_tangent_of_weights_of_logits():
    logits, target, weight = (wg.tensor(each) for each in ([0.1, -0.4, 0.7], [0.0, 1.0, 1.0], [1.0, 2.0, 3.0]))
    loss = lambda w: F.binary_cross_entropy_with_logits(logits, target, weight=w)  # noqa: E731
    expected = F.binary_cross_entropy_with_logits(logits, target)
    assert tangent_of(loss, weight).item() == pytest.approx(expected.item())


STATISTICS = {"running_mean": values(3), "running_var": values(3) + 1}


@pytest.mark.parametrize("name", STATISTICS)
def test_gradients_of_batch_norm_know_the_tangents_of_its_statistics(name):
    def gradient(value):
        input = values(2, 3).requires_grad_()
        result = F.batch_norm(input, weight=values(3), **{**STATISTICS, name: value})
        (grad,) = wg.autograd.grad((result**3).sum(), input, create_graph=True)
        return (grad * values(2, 3)).sum()

    step = 1e-5
    expected = (gradient(STATISTICS[name] + step) - gradient(STATISTICS[name] - step)) / (2 * step)
    assert tangent_of(gradient, STATISTICS[name]).item() == pytest.approx(expected.item(), rel=1e-6)


def test_batch_norm_in_training_does_not_use_the_tangents_of_its_statistics():
    def normalised(mean):
        return F.batch_norm(values(4, 3), mean.clone(), None, training=True)

    assert tangent_of(normalised, values(3)) is None


def test_gradients_of_a_mean_of_losses_know_the_tangents_of_the_weights_that_they_are_divided_by():
    def gradient(weight):
        scores = values(4, 3).requires_grad_()
        loss = F.cross_entropy(scores * scores, wg.tensor([0, 2, 1, 2]), weight=weight)
        (grad,) = wg.autograd.grad(loss, scores, create_graph=True)
        return (grad * values(4, 3)).sum()

    step = 1e-5
    expected = (gradient(values(3) + step) - gradient(values(3) - step)) / (2 * step)
    assert tangent_of(gradient, values(3)).item() == pytest.approx(expected.item(), rel=1e-6)


REFUSED = {
    "geqrf": (lambda x: wg.geqrf(x).a, "the derivative for 'geqrf' is not implemented"),
    "geqrf tau": (lambda x: wg.geqrf(x).tau, "the derivative for 'geqrf' is not implemented"),
    "unique": (wg.unique, "the derivative for '_unique2' is not implemented"),
    "unique of slices": (lambda x: wg.unique(x, dim=0), "the derivative for 'unique_dim' is not implemented"),
    "unique_consecutive": (wg.unique_consecutive, "the derivative for 'unique_consecutive' is not implemented"),
    "histogram": (lambda x: wg.histogram(x, 3).hist, "derivative for aten::histogram is not implemented"),
    "histogram edges": (lambda x: wg.histogram(x, 3).bin_edges, "derivative for aten::histogram is not implemented"),
    "_standard_gamma_grad": (
        lambda x: wg._standard_gamma_grad(x, x.detach()),
        "the derivative for '_standard_gamma_grad' is not implemented",
    ),
    "_dirichlet_grad": (
        lambda x: wg._dirichlet_grad(x, x.detach(), x.detach()),
        "derivative for aten::_dirichlet_grad is not implemented",
    ),
    "binomial": (
        lambda x: wg.binomial(wg.full_like(x, 3).detach(), x),
        "derivative for aten::binomial is not implemented",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_sum_with_what_has_no_derivative_is_refused(name):
    function, says = REFUSED[name]
    x = values(3, 3).requires_grad_()
    result = function(x)
    assert result.requires_grad
    with pytest.raises((NotImplementedError, RuntimeError), match=says):
        (result.sum() + x.sum()).backward()


@pytest.mark.parametrize("name", REFUSED)
def test_a_tangent_of_what_has_no_derivative_is_refused(name):
    with pytest.raises(NotImplementedError, match=REFUSED_FORWARD):
        tangent_of(REFUSED[name][0], values(3, 3))


@pytest.mark.parametrize("draw", [wg._standard_gamma, wg._sample_dirichlet])
def test_how_a_draw_moves_is_not_differentiated_again(draw):
    x = (values(3) + 1).requires_grad_()
    (grad,) = wg.autograd.grad((draw(x) ** 2).sum(), x, create_graph=True)
    with pytest.raises((NotImplementedError, RuntimeError), match=r"derivative for .* is not implemented"):
        (grad.sum() + x.sum()).backward()


def factored(x):
    pytest.importorskip("scipy", reason="the factors are SciPy's")
    return wg.linalg.ldl_factor(x + x.T)


def test_factors_of_symmetric_matrices_refuse():
    x = values(3, 3).requires_grad_()
    factors, pivots = factored(x)
    with pytest.raises(RuntimeError, match="derivative for aten::linalg_ldl_factor_ex is not implemented"):
        (factors.sum() + x.sum()).backward()
    assert not pivots.requires_grad
    right = values(3, 1).requires_grad_()
    with pytest.raises(RuntimeError, match="derivative for aten::linalg_ldl_solve is not implemented"):
        wg.linalg.ldl_solve(factors.detach(), pivots, right).sum().backward()


def test_steps_of_a_grid_refuse_tangents():
    x = values(2, 3).float()
    with pytest.raises(NotImplementedError, match=REFUSED_FORWARD):
        tangent_of(lambda scale: wg.fake_quantize_per_channel_affine(x, scale, ZEROS, 0, 0, 255), SCALES)
    with pytest.raises(NotImplementedError, match=REFUSED_FORWARD):
        tangent_of(lambda scale: wg.fake_quantize_per_tensor_affine(x, scale, ZEROS[0], 0, 255), SCALES[0])


@pytest.mark.parametrize("dtype", [wg.float32, wg.float64])
def test_weights_of_counts_have_their_derivative(dtype):
    places, weights = wg.tensor([1, 3, 1]), wg.tensor([0.5, 1.0, 2.0], dtype=dtype, requires_grad=True)
    factors = wg.tensor([1.0, 2.0, 3.0, 4.0, 5.0])
    (wg.bincount(places, weights, 5) * factors).sum().backward()
    assert weights.grad.tolist() == [2.0, 4.0, 2.0]
    assert tangent_of(lambda w: wg.bincount(places, w), weights.detach()).tolist() == [0.0, 2.0, 0.0, 1.0]


def test_a_tolerance_counts_as_zero():
    tolerance = wg.tensor(0.1, dtype=wg.float64)
    assert tangent_of(lambda rtol: wg.linalg.pinv(values(2, 3), rtol=rtol), tolerance) is None


def test_a_number_with_a_tangent_is_refused_where_a_number_is_taken():
    with pytest.raises(TypeError, match="must be Number"):
        tangent_of(lambda alpha: wg.add(values(2), values(2), alpha=alpha), wg.tensor(2.0))


def test_a_card_is_refused_that_calls_a_differentiable_input_zero():
    @op(public="hidden")
    def planted(self: Array, index: Index):
        return self

    with pytest.raises(TypeError, match="names no tensor that is marked as an index"):
        planted.constant_in("self")


def test_a_reverse_rule_for_an_index_is_refused():
    @op(public="hidden")
    def planted(self: Array, index: Index):
        return self

    with pytest.raises(TypeError, match="marked as an index"):
        planted.vjp("index")(lambda grad: grad)
