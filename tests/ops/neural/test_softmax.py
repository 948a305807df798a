"""Samples of classes by a softmax."""

import numpy as np

import wengert as wg
from wengert.nn import functional as F


def test_a_hard_gumbel_sample_is_one_class_with_the_gradient_of_the_soft_one():
    scores = wg.tensor([[0.0, 1.0, 2.0]] * 2000, requires_grad=True)
    made = F.gumbel_softmax(scores, hard=True)
    assert (made.sum(1) - 1).abs().max().item() < 1e-6
    share = made.mean(0).tolist()
    np.testing.assert_allclose(share, np.exp([0, 1, 2]) / np.exp([0, 1, 2]).sum(), atol=0.05)
    (grad,) = wg.autograd.grad(made[:, 2].sum(), scores)
    assert grad.abs().sum() > 0
