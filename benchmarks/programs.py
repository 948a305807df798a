"""Small programs with a target: many calls on few numbers, in the ways that people write them; torch beside wengert."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from benchmarks.cases import BOTH, draw
from benchmarks.timing import Case

STEPS = 10


def scalar_perceptron(adapter: Any) -> Callable[[], Any]:
    """A perceptron 3-4-4-1 whose every number is a tensor of its own, forward and backward."""
    sizes = (3, 4, 4, 1)
    leaves: list[Any] = []

    def leaf(value: float) -> Any:
        leaves.append(adapter.library.tensor(value, requires_grad=True))
        return leaves[-1]

    layers = [
        [([leaf(float(number)) for number in row], leaf(0.1)) for row in draw(b, a, seed=b)] for a, b in pairwise(sizes)
    ]
    inputs = [adapter.library.tensor(float(number)) for number in draw(sizes[0], seed=9)]

    def run() -> Any:
        for leaf in leaves:
            leaf.grad = None
        values = inputs
        for layer in layers:
            values = [sum((w * x for w, x in zip(row, values)), bias).tanh() for row, bias in layer]
        values[0].backward()
        return [leaf.grad for leaf in leaves]

    return run


def rosenbrock(adapter: Any) -> Callable[[], Any]:
    """Steps of gradient descent on Rosenbrock's function of two variables."""
    library = adapter.library
    start = library.tensor([-1.2, 1.0])

    def run() -> Any:
        x = start.clone().requires_grad_()
        for _ in range(STEPS):
            loss = (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2
            x.grad = None
            loss.backward()
            with library.no_grad():
                x -= 1e-3 * x.grad
        return x

    return run


def control_flow(adapter: Any) -> Callable[[], Any]:
    """A graph that depends on the values: as many doublings as it takes, and a branch in each."""
    library = adapter.library
    x = adapter.leaf(draw(4, seed=1))
    step = adapter.array(draw(4, seed=2, scale=0.1))

    def run() -> Any:
        x.grad = None
        h = x * 2
        while h.norm() < 1000:
            h = h * 2 + step if h.sum() > 0 else library.relu(h) * 3 - step
        h.sum().backward()
        return x.grad

    return run


def recurrent(adapter: Any) -> Callable[[], Any]:
    """A recurrent network of 32 states on 20 steps of 16 rows, forward and backward."""
    x = adapter.array(draw(20, 16, 32, seed=1))
    leaves = [adapter.leaf(draw(*shape, seed=at, scale=0.1)) for at, shape in enumerate([(32, 32), (32, 32), (32,)])]
    first = adapter.array(draw(16, 32, seed=5))

    def run() -> Any:
        for leaf in leaves:
            leaf.grad = None
        inward, onward, bias = leaves
        h = first
        for at in range(20):
            h = (x[at] @ inward + h @ onward + bias).tanh()
        h.sum().backward()
        return [leaf.grad for leaf in leaves]

    return run


def layers(adapter: Any, *sizes: int) -> list[tuple[Any, Any]]:
    """Weights and biases of a perceptron."""
    return [
        (adapter.leaf(draw(b, a, seed=a, scale=a**-0.5)), adapter.leaf(draw(b, seed=b, scale=0.1)))
        for a, b in pairwise(sizes)
    ]


def gradient_penalty(adapter: Any) -> Callable[[], Any]:
    """Backward through a backward pass: how far the gradients of a critic 8-32-32-1 on 16 rows are from length 1."""
    library, linear = adapter.library, adapter.functional.linear
    network = layers(adapter, 8, 32, 32, 1)
    x = adapter.leaf(draw(16, 8, seed=1))

    def run() -> Any:
        for pair in network:
            for parameter in pair:
                parameter.grad = None
        h = x
        for weight, bias in network[:-1]:
            h = linear(h, weight, bias).tanh()
        score = linear(h, *network[-1])
        (grad,) = library.autograd.grad(score.sum(), x, create_graph=True)
        penalty = ((grad.norm(2, dim=1) - 1) ** 2).mean()
        penalty.backward()
        return [penalty, *(weight.grad for weight, _ in network)]

    return run


def checkpointed(adapter: Any) -> Callable[[], Any]:
    """A perceptron of four checkpointed layers of 32 on 16 rows, forward and backward."""
    checkpoint = importlib.import_module(f"{adapter.name}.utils.checkpoint").checkpoint
    linear = adapter.functional.linear
    network = layers(adapter, *[32] * 5)
    x = adapter.leaf(draw(16, 32, seed=1))

    def block(h: Any, weight: Any, bias: Any) -> Any:
        return linear(h, weight, bias).tanh()

    def run() -> Any:
        for pair in network:
            for parameter in pair:
                parameter.grad = None
        h = x
        for weight, bias in network:
            h = checkpoint(block, h, weight, bias, use_reentrant=False)
        h.sum().backward()
        return [parameter.grad for pair in network for parameter in pair]

    return run


def number(adapter: Any) -> Callable[[], Any]:
    """A number into a tensor and out again."""
    library = adapter.library
    return lambda: library.tensor(1.0).item()


def cases() -> list[Case]:
    """Each program with its target."""
    return [
        Case("perceptron 3-4-4-1 of scalars, forward and backward", scalar_perceptron, 4.0, only=BOTH),
        Case(f"Rosenbrock's function, {STEPS} steps of descent", rosenbrock, 3.0, 1e-3, only=BOTH),
        Case("control flow on 4, forward and backward", control_flow, 3.0, only=BOTH),
        Case("recurrent network, 20 steps of 16 x 32, and backward", recurrent, 2.0, 1e-3, only=BOTH),
        Case("gradient penalty of a perceptron 8-32-32-1", gradient_penalty, 1.5, 1e-3, only=BOTH),
        Case("four checkpointed layers of 16 x 32, and backward", checkpointed, 1.5, 1e-3, only=BOTH),
        Case("tensor(1.0).item()", number, 4.0, only=BOTH),
    ]
