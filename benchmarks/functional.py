"""Derivatives of functions beside torch: dual tensors, transforms, matrices row by row, products with a vector."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from benchmarks.cases import BOTH, draw
from benchmarks.programs import layers
from benchmarks.timing import Case


def rosenbrock(x: Any) -> Any:
    """Rosenbrock's function of all elements."""
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def hessian(**options: Any) -> Callable[[Any], Callable[[], Any]]:
    """The Hessian of a function of 50 variables, one backward pass for each unless the options say otherwise."""

    def make(adapter: Any) -> Callable[[], Any]:
        x = adapter.array(draw(50, seed=1))
        return lambda: adapter.library.autograd.functional.hessian(rosenbrock, x, **options)

    return make


def network(adapter: Any, sizes: tuple[int, ...], trained: bool) -> Callable[[Any], Any]:
    """A perceptron with tanh between its layers; its weights require a gradient if it is `trained`."""
    linear = adapter.functional.linear
    pairs = layers(adapter, *sizes)
    if not trained:
        pairs = [(weight.detach(), bias.detach()) for weight, bias in pairs]

    def call(x: Any) -> Any:
        for weight, bias in pairs[:-1]:
            x = linear(x, weight, bias).tanh()
        return linear(x, *pairs[-1])

    return call


def jacobian(trained: bool, **options: Any) -> Callable[[Any], Callable[[], Any]]:
    """The Jacobian of a network 64-64-64, one backward pass for each output unless the options say otherwise."""

    def make(adapter: Any) -> Callable[[], Any]:
        call, x = network(adapter, (64, 64, 64), trained), adapter.array(draw(64, seed=1))
        return lambda: adapter.library.autograd.functional.jacobian(call, x, **options)

    return make


def product(name: str, of_number: bool) -> Callable[[Any], Callable[[], Any]]:
    """The product that `autograd.functional` gives by that name, of a network 16-32-32-16 on 8 rows.

    Args:
        of_number: whether the function is the sum of squares of the network's outputs.
    """

    def make(adapter: Any) -> Callable[[], Any]:
        call = network(adapter, (16, 32, 32, 16), trained=True)
        x, v = adapter.array(draw(8, 16, seed=1)), adapter.array(draw(8, 16, seed=2))
        product = getattr(adapter.library.autograd.functional, name)
        function = (lambda x: (call(x) ** 2).sum()) if of_number else call
        return lambda: product(function, x, v)

    return make


def dual(adapter: Any) -> Callable[[], Any]:
    """50 small operators on dual tensors."""
    forward_ad = adapter.library.autograd.forward_ad
    x, way = adapter.array(draw(4, seed=1)), adapter.array(draw(4, seed=2))

    def call() -> Any:
        with forward_ad.dual_level():
            y = forward_ad.make_dual(x, way)
            for _ in range(10):
                y = (y * 1.01).sin() + y
                y = y.exp().tanh()
            return forward_ad.unpack_dual(y).tangent

    return call


def transform(name: str) -> Callable[[Any], Callable[[], Any]]:
    """A derivative by `func`, of the sum of squares of a network 16-32-32-16 on 8 rows."""

    def make(adapter: Any) -> Callable[[], Any]:
        func = importlib.import_module(f"{adapter.library.__name__}.func")
        call = network(adapter, (16, 32, 32, 16), trained=False)
        x, v = adapter.array(draw(8, 16, seed=1)), adapter.array(draw(8, 16, seed=2))

        def total(x: Any) -> Any:
            return (call(x) ** 2).sum()

        return {
            "grad": lambda: func.grad(total)(x),
            "vjp": lambda: func.vjp(call, x)[1](v)[0],
            "jvp": lambda: func.jvp(call, (x,), (v,))[1],
            "hvp": lambda: func.jvp(func.grad(total), (x,), (v,))[1],
        }[name]

    return make


def per_sample(way: str) -> Callable[[Any], Callable[[], Any]]:
    """The gradients of each of 64 samples of a perceptron 64-128-10: by `vmap` of `grad`, or one after the other."""

    def make(adapter: Any) -> Callable[[], Any]:
        func, functional = importlib.import_module(f"{adapter.library.__name__}.func"), adapter.functional
        pairs = [(weight.detach(), bias.detach()) for weight, bias in layers(adapter, 64, 128, 10)]
        rows, wanted = adapter.array(draw(64, 64, seed=1)), adapter.array(draw(64, 10, seed=2))

        def loss(parameters: Any, x: Any, y: Any) -> Any:
            for weight, bias in parameters[:-1]:
                x = functional.linear(x, weight, bias).tanh()
            return ((functional.linear(x, *parameters[-1]) - y) ** 2).sum()

        gradient = func.grad(loss)
        if way == "vmap":
            return lambda: func.vmap(gradient, in_dims=(None, 0, 0))(pairs, rows, wanted)
        return lambda: [gradient(pairs, x, y) for x, y in zip(rows, wanted)]

    return make


def checked(adapter: Any) -> Callable[[], Any]:
    """`gradcheck` of a small function."""
    library = adapter.library
    x = library.tensor(draw(6, seed=1).tolist(), dtype=library.float64, requires_grad=True)
    return lambda: library.autograd.gradcheck(lambda x: (x * x.sin()).cumsum(0), (x,))


def fourth(adapter: Any) -> Callable[[], Any]:
    """The fourth derivative along a direction: by Taylor mode where there is one, otherwise by nested forward mode."""
    func = importlib.import_module(f"{adapter.library.__name__}.func")
    call = network(adapter, (16, 32, 32, 16), trained=False)
    x, v = adapter.array(draw(8, 16, seed=1)), adapter.array(draw(8, 16, seed=2))

    def along(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda x: func.jvp(function, (x,), (v,))[1]

    if hasattr(func, "taylor"):
        return lambda: func.taylor(call, (x,), (v,), 4)[4]
    return lambda: along(along(along(along(call))))(x)


def cases() -> list[Case]:
    """Each derivative with its target."""
    return [
        Case("forward_ad of 50 small operators", dual, 2.0, 1e-3, only=BOTH),
        *[
            Case(f"func.{name} of a perceptron 16-32-32-16", transform(name), 2.0, 1e-3, only=BOTH)
            for name in ("grad", "vjp", "jvp", "hvp")
        ],
        Case("fourth derivative along a direction, func.taylor beside nested jvp", fourth, 10.0, 1e-3, only=BOTH),
        Case("functional.hessian of 50 variables, looped", hessian(), 3.0, 1e-3, only=BOTH),
        Case("functional.hessian of 50 variables, vectorised", hessian(vectorize=True), 1.5, 1e-3, only=BOTH),
        Case(
            "functional.jacobian of a network 64-64-64, vectorised",
            jacobian(True, vectorize=True),
            1.5,
            1e-3,
            only=BOTH,
        ),
        Case(
            "functional.jacobian of a network 64-64-64, forward mode",
            jacobian(False, vectorize=True, strategy="forward-mode"),
            1.5,
            1e-3,
            only=BOTH,
        ),
        Case("gradients of 64 samples, vmap of grad", per_sample("vmap"), 1.5, 1e-3, only=BOTH),
        Case("gradients of 64 samples, one by one", per_sample("loop"), 2.0, 1e-2, only=BOTH),
        Case("gradcheck of a small function", checked, 2.0, 1e-2, only=BOTH),
        Case("functional.jacobian of a network 64-64-64, looped", jacobian(True), 3.0, 1e-3, only=BOTH),
        Case("functional.jacobian, weights without gradient", jacobian(False), 3.0, 1e-3, only=BOTH),
        Case("functional.vjp of a perceptron 16-32-32-16", product("vjp", False), 2.0, 1e-3, only=BOTH),
        Case("functional.jvp of a perceptron 16-32-32-16", product("jvp", False), 2.0, 1e-3, only=BOTH),
        Case("functional.vhp of a perceptron 16-32-32-16", product("vhp", True), 2.0, 1e-3, only=BOTH),
        Case("functional.hvp of a perceptron 16-32-32-16", product("hvp", True), 2.0, 1e-3, only=BOTH),
    ]
