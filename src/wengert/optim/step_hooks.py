"""Hooks around the steps of a single optimiser, or of all optimisers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .._core.state.modes import current
from .._start.boundary import shorten
from .._tensor.attributes import HookDict, RemovableHandle
from ..autograd.profiler.ranges import record_function

NONE = HookDict()
_global_optimizer_pre_hooks = HookDict()
_global_optimizer_post_hooks = HookDict()


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` before each step of every optimiser; it may return other `(args, kwargs)`.

    The first of `args` is the optimiser itself.

    Returns:
        A handle whose `remove()` removes the hook.
    """
    return _global_optimizer_pre_hooks.add(hook)


def register_optimizer_step_post_hook(hook: Callable[..., None]) -> RemovableHandle:
    """Call `hook(optimizer, args, kwargs)` after each step of every optimiser.

    Returns:
        A handle whose `remove()` removes the hook.
    """
    return _global_optimizer_post_hooks.add(hook)


def prepended(hooks: HookDict, hook: Callable[..., Any], first: bool) -> RemovableHandle:
    """Register a hook as the last, or as the first."""
    before = dict(hooks) if first else {}
    for key in before:
        del hooks[key]
    handle = hooks.add(hook)
    hooks.update(before)
    return handle


def profiled(optimizer: Any, name: str) -> Any:
    """Return the range of a call of a method in a profile: "Optimizer.step#SGD.step"."""
    return record_function(f"Optimizer.{name}#{type(optimizer).__name__}.{name}")


def has_hooks(optimizer: Any) -> bool:
    """Return whether an optimiser, or all optimisers, have hooks around their steps."""
    fields = optimizer.__dict__
    return bool(
        fields.get("_optimizer_step_pre_hooks")
        or fields.get("_optimizer_step_post_hooks")
        or _global_optimizer_pre_hooks
        or _global_optimizer_post_hooks
    )


def with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a `step` to run the hooks of all optimisers and of its own, within a range if a profile is open.

    An optimiser that wraps another one, and was not initialised as an optimiser, has no hooks of its own.
    """

    @functools.wraps(step)
    def stepped(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            log = current().log
            if log is None:
                return (hooked if has_hooks(self) else step)(self, *args, **kwargs)
            with profiled(self, "step"):
                return log.island(hooked, (self, *args), kwargs)
        except Exception as error:
            shorten(error)
            raise

    def hooked(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not has_hooks(self):
            return step(self, *args, **kwargs)
        before = getattr(self, "_optimizer_step_pre_hooks", NONE)
        after = getattr(self, "_optimizer_step_post_hooks", NONE)
        args = (self, *args)  # so that hooks see, and may change, them
        for hook in (*_global_optimizer_pre_hooks.values(), *before.values()):
            changed = hook(self, args, kwargs)
            if changed is not None:
                if not (isinstance(changed, tuple) and len(changed) == 2):
                    raise RuntimeError(
                        f"{step} must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                    )
                args, kwargs = changed
        result = step(*args, **kwargs)
        for hook in (*after.values(), *_global_optimizer_post_hooks.values()):
            hook(self, args, kwargs)
        return result

    stepped.hooked = True  # type: ignore[attr-defined]
    return stepped
