"""Hooks for all tensors that are saved inside a `with` block: pack them, spill them, forbid that."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ContextDecorator
from typing import Any

from .._core import errors
from .._core.state.modes import Modes, current
from .._core.state.regions import Region
from .._core.tensor.base import Tensor


class saved_tensors_hooks(Region):  # noqa: N801 - torch's name
    """Inside this context the graph keeps `pack_hook(tensor)` in place of each tensor saved for the backward pass.

    When that pass (or a look at `node._saved_*`) needs the tensor, `unpack_hook` makes it again of what was kept; it
    should have the values, shape and dtype of the original. The pack hook runs with recording off. Of nested
    contexts only the innermost applies; each thread has its own.

    Versions are not checked: a pack hook that keeps the memory which it was given does not notice later writes. A
    tensor that was the operation's own output loses its history when the pack hook returns, so that a hook may keep
    what it is given.

    Args:
        pack_hook: given the tensor, which it must not write to.
        unpack_hook: given what the other returned; returns a tensor.

    Raises:
        TypeError: on entry: a hook cannot be called. In the backward pass: `unpack_hook` returned no tensor.
        RuntimeError: on entry: hooks are forbidden, see `disable_saved_tensors_hooks`.

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
        modes.saved_hooks = modes.saved_hooks[:-1] or None  # left within a backward pass, which has put it back


class save_on_cpu(saved_tensors_hooks):  # noqa: N801 - torch's name
    """Inside this context saved tensors are kept in the memory of the CPU, and brought back for the backward pass.

    All memory is the CPU's here, so nothing is copied: the context is for programs that are written for devices, too.
    What it does change: later writes to a saved tensor are not noticed, as with any hooks.

    Args:
        pin_memory: whether copies between devices are to be asynchronous; there are none.
        device_type: the device that the memory is saved from.
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        self.pin_memory = pin_memory
        self.device_type = device_type
        super().__init__(to_cpu, from_cpu)


def to_cpu(tensor: Tensor) -> tuple[Any, Tensor]:
    """What is kept of a saved tensor: where it was, and its values on the CPU."""
    return tensor.device, tensor.detach().cpu()


def from_cpu(packed: tuple[Any, Tensor]) -> Tensor:
    """A saved tensor where it was."""
    device, tensor = packed
    made: Tensor = tensor.to(device)
    return made


class disable_saved_tensors_hooks(Region, ContextDecorator):  # noqa: N801 - torch's name
    """Inside this context `saved_tensors_hooks` cannot be entered: for code that does not work with such hooks.

    Hooks of a single saved tensor (`node._raw_saved_*.register_hooks`) stay allowed.

    Args:
        error_message: what the error then says.

    Raises:
        RuntimeError: on entry: such hooks are already in force.

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
