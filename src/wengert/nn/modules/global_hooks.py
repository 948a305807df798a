"""Hooks around the calls of all modules, and hooks on what modules register.

They run before the hooks of the module itself. Meant for debugging and profiling: they are global to the process, and
any thread may add and remove them while others call modules.
"""

from __future__ import annotations

from typing import Any

from ..._tensor.attributes import RemovableHandle
from ...ops.family import describes
from .hook_table import Entry, Hook, HookTable, Marks

ACTIVE: Marks = {}
"""Ids of all global hooks around calls; if it is empty, calls skip them."""

FORWARD_WITH_KWARGS: Marks = {}
FORWARD_ALWAYS_CALLED: Marks = {}
FORWARD_PRE = HookTable(ACTIVE)
FORWARD = HookTable(ACTIVE, FORWARD_WITH_KWARGS, FORWARD_ALWAYS_CALLED)
BACKWARD_PRE = HookTable(ACTIVE)
BACKWARD = HookTable(ACTIVE)
BUFFER_REGISTRATION = HookTable()
MODULE_REGISTRATION = HookTable()
PARAMETER_REGISTRATION = HookTable()


SECTIONS = """
    Args:
        hook: the function; its result, unless None, {result}.

    Returns:
        A handle; its `remove()` removes the hook.
    """


class BackwardKind:
    """Kind of the global backward hooks; `full` is None before the first. The kinds exclude each other."""

    full: bool | None = None

    @classmethod
    def choose(cls, full: bool) -> None:
        """Choose the kind of hooks.

        Raises:
            RuntimeError: if the other kind was chosen before.
        """
        if cls.full is None:  # no call between test and assignment, so no thread or signal handler runs between them
            cls.full = full
        if cls.full != full:
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks as a global Module hook. "
                "Please use only one of them."
            )


def before(hooks: HookTable, of_module: HookTable) -> tuple[Entry, ...]:
    """Return the global hooks, then those of the module itself."""
    return hooks.entries() + of_module.entries() if hooks else of_module.entries()


def any_backward() -> bool:
    """Return whether there are global hooks of the backward pass."""
    return bool(BACKWARD or BACKWARD_PRE)


def register_module_forward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call `hook(module, args)` before the `forward` of every module, and before the module's own hooks.

    Args:
        hook: the function; its result, unless None, replaces the arguments.

    Returns:
        A handle; its `remove()` removes the hook.

    >>> import wengert as wg
    >>> from wengert.nn.modules.module import register_module_forward_pre_hook
    >>> with register_module_forward_pre_hook(lambda module, args: print(module)):
    ...     output = wg.nn.Sequential(wg.nn.ReLU(), wg.nn.Tanh())(wg.ones(1))
    Sequential(
      (0): ReLU()
      (1): Tanh()
    )
    ReLU()
    Tanh()
    """
    return FORWARD_PRE.add(hook)


def register_module_forward_hook(
    hook: Hook, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Call `hook(module, args, output)` after the `forward` of every module, and before the module's own hooks.

    Args:
        hook: the function; its result, unless None, replaces the output.
        with_kwargs: call `hook(module, args, kwargs, output)`.
        always_call: run it also where `forward` raises, with the output so far or None.

    Returns:
        A handle; its `remove()` removes the hook.
    """
    return FORWARD.add(hook, with_kwargs=with_kwargs, always_called=always_call)


@describes(SECTIONS, result="replaces the gradients")
def register_module_full_backward_pre_hook(hook: Hook) -> RemovableHandle:
    """Call `hook(module, grad_output)` when the gradients of the output of any module are known."""
    return BACKWARD_PRE.add(hook)


def register_module_full_backward_hook(hook: Hook) -> RemovableHandle:
    """Call `hook(module, grad_input, grad_output)` when the gradients of the inputs of any module are known.

    Args:
        hook: the function; its result, unless None, replaces `grad_input`.

    Returns:
        A handle; its `remove()` removes the hook.

    Raises:
        RuntimeError: if there was a global hook of the older kind, `register_module_backward_hook`.
    """
    BackwardKind.choose(True)
    return BACKWARD.add(hook)


def register_module_backward_hook(hook: Hook) -> RemovableHandle:
    """The deprecated form of `register_module_full_backward_hook`: sees the last operation of the module only.

    Args:
        hook: called as `hook(module, grad_input, grad_output)`.

    Returns:
        A handle; its `remove()` removes the hook.

    Raises:
        RuntimeError: if there was a global hook of the newer kind, `register_module_full_backward_hook`.
    """
    BackwardKind.choose(False)
    return BACKWARD.add(hook)


@describes(SECTIONS, result="is registered instead")
def register_module_buffer_registration_hook(hook: Hook) -> RemovableHandle:
    """Call `hook(module, name, buffer)` when a buffer is registered or assigned."""
    return BUFFER_REGISTRATION.add(hook)


@describes(SECTIONS, result="is registered instead")
def register_module_module_registration_hook(hook: Hook) -> RemovableHandle:
    """Call `hook(module, name, submodule)` when a child module is registered."""
    return MODULE_REGISTRATION.add(hook)


@describes(SECTIONS, result="is registered instead")
def register_module_parameter_registration_hook(hook: Hook) -> RemovableHandle:
    """Call `hook(module, name, param)` when a parameter is registered."""
    return PARAMETER_REGISTRATION.add(hook)


def registered(hooks: HookTable, module: Any, name: str, value: Any) -> Any:
    """Return what to register under `name`: `value`, or its replacement by a hook."""
    for _, hook, _ in hooks.entries() if hooks else ():
        replaced = hook(module, name, value)
        if replaced is not None:
            value = replaced
    return value
