"""Losses beyond a margin: margins, powers and weights."""

from __future__ import annotations

import math

import numpy as np
import pytest

import wengert as wg
import wengert.nn.functional as F
from wengert._kernels import margins


def test_a_margin_makes_floats_of_integer_scores():
    scores, target = wg.tensor([5, 1]), wg.tensor([1, -1])
    assert F.margin_ranking_loss(scores, scores.flip(0), target, margin=9).dtype is wg.float32


def test_a_bool_is_a_margin():
    vectors, target = wg.ones(2, 3), wg.tensor([1, -1])
    losses = [F.cosine_embedding_loss(vectors, vectors, target, margin=each).item() for each in (True, 1.0)]
    assert losses[0] == losses[1]


def test_the_power_of_a_margin_loss_may_be_any_number_that_is_1_or_2():
    scores, target = wg.ones(2, 3), wg.tensor([0, 1])
    for p in (1.0, True, 2.0):
        assert F.multi_margin_loss(scores, target, p=p).equal(F.multi_margin_loss(scores, target, p=int(p)))
    with pytest.raises(ValueError, match="only p == 1 and p == 2 supported"):
        F.multi_margin_loss(scores, target, p=1.5)


def test_the_margin_of_integers_is_an_integer():
    x, target = wg.tensor([0, 1, 2, 3]), wg.tensor([1, -1, -1, 0])
    made = F.hinge_embedding_loss(x, target, margin=2.7, reduction="none")
    assert made.dtype is wg.int64 and made.tolist() == [0, 1, 0, 3]
    assert F.hinge_embedding_loss(x.byte(), target, reduction="none").tolist() == [0, 0, 255, 1]
    with pytest.raises(RuntimeError, match="could not infer output dtype"):
        F.hinge_embedding_loss(x, target)
    with pytest.raises(RuntimeError, match="cannot be converted to type uint8_t without overflow"):
        F.hinge_embedding_loss(x.byte(), target, margin=math.nan)


@pytest.mark.parametrize("dtype", [wg.float32, wg.float64])
@pytest.mark.parametrize("weight", [math.inf, math.nan])
def test_a_row_that_keeps_its_margin_loses_nothing_whatever_its_class_weighs(dtype, weight):
    x = wg.tensor([[3.0, 0.0, 0.0], [0.0, 0.0, 0.0]], dtype=dtype, requires_grad=True)
    weights = wg.tensor([weight, 1.0, 1.0], dtype=dtype)
    losses = wg.nn.functional.multi_margin_loss(x, wg.tensor([0, 1]), weight=weights, reduction="none")
    losses.sum().backward()
    assert losses[0].item() == 0.0 and losses[1].item() > 0.6
    assert x.grad[0].tolist() == [0.0, 0.0, 0.0] and x.grad.isfinite().all()


def test_what_keeps_its_margin_loses_nothing_whatever_its_class_weighs():
    rows = np.array([[0.0, 5.0], [0.0, 0.5]])
    losses = margins.multi_margin(rows, np.array([1, 1]), 1, 1.0, np.array([1.0, math.nan]))
    assert losses[0] == 0 and math.isnan(losses[1])
