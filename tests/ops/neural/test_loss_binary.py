"""Binary cross-entropies: targets, weights and dtypes."""

from __future__ import annotations

import math

import pytest

import wengert as wg
import wengert.nn.functional as F

HALF = wg.tensor([0.5, 0.5])


@pytest.mark.parametrize("target", [math.nan, math.inf, -0.5])
def test_targets_that_are_no_probabilities_are_refused_before_anything_is_recorded(target):
    x = HALF.clone().requires_grad_()
    for targets in ([0.5, target], [target, 0.5]):
        with pytest.raises(RuntimeError, match="all elements of target"):
            F.binary_cross_entropy(x, wg.tensor(targets))


FLOATS = [wg.float16, wg.bfloat16, wg.float32, wg.float64]
ROW, MASK, PLACE = wg.ones(2), wg.tensor([True, False]), wg.tensor([0])


@pytest.mark.parametrize("given", FLOATS)
@pytest.mark.parametrize("wanted", FLOATS)
@pytest.mark.parametrize("reduction", ["mean", "none"])
def test_the_loss_of_logits_has_the_dtype_of_their_target(given, wanted, reduction):
    x = wg.tensor([0.5, -2.0], dtype=given, requires_grad=True)
    target = wg.tensor([0.25, 1.0], dtype=wanted, requires_grad=True)
    made = F.binary_cross_entropy_with_logits(x, target, reduction=reduction, pos_weight=wg.tensor([2.0, 1.0]))
    wide = F.binary_cross_entropy_with_logits(
        x.double(), target.double(), reduction=reduction, pos_weight=wg.tensor([2.0, 1.0])
    )
    assert made.dtype is wanted and made.grad_fn.name() == "BinaryCrossEntropyWithLogitsBackward0"
    assert wg.allclose(made.double(), wide, rtol=1e-2)
    grads = wg.autograd.grad(made.sum(), [x, target])
    assert [each.dtype for each in grads] == [given, wanted]
    for each, exact in zip(grads, wg.autograd.grad(wide.sum(), [x, target])):
        assert wg.allclose(each.double(), exact.double(), rtol=1e-2, atol=1e-2)


def test_a_truth_value_is_no_target_of_logits():
    with pytest.raises(RuntimeError, match=r"Subtraction, the `-` operator, with two bool tensors"):
        F.binary_cross_entropy_with_logits(ROW, MASK)


def test_what_is_complex_weighs_and_labels_no_real_scores():
    z = ROW + 0j
    refused = {
        "target": lambda: F.soft_margin_loss(ROW, z),
        "weight": lambda: F.binary_cross_entropy_with_logits(ROW, ROW, weight=z),
        "pos_weight": lambda: F.binary_cross_entropy_with_logits(ROW, ROW, pos_weight=z),
    }
    for call in refused.values():
        with pytest.raises(RuntimeError, match="type ComplexFloat can't be cast to the desired output type Float"):
            call()


@pytest.mark.parametrize("dtype", [wg.float64, wg.float16, wg.int64])
def test_the_weight_of_a_binary_cross_entropy_may_be_of_another_dtype(dtype):
    x = wg.full((2,), 0.5, requires_grad=True)
    made = F.binary_cross_entropy(x, wg.ones(2), weight=wg.tensor([2, 4]).to(dtype), reduction="sum")
    assert made.dtype is wg.float32 and made.item() == pytest.approx(6 * math.log(2))
    assert wg.autograd.grad(made, x)[0].tolist() == [-4, -8]
    with pytest.raises(RuntimeError, match="can't be cast"):
        F.binary_cross_entropy(x, wg.ones(2), weight=wg.ones(2, dtype=wg.complex64))


@pytest.mark.parametrize("loss", [F.binary_cross_entropy, F.binary_cross_entropy_with_logits])
def test_weights_of_a_mean_are_not_rounded_to_their_own_dtype_in_its_gradient(loss):
    weight = wg.tensor([1.3, 0.7], dtype=wg.bfloat16)
    x, target = wg.tensor([0.3, 0.7], dtype=wg.float64, requires_grad=True), wg.tensor([0.2, 0.9], dtype=wg.float64)
    (grad,) = wg.autograd.grad(loss(x, target, weight), x, wg.tensor(0.77, dtype=wg.float64))
    (wanted,) = wg.autograd.grad(loss(x, target, weight.double()), x, wg.tensor(0.77, dtype=wg.float64))
    wg.testing.assert_close(grad, wanted, rtol=1e-12, atol=0)
