"""Limit of nested calls while a compiled graph is freed; in plain Python the function does nothing.

This file is never compiled. In the compiled build `node` takes the function of `freeing.pxd` instead.
"""

from __future__ import annotations


def shallowly(kind: type) -> None:
    """Let edges be freed with few nested calls, also where Python has many (3.13): for threads with small stacks."""
