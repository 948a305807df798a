"""Calling a module, and hooks around the call."""

from __future__ import annotations

import warnings
from typing import Any

from ..._core.holders import fill
from ..._start.boundary import shorten
from ..._tensor import Tensor
from ..._tensor.attributes import RemovableHandle
from . import global_hooks
from .backward_hooks import BackwardHook, register_on_last_node, warn_of_missing
from .global_hooks import ACTIVE
from .hook_table import Hook, HookTable, Marks
from .registration import Registration
from .state import State

Args = tuple[Any, ...]
Kwargs = dict[str, Any]
COMPILED = -1
"""The mark of a compiled call among those of hooks, whose numbers are positive."""


class Hooking(State):
    """The part of `Module` that is called."""

    _call_hooks: Marks
    _is_full_backward_hook: bool | None
    _backward_pre_hooks: HookTable
    _backward_hooks: HookTable
    _forward_hooks: HookTable
    _forward_hooks_with_kwargs: Marks
    _forward_hooks_always_called: Marks
    _forward_pre_hooks: HookTable
    _forward_pre_hooks_with_kwargs: Marks

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the result of the module; every subclass defines its own.

        Raises:
            NotImplementedError: if the subclass does not define `forward`.
        """
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call `forward`, with the hooks around it."""
        try:
            if self._call_hooks or ACTIVE:
                return self._call_with_hooks(args, kwargs)
            return self.forward(*args, **kwargs)
        except Exception as error:
            shorten(error)
            raise

    @classmethod
    def _fill_slots(cls) -> None:
        """Let C look up attributes and call `forward`, unless the class has other methods for that."""
        fill(cls, Registration.__getattr__, Hooking.__call__, ACTIVE)

    _call_impl = _wrapped_call_impl = __call__  # attributes that libraries replace
    _compiled_call_impl: Any = None  # the call as `compile` has set it

    def _slow_forward(self, *input: Any, **kwargs: Any) -> Any:
        """Call `forward`; torch also names the module to its tracer, which does not exist here."""
        return self.forward(*input, **kwargs)

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Compile the call of this module, with its hooks, by `wengert.compile(call, *args, **kwargs)`.

        Copies and pickles of the module are not compiled.

        >>> import wengert as wg
        >>> layer = wg.nn.Linear(2, 1)
        >>> layer.compile(replay=True)
        >>> [layer(wg.ones(3, 2)).shape for _ in range(6)][-1]
        torch.Size([3, 1])
        """
        from ... import compile as compiled

        call = self._call_uncompiled
        replaced = compiled(call, *args, **kwargs)
        self._compiled_call_impl = None if replaced is call else replaced
        if replaced is call:
            self._call_hooks.pop(COMPILED, None)
        else:
            self._call_hooks[COMPILED] = True

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for a copy or a pickle."""
        state = self.__dict__.copy()
        state.pop("_compiled_call_impl", None)
        return state

    # ---- the call ----------------------------------------------------------------------------------------------------

    def _call_with_hooks(self, args: Args, kwargs: Kwargs) -> Any:
        """Run the compiled call if there is one, otherwise `forward` with the hooks around it."""
        compiled = self._compiled_call_impl
        return self._run_with_hooks(args, kwargs) if compiled is None else compiled(*args, **kwargs)

    def _call_uncompiled(self, *args: Any, **kwargs: Any) -> Any:
        """Call the module as if it were not compiled."""
        return self._run_with_hooks(args, kwargs)

    def _run_with_hooks(self, args: Args, kwargs: Kwargs) -> Any:
        """Run pre-hooks, `forward` and hooks, global ones first. Backward hooks wrap inputs and result of `forward`."""
        ran: list[int] = []
        result = None
        try:
            if self._forward_pre_hooks or global_hooks.FORWARD_PRE:
                args, kwargs = self._run_pre_hooks(args, kwargs)
            backward = self._backward_hooks or self._backward_pre_hooks or global_hooks.any_backward()
            full = self._full_backward_hooks() if backward else None
            if full is not None:
                args = full.setup_input_hook(args)
            result = self.forward(*args, **kwargs)
            for key, hook, with_kwargs in global_hooks.before(global_hooks.FORWARD, self._forward_hooks):
                ran.append(key)
                replaced = hook(self, args, kwargs, result) if with_kwargs else hook(self, args, result)
                if replaced is not None:
                    result = replaced
            return self._attach_backward_hooks(full, args, result) if backward else result
        except Exception:
            self._run_always_called(ran, args, kwargs, result)
            raise

    def _run_pre_hooks(self, args: Args, kwargs: Kwargs) -> tuple[Args, Kwargs]:
        for _, hook, with_kwargs in global_hooks.before(global_hooks.FORWARD_PRE, self._forward_pre_hooks):
            if with_kwargs:
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

    def _run_always_called(self, ran: list[int], args: Args, kwargs: Kwargs, result: Any) -> None:
        """Run the hooks with `always_call` that have not run, after an error. Their own errors become warnings."""
        for key, hook, with_kwargs in global_hooks.before(global_hooks.FORWARD, self._forward_hooks):
            of_all = key in global_hooks.FORWARD_ALWAYS_CALLED
            if key in ran or not (of_all or key in self._forward_hooks_always_called):
                continue
            try:
                replaced = hook(self, args, kwargs, result) if with_kwargs else hook(self, args, result)
            except Exception as error:
                warnings.warn(
                    f"{'global ' if of_all else ''}module forward hook with ``always_call=True`` raised an exception "
                    f"that was silenced as another error was raised in forward: {error}",
                    stacklevel=2,
                )
                continue
            if replaced is not None:
                result = replaced

    # ---- backward hooks of a call ------------------------------------------------------------------------------------

    def _backward_hooks_of_kind(self, full: bool) -> list[Hook]:
        """Return the global hooks and the module's own, if they are of this kind."""
        hooks: list[Hook] = []
        if global_hooks.BackwardKind.full is full:
            hooks += [hook for _, hook, _ in global_hooks.BACKWARD.entries()]
        if self._is_full_backward_hook is full:
            hooks += [hook for _, hook, _ in self._backward_hooks.entries()]
        return hooks

    def _get_backward_hooks(self) -> tuple[list[Hook], list[Hook]]:
        """Return the backward hooks of a call as two lists: the full ones, and those of the older kind."""
        return self._backward_hooks_of_kind(True), self._backward_hooks_of_kind(False)

    def _get_backward_pre_hooks(self) -> list[Hook]:
        """Return the global hooks and the module's own that run when the gradients of its output are known."""
        return [hook for _, hook, _ in global_hooks.before(global_hooks.BACKWARD_PRE, self._backward_pre_hooks)]

    def _maybe_warn_non_full_backward_hook(self, inputs: Any, result: Any, grad_fn: Any) -> None:
        """Warn of gradients that hooks of the older kind miss in a call."""
        warn_of_missing((inputs,) if isinstance(inputs, Tensor) else inputs, result, grad_fn)

    def _full_backward_hooks(self) -> BackwardHook | None:
        """Return the wrapper of inputs and outputs of this call; None without full backward hooks."""
        hooks = self._backward_hooks_of_kind(True)
        pre_hooks = self._get_backward_pre_hooks()
        return BackwardHook(self, hooks, pre_hooks) if hooks or pre_hooks else None

    def _attach_backward_hooks(self, full: BackwardHook | None, args: Args, result: Any) -> Any:
        """Attach the backward hooks to the history of the result, and return it."""
        if full is not None:
            if not isinstance(result, tuple | Tensor):
                warnings.warn(
                    "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors "
                    f"but received {type(result)}",
                    stacklevel=2,
                )
            result = full.setup_output_hook(result)
        hooks = self._backward_hooks_of_kind(False)
        if hooks:
            register_on_last_node(self, hooks, args, result)
        return result

    # ---- registration ------------------------------------------------------------------------------------------------

    def register_forward_pre_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args)` before `forward`; its result, unless None, replaces the arguments.

        Args:
            hook: the function.
            prepend: run it before the existing hooks.
            with_kwargs: call `hook(module, args, kwargs)`, which returns None or `(args, kwargs)`.

        Returns:
            A handle; its `remove()` removes the hook.
        """
        return self._forward_pre_hooks.add(hook, prepend, with_kwargs=with_kwargs)

    def register_forward_hook(
        self, hook: Hook, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args, output)` after `forward`; its result, unless None, replaces the output.

        Args:
            hook: the function.
            prepend: run it before the existing hooks.
            with_kwargs: call `hook(module, args, kwargs, output)`.
            always_call: run it also where `forward` or another hook raises, with the output so far or None.

        Returns:
            A handle; its `remove()` removes the hook.
        """
        return self._forward_hooks.add(hook, prepend, with_kwargs=with_kwargs, always_called=always_call)

    def register_full_backward_pre_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_output)` when the gradients of the module's output are known.

        Args:
            hook: called with a tuple of one gradient for each output (None for what is not a tensor); its result,
                unless None, replaces the tuple.
            prepend: run it before the existing hooks.

        Returns:
            A handle; its `remove()` removes the hook.
        """
        return self._backward_pre_hooks.add(hook, prepend)

    def register_full_backward_hook(self, hook: Hook, prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` when the gradients of the module's inputs are known.

        While a module has full backward hooks, inputs and outputs of `forward` pass through a node of the graph
        (`BackwardHookFunctionBackward`), and writing to them in place is refused.

        Args:
            hook: called with tuples of one gradient for each positional argument and for each output (None for what is
                not a tensor); its result, unless None, replaces `grad_input`.
            prepend: run it before the existing hooks.

        Returns:
            A handle; its `remove()` removes the hook.

        Raises:
            RuntimeError: if the module has had hooks of the older kind, `register_backward_hook`.

        >>> import wengert as wg
        >>> layer = wg.nn.ReLU()
        >>> handle = layer.register_full_backward_hook(lambda module, grad_input, grad_output: print(grad_input))
        >>> layer(wg.tensor([1.0, -1.0], requires_grad=True)).sum().backward()
        (tensor([1., 0.]),)
        """
        self._choose_backward_kind(True)
        return self._backward_hooks.add(hook, prepend)

    def register_backward_hook(self, hook: Hook) -> RemovableHandle:
        """The deprecated form of `register_full_backward_hook`: sees the last operation of the module only.

        Args:
            hook: called as `hook(module, grad_input, grad_output)`, the gradients of that operation's inputs and
                outputs; a tuple that it returns replaces the former.

        Returns:
            A handle; its `remove()` removes the hook.

        Raises:
            RuntimeError: if the module has had hooks of the newer kind.
        """
        self._choose_backward_kind(False)
        return self._backward_hooks.add(hook)

    def _choose_backward_kind(self, full: bool) -> None:
        if self._is_full_backward_hook is not None and self._is_full_backward_hook != full:
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. "
                "Please use only one of them."
            )
        self._is_full_backward_hook = full
