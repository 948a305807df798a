"""Calling a module, and hooks around the call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...tensor import HookDict, RemovableHandle
from .state import State


def register(hooks: HookDict, hook: Callable[..., Any], prepend: bool) -> RemovableHandle:
    """Add a hook as the last one, or as the first."""
    earlier = dict(hooks) if prepend else {}
    handle = hooks.add(hook)
    for key in earlier:  # moved behind the new one
        hooks[key] = hooks.pop(key)
    return handle


class Hooking(State):
    """The part of `Module` that is called."""

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes; every subclass defines its own.

        Raises:
            NotImplementedError: the subclass does not.
        """
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What `forward` computes, with the hooks around it."""
        if self._forward_pre_hooks or self._forward_hooks:
            return self._call_with_hooks(args, kwargs)
        return self.forward(*args, **kwargs)

    def _call_with_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Pre-hooks, `forward`, hooks. Backward hooks, once there are some, wrap inputs and result of `forward`."""
        called: set[int] = set()
        result = None
        try:
            args, kwargs = self._run_pre_hooks(args, kwargs)
            result = self.forward(*args, **kwargs)
            for key, hook in tuple(self._forward_hooks.items()):
                called.add(key)
                result = self._run_hook(key, hook, args, kwargs, result)
            return result
        except Exception:
            for key, hook in tuple(self._forward_hooks.items()):
                if key in self._forward_hooks_always_called and key not in called:
                    result = self._run_hook(key, hook, args, kwargs, result)
            raise

    def _run_pre_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        for key, hook in tuple(self._forward_pre_hooks.items()):
            if key in self._forward_pre_hooks_with_kwargs:
                changed = hook(self, args, kwargs)
                if changed is not None:
                    if not (isinstance(changed, tuple) and len(changed) == 2):
                        raise RuntimeError(
                            "forward pre-hook must return None or a tuple of (new_args, new_kwargs), "
                            f"but got {changed}."
                        )
                    args, kwargs = changed
            else:
                changed = hook(self, args)
                if changed is not None:
                    args = changed if isinstance(changed, tuple) else (changed,)
        return args, kwargs

    def _run_hook(
        self, key: int, hook: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: Any
    ) -> Any:
        given = (args, kwargs, result) if key in self._forward_hooks_with_kwargs else (args, result)
        changed = hook(self, *given)
        return result if changed is None else changed

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args)` before `forward`; what it returns, unless None, takes the place of the arguments.

        Args:
            hook: the function.
            prepend: run it before the hooks that are there.
            with_kwargs: call `hook(module, args, kwargs)`, which returns None or `(args, kwargs)`.

        Returns:
            A handle; its `remove()` takes the hook away.
        """
        handle = register(self._forward_pre_hooks, hook, prepend)
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs.add(handle.id)
        return handle

    def register_forward_hook(
        self,
        hook: Callable[..., Any],
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:
        """Call `hook(module, args, output)` after `forward`; what it returns, unless None, takes the output's place.

        Args:
            hook: the function.
            prepend: run it before the hooks that are there.
            with_kwargs: call `hook(module, args, kwargs, output)`.
            always_call: run it also where `forward` raises, with the output so far or None.

        Returns:
            A handle; its `remove()` takes the hook away.
        """
        handle = register(self._forward_hooks, hook, prepend)
        if with_kwargs:
            self._forward_hooks_with_kwargs.add(handle.id)
        if always_call:
            self._forward_hooks_always_called.add(handle.id)
        return handle
