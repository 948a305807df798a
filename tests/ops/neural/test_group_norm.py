"""Normalisation of groups without elements."""

from __future__ import annotations

import math

import numpy as np
import pytest

import wengert as wg
from wengert.nn import functional


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("shape, slope", [((2, 4, 0), math.nan), ((0, 4, 3), 0.0)])
def test_weights_of_groups_without_elements_have_no_gradient_that_is_a_number(shape, slope, create_graph):
    weight, bias = wg.ones(4, requires_grad=True), wg.ones(4, requires_grad=True)
    made = functional.group_norm(wg.ones(shape, requires_grad=True), 2, weight, bias)
    grads = wg.autograd.grad(made.sum(), (weight, bias), create_graph=create_graph)
    np.testing.assert_array_equal([each.detach().numpy() for each in grads], [[slope] * 4, [0.0] * 4])
