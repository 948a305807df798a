"""Visibility of compiled nodes, edges and tensors to the cycle collector; in plain Python these functions do nothing.

This file is never compiled. In the compiled build the core modules take the functions of `collected.pxd` instead.
"""

from __future__ import annotations


def show_node(cls: type, saved_input: type, saved_packed: type) -> None:
    """Let the collector see the fields that nodes of a class inherit from Node, as it does for Python's own classes."""


def show_hooks(cls: type) -> None:
    """Let the collector see the hooks and notes of a node that only a compiled tensor refers to."""


def shown_edge(cls: type) -> type:
    """Return a subclass of Edge that the collector sees. It sees all of Python's own classes."""
    return cls
