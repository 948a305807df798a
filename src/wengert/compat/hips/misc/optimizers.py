"""Gradient descent, for functions of nested containers of arrays.

Each takes `grad(x, i)`, the gradient at step `i`, an initial point, and `callback(x, i, g)`; it returns the last point.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import wraps
from typing import Any

import numpy as np

from .flatten import flatten


def on_containers(steps: Callable[..., Generator[Any, Any, Any]]) -> Callable[..., Any]:
    """Return an optimiser of containers, from a generator of vectors that yields the next point for each gradient."""

    @wraps(steps)
    def optimize(
        grad: Callable[..., Any],
        x0: Any,
        callback: Any = None,
        num_iters: int | None = None,
        *args: Any,
        **options: Any,
    ) -> Any:
        x, unflatten = flatten(x0)
        default = 200 if steps.__name__ == "sgd" else 100
        descent: Any = steps(x, *args, **options)
        next(descent)
        for i in range(default if num_iters is None else num_iters):
            g = flatten(grad(unflatten(x), i))[0]
            if callback:
                callback(unflatten(x), i, unflatten(g))
            x = x + descent.send((i, g))
        return unflatten(x)

    return optimize


@on_containers
def sgd(x: Any, step_size: float = 0.1, mass: float = 0.9) -> Generator[Any, Any, Any]:
    """Stochastic gradient descent with momentum."""
    velocity = np.zeros(len(x))
    _, g = yield None
    while True:
        velocity = mass * velocity - (1.0 - mass) * g
        _, g = yield step_size * velocity


@on_containers
def rmsprop(x: Any, step_size: float = 0.1, gamma: float = 0.9, eps: float = 1e-8) -> Generator[Any, Any, Any]:
    """RMSprop: steps scaled by recent gradients."""
    square = np.ones(len(x))
    _, g = yield None
    while True:
        square = square * gamma + g**2 * (1 - gamma)
        _, g = yield -step_size * g / (np.sqrt(square) + eps)


@on_containers
def adam(
    x: Any, step_size: float = 0.001, b1: float = 0.9, b2: float = 0.999, eps: float = 1e-8
) -> Generator[Any, Any, Any]:
    """Adam (Kingma and Ba, 2015)."""
    first, second = np.zeros(len(x)), np.zeros(len(x))
    i, g = yield None
    while True:
        first = (1 - b1) * g + b1 * first
        second = (1 - b2) * g**2 + b2 * second
        unbiased = first / (1 - b1 ** (i + 1))
        i, g = yield -step_size * unbiased / (np.sqrt(second / (1 - b2 ** (i + 1))) + eps)
