"""Tensors that share memory with what a node keeps: leaves that are views, operands that are their own target."""

from __future__ import annotations

import gc
import weakref

import pytest

import wengert as wg


def test_a_leaf_that_is_a_view_has_second_derivatives():
    x = wg.arange(6.0, dtype=wg.float64).reshape(2, 3).requires_grad_()
    (first,) = wg.autograd.grad((x**3).sum(), x, create_graph=True)
    (second,) = wg.autograd.grad(first.sum(), x)
    assert second.tolist() == (6 * x).tolist()


def test_an_operand_written_over_by_its_own_product_is_refused_in_the_backward_pass():
    y = wg.ones(3, requires_grad=True) * 2
    y.mul_(y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_a_product_with_itself_in_place_leaves_nothing_behind():
    gc.disable()
    try:
        y = wg.ones(3, requires_grad=True) * 2
        y.mul_(y)
        node = weakref.ref(y.grad_fn)
        del y
        assert node() is None
    finally:
        gc.enable()
