"""Hooks for all tensors that are saved inside a `with` block: pack them, move them, or forbid such hooks."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ContextDecorator
from typing import Any

from .._core import errors
from .._core.state.modes import Modes, current
from .._core.state.regions import Region
from .._core.tensor.base import Tensor


class saved_tensors_hooks(Region):  # noqa: N801 - torch's name
    """Keep `pack_hook(tensor)` in place of each tensor saved for the backward pass inside this context.

    When the backward pass (or reading `node._saved_*`) needs the tensor, `unpack_hook` restores it from the packed
    object; it should have the values, shape and dtype of the original. The pack hook runs with recording off. In nested
    contexts only the innermost applies; each thread has its own.

    Versions are not checked: later writes are not noticed if a pack hook keeps the memory of its argument. A tensor
    that was the operation's own output loses its history when the pack hook returns, so that a hook may keep its
    argument.

    Args:
        pack_hook: function of the tensor, which it must not write to; returns any object.
        unpack_hook: function of that object; returns a tensor.

    Raises:
        TypeError: if a hook cannot be called (on entry), or `unpack_hook` does not return a tensor (in the backward
            pass).
        RuntimeError: if hooks are forbidden (on entry), see `disable_saved_tensors_hooks`.

    >>> import wengert as wg
    >>> x = wg.tensor([1.0, 2.0], requires_grad=True)
    >>> def pack(tensor):
    ...     print("packing", tensor.tolist())
    ...     return tensor.numpy(force=True).astype("float16")
    >>> with wg.autograd.graph.saved_tensors_hooks(pack, lambda half: wg.from_numpy(half).float()):
    ...     y = x * x
    packing [1.0, 2.0]
    packing [1.0, 2.0]
    >>> y.sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        self.pack_hook = pack_hook
        self.unpack_hook = unpack_hook

    def _before_(self, modes: Modes) -> Any:
        for hook in (self.pack_hook, self.unpack_hook):
            if not callable(hook):
                raise TypeError(errors.uncallable_hook("saved_tensors_hooks", hook))
        if modes.no_saved_hooks is not None:
            raise RuntimeError(modes.no_saved_hooks)
        return modes.saved_hooks

    def _begin_(self, modes: Modes, before: Any) -> None:
        modes.saved_hooks = (*(modes.saved_hooks or ()), (self.pack_hook, self.unpack_hook))

    def _end_(self, modes: Modes, before: Any) -> None:
        modes.saved_hooks = before

    def _refuse_(self) -> None:
        modes = current()
        if not modes.saved_hooks:
            raise RuntimeError(errors.HOOKS_NOT_ENTERED)
        modes.saved_hooks = modes.saved_hooks[:-1] or None  # left within a backward pass, which restores the hooks


class save_on_cpu(saved_tensors_hooks):  # noqa: N801 - torch's name
    """Keep tensors saved inside this context in the memory of the CPU, and move them back for the backward pass.

    All memory is the CPU's here, so nothing is copied: the context is for programs that are also written for devices.
    As with any hooks, later writes to a saved tensor are not noticed.

    Args:
        pin_memory: whether to copy asynchronously between devices; no effect.
        device_type: the device of the saved tensors; no effect.
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        self.pin_memory = pin_memory
        self.device_type = device_type
        super().__init__(to_cpu, from_cpu)


def to_cpu(tensor: Tensor) -> tuple[Any, Tensor]:
    """Return the device of a saved tensor, and its values on the CPU."""
    return tensor.device, tensor.detach().cpu()


def from_cpu(packed: tuple[Any, Tensor]) -> Tensor:
    """Return a saved tensor on its original device."""
    device, tensor = packed
    result: Tensor = tensor.to(device)
    return result


class disable_saved_tensors_hooks(Region, ContextDecorator):  # noqa: N801 - torch's name
    """Forbid `saved_tensors_hooks` inside this context, for code that does not work with such hooks.

    Hooks of a single saved tensor (`node._raw_saved_*.register_hooks`) are still allowed.

    Args:
        error_message: the text of the error.

    Raises:
        RuntimeError: if such hooks are already in force (on entry).

    >>> import wengert as wg
    >>> with wg.autograd.graph.disable_saved_tensors_hooks("no hooks, please"):
    ...     with wg.autograd.graph.save_on_cpu():
    ...         pass
    Traceback (most recent call last):
    RuntimeError: no hooks, please
    """

    def __init__(self, error_message: str) -> None:
        self.error_message = error_message

    def _before_(self, modes: Modes) -> Any:
        if modes.saved_hooks is not None:
            raise RuntimeError(self.error_message)
        return modes.no_saved_hooks

    def _begin_(self, modes: Modes, before: Any) -> None:
        modes.no_saved_hooks = self.error_message

    def _end_(self, modes: Modes, before: Any) -> None:
        modes.no_saved_hooks = before
