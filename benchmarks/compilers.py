"""The steps of `benchmarks/compiled.py` by compilers: torch.compile, and `jax.jit` of pure functions.

Compilers take seconds to minutes for a first call; `python benchmarks/compiled.py --beside torch.compile,jax` measures
them. JAX has no tensors that are written to, so its programs take parameters and return new ones.
"""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.cases import draw

NAMES = ("torch.compile", "jax")
Step = Callable[[], Any]

SETTINGS = {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1",
}
"""Variables of the environment by which JAX computes on one thread, and torch compiles anew."""


def torch_compiled(torch: Any, make: Callable[[Any], Step]) -> Step:
    """Return a step compiled by `torch.compile`."""
    torch.library._dynamo.reset()
    step: Step = torch.library.compile(make(torch))
    return step


def with_state(jax: Any, function: Callable[[Any], tuple[Any, Any]], state: Any) -> Step:
    """Return a step of a jitted function, which takes a state and returns the next one and a result."""
    jitted, states = jax.jit(function), [state]

    def step() -> Any:
        states[0], result = jitted(states[0])
        jax.block_until_ready(states[0])
        return result

    return step


def without_state(jax: Any, function: Callable[..., Any], *args: Any) -> Step:
    """Return a step of a jitted function of the same arguments each time."""
    jitted = jax.jit(function)
    return lambda: jax.block_until_ready(jitted(*args))


class JaxPrograms:
    """The programs in JAX, by the names in `PROGRAMS`; those that need a loop on values or Adam are left out."""

    def __init__(self) -> None:
        self.jax = importlib.import_module("jax")
        self.jax.config.update("jax_enable_x64", True)
        self.jnp = importlib.import_module("jax.numpy")
        self.programs = {
            "chain of 200 on 4 elements, with backward": self.chain,
            "perceptron of scalars, training step": self.scalar_perceptron,
            "Rosenbrock's function, step of descent": self.rosenbrock,
            "Hessian, n = 50": self.hessian,
            "neural ODE, RK4 x 20, with gradients": self.neural_ode,
            "recurrent network, 20 steps, with gradients": self.recurrent,
            "ten functions of 2,000, with gradient": lambda: self.ten_functions(2000),
            "ten functions of 10^6, with gradient": lambda: self.ten_functions(10**6),
            "transformer block, d = 64, 32 tokens": self.transformer_block,
            "perceptron 784-128-10, batch 64, SGD": self.image_perceptron,
        }

    def step(self, name: str) -> Step | None:
        """Return the step of that name; None if JAX cannot express it as Python is written."""
        make = self.programs.get(name)
        return None if make is None else make()

    def chain(self) -> Step:
        """200 products and sums of 4 elements, and the gradient of their sum."""
        x, y = self.jnp.asarray(draw(4, seed=1)), self.jnp.asarray(draw(4, seed=2, scale=0.5))

        def total(x: Any) -> Any:
            h = x
            for _ in range(100):
                h = h * y + x
            return h.sum()

        return without_state(self.jax, self.jax.grad(total), x)

    def perceptron(self, *sizes: int) -> list[Any]:
        """Weights and biases of a perceptron, those of `compiled.perceptron`."""
        from benchmarks.compiled import perceptron

        adapter = type("Arrays", (), {"leaf": staticmethod(self.jnp.asarray)})
        return perceptron(adapter, *sizes)

    def descent(self, loss_of: Callable[[Any], Any], state: Any, rate: float) -> Step:
        """Return a step of gradient descent, which returns the loss."""

        def update(state: Any) -> tuple[Any, Any]:
            loss, grads = self.jax.value_and_grad(loss_of)(state)
            return self.jax.tree.map(lambda one, grad: one - rate * grad, state, grads), loss

        return with_state(self.jax, update, state)

    def scalar_perceptron(self) -> Step:
        """A perceptron 1-8-1 on one number."""
        x, target = self.jnp.asarray(draw(1, 1, seed=5)), self.jnp.asarray(draw(1, 1, seed=6))

        def loss_of(w: Any) -> Any:
            h = self.jnp.tanh(x @ w[0].T + w[1])
            return ((h @ w[2].T + w[3] - target) ** 2).sum()

        return self.descent(loss_of, self.perceptron(1, 8, 1), 1e-4)

    def rosenbrock(self) -> Step:
        """A step of gradient descent on Rosenbrock's function of two variables."""
        return self.descent(
            lambda x: (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2, self.jnp.asarray([-1.2, 1.0], "float64"), 1e-7
        )

    def hessian(self) -> Step:
        """The Hessian of a function of 50 variables."""
        from benchmarks.compiled import doubles

        matrix, x = self.jnp.asarray(doubles(50, 50, seed=1, scale=0.1)), self.jnp.asarray(doubles(50, seed=2))
        return without_state(
            self.jax, self.jax.hessian(lambda x: (self.jnp.tanh(matrix @ x) * x).sum() + (x**4).sum()), x
        )

    def neural_ode(self) -> Step:
        """20 steps of Runge and Kutta of a network 2-32-2 on 16 states, and its gradients."""
        start, target = self.jnp.asarray(draw(16, 2, seed=5)), self.jnp.asarray(draw(16, 2, seed=6))

        def loss_of(w: Any) -> Any:
            def slope(state: Any) -> Any:
                return self.jnp.tanh(state @ w[0].T + w[1]) @ w[2].T + w[3]

            state, h = start, 0.05
            for _ in range(20):
                k1 = slope(state)
                k2 = slope(state + h / 2 * k1)
                k3 = slope(state + h / 2 * k2)
                k4 = slope(state + h * k3)
                state = state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            return ((state - target) ** 2).mean()

        return without_state(self.jax, self.jax.grad(loss_of), self.perceptron(2, 32, 2))

    def recurrent(self) -> Step:
        """A recurrent network of 32 states on 20 steps of 16 rows, and its gradients."""
        x, first = self.jnp.asarray(draw(20, 16, 32, seed=1)), self.jnp.asarray(draw(16, 32, seed=5))
        shapes = [(32, 32), (32, 32), (32,)]
        leaves = [self.jnp.asarray(draw(*shape, seed=at, scale=0.1)) for at, shape in enumerate(shapes)]

        def total(leaves: Any) -> Any:
            inward, onward, bias = leaves
            h = first
            for at in range(20):
                h = self.jnp.tanh(x[at] @ inward + h @ onward + bias)
            return h.sum()

        return without_state(self.jax, self.jax.grad(total), leaves)

    def ten_functions(self, size: int) -> Step:
        """Ten functions of `size` elements, and the gradient of their sum."""
        jnp = self.jnp

        def total(x: Any) -> Any:
            h = x * 0.5
            h = jnp.tanh(h) * h + x
            h = jnp.sqrt(h * h + 1) - self.jax.nn.sigmoid(h)
            return jnp.exp(h * 0.1).sum()

        return without_state(self.jax, self.jax.grad(total), jnp.asarray(draw(size, seed=1)))

    def transformer_block(self) -> Step:
        """A block of a transformer of width 64 on 32 tokens, and its gradients."""
        jnp, jax = self.jnp, self.jax
        shapes = [(64,), (64,), (192, 64), (192,), (64, 64), (64,), (64,), (64,), (256, 64), (256,), (64, 256), (64,)]
        leaves = [jnp.asarray(draw(*shape, seed=at, scale=0.1)) for at, shape in enumerate(shapes)]
        x, mask = jnp.asarray(draw(1, 32, 64, seed=50)), jnp.tril(jnp.ones((32, 32), bool))

        def normalised(x: Any, weight: Any, bias: Any) -> Any:
            centred = x - x.mean(-1, keepdims=True)
            return centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * weight + bias

        def total(w: Any) -> Any:
            h = normalised(x, w[0], w[1])
            q, k, v = (h @ w[2].T + w[3]).reshape(1, 32, 3, 4, 16).transpose(2, 0, 3, 1, 4)
            scores = jnp.where(mask, q @ k.transpose(0, 1, 3, 2) / 4, -jnp.inf)
            attended = jax.nn.softmax(scores) @ v
            h = x + attended.transpose(0, 2, 1, 3).reshape(1, 32, 64) @ w[4].T + w[5]
            inner = jax.nn.gelu(normalised(h, w[6], w[7]) @ w[8].T + w[9], approximate=False)
            return (h + inner @ w[10].T + w[11]).sum()

        return without_state(jax, jax.grad(total), leaves)

    def image_perceptron(self) -> Step:
        """A training step of a perceptron 784-128-10 on 64 rows with SGD."""
        jnp, jax = self.jnp, self.jax
        x, labels = jnp.asarray(draw(64, 784, seed=5)), jnp.asarray(np.random.default_rng(6).integers(0, 10, 64))

        def loss_of(w: Any) -> Any:
            scores = jax.nn.relu(x @ w[0].T + w[1]) @ w[2].T + w[3]
            return -jnp.take_along_axis(jax.nn.log_softmax(scores), labels[:, None], 1).mean()

        return self.descent(loss_of, self.perceptron(784, 128, 10), 1e-3)


def first_call(step: Step) -> tuple[Any, float]:
    """Return the result of a first call, and its CPU seconds, those of a compiler's processes among them."""
    start = cpu_seconds()
    result = step()
    return result, cpu_seconds() - start


def cpu_seconds() -> float:
    """CPU seconds of this process and of those that it has started and that have ended."""
    return time.process_time() + sum(os.times()[2:4])
