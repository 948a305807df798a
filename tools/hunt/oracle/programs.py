"""Random programs as text: `x = ...` and a function `f(x)`, made from a seed."""

from __future__ import annotations

import random

import numpy as np

from tools.hunt.oracle.drafts import INDENT, Draft
from tools.hunt.oracle.judging import may_refuse
from tools.hunt.oracle.modes import MODES, task_of
from tools.hunt.oracle.statements import KINDS, Statement, complex_number

POINTS: tuple[tuple[tuple[int, ...], str], ...] = (
    ((), ""),
    ((1,), ""),
    ((3,), ""),
    ((3,), ""),
    ((2, 3), ""),
    ((2, 3), ""),
    ((0,), ""),
    ((3,), ".expand(2, 3)"),
    ((1,), ".expand(3)"),
    ((3, 2), ".t()"),
    ((6,), "[::2]"),
    ((), ".expand(2)"),
)
"""Shapes of inputs, and how they lie in memory."""
LEAST, MOST = 3, 12
LARGEST_RESULT = 6
COMPLEX_PROGRAMS, REFUSED_PROGRAMS = 0.2, 0.05


def program(seed: int) -> str:
    """Return the program of a seed; one that a backward pass refuses is mostly exchanged for another."""
    draw = random.Random(seed)
    while True:
        text = written(draw)
        if draw.random() < REFUSED_PROGRAMS or goes_backwards(text):
            return text


def goes_backwards(text: str) -> bool:
    """Whether a program that is recorded leaves what its backward pass needs."""
    task = task_of(text)
    leaf = task.x.detach().requires_grad_()
    try:
        total = task.total(leaf)
        if total.requires_grad:
            total.backward()
    except RuntimeError as error:
        return not may_refuse(MODES["reverse"], str(error))
    return True


def written(draw: random.Random) -> str:
    """Return a new program."""
    draft = Draft(draw, point(draw))
    kinds: dict[Statement, int] = dict(KINDS)
    if draw.random() < COMPLEX_PROGRAMS:
        kinds[complex_number] = 20
    count, wanted = 0, draw.randint(LEAST, MOST)
    for _ in range(20 * MOST):
        (kind,) = draw.choices([*kinds], [*kinds.values()])
        statement = kind(draft)
        if statement is not None and draft.add(*statement):
            count += 1
        if count == wanted:
            break
    finish(draft)
    return text_of(draft.point, draft.lines)


def point(draw: random.Random) -> str:
    """Return the text of an input."""
    shape, layout = draw.choice(POINTS)
    values = [round(draw.choice((-1, 1)) * draw.uniform(0.15, 1.6), 2) for _ in range(int(np.prod(shape)))]
    return f"wg.tensor({np.reshape(values, shape).tolist()}, dtype=wg.float64){layout}"


def finish(draft: Draft) -> None:
    """Add what a program returns: its latest variable, mostly with what became of others; real, and small."""
    draw, name = draft.draw, draft.latest
    parts = [real(draft, name)]
    size = draft.value(name).numel()
    if draft.is_complex(name) or size > LARGEST_RESULT or draw.random() < 0.7:
        if size > LARGEST_RESULT:
            parts = [f"{parts[0]}.flatten()[::{-(-size // LARGEST_RESULT)}]"]
        others = [variable for variable in draft.variables() if variable != name and draw.random() < 0.5]
        parts += [f"{draft.number()} * {real(draft, variable)}.sum()" for variable in others]
    draft.lines.append(f"return {' + '.join(parts)}")


def real(draft: Draft, name: str) -> str:
    """Return an expression of a variable that is real."""
    return f"({name}.real - {name}.imag)" if draft.is_complex(name) else name


def text_of(point: str, lines: list[str]) -> str:
    """Return the text of a program."""
    return f"x = {point}\ndef f(x):\n" + "\n".join(INDENT + line for line in lines)
