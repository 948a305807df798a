"""Tracking of the modules that are being called, in forward and backward passes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from .._tensor import Tensor
from ..autograd.graph import register_multi_grad_hook
from ..autograd.observers import Region, in_backward
from ..autograd.variable import Variable
from ..nn import Module
from ..nn.modules import global_hooks
from ..nn.modules.hook_table import HookTable
from ._pytree import tree_leaves

__all__ = ["ModuleTracker"]

TABLES = (global_hooks.FORWARD_PRE, global_hooks.FORWARD)
"""Tables of the hooks that run before and after each call of a module."""


class ModuleTracker(Region):
    """Context that tracks the names of modules that are being called.

    An outermost module has the name of its class; a submodule has that name and its path: "Net.layers.0". In a backward
    pass a module is entered when the gradients of its results are computed, and left when those of its inputs are; if
    no input requires a gradient, it is left at the end of the pass.

    Attributes:
        parents: set of the names of modules that are being called, and "Global".

    >>> import wengert as wg
    >>> from wengert.utils.module_tracker import ModuleTracker
    >>> layer = wg.nn.Linear(2, 2)
    >>> with ModuleTracker() as tracker:
    ...     handle = layer.register_forward_pre_hook(lambda *args: print(sorted(tracker.parents)))
    ...     y = layer(wg.ones(2))
    ['Global', 'Linear']
    """

    parents: set[str]

    def __init__(self) -> None:
        self.parents = {"Global"}
        self.names: WeakKeyDictionary[Module, str] = WeakKeyDictionary()
        self.seen: WeakSet[Module] = WeakSet()
        self.is_queued = False
        self.handles: list[Any] = []

    @property
    def is_bw(self) -> bool:
        """Return whether a backward pass is under way in this thread."""
        return in_backward()

    def _before_(self, modes: Any) -> Any:
        return [self.hooks_in(table) for table in TABLES]

    def _begin_(self, modes: Any, before: Any) -> ModuleTracker:
        self.handles = [*self.handles, global_hooks.FORWARD_PRE.add(self.before), global_hooks.FORWARD.add(self.after)]
        return self

    def _end_(self, modes: Any, before: Any) -> None:
        for handle in self.handles:
            handle.remove()
        for table, known in zip(TABLES, before):  # a registered hook whose handle was lost by an interrupt
            for key in self.hooks_in(table):
                if key not in known:
                    table.pop(key, None)
        self.handles = []

    def hooks_in(self, table: HookTable) -> list[int]:
        """Return the keys of this tracker's hooks in a table of hooks of all modules."""
        return [key for key, hook, _ in table.entries() if getattr(hook, "__self__", None) is self]

    def name_of(self, module: Module) -> str:
        """Return the name of a module, and name its submodules."""
        name = self.names.setdefault(module, type(module).__name__)
        waiting = [module]
        while waiting:
            outer = waiting.pop()
            if outer not in self.seen:
                self.seen.add(outer)
                for key, child in outer.named_children():
                    self.names[child] = f"{self.names[outer]}.{key}"
                    waiting.append(child)
        return name

    def before(self, module: Module, args: Any) -> None:
        """Note the start of a call of a module."""
        name = self.name_of(module)
        self.parents.add(name)
        self.at_gradients(args, lambda grads: self.parents.discard(name))

    def after(self, module: Module, args: Any, result: Any) -> None:
        """Note the end of a call of a module."""
        name = self.name_of(module)
        self.parents.discard(name)
        self.at_gradients(result, lambda grads: self.enter_backward(name))

    def at_gradients(self, values: Any, function: Callable[[Any], None]) -> None:
        """Call a function when the gradients of the tensors among these values are computed."""
        tensors = [leaf for leaf in tree_leaves(values) if isinstance(leaf, Tensor) and leaf.requires_grad]
        if tensors:
            self.handles.append(register_multi_grad_hook(tensors, function))

    def enter_backward(self, name: str) -> None:
        """Note that the backward pass enters a module; all are left at its end."""
        if not self.is_queued:
            Variable._execution_engine.queue_callback(self.end_pass)
            self.is_queued = True
        self.parents.add(name)

    def end_pass(self) -> None:
        """Note the end of the backward pass."""
        self.parents = {"Global"}
        self.is_queued = False
