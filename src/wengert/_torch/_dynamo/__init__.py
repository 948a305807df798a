"""Names of torch's compiler that libraries use to mark functions for it; there is no compiler here."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ..compiler import allow_in_graph, assume_constant_result, disable, is_compiling, list_backends, reset
from . import eval_frame as eval_frame
from .eval_frame import OptimizedModule

__all__ = [
    "OptimizedModule",
    "allow_in_graph",
    "assume_constant_result",
    "config",
    "disable",
    "eval_frame",
    "graph_break",
    "is_compiling",
    "list_backends",
    "mark_dynamic",
    "mark_static",
    "mark_static_address",
    "reset",
]

config = SimpleNamespace()
"""Settings, which have no effect."""


def graph_break(msg: str = "") -> None:
    """Do nothing: there are no graphs."""


def mark_dynamic(t: Any, index: Any, **options: Any) -> None:
    """Nothing: no length is compiled in."""


mark_static = mark_dynamic


def mark_static_address(t: Any, guard: bool = True) -> None:
    """Nothing: no address is compiled in."""
