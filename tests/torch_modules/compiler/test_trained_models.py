"""Models that are trained for some steps: followed and replayed steps have the bits of eager ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as wg
from wengert import nn
from wengert.nn import functional

pytestmark = pytest.mark.filterwarnings("ignore")  # of functions that are called eagerly

STEPS = 11


def normal(*shape: int) -> Any:
    """Return normal numbers, the same for each shape in each call."""
    return wg.tensor(np.random.default_rng(0).standard_normal(shape).astype(np.float32))


class Residual(nn.Module):
    """Layers with norms, which add to their inputs.

    Args:
        width: the number of states.
        depth: the number of layers, each with four parameters.
    """

    def __init__(self, width: int, depth: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])
        self.norms = nn.ModuleList([nn.LayerNorm(width) for _ in range(depth)])

    def forward(self, x: Any) -> Any:
        for layer, norm in zip(self.layers, self.norms):
            x = x + wg.tanh(layer(norm(x)))
        return x.mean()


class Tied(nn.Module):
    """Two layers with one weight."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(8, 8, bias=False), nn.Linear(8, 8, bias=False)
        self.second.weight = self.first.weight

    def forward(self, x: Any) -> Any:
        return (self.second(wg.relu(self.first(x))) ** 2).mean()


class Images(nn.Module):
    """A convolution with statistics of batches."""

    def __init__(self) -> None:
        super().__init__()
        self.convolution, self.norm, self.out = nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.Linear(4 * 36, 3)

    def forward(self, x: Any) -> Any:
        h = functional.relu(self.norm(self.convolution(x))).flatten(1)
        return functional.cross_entropy(self.out(h), wg.tensor([0, 1, 2, 0]))


class Recurrent(nn.Module):
    """A recurrent network as one operator."""

    def __init__(self) -> None:
        super().__init__()
        self.network, self.out = nn.LSTM(5, 7, num_layers=2, batch_first=True), nn.Linear(7, 1)

    def forward(self, x: Any) -> Any:
        return self.out(self.network(x)[0]).pow(2).mean()


class Cells(nn.Module):
    """A recurrent network as a loop over cells: each parameter is used in each step."""

    def __init__(self) -> None:
        super().__init__()
        self.cell, self.out = nn.GRUCell(5, 7), nn.Linear(7, 1)

    def forward(self, x: Any) -> Any:
        h, total = x.new_zeros(x.shape[0], 7), 0
        for at in range(x.shape[1]):
            h = self.cell(x[:, at], h)
            total = total + self.out(h).abs().sum()
        return total


class Attention(nn.Module):
    """Two layers of a transformer."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)

    def forward(self, x: Any) -> Any:
        return self.encoder(x).pow(2).mean()


class Dropped(nn.Module):
    """Layers with dropout."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(6, 6), nn.Linear(6, 1)

    def forward(self, x: Any) -> Any:
        return self.second(functional.dropout(wg.tanh(self.first(x)), 0.3)).mean()


class Words(nn.Module):
    """An embedding of integers."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.out = nn.Embedding(11, 6), nn.Linear(6, 11)

    def forward(self, x: Any) -> Any:
        words = x.abs().mul(3).long().clamp(max=10)
        return functional.cross_entropy(self.out(self.embedding(words).mean(1)), words[:, 0])


class Parameters(nn.Module):
    """Many parameters, each of which is used twice."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.parts = nn.ParameterList([nn.Parameter(wg.full((3,), 0.1 * at)) for at in range(count)])

    def forward(self, x: Any) -> Any:
        for at, part in enumerate(self.parts):
            x = wg.sin(x * part) + part if at % 3 else wg.where(x > 0, x, part)
        return x.sum()


class Parametrised(nn.Module):
    """Layers whose weights are computed."""

    def __init__(self) -> None:
        super().__init__()
        parametrisations = nn.utils.parametrizations
        self.first = parametrisations.weight_norm(nn.Linear(4, 4))
        self.second = parametrisations.spectral_norm(nn.Linear(4, 4))

    def forward(self, x: Any) -> Any:
        return self.second(wg.relu(self.first(x))).pow(2).sum()


MODELS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "8 parameters": (lambda: Residual(6, 2), (5, 6)),
    "40 parameters": (lambda: Residual(6, 10), (5, 6)),
    "80 parameters": (lambda: Residual(4, 20), (3, 4)),
    "tied": (Tied, (4, 8)),
    "images": (Images, (4, 1, 8, 8)),
    "recurrent": (Recurrent, (3, 6, 5)),
    "cells": (Cells, (3, 6, 5)),
    "attention": (Attention, (2, 5, 8)),
    "dropout": (Dropped, (4, 6)),
    "words": (Words, (4, 5)),
    "16 leaves": (lambda: Parameters(16), (3,)),
    "40 leaves": (lambda: Parameters(40), (3,)),
    "parametrised": (Parametrised, (3, 4)),
}
OPTIMISERS: dict[str, Callable[[Any], Any]] = {
    "SGD": lambda parameters: wg.optim.SGD(parameters, 0.05),
    "momentum": lambda parameters: wg.optim.SGD(parameters, 0.05, momentum=0.9, weight_decay=0.01),
    "Adam": lambda parameters: wg.optim.Adam(parameters, 0.01),
    "AdamW": lambda parameters: wg.optim.AdamW(parameters, 0.01, amsgrad=True),
    "RMSprop": lambda parameters: wg.optim.RMSprop(parameters, 0.01),
}


# ---- steps -----------------------------------------------------------------------------------------------------------


def usual(model: Any, optimiser: Any, x: Any, number: int) -> Any:
    optimiser.zero_grad()
    loss = model(x)
    loss.backward()
    optimiser.step()
    return loss


def by_hand(model: Any, optimiser: Any, x: Any, number: int) -> Any:
    loss = model(x)
    grads = wg.autograd.grad(loss, list(model.parameters()), allow_unused=True)
    with wg.no_grad():
        for parameter, grad in zip(model.parameters(), grads):
            if grad is not None:
                parameter -= 0.01 * grad
    return loss.detach()


def clipped(model: Any, optimiser: Any, x: Any, number: int) -> Any:
    optimiser.zero_grad(set_to_none=number % 2 == 0)
    loss = model(x)
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimiser.step()
    return loss.detach(), norm


def accumulated(model: Any, optimiser: Any, x: Any, number: int) -> Any:
    total = 0
    for _ in range(2):
        loss = model(x) / 2
        loss.backward()
        total = total + loss.detach()
    if number % 2:
        optimiser.step()
        optimiser.zero_grad()
    return total


def penalised(model: Any, optimiser: Any, x: Any, number: int) -> Any:
    optimiser.zero_grad()
    loss = model(x)
    grads = wg.autograd.grad(loss, list(model.parameters()), create_graph=True, allow_unused=True)
    total = loss + 0.1 * sum((grad**2).sum() for grad in grads if grad is not None)
    total.backward()
    optimiser.step()
    return total.detach()


def frozen(model: Any, optimiser: Any, x: Any, number: int) -> Any:
    first, *others = model.parameters()
    if number in (4, 7) and others:
        first.requires_grad_(number == 7)
    return usual(model, optimiser, x, number)


def hooked(model: Any, optimiser: Any, x: Any, number: int) -> Any:
    if number == 5:
        list(model.parameters())[-1].register_hook(lambda grad: grad * 2)
    return usual(model, optimiser, x, number)


def moved(model: Any, optimiser: Any, x: Any, number: int) -> Any:
    if number == 5:
        for parameter in model.parameters():
            parameter.data = parameter.data.clone()
    return usual(model, optimiser, x, number)


def twice(model: Any, optimiser: Any, x: Any, number: int) -> Any:
    loss = model(x)
    loss.backward(retain_graph=True)
    loss.backward()
    optimiser.step()
    optimiser.zero_grad()
    return loss


def in_a_loop(model: Any, optimiser: Any, x: Any, number: int) -> Any:
    return [usual(model, optimiser, x, number).detach() for _ in range(3)]


def on_other_data(model: Any, optimiser: Any, x: Any, number: int) -> Any:
    return usual(model, optimiser, x * (1 + 0.1 * number), number)


WAYS = [
    usual,
    by_hand,
    clipped,
    accumulated,
    penalised,
    frozen,
    hooked,
    moved,
    twice,
    in_a_loop,
    on_other_data,
]


def history(name: str, optimiser_name: str, way: Any, mode: dict[str, Any] | None) -> list[Any]:
    """Return the bits of what the steps return, of all gradients after each step, and of the model in the end.

    Args:
        name: of the model.
        optimiser_name: of the optimiser.
        way: the step.
        mode: the options of `compile`; None for eager calls.
    """
    wg.manual_seed(0)
    build, shape = MODELS[name]
    model, x = build(), normal(*shape)
    optimiser = OPTIMISERS[optimiser_name](model.parameters())

    def step(number: int) -> Any:
        return way(model, optimiser, x, number)

    function: Any = step if mode is None else wg.compile(step, **mode)
    seen: list[Any] = []
    for number in range(STEPS):
        result = function(number)
        seen.append([bits(value) for value in (result if isinstance(result, (tuple, list)) else [result])])
        seen.append([bits(parameter.grad) for parameter in model.parameters()])
    return [*seen, [bits(value) for value in (*model.parameters(), *model.buffers())]]


def bits(tensor: Any) -> Any:
    """Return the elements of a tensor as bytes."""
    return None if tensor is None else tensor.detach()._array_.tobytes()


def is_alike(name: str, optimiser: str, way: Any) -> None:
    """Compare followed and replayed training with eager training."""
    wanted = history(name, optimiser, way, None)
    assert history(name, optimiser, way, {}) == wanted
    assert history(name, optimiser, way, {"replay": True}) == wanted


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("name", MODELS)
def test_models_are_trained_with_the_bits_of_eager_steps(name: str, way: Any) -> None:
    is_alike(name, "momentum", way)


@pytest.mark.parametrize("optimiser", OPTIMISERS)
@pytest.mark.parametrize("name", ["8 parameters", "cells", "words"])
def test_optimisers_take_the_steps_of_eager_training(name: str, optimiser: str) -> None:
    is_alike(name, optimiser, clipped)
