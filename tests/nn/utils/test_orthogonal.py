"""Orthogonal weights."""

import numpy as np
import pytest
import scipy.linalg

import wengert as wg
from wengert import nn
from wengert.nn.utils import parametrizations


def square(orthogonal_map, **options):
    layer = nn.Linear(4, 4, dtype=wg.float64)
    parametrizations.orthogonal(layer, orthogonal_map=orthogonal_map, **options)
    free = np.random.default_rng(0).normal(size=(4, 4))
    with wg.no_grad():
        layer.parametrizations.weight.original.copy_(wg.tensor(free))
    lower = np.tril(free)
    return layer, lower - lower.T


def test_the_exponential_of_the_skew_part_is_the_weight():
    layer, skew = square("matrix_exp", use_trivialization=False)
    np.testing.assert_allclose(layer.weight.detach().numpy(), scipy.linalg.expm(skew), atol=1e-12)


def test_cayleys_map_of_the_skew_part_is_the_weight():
    layer, skew = square("cayley", use_trivialization=False)
    expected = np.linalg.solve(np.eye(4) - skew / 2, np.eye(4) + skew / 2)
    np.testing.assert_allclose(layer.weight.detach().numpy(), expected, atol=1e-12)


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (2, 4)])
@pytest.mark.parametrize("orthogonal_map", ["matrix_exp", "cayley", "householder"])
def test_a_weight_stays_orthogonal_while_it_is_trained(shape, orthogonal_map):
    layer = parametrizations.orthogonal(nn.Linear(*shape[::-1], dtype=wg.float64), orthogonal_map=orthogonal_map)
    optimiser = wg.optim.SGD(layer.parameters(), lr=0.1)
    losses = []
    for _ in range(10):
        optimiser.zero_grad()
        loss = (layer(wg.ones(shape[1], dtype=wg.float64)) - 0.5).square().sum()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    weight = layer.weight.detach().numpy()
    gram = weight.T @ weight if shape[0] >= shape[1] else weight @ weight.T
    np.testing.assert_allclose(gram, np.eye(min(shape)), atol=1e-10)
    assert losses[-1] < losses[0]
