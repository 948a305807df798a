"""Random programs with a planted cut: texts of lines, run under `set_debug`, and what `explain` has to say of them."""

from __future__ import annotations

import linecache
from dataclasses import dataclass
from typing import Any

import numpy as np

import wengert as wg

NAME = "<planted program>"

STEPS = (
    "{to} = {a} * {b}",
    "{to} = {a} + {b}",
    "{to} = {a}.exp()",
    "{to} = {a} - 2.0",
    "{to} = {a}.tanh()",
    "{to} = {a}.view(2, 2).t().reshape(4)",
    "{to} = wg.cat([{a}, {b}])[:4]",
    "{to} = {a}.clone().mul_({b})",
    "{to} = F.relu({a}) + {b}.sum()",
    "{to} = {a}.flip(0)",
    "{to} = wg.where({a} > 0, {a}, {b})",
)
"""Differentiable steps, of 4 elements each."""

CUTS = {
    "detach": ("{to} = {a}.detach()",),
    "detach_": ("{to} = {a}.clone().detach_()",),
    "data": ("{to} = {a}.data",),
    "no_grad": ("with wg.no_grad():", "    {to} = {a} * 1.5"),
    "set_grad_enabled": ("with wg.set_grad_enabled(False):", "    {to} = {a}.sin()"),
    "inference_mode": ("with wg.inference_mode():", "    {to} = {a} * 1.5"),
    "dtype": ("{to} = {a}.long()",),
    "argmax": ("{to} = {a}.argmax(0, keepdim=True).expand(4)",),
    "compare": ("{to} = {a} > 0",),
    "item": ("{to} = wg.tensor({a}.sum().item())",),
    "float": ("{to} = wg.tensor(float({a}[0] + 0.123))",),
    "tensors in a list": ("{to} = wg.tensor([{a}[0], 2.0, {a}[1], {a}[2]])",),
    "copied tensor": ("{to} = wg.tensor({a})",),
    "tolist": ("{to} = wg.tensor({a}.tolist())",),
    "numpy": ("{to} = wg.from_numpy({a}.numpy(force=True))",),
    "copied numpy": ("{to} = wg.tensor({a}.numpy(force=True))",),
    "volatile": ("{to} = {a} * Variable(wg.ones(4), volatile=True)",),
    "marked": ("{to} = Marked.apply({a})",),
    "create_graph": ("{to}, = wg.autograd.grad(({a} * {a}).sum(), {a}, retain_graph=True)",),
}
"""Ways of losing the history of a tensor `{a}` that has one; the last line does it."""

REASONS = {
    "detach_": "detach",
    "set_grad_enabled": "no_grad",
    "argmax": "no_derivative",
    "compare": "no_derivative",
    "float": "item",
    "tensors in a list": "item",
    "copied tensor": "item",
    "tolist": "item",
    "copied numpy": "numpy",
    "marked": "mark_non_differentiable",
    "create_graph": "backward",
}
"""What `explain` calls them, where that is another name."""


class Marked(wg.autograd.Function):
    """Doubles; says that its output has no derivative."""

    @staticmethod
    def forward(ctx, x):
        y = x * 2
        ctx.mark_non_differentiable(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        return grad


@dataclass
class Program:
    """Lines, and the place of the planted cut.

    Attributes:
        lines: of the program; variables are v0, v1, ...
        cut: number of the line that cuts.
        after: the variables that have lost their history by it, the first is the result of the cut.
        source: the variable that was cut off.
    """

    lines: list[str]
    cut: int
    after: list[str]
    source: str


def planted(draw: Any, kind: str) -> Program:
    """A program of some recorded steps, a cut, and some more steps on what was cut off and plain data."""
    lines = ["v0 = wg.tensor([0.5, -1.0, 2.0, 0.25], requires_grad=True)", "v1 = wg.ones(4, requires_grad=True)"]
    names = ["v0", "v1"]

    def choose(among: list[str]) -> str:
        return among[draw(len(among))]

    def step(first: str, among: list[str]) -> str:
        name = f"v{len(names)}"
        text = STEPS[draw(len(STEPS))].format(to=name, a=first, b=choose(among))
        lines.append(text)
        names.append(name)
        return name

    for _ in range(1 + draw(4)):
        step(choose(names), list(names))
    source = names[-1]
    result = f"v{len(names)}"
    names.append(result)
    lines.extend(line.format(to=result, a=source) for line in CUTS[kind])
    cut = len(lines)
    after = [result]
    if kind in ("dtype", "argmax", "compare"):
        lines.append(f"v{len(names)} = {result} * 1.0")
        after.append(f"v{len(names)}")
        names.append(after[-1])
    if kind in ("item", "float"):
        lines.append(f"v{len(names)} = {result}.expand(4)")
        after.append(f"v{len(names)}")
        names.append(after[-1])
    lines.append("p = wg.ones(4)  # plain data")
    for _ in range(draw(4)):
        after.append(step(after[-1], [after[-1], "p"]))
    return Program(lines, cut, after, source)


def run(lines: list[str]) -> dict[str, Any]:
    """The names of a program after it has run; its lines can be read by their numbers."""
    text = "\n".join(lines) + "\n"
    linecache.cache[NAME] = (len(text), None, [f"{line}\n" for line in lines], NAME)
    names = {"wg": wg, "np": np, "F": wg.nn.functional, "Variable": wg.autograd.Variable, "Marked": Marked}
    exec(compile(text, NAME, "exec"), names)
    return names
