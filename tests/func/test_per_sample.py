"""Gradients of each sample, from `backward()`: those of a loop over samples, and their sum as always."""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg
from wengert import nn
from wengert.func import functional_call, grad, per_sample_gradients
from wengert.nn import functional as F


class Network(nn.Module):
    """Two layers that share a weight, a convolution and a normalisation."""

    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv1d(2, 4, 3, padding=1)
        self.norm = nn.LayerNorm(4)
        self.first = nn.Linear(4, 4)
        self.second = nn.Linear(4, 3)
        self.first_again = self.first

    def forward(self, x, scale=1.0):
        x = self.norm(self.convolution(x).tanh().mean(2))
        return self.second(self.first_again(self.first(x).relu())) * scale


def data():
    wg.manual_seed(3)
    return Network().double(), wg.randn(5, 2, 6, dtype=wg.float64), wg.tensor([0, 2, 1, 1, 0])


def looped(network, x, target):
    rows = []
    for at in range(len(x)):
        network.zero_grad()
        F.cross_entropy(network(x[at : at + 1]), target[at : at + 1]).backward()
        rows.append({name: each.grad.clone() for name, each in network.named_parameters()})
    network.zero_grad()
    return {name: wg.stack([row[name] for row in rows]) for name in rows[0]}


def close(found, expected):
    np.testing.assert_allclose(found.detach().numpy(), expected.detach().numpy(), rtol=1e-9, atol=1e-12)


def test_each_parameter_gets_the_gradient_of_each_sample_and_their_sum():
    network, x, target = data()
    expected = looped(network, x, target)
    with per_sample_gradients(network):
        loss = F.cross_entropy(network(x), target, reduction="sum")
    loss.backward()
    for name, parameter in network.named_parameters():
        close(parameter.grad_sample, expected[name])
        close(parameter.grad, expected[name].sum(0))
        assert not parameter.grad_sample.requires_grad


def test_they_are_those_of_vmap_of_grad():
    network, x, target = data()
    parameters = {name: each.detach() for name, each in network.named_parameters()}

    def loss(parameters, sample, label):
        return F.cross_entropy(functional_call(network, parameters, (sample[None],)), label[None])

    found = wg.vmap(grad(loss), in_dims=(None, 0, 0))(parameters, x, target)
    expected = looped(network, x, target)
    for name, each in found.items():
        close(each, expected[name])


def test_results_and_modules_are_as_without_it():
    network, x, _ = data()
    plain = network(x, scale=2.0)
    before = dict(network.named_parameters())
    with per_sample_gradients(network, name="each"):
        close(network(x, scale=2.0), plain)
        with wg.no_grad():
            assert not network(x).requires_grad
    assert "forward" not in vars(network) and dict(network.named_parameters()) == before
    assert all(not hasattr(each, "each") for each in before.values())


def test_calls_are_added_and_frozen_parameters_left_out():
    layer = nn.Linear(2, 2)
    layer.bias.requires_grad_(False)
    x = wg.ones(3, 2)
    with per_sample_gradients(layer):
        for _ in range(2):
            layer(x).sum().backward()
    assert layer.weight.grad_sample.tolist() == [[[2.0, 2.0]] * 2] * 3 and not hasattr(layer.bias, "grad_sample")


def test_dropout_draws_for_each_sample():
    wg.manual_seed(0)
    layer = nn.Sequential(nn.Dropout(0.5), nn.Linear(64, 1, bias=False))
    with per_sample_gradients(layer):
        layer(wg.ones(2, 64)).sum().backward()
    first, second = layer[1].weight.grad_sample
    assert set(first.flatten().tolist()) == {0.0, 2.0} and not wg.equal(first, second)


def test_what_has_no_samples_is_refused_and_everything_is_put_back():
    layer = nn.Linear(2, 2)
    weight = layer.weight
    with pytest.raises(TypeError, match="per_sample_gradients: expected a module, but got list"):
        per_sample_gradients([])
    with per_sample_gradients(layer), pytest.raises(RuntimeError, match="without a tensor whose first dimension"):
        layer(wg.tensor(1.0))

    class Loss(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = layer

        def forward(self, x):
            return self.layer(x).sum()

    whole = Loss()
    with (
        per_sample_gradients(whole),
        pytest.raises(RuntimeError, match="returned a tensor of shape \\[\\] for a single"),
    ):
        whole(wg.ones(3, 2))
    assert layer.weight is weight
