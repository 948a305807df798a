"""What the cycle collector sees of compiled nodes, edges and tensors, and what that means in plain Python: nothing.

This file is never compiled. In the compiled build the core modules take the functions of `collected.pxd` instead.
"""

from __future__ import annotations


def show_node(cls: type, saved_input: type, saved_packed: type) -> None:
    """Let the collector see what nodes of a class inherit from Node, and keep. Python's own classes show it anyway."""


def show_hooks(cls: type) -> None:
    """Let the collector see the hooks and notes of the node that a compiled tensor alone leads to."""


def shown_edge(cls: type) -> type:
    """A subclass of Edge that the collector sees. It sees all of Python's own classes."""
    return cls
