"""What events are called, and where the program was: made of what was noted when somebody asks."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import CodeType
from typing import Any

from ..._core.profiling import kinds
from ..._core.profiling.events import Event

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHOWN = tuple(os.path.join(PACKAGE, layer) + os.sep for layer in ("nn", "optim", "func", "demo", "vision"))
"""The layers of the package whose frames are shown: what lies below is the same in each stack, or compiled."""

INNER = {
    "view_shape": "view",
    "max_dim": "max",
    "max_full": "max",
    "min_dim": "min",
    "min_full": "min",
    "true_divide": "div",
    "divide_rounded": "div",
    "true_divide_": "div_",
    "divide_rounded_": "div_",
    "copy": "copy_",
    "_where": "where",
}
"""Operators that torch has under one name where they are several here."""


def name_of(event: Event) -> str:
    """The name of an event, as torch gives it."""
    what = event.what
    if event.kind == kinds.OPERATOR:
        name = what if isinstance(what, str) else what.name
        return f"aten::{INNER.get(name, name)}"
    name = what.__name__ if isinstance(what, type) else str(what)
    return f"autograd::engine::evaluate_function: {name}" if event.kind == kinds.EVALUATE else name


def line_of(code: CodeType, offset: int) -> int:
    """The line that an instruction belongs to."""
    for start, end, line in code.co_lines():
        if start <= offset < end and line is not None:
            return line
    return code.co_firstlineno


def is_shown(code: CodeType) -> bool:
    """Whether a frame belongs to the program, or to a layer that is shown."""
    path = code.co_filename
    return not path.startswith(PACKAGE + os.sep) or path.startswith(SHOWN)


def frames_of(stack: Any) -> Iterator[str]:
    """The calls that led to an event, innermost first: "file(line): function"."""
    for at in range(0, len(stack), 2):
        code: CodeType = stack[at]
        if is_shown(code):
            yield f"{code.co_filename}({line_of(code, stack[at + 1])}): {code.co_name}"
