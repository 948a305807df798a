"""The cases with a target: a chain of small operations, one operation, steps of a perceptron and of a small network."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.timing import Case

BOTH = ("wengert", "torch")


def draw(*shape: int, seed: int = 0, scale: float = 1.0) -> np.ndarray:
    """Normal numbers in single precision."""
    return np.asarray(np.random.default_rng(seed).standard_normal(shape) * scale, dtype=np.float32)


def chain(adapter: Any) -> Callable[[], Any]:
    """100 times `h = h * y + x` on 4 elements, forward and backward."""

    def function(library: Any, x: Any, y: Any) -> Any:
        h = x
        for _ in range(100):
            h = h * y + x
        return library.sum(h)

    x, y = adapter.leaf(draw(4, seed=1)), adapter.leaf(draw(4, seed=2, scale=0.5))
    run = adapter.gradients(function)
    return lambda: run(x, y)


def recorded_product(adapter: Any) -> Callable[[], Any]:
    """One product of 4 elements, recorded."""
    x, y = adapter.leaf(draw(4, seed=1)), adapter.leaf(draw(4, seed=2))
    return lambda: x * y


def plain_product(adapter: Any) -> Callable[[], Any]:
    """One product of 4 elements, not recorded."""
    x, y = adapter.array(draw(4, seed=1)), adapter.array(draw(4, seed=2))
    return lambda: x * y


def product_and_backward(adapter: Any) -> Callable[[], Any]:
    """Sum of a product of 4 elements, forward and backward."""
    x, y = adapter.leaf(draw(4, seed=1)), adapter.leaf(draw(4, seed=2))
    run = adapter.gradients(lambda library, x, y: library.sum(x * y))
    return lambda: run(x, y)


SIZES = (784, 256, 128, 10)


def perceptron(library: Any, x: Any, labels: Any, *parameters: Any) -> Any:
    """The loss of a multi-layer perceptron."""
    for at in range(0, len(parameters), 2):
        x = x @ parameters[at] + parameters[at + 1]
        if at < len(parameters) - 2:
            x = library.relu(x)
    return library.cross_entropy(x, labels)


def perceptron_step(adapter: Any) -> Callable[[], Any]:
    """One step of the perceptron written with plain tensors, batch 64."""
    pairs = [(draw(a, b, seed=a, scale=a**-0.5), np.zeros(b, np.float32)) for a, b in pairwise(SIZES)]
    state = {"leaves": [adapter.leaf(array) for pair in pairs for array in pair]}
    x = adapter.array(draw(64, SIZES[0], seed=5))
    labels = adapter.array(np.random.default_rng(6).integers(0, 10, 64))
    run = adapter.gradients(lambda library, *leaves: perceptron(library, x, labels, *leaves))

    def step() -> Any:
        loss, grads = run(*state["leaves"])
        state["leaves"] = adapter.descend(state["leaves"], grads, 0.01)
        return loss

    return step


def module_step(
    build: Callable[[Any], Any], shape: tuple[int, ...], momentum: float
) -> Callable[[Any], Callable[[], Any]]:
    """One step of a network built of modules, with the SGD of the library: losses must agree step by step."""

    def make(adapter: Any) -> Callable[[], Any]:
        library = adapter.library
        network = build(library.nn)
        fill(library, network)
        optimiser = library.optim.SGD(network.parameters(), lr=0.01, momentum=momentum)
        criterion = library.nn.CrossEntropyLoss()
        x = adapter.array(draw(*shape, seed=5))
        labels = adapter.array(np.random.default_rng(6).integers(0, 10, shape[0]))
        return training_step(optimiser, lambda: criterion(network(x), labels))

    return make


def training_step(optimiser: Any, loss_of: Callable[[], Any]) -> Callable[[], Any]:
    """A step of training: the gradients of `loss_of()`, and the optimiser's step."""

    def step() -> Any:
        optimiser.zero_grad()
        loss = loss_of()
        loss.backward()
        optimiser.step()
        return loss

    return step


def fill(library: Any, network: Any) -> None:
    """The same parameters in every library."""
    with library.no_grad():
        for at, parameter in enumerate(network.parameters()):
            fan = int(np.prod(parameter.shape[1:])) if parameter.ndim > 1 else 0
            values = draw(*parameter.shape, seed=at, scale=fan**-0.5 if fan else 0.0) + (parameter.ndim == 1)
            parameter.copy_(library.from_numpy(values.astype(np.float32)))


def perceptron_network(nn: Any) -> Any:
    """784-256-128-10."""
    return nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))


def digits_network(nn: Any) -> Any:
    """The demo's kind of network: convolutions on images of 8 by 8."""
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(128, 64),
        nn.ReLU(),
        nn.Linear(64, 10),
    )


def with_targets() -> list[Case]:
    """All cases that have a target, and their companions."""
    return [
        Case("100 x (h = h*y + x) of 4, forward and backward", chain, 5.0),
        Case("x * y of 4, recorded", recorded_product, 3.0, only=BOTH),
        Case("x * y of 4, not recorded", plain_product, 3.0),
        Case("sum(x * y) of 4, forward and backward", product_and_backward),
        Case("perceptron step, plain tensors", perceptron_step),
        Case("perceptron step, SGD", module_step(perceptron_network, (64, 784), 0.0), 1.2, only=BOTH),
        Case("perceptron step, SGD, momentum 0.9", module_step(perceptron_network, (64, 784), 0.9), 1.2, only=BOTH),
        Case(
            "digits network step, momentum 0.9", module_step(digits_network, (64, 1, 8, 8), 0.9), 1.0, 1e-3, only=BOTH
        ),
    ]
