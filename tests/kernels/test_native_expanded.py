"""Gradients that are expanded give what dense ones give."""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg

INDEX = np.arange(12).reshape(4, 3) % 4
CALLS = {
    "layer_norm": lambda x: wg.nn.functional.layer_norm(x, (3,), wg.ones(3), wg.zeros(3)),
    "group_norm": lambda x: wg.nn.functional.group_norm(x.unsqueeze(0), 2, wg.ones(4), wg.zeros(4)),
    "scatter": lambda x: x.scatter(0, wg.tensor(INDEX), x + 1),
    "gather": lambda x: x.gather(0, wg.tensor(INDEX)),
    "angle": lambda x: x.angle(),
    "avg_pool1d": lambda x: wg.nn.functional.avg_pool1d(x, 2, 1, 1),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_expanded_gradient_gives_what_a_dense_one_gives(name):
    random = np.random.default_rng(0)
    values, found = random.normal(size=(4, 3)).astype(np.float32), []
    for dense in (False, True):
        x = wg.tensor(values, requires_grad=True)
        result = CALLS[name](x)
        grad = wg.tensor(0.5).expand(result.shape)
        found.append(wg.autograd.grad(result, x, grad.contiguous() if dense else grad)[0])
    assert wg.equal(*found)
