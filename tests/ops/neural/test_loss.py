"""Losses of several operands: dtypes, shapes, weights of classes and places."""

from __future__ import annotations

import math

import numpy as np
import pytest

import wengert as wg
import wengert.nn.functional as F

ROW, MASK, PLACE = wg.ones(2), wg.tensor([True, False]), wg.tensor([0])


def test_a_loss_of_several_dtypes_names_the_common_one_where_it_is_refused():
    x, y = wg.ones(2, dtype=wg.uint8), wg.ones(2, dtype=wg.int8)
    for loss in (F.mse_loss, F.smooth_l1_loss, F.huber_loss):
        with pytest.raises(NotImplementedError if loss is not F.huber_loss else RuntimeError, match="Short"):
            loss(x, y)
    with pytest.raises(RuntimeError, match="result type ComplexFloat can't be cast to the desired output type Float"):
        F.huber_loss(ROW, ROW + 0j)


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_the_huber_loss_has_the_dtype_of_its_input(reduction):
    x = wg.tensor([1.0, 3.0], dtype=wg.float32, requires_grad=True)
    target = wg.zeros(2, dtype=wg.float64, requires_grad=True)
    made = F.huber_loss(x, target, reduction=reduction)
    assert made.dtype is wg.float32
    grads = wg.autograd.grad(made.sum(), [x, target])
    assert [each.dtype for each in grads] == [wg.float32, wg.float64]
    with pytest.raises(RuntimeError, match="result type Double can't be cast to the desired output type Long"):
        F.huber_loss(wg.tensor([1, 3]), target, reduction=reduction)


def test_the_weight_of_classes_has_the_dtype_of_the_scores_of_halves_too():
    scores, weight = wg.zeros(2, 3, dtype=wg.bfloat16), wg.ones(3, dtype=wg.float16)
    for loss in (F.nll_loss, F.cross_entropy):
        with pytest.raises(RuntimeError, match="expected scalar type BFloat16 but found Half"):
            loss(scores, wg.tensor([0, 1]), weight=weight)


@pytest.mark.filterwarnings("ignore:Using a target size")
def test_losses_look_at_shapes_before_reductions():
    for loss in (F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.huber_loss):
        with pytest.raises(RuntimeError, match="must match the size of tensor b"):
            loss(wg.rand(5), wg.rand(3), reduction="left")
        with pytest.raises(ValueError, match="left is not a valid value for reduction"):
            loss(wg.rand(3), wg.rand(3), reduction="left")


def test_the_huber_loss_of_infinity_is_no_number_where_its_line_begins_at_infinity():
    x = wg.tensor([math.inf, 1.0, -math.inf, 0.5])
    found = F.huber_loss(x, wg.zeros(4), delta=math.inf, reduction="none")
    np.testing.assert_array_equal(found.numpy(), [math.nan, 0.5, math.nan, 0.125])
    bent = F.huber_loss(wg.tensor([0.3, -0.3]), wg.zeros(2), delta=0.3, reduction="none")
    np.testing.assert_array_equal(
        bent.numpy(), [np.float32(0.3) * (np.float32(0.3) - np.float32(0.5) * np.float32(0.3))] * 2
    )


@pytest.mark.parametrize("loss", [F.nll_loss, F.cross_entropy])
def test_weights_of_the_classes_of_places_may_be_of_any_shape(loss):
    x = wg.zeros(1, 2, 3, requires_grad=True)
    target, weight = wg.tensor([[0, 1, 1]]), wg.tensor([1.0, 3.0])
    for given in (weight[None], weight[:, None]):
        made = loss(x, target, weight=given, reduction="none")
        assert made.tolist() == loss(x, target, weight=weight, reduction="none").tolist()
        assert wg.autograd.grad(made.sum(), x)[0].shape == x.shape
    with pytest.raises(RuntimeError, match="weight tensor should be defined either for all"):
        loss(x, target, weight=wg.ones(3, 1))
    with pytest.raises(RuntimeError, match="weight tensor should be defined either for all"):
        loss(x[:, :, 0], target[:, 0], weight=weight[None])


def test_classes_of_no_dimension_are_refused():
    with pytest.raises(IndexError, match="Dimension specified as"):
        F.cross_entropy(wg.tensor(3.0), wg.tensor(1.5))
