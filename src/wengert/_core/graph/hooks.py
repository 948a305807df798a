"""Removable hooks of tensors and nodes, and the order in which the engine runs them."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any

from .. import errors

_next_id = itertools.count()


class RemovableHandle:
    """Handle of a registered hook; `remove()` and the exit of a `with` block remove the hook."""

    __module__ = "wengert.utils.hooks"  # the module in which programs see it
    __slots__ = ("_hooks", "id")

    def __init__(self, hooks: Any) -> None:
        self.id = next(_next_id)
        self._hooks = weakref.ref(hooks)

    def remove(self) -> None:
        """Remove the hook; a second call does nothing."""
        hooks = self._hooks()
        if hooks is not None:
            hooks.pop(self.id, None)

    def __getstate__(self) -> tuple[Any, int]:
        """The hooks themselves, so that the handle of a copy removes the hook of the copy."""
        return self._hooks(), self.id

    def __setstate__(self, state: tuple[Any, int]) -> None:
        global _next_id
        hooks, self.id = state
        self._hooks = weakref.ref(HookDict() if hooks is None else hooks)
        _next_id = itertools.count(max(next(_next_id), self.id + 1))  # one from another process may be ahead of ours

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exc: object) -> None:
        self.remove()


class HookDict(dict[int, Callable[..., Any]]):
    """Hooks in the order of their registration, by the id of their handle."""

    __slots__ = ("__weakref__",)

    def add(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Register `hook` as the last one."""
        return add_to(self, hook)


def add_to(hooks: Any, hook: Callable[..., Any]) -> RemovableHandle:
    """Register a hook as the last one of a dictionary, which may be one that the program has assigned."""
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


class NodeHooks:
    """All hooks of one node.

    For each gradient that arrives the order is: hooks of the tensor (by output number, in order of registration), then
    the tensors that retain it as `.grad`, then the node's pre-hooks, the node itself, and the node's hooks on what it
    returns.

    Attributes:
        tensor: hooks by output number.
        retain: by output number a weak reference to the tensor that keeps its gradient.
        before, after: the node's own.
    """

    __slots__ = ("after", "before", "retain", "tensor")

    def __init__(self) -> None:
        self.tensor: dict[int, HookDict] = {}
        self.retain: dict[int, weakref.ref[Any]] = {}
        self.before = HookDict()
        self.after = HookDict()


def run_tensor_hooks(hooks: HookDict, grad: Any) -> Any:
    """Pass `grad` through hooks that may replace it by what they return."""
    for hook in tuple(hooks.values()):
        replaced = hook(grad)
        if replaced is not None:
            check_replacement(hook, replaced, grad)
            grad = replaced
    return grad


def run_arrival(hooks: NodeHooks, grads: list[Any]) -> None:
    """Run the hooks of the tensors that `grads` belong to, also for None; replaces entries of `grads`."""
    for nr, tensor_hooks in tuple(hooks.tensor.items()):
        grads[nr] = run_tensor_hooks(tensor_hooks, grads[nr])


def run_before(hooks: NodeHooks, grads: list[Any]) -> list[Any]:
    """Run the node's pre-hooks, which receive the tuple of gradients and may return another one."""
    for hook in tuple(hooks.before.values()):
        replaced = hook(tuple(grads))
        if replaced is not None:
            check_replacements(hook, replaced, grads)
            grads = list(replaced)
    return grads


def run_after(hooks: NodeHooks, grad_inputs: Any, grad_outputs: list[Any]) -> Any:
    """Run the node's hooks, which receive the gradients of inputs and outputs, and may replace the former."""
    for hook in tuple(hooks.after.values()):
        replaced = hook(tuple(grad_inputs), tuple(grad_outputs))
        if replaced is not None:
            check_replacements(hook, replaced, grad_inputs)
            grad_inputs = replaced
    return grad_inputs


def check_replacements(hook: Any, replaced: Any, originals: Any) -> None:
    """Check that a node's hook returned a tuple of as many gradients that fit.

    Raises:
        TypeError: if it is not a tuple, or an element is not a tensor.
        RuntimeError: if the number of gradients, or the shape or dtype of one of them, differs.
    """
    if not isinstance(replaced, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(replaced).__name__}'")
    if len(replaced) != len(originals):
        raise RuntimeError(
            f"hook {hook_name(hook)!r} has returned an incorrect number of values "
            f"(got {len(replaced)}, but expected {len(originals)})"
        )
    for new, original in zip(replaced, originals):
        if new is not None:
            check_replacement(hook, new, original)


def check_replacement(hook: Any, replaced: Any, original: Any) -> None:
    """Refuse a gradient that does not fit in the place of the one that a hook received.

    Raises:
        TypeError: if it is not a tensor.
        RuntimeError: if there was no gradient to replace, or the shape or dtype differs.
    """
    if original is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if not hasattr(type(replaced), "_array_"):
        raise TypeError(f"expected Variable, but hook returned '{type(replaced).__name__}'")
    if replaced._array_.dtype != original._array_.dtype:
        raise RuntimeError(
            f"hook {hook_name(hook)!r} has changed the type of value (was {errors.type_name(original._array_)} got "
            f"{errors.type_name(replaced._array_)})"
        )
    if replaced._array_.shape != original._array_.shape:
        raise RuntimeError(f"hook {hook_name(hook)!r} has changed the size of value")


def hook_name(hook: Any) -> str:
    """Return the name of a hook for error texts."""
    return getattr(hook, "__name__", type(hook).__name__)
