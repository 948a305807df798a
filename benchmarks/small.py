"""Single calls on tiny tensors, one by one: not recorded, recorded, and forward with backward; torch beside wengert."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.cases import BOTH, draw
from benchmarks.timing import Case, Result, flatten

# A call is its text: statements between "; ", of which the last gives the result. The names are those of `names`.
DIFFERENTIABLE = {
    "views": (
        "x.view(4)",
        "x.reshape(4)",
        "x.t()",
        "x.transpose(0, 1)",
        "x.permute(1, 0)",
        "x.unsqueeze(0)",
        "row.squeeze(0)",
        "row.expand(2, 2)",
        "x.flatten()",
        "x.chunk(2)",
        "x.split(1)",
    ),
    "indexing": ("x[0]", "x[0, 1]", "x[1:]", "x[:, 0]", "x[mask]", "x[i]"),
    "reductions": ("x.sum()", "x.sum(0)", "x.mean()", "x.mean(1, keepdim=True)", "x.max(1)", "x.amax(1)"),
    "joining": ("lib.cat([x, y])", "lib.stack([x, y])"),
    "products": (
        "F.linear(x, y)",
        "F.linear(x, y, v)",
        "x @ y",
        "x @ v",
        "x.mm(y)",
        "batch.bmm(batch)",
        "v.dot(w)",
        "lib.addmm(v, x, y)",
    ),
    "pointwise": (
        "x * y",
        "x + 2.0",
        "x.exp()",
        "x**2",
        "lib.where(mask, x, y)",
        "x.clamp(-0.5, 0.5)",
        "x.masked_fill(mask, 0.0)",
    ),
    "losses": ("x.softmax(1)", "x.log_softmax(1)", "F.mse_loss(x, y)", "F.cross_entropy(x, i)"),
    "selecting": ("x.gather(1, places)", "x.index_select(0, i)", "F.embedding(i, x)"),
    "copying": ("x.clone()", "x.contiguous()", "x.t().contiguous()"),
}
# Writes to `z`: not recorded, a tensor that stays; otherwise a clone, so that its history does not grow.
WRITING = (
    "z[0] = v; z",
    "z[0, 1] = 2.0; z",
    "z[mask] = 0.0; z",
    "z.add_(y)",
    "z.add_(y, alpha=0.5)",
    "z.mul_(ones)",
    "z.copy_(y)",
    "z.fill_(1.0)",
    "z.zero_()",
)
# Not differentiable; the operands may require a gradient.
ASKING = ("x > y", "x == y", "x.argmax(1)", "x.detach()", "x.shape", "x.tolist()", "scalar.item()")
MAKING = (
    "lib.zeros(3)",
    "lib.ones(3)",
    "lib.full((3,), 2.0)",
    "lib.arange(3)",
    "lib.tensor(1.0)",
    "lib.tensor([1.0, 2.0])",
    "lib.zeros_like(x)",
    "float(scalar)",
)

PLAIN, RECORDED, BACKWARD = "not recorded", "recorded", "forward + backward"
MEANS = {PLAIN: 2.0, RECORDED: 1.8, BACKWARD: 3.5}
"""Targets of the geometric means."""
FLOOR = 1.2
"""What every single call must reach, but for its backward pass."""
CAP = 10.0
"""Larger ratios count as this in the mean: on a busy machine torch's threads wait for each other a thousandfold."""
SECONDS = 0.01
"""How long a turn lasts: there are many calls."""


def names(adapter: Any, recorded: bool) -> dict[str, Any]:
    """What the texts stand on; operands require a gradient if they are to be recorded."""
    make = adapter.leaf if recorded else adapter.array
    return {
        "lib": adapter.library,
        "F": adapter.functional,
        "x": make(draw(2, 2, seed=1)),
        "y": make(draw(2, 2, seed=2)),
        "v": make(draw(2, seed=3)),
        "w": make(draw(2, seed=4)),
        "row": make(draw(1, 2, seed=5)),
        "batch": make(draw(2, 2, 2, seed=6)),
        "scalar": make(draw(seed=7)),
        "z": adapter.array(draw(2, 2, seed=8)),
        "ones": adapter.array(np.ones((2, 2), np.float32)),
        "i": adapter.array(np.array([0, 1])),
        "places": adapter.array(np.array([[0, 1], [1, 0]])),
        "mask": adapter.array(np.array([[True, False], [False, True]])),
    }


def function_of(text: str, namespace: dict[str, Any]) -> Callable[[], Any]:
    """A function without arguments that runs a text."""
    *statements, last = text.split("; ")
    body = "".join(f"    {statement}\n" for statement in [*statements, f"return {last}"])
    functions: dict[str, Any] = {}
    exec(compile(f"def run():\n{body}", f"<{text}>", "exec"), namespace, functions)
    return functions["run"]


def forward(text: str, recorded: bool) -> Callable[[Any], Callable[[], Any]]:
    """The `make` of a case: the call alone."""
    return lambda adapter: function_of(text, names(adapter, recorded))


def with_backward(text: str) -> Callable[[Any], Callable[[], Any]]:
    """The `make` of a case: the call and the backward pass of its first result."""

    def make(adapter: Any) -> Callable[[], Any]:
        namespace = names(adapter, recorded=True)
        once = function_of(text, namespace)
        value = once()
        used = once.__code__.co_names
        leaves = [name for name in used if getattr(namespace.get(name), "requires_grad", False)]
        namespace["seed"] = adapter.array(draw(*tuple(flatten(value)[0].shape), seed=9))
        *statements, last = text.split("; ")
        result = f"({last})[0]" if isinstance(value, (tuple, list)) else f"({last})"
        gradients = [f"{name}.grad" for name in leaves]
        reset = " = ".join([*gradients, "None"])
        return function_of(
            "; ".join([reset, *statements, f"{result}.backward(seed)", f"[{', '.join(gradients)}]"]), namespace
        )

    return make


def cases() -> list[Case]:
    """A case for every call and every way of running it."""
    pure = [text for family in DIFFERENTIABLE.values() for text in family]
    cloned = {text: f"z = x.clone(); {text}" for text in WRITING}
    plain = {text: forward(text, False) for text in (*pure, *WRITING, *ASKING, *MAKING)}
    recorded = {text: forward(cloned.get(text, text), True) for text in (*pure, *WRITING, *ASKING)}
    backward = {text: with_backward(cloned.get(text, text)) for text in (*pure, *WRITING)}
    return [
        Case(f"{text} | {kind}", make, target, only=BOTH)
        for kind, makers, target in ((PLAIN, plain, FLOOR), (RECORDED, recorded, FLOOR), (BACKWARD, backward, None))
        for text, make in makers.items()
    ]


def report(results: list[Result]) -> tuple[list[str], dict[str, float]]:
    """Lines for the table, and the figures: geometric mean and worst call of each way of running them."""
    lines, figures = [], {}
    own = {case.name for case in cases()}
    for kind, target in MEANS.items():
        chosen = [result for result in results if result.name in own and result.name.endswith(f" | {kind}")]
        measured = [result for result in chosen if "torch" in result.ratios]
        if not measured:
            continue
        ratios = [result.ratios["torch"] for result in measured]
        mean = statistics.geometric_mean([min(ratio, CAP) for ratio in ratios])
        worst = min(measured, key=lambda result: result.ratios["torch"])
        figures[f"small calls, {kind}"] = mean
        figures[f"small calls, {kind}, worst"] = worst.ratios["torch"]
        lines.append(
            f"small calls, {kind:18s} geometric mean {mean:5.2f}  {'pass' if mean >= target else 'MISS'} "
            f"(>= {target:g}); worst {worst.ratios['torch']:.2f}  {worst.name.removesuffix(f' | {kind}')}"
            + ("" if kind == BACKWARD else f"  {worst.verdict}")
            + f"; {sum(ratio >= target for ratio in ratios)} of {len(chosen)} reach {target:g}"
        )
    return lines, figures
