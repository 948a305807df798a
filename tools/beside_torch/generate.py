"""Random programs as text, made from a seed: expressions, and views with in-place writes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np

UNARY = ("exp", "sin", "cos", "tanh", "sigmoid", "relu", "abs", "neg", "square", "expm1", "sign")
BINARY = (
    "{a} + {b}",
    "{a} - {b}",
    "{a} * {b}",
    "{a} / ({b} * {b} + 1)",
    "torch.maximum({a}, {b})",
    "torch.minimum({a}, {b})",
)
REDUCE = ("sum", "mean", "amax", "var", "logsumexp", "softmax", "log_softmax", "prod", "cumsum")
SHAPES: tuple[tuple[int, ...], ...] = ((2, 3), (3,), (2, 1), (1, 3), (), (2, 2, 3))


def expression(seed: int) -> str:
    """A program of random expressions: values, first and second derivatives."""
    draw = random.Random(seed)
    shapes = [draw.choice(SHAPES) for _ in range(2)]
    lines = []
    names: list[tuple[str, tuple[int, ...]]] = []
    for at, shape in enumerate(shapes):
        count = int(np.prod(shape))
        values = [round(draw.uniform(-2, 2), 2) for _ in range(count)]
        dtype = draw.choice(("float64", "float64", "float32"))
        lines.append(f"x{at} = torch.tensor({values}, dtype=torch.{dtype}).reshape({shape}).requires_grad_()")
        names.append((f"x{at}", shape))
    for at in range(draw.randint(2, 7)):
        text, shape = step(draw, names)
        lines.append(f"h{at} = {text}")
        names.append((f"h{at}", shape))
    leaves = "[x0, x1]"
    lines += [
        f"y = ({names[-1][0]} * 1.5).sum() + ({names[-2][0]} * {names[-2][0]}).mean()",
        f"first = torch.autograd.grad(y, {leaves}, create_graph=True, allow_unused=True)",
        "total = sum((g * g).sum() for g in first if g is not None)",
        "recorded = isinstance(total, torch.Tensor) and total.requires_grad",
        f"second = torch.autograd.grad(total, {leaves}, allow_unused=True) if recorded else None",
        "first = [g if g is None else g.detach() for g in first]  # its nodes are no matter of behaviour",
        f"return {', '.join(name for name, _ in names[2:])}, y, first, second",
    ]
    return program(lines)


def step(draw: random.Random, names: list[tuple[str, tuple[int, ...]]]) -> tuple[str, tuple[int, ...]]:
    """One line of an expression and the shape of its result."""
    name, shape = draw.choice(names)
    kind = draw.random()
    if kind < 0.3:
        return f"{name}.{draw.choice(UNARY)}()", shape
    if kind < 0.45:
        return draw.choice(
            (f"{name} * {draw.uniform(-2, 2):.2f}", f"{draw.randint(1, 3)} - {name}", f"{name} ** 2")
        ), shape
    if kind < 0.6 and shape:
        return reduction(draw, name, shape)
    fitting = [(other, size) for other, size in names if broadcasts(shape, size)]
    other, another = draw.choice(fitting)
    text = draw.choice(BINARY).format(a=name, b=other)
    return text, np.broadcast_shapes(shape, another)


def reduction(draw: random.Random, name: str, shape: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
    """A reduction over one dimension."""
    function, dim = draw.choice(REDUCE), draw.randrange(-len(shape), len(shape))
    if function in ("softmax", "log_softmax", "cumsum"):
        return f"{name}.{function}({dim})", shape
    if function == "var" and shape[dim] == 1:
        function = "sum"
    keep = draw.random() < 0.5
    result = list(shape)
    if keep:
        result[dim] = 1
    else:
        del result[dim]
    return f"{name}.{function}({dim}, keepdim={keep})", tuple(result)


def broadcasts(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether two shapes broadcast."""
    try:
        np.broadcast_shapes(one, other)
    except ValueError:
        return False
    return True


def writes(seed: int) -> str:
    """A program of random views and in-place writes: values, versions, histories, gradients, or the refusal."""
    draw = random.Random(seed)
    lines = [
        "x = torch.arange(1.0, 13.0, dtype=torch.float64).requires_grad_()",
        "w = torch.arange(12.0, dtype=torch.float64).mul(0.3).sin().requires_grad_()",
        draw.choice(
            ("v0 = (x * 1).reshape(3, 4)", "v0 = (x * w).view(3, 4)", "v0 = torch.zeros(3, 4, dtype=torch.float64)")
        ),
    ]
    memory = np.zeros((3, 4))
    pool: list[tuple[str, Any]] = [("v0", memory)]
    saved = 0
    for _ in range(draw.randint(3, 9)):
        name, array = draw.choice(pool)
        kind = draw.random()
        if kind < 0.45:
            text, view = random_view(draw, name, array)
            pool.append((f"v{len(pool)}", view))
            lines.append(f"{pool[-1][0]} = {text}")
        elif kind < 0.9:
            lines.append(random_write(draw, name, array, pool))
        else:
            lines.append(f"s{saved} = {name} * {name}")
            saved += 1
    ending = " + ".join(
        [f"({name} * {at + 1}).sum()" for at, (name, _) in enumerate(pool)] + [f"s{at}.sum()" for at in range(saved)]
    )
    names = [name for name, _ in pool]
    lines += [
        f"state = [({', '.join(f'{name}, {name}._version' for name in names)})]",
        f"y = {ending}",
        "grads = torch.autograd.grad(y, [x, w], allow_unused=True) if y.requires_grad else None",
        "return state, y, grads",
    ]
    return program(lines)


def random_view(draw: random.Random, name: str, array: Any) -> tuple[str, Any]:
    """A view of a tensor as text, and the same view of its stand-in."""
    choices: list[tuple[str, Callable[[Any], Any]]] = [
        ("{}.detach()", lambda a: a),
        ("{}.unsqueeze(0)", lambda a: a[None]),
    ]
    if array.ndim:
        length = array.shape[0]
        at = draw.randrange(length)
        choices += [
            ("{}" + f"[{at}]", lambda a: a[at, ...]),
            ("{}" + f"[{at}:]", lambda a: a[at:]),
            ("{}[::2]", lambda a: a[::2]),
        ]
        choices += [("{}.squeeze()", lambda a: a.squeeze()), ("{}" + f".narrow(0, {at}, 1)", lambda a: a[at : at + 1])]
    if array.ndim >= 2:
        choices += [("{}.transpose(0, 1)", lambda a: a.swapaxes(0, 1)), ("{}[:, 1:]", lambda a: a[:, 1:])]
    if array.flags.c_contiguous and array.size:
        choices.append(("{}.view(-1)", lambda a: a.reshape(-1)))
    text, take = draw.choice(choices)
    view = take(array)
    return (text.format(name), view) if view.size else (f"{name}.detach()", array)


def random_write(draw: random.Random, name: str, array: Any, pool: list[tuple[str, Any]]) -> str:
    """An in-place write as text."""
    source, other = draw.choice(pool)
    fits = [
        f"{name}.mul_({draw.uniform(0.5, 2):.2f})",
        f"{name}.add_(1)",
        f"{name}.sin_()",
        f"{name}.zero_()",
        f"{name}.tanh_()",
        f"{name}.mul_(w.sum())",
        f"{name}.copy_(x[0])",
        f"{name}.fill_(2.0)",
        f"{name}.clamp_(-1, 1)",
        f"{name}.sub_(x[1])",
    ]
    if broadcasts(array.shape, other.shape) and np.broadcast_shapes(array.shape, other.shape) == array.shape:
        fits += [
            f"{name}.mul_({source}.cos() + 1)",
            f"{name}.copy_({source} * 2)",
            f"{name}.add_({source}.sigmoid())",
        ] * 2
    if array.ndim:
        fits += [
            f"{name}[0] = x[{draw.randrange(12)}]",
            f"{name}[0] = 3.0",
            f"{name}[{draw.randrange(array.shape[0])}] *= 2",
        ]
    return draw.choice(fits)


def listed(text: str) -> tuple[str, ...]:
    """The parts of a table of texts, which semicolons separate."""
    return tuple(part.strip() for part in re.split(r" ;\s", text.strip()))


def program(lines: list[str]) -> str:
    """The lines as a function `program(torch)`."""
    return "def program(torch):\n" + "".join(f"    {line}\n" for line in lines)


def compile_program(text: str) -> Callable[[Any], Any]:
    """The function of a program's text."""
    names: dict[str, Any] = {}
    exec(compile(text, "<generated>", "exec"), names)
    return names["program"]
