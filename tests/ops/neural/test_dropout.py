"""Dropout: dimensions and rates."""

from __future__ import annotations

import pytest

import wengert as wg
import wengert.nn.functional as F


def test_the_rate_of_dropout_in_a_tensor_does_not_decide_on_the_dtype():
    x = wg.ones(3, dtype=wg.bfloat16)
    assert F.alpha_dropout(x, wg.tensor(0.5), training=True).dtype is wg.bfloat16
    with pytest.raises(TypeError, match=r"feature_alpha_dropout.*argument 'p' .*must be float, not Tensor"):
        F.feature_alpha_dropout(wg.ones(1, 2, 3), wg.tensor([1.0]), training=True)


def test_dropout3d_takes_three_dimensions_for_one_item():
    wg.manual_seed(0)
    with pytest.warns(UserWarning, match="dropout3d: Received a 3-D input"):
        made = F.dropout3d(wg.ones(20, 2, 3))
    assert all(len(set(each.flatten().tolist())) == 1 for each in made)  # channels of one item are the first dimension
    assert {0.0, 2.0} == set(made.flatten().tolist())
    with pytest.warns(UserWarning):
        made = F.dropout3d(wg.ones(2, 2, 3, requires_grad=True), training=False)
    assert made.grad_fn.name() == "SqueezeBackward1"
