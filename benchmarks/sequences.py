"""Networks on sequences, perceptrons with several optimisers, and threads of a program; torch beside wengert."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.cases import BOTH, draw, fill, perceptron_network, training_step
from benchmarks.timing import Case

Make = Callable[[Any], Callable[[], Any]]

SECONDS = 0.1
"""How long a turn lasts."""


def recurrent(kind: str, units: int, steps: int, batch: int, **options: Any) -> Make:
    """Forward and backward of a recurrent layer, with the gradients of its parameters."""

    def make(adapter: Any) -> Callable[[], Any]:
        layer = getattr(adapter.library.nn, kind)(units, units, **options)
        fill(adapter.library, layer)
        x = adapter.array(draw(steps, batch, units, seed=7))

        def run() -> Any:
            layer.zero_grad()
            result = layer(x)[0]
            (result * result).sum().backward()
            return [result, *(parameter.grad for parameter in layer.parameters())]

        return run

    return make


def block(library: Any, width: int, heads: int) -> Any:
    """A block of a GPT: causal attention and a perceptron, each on what layer normalisation gives."""
    nn = library.nn

    class Block(nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
            self.inward, self.outward = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.wide = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

        def forward(self, x: Any) -> Any:
            batch, steps, _ = x.shape
            parts = self.inward(self.before(x)).view(batch, steps, 3, heads, width // heads)
            query, key, value = parts.permute(2, 0, 3, 1, 4).unbind(0)
            seen = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
            x = x + self.outward(seen.transpose(1, 2).reshape(batch, steps, width))
            return x + self.wide(self.between(x))

    return Block()


def transformer(width: int, heads: int, steps: int, batch: int) -> Make:
    """Forward and backward of a block, with the gradients of its parameters."""

    def make(adapter: Any) -> Callable[[], Any]:
        network = block(adapter.library, width, heads)
        fill(adapter.library, network)
        x = adapter.array(draw(batch, steps, width, seed=7))
        grad = adapter.array(draw(batch, steps, width, seed=8))

        def run() -> Any:
            network.zero_grad()
            result = network(x)
            result.backward(grad)
            return [result, *(parameter.grad for parameter in network.parameters())]

        return run

    return make


def optimised(name: str, **options: Any) -> Make:
    """One step of the perceptron 784-256-128-10 on 64 rows; losses must agree step by step."""

    def make(adapter: Any) -> Callable[[], Any]:
        return perceptron_step(adapter, name, **options)

    return make


def perceptron_step(adapter: Any, name: str, **options: Any) -> Callable[[], Any]:
    """The same for one library."""
    library = adapter.library
    network = perceptron_network(library.nn)
    fill(library, network)
    optimiser = getattr(library.optim, name)(network.parameters(), **options)
    criterion = library.nn.CrossEntropyLoss()
    x, labels = adapter.array(draw(64, 784, seed=5)), adapter.array(np.random.default_rng(6).integers(0, 10, 64))
    return training_step(optimiser, lambda: criterion(network(x), labels))


def two_threads(adapter: Any) -> Callable[[], Any]:
    """Two Python threads that each take ten steps of a perceptron of their own."""
    steps = [perceptron_step(adapter, "SGD", lr=0.01) for _ in range(2)]

    def several(step: Callable[[], Any], outputs: list[Any]) -> None:
        outputs.append([step() for _ in range(10)][-1])

    def run() -> Any:
        outputs: list[list[Any]] = [[], []]
        threads = [threading.Thread(target=several, args=pair) for pair in zip(steps, outputs, strict=True)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return outputs

    return run


def cases() -> list[Case]:
    """Each with its target."""
    return [
        Case("LSTM of 64, 50 steps of 16, and backward", recurrent("LSTM", 64, 50, 16), 1.5, 1e-3, only=BOTH),
        Case("LSTM of 256, 35 steps of 32, and backward", recurrent("LSTM", 256, 35, 32), 1.0, 1e-3, only=BOTH),
        Case(
            "LSTM of 128 both ways, 35 steps of 1, and backward",
            recurrent("LSTM", 128, 35, 1, bidirectional=True),
            1.0,
            1e-3,
            only=BOTH,
        ),
        Case("GRU of 128, 50 steps of 16, and backward", recurrent("GRU", 128, 50, 16), 1.5, 1e-3, only=BOTH),
        Case("RNN of 128, 50 steps of 16, and backward", recurrent("RNN", 128, 50, 16), 1.5, 1e-3, only=BOTH),
        Case("GPT block of 256, 4 x 128 steps, and backward", transformer(256, 8, 128, 4), 1.0, 1e-3, only=BOTH),
        Case("GPT block of 64, 8 x 64 steps, and backward", transformer(64, 4, 64, 8), 1.0, 1e-3, only=BOTH),
        Case("MLP step, SGD", optimised("SGD", lr=0.01), 1.8, 1e-3, only=BOTH),
        Case("MLP step, Adam", optimised("Adam", lr=1e-4), 1.8, 1e-2, only=BOTH),
        Case("MLP step, AdamW", optimised("AdamW", lr=1e-4), 1.8, 1e-2, only=BOTH),
        Case("MLP step, RMSprop", optimised("RMSprop", lr=1e-5), 1.0, 1e-2, only=BOTH),
        Case("MLP steps in two Python threads", two_threads, 1.0, 1e-3, only=BOTH),
    ]
