"""Single operators, forward and forward with backward, on small, medium and large arrays: torch beside wengert."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from benchmarks.cases import BOTH, draw
from benchmarks.timing import Case

ONE = {
    "exp": lambda x: x.exp(),
    "log": lambda x: (x.abs() + 1).log(),
    "tanh": lambda x: x.tanh(),
    "sigmoid": lambda x: x.sigmoid(),
    "relu": lambda x: x.relu(),
    "sqrt": lambda x: (x * x + 1).sqrt(),
    "x * 2.5": lambda x: x * 2.5,
    "x ** 2": lambda x: x**2,
    "clamp": lambda x: x.clamp(-1, 1),
    "sum": lambda x: x.sum(),
    "mean": lambda x: x.mean(),
    "clone": lambda x: x.clone(),
}
TWO = {
    "add": lambda x, y: x + y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "maximum": lambda x, y: x.maximum(y),
}
MATRIX = {
    "sum over rows": lambda x: x.sum(0),
    "sum over columns": lambda x: x.sum(1),
    "amax over columns": lambda x: x.amax(1),
    "var over columns": lambda x: x.var(1),
    "softmax": lambda x: x.softmax(1),
    "log_softmax": lambda x: x.log_softmax(1),
    "logsumexp": lambda x: x.logsumexp(1),
    "cumsum": lambda x: x.cumsum(1),
    "transpose, contiguous": lambda x: x.t().contiguous(),
    "x @ x.t()": lambda x: x @ x.t(),
    "rows by slice": lambda x: x[1:],
    "row of a matrix": lambda x: x[0],
    "x + row": lambda x: x + x[0],
}
VIEWS = ("rows by slice", "row of a matrix")
"""What moves no memory forward, and nothing but the gradient backward."""
SIZES = {"4": (4, 2), "1e4": (10_000, 100), "1e6": (1_000_000, 1000)}


def cases(largest: bool = False) -> list[Case]:
    """A case for every operator, size and direction."""
    sizes = {**SIZES, **({"1e7": (10_000_000, 3000)} if largest else {})}
    found = []
    for label, (length, side) in sizes.items():
        for functions, shape in ((ONE, (length,)), (TWO, (length,)), (MATRIX, (side, side))):
            for name, function in functions.items():
                count = 2 if functions is TWO else 1
                for backward in (False, True):
                    title = f"{name} | {label} | {'forward + backward' if backward else 'forward'}"
                    made = maker(function, count, shape, backward)
                    inputs = 0.0 if name in VIEWS else 4.0 * math.prod(shape) * count
                    flops = 2.0 * side**3 * (3 if backward else 1) if name == "x @ x.t()" else 0.0
                    found.append(Case(title, made, None, 1e-3, BOTH, inputs, flops))
    return found


def maker(function: Callable[..., Any], count: int, shape: tuple[int, ...], backward: bool) -> Callable[[Any], Any]:
    """The `make` of a case."""

    def make(adapter: Any) -> Callable[[], Any]:
        values = [draw(*shape, seed=at + 1) for at in range(count)]
        if not backward:
            arrays = [adapter.array(each) for each in values]
            return lambda: function(*arrays)
        leaves = [adapter.leaf(each) for each in values]
        seed = adapter.array(draw(*tuple(function(*leaves).shape), seed=9))

        def run() -> Any:
            for leaf in leaves:
                leaf.grad = None
            function(*leaves).backward(seed)
            return [leaf.grad for leaf in leaves]

        return run

    return make
