"""One small adapter per library, so that every library runs the same benchmark code.

torch, wengert, JAX (traced call by call, and compiled by `jax.jit`) and HIPS autograd.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np


class TorchLike:
    """torch, and wengert, which has the same interface.

    Args:
        name: "torch" or "wengert".
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.library = importlib.import_module(name)
        self.functional = importlib.import_module(f"{name}.nn.functional")

    def array(self, values: np.ndarray) -> Any:
        """A tensor with a copy of `values`."""
        return self.library.from_numpy(values.copy())

    def leaf(self, values: np.ndarray) -> Any:
        """The same, requiring a gradient."""
        return self.array(values).requires_grad_()

    def numpy(self, value: Any) -> np.ndarray:
        return value.detach().numpy() if isinstance(value, self.library.Tensor) else np.asarray(value)

    def gradients(self, function: Callable[..., Any]) -> Callable[..., tuple[Any, list[Any]]]:
        """A function of leaves that gives `function`'s value and its gradients."""

        def run(*leaves: Any) -> tuple[Any, list[Any]]:
            for leaf in leaves:
                leaf.grad = None
            value = function(self, *leaves)
            value.backward()
            return value, [leaf.grad for leaf in leaves]

        return run

    def descend(self, leaves: list[Any], grads: list[Any], rate: float) -> list[Any]:
        """One step of gradient descent."""
        with self.library.no_grad():
            for leaf, grad in zip(leaves, grads):
                leaf.sub_(grad, alpha=rate)
        return leaves

    def sum(self, x: Any) -> Any:
        return x.sum()

    def relu(self, x: Any) -> Any:
        return self.functional.relu(x)

    def cross_entropy(self, scores: Any, labels: Any) -> Any:
        return self.functional.cross_entropy(scores, labels)

    def wait(self, value: Any) -> None:
        """Wait until a value is there; these libraries never compute in the background."""


class Jax(TorchLike):
    """JAX.

    Args:
        compiled: put each function through `jax.jit`; otherwise each operation runs by itself, as elsewhere.
    """

    def __init__(self, compiled: bool) -> None:
        self.name = "jax.jit" if compiled else "jax"
        self.compiled = compiled
        self.library = importlib.import_module("jax")
        self.library.config.update("jax_enable_x64", True)
        self.jnp = importlib.import_module("jax.numpy")

    def array(self, values: np.ndarray) -> Any:
        return self.jnp.asarray(values)

    leaf = array

    def numpy(self, value: Any) -> np.ndarray:
        return np.asarray(value)

    def gradients(self, function: Callable[..., Any]) -> Callable[..., tuple[Any, list[Any]]]:
        functions: dict[int, Any] = {}

        def run(*leaves: Any) -> tuple[Any, list[Any]]:
            if len(leaves) not in functions:
                bound = self.library.value_and_grad(lambda *x: function(self, *x), argnums=tuple(range(len(leaves))))
                functions[len(leaves)] = self.library.jit(bound) if self.compiled else bound
            value, grads = functions[len(leaves)](*leaves)
            return value, list(grads)

        return run

    def descend(self, leaves: list[Any], grads: list[Any], rate: float) -> list[Any]:
        return [leaf - rate * grad for leaf, grad in zip(leaves, grads)]

    def sum(self, x: Any) -> Any:
        return self.jnp.sum(x)

    def relu(self, x: Any) -> Any:
        return self.jnp.maximum(x, 0)

    def cross_entropy(self, scores: Any, labels: Any) -> Any:
        shifted = self.library.nn.log_softmax(scores)
        return -self.jnp.mean(self.jnp.take_along_axis(shifted, labels[:, None], 1))

    def wait(self, value: Any) -> None:
        self.library.block_until_ready(value)


class Hips(TorchLike):
    """HIPS autograd."""

    def __init__(self) -> None:
        self.name = "autograd"
        self.library = importlib.import_module("autograd")
        self.np = importlib.import_module("autograd.numpy")

    def array(self, values: np.ndarray) -> Any:
        return values.copy()

    leaf = array

    def numpy(self, value: Any) -> np.ndarray:
        return np.asarray(value)

    def gradients(self, function: Callable[..., Any]) -> Callable[..., tuple[Any, list[Any]]]:
        run = self.library.value_and_grad(lambda leaves: function(self, *leaves))

        def call(*leaves: Any) -> tuple[Any, list[Any]]:
            value, grads = run(tuple(leaves))
            return value, list(grads)

        return call

    def descend(self, leaves: list[Any], grads: list[Any], rate: float) -> list[Any]:
        return [leaf - np.asarray(rate, leaf.dtype) * grad for leaf, grad in zip(leaves, grads)]

    def sum(self, x: Any) -> Any:
        return self.np.sum(x)

    def relu(self, x: Any) -> Any:
        return self.np.maximum(x, 0)

    def cross_entropy(self, scores: Any, labels: Any) -> Any:
        shifted = scores - self.np.max(scores, axis=1, keepdims=True)
        picked = shifted[self.np.arange(len(labels)), labels]
        return self.np.mean(self.np.log(self.np.sum(self.np.exp(shifted), axis=1)) - picked)


def installed(threads: int) -> list[TorchLike]:
    """Adapters of wengert and of every library that is installed, all with the same number of threads."""
    adapters: list[TorchLike] = [TorchLike("wengert")]
    importlib.import_module("wengert._kernels").set_num_threads(threads)
    for make in (lambda: TorchLike("torch"), Hips, lambda: Jax(compiled=False), lambda: Jax(compiled=True)):
        try:
            adapters.append(make())
        except ImportError as error:
            print(f"not installed: {error.name}")
    for adapter in adapters:
        if adapter.name == "torch":
            adapter.library.set_num_threads(threads)
    return adapters
