"""Views by strides of many dimensions."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert._core.cards.card import REGISTRY


def test_places_through_strided_views_of_many_dimensions():
    card = REGISTRY["as_strided_backward"].public
    grad = wg.arange(4.0).reshape(2, 2).requires_grad_()
    many = card(grad, (4,) + (1,) * 39, (1,) * 40, (2, 2), (2, 1), 0)
    assert many.shape == (4,) + (1,) * 39 and many.flatten().tolist() == [0.0, 1.0, 2.0, 3.0]
    (back,) = wg.autograd.grad(many, grad, wg.ones(many.shape))
    assert back.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    with pytest.raises(RuntimeError, match="mismatch in length of strides and shape"):
        card(grad, (1,) * 40, (4, 1), (2, 2), (4, 1), 1)
