"""Guards that switch recording and inference mode: context managers and decorators, per thread.

They restore the previous state on any exit. A guard may be entered again while it is entered, also by other threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

try:
    import cython
except ImportError:
    from .. import plain as cython

from .decorators import decorated
from .modes import Modes, current
from .regions import Entered, leave as leave, left_wholly

F = TypeVar("F", bound=Callable[..., Any])
FRAMES = 2 if cython.compiled else 3
"""Number of frames between the program and a warning of `decorated`: compiled methods have none."""


class Guard(Entered):
    """A context manager that is also a decorator."""

    __slots__ = ()

    def __call__(self, function: F) -> F:
        return decorated(self, function, FRAMES)

    def clone(self) -> Any:
        """Return a new guard of the same kind, for a call of a decorated function."""
        return type(self)()


class Recording(Guard):
    """Guard that switches recording on or off on entry."""

    wanted: bool

    __slots__ = ("wanted",)

    def __enter__(self) -> None:
        modes = current()
        self._entries_ = (modes, modes.set_grad(self.wanted), self._entries_)

    def __exit__(self, error_type: Any = None, error: Any = None, traceback: Any = None) -> None:
        modes = current()
        modes.set_grad(leave(self, modes))


class no_grad(Recording):
    """Context manager that disables recording; also a decorator, with or without parentheses.

    Only this thread is affected. `requires_grad=True` of a factory function has its effect inside, too.

    >>> import wengert as wg
    >>> x = wg.ones(2, requires_grad=True)
    >>> with wg.no_grad():
    ...     (x * 2).requires_grad
    False
    >>> @wg.no_grad()
    ... def double(x):
    ...     return x * 2
    >>> double(x).requires_grad
    False
    """

    __module__ = "wengert.autograd.grad_mode"  # where programs find it
    __slots__ = ()

    def __new__(cls, orig_func: Any = None) -> Any:
        context: Recording = Recording.__new__(cls)
        context._entries_ = None
        context.wanted = False
        return context if orig_func is None else decorated(context, orig_func, FRAMES)


class enable_grad(Recording):
    """Context manager that enables recording, also within `no_grad`; also a decorator.

    Within `inference_mode` nothing is recorded.

    >>> import wengert as wg
    >>> x = wg.ones(2, requires_grad=True)
    >>> with wg.no_grad(), wg.enable_grad():
    ...     (x * 2).requires_grad
    True
    """

    __module__ = "wengert.autograd.grad_mode"  # where programs find it
    __slots__ = ()

    def __new__(cls, orig_func: Any = None) -> Any:
        context: Recording = Recording.__new__(cls)
        context._entries_ = None
        context.wanted = True
        return context if orig_func is None else decorated(context, orig_func, FRAMES)


class Inference(Guard):
    """Guard that switches inference mode on or off on entry."""

    mode: bool

    __slots__ = ("mode",)

    def clone(self) -> Any:
        return type(self)(self.mode)  # type: ignore[call-arg]

    def __enter__(self) -> None:
        modes = current()
        self._entries_ = (modes, (modes.grad, modes.inference), self._entries_)
        modes.switch(not self.mode, self.mode)

    def __exit__(self, error_type: Any = None, error: Any = None, traceback: Any = None) -> None:
        modes = current()
        grad, inference = leave(self, modes)
        modes.switch(grad, inference)


class inference_mode(Inference):
    """Context manager in which nothing is recorded, and new tensors are inference tensors; also a decorator.

    Inference tensors have no version counter. Outside, operators accept them, but they cannot be saved for a backward
    pass, nor written to; a `clone()` outside is a normal tensor.

    Args:
        mode: True to enter the mode; False to leave it inside, and to enable recording.

    >>> import wengert as wg
    >>> with wg.inference_mode():
    ...     x = wg.ones(2) * 3
    >>> x.is_inference(), (x + 1).is_inference()
    (True, False)
    """

    __module__ = "wengert.autograd.grad_mode"  # where programs find it
    __slots__ = ()

    def __new__(cls, mode: Any = True) -> Any:
        context: Inference = Inference.__new__(cls)
        context._entries_ = None
        if mode is True or mode is False:
            context.mode = mode
            return context
        context.mode = True
        return decorated(context, mode, FRAMES)


class Setting(Guard):
    """Guard that sets a mode at once; as a context manager it restores the state before, as a decorator it is per call.

    `pending` is the state before it was created, until it is entered or decorates.
    """

    mode: bool
    pending: Any

    __slots__ = ("mode", "pending")

    def __init__(self, mode: bool) -> None:
        if mode is not True and mode is not False:
            name = type(self).__name__
            raise TypeError(f"{name}(): argument 'enabled' (position 1) must be bool, not {type(mode).__name__}")
        self.mode = mode
        self._entries_ = None
        self.pending = self.change(current(), mode)

    def __enter__(self) -> None:
        modes = current()
        before = self.change(modes, self.mode)
        if self.pending is not None:
            before, self.pending = self.pending, None
        self._entries_ = (modes, before, self._entries_)

    def __exit__(self, error_type: Any = None, error: Any = None, traceback: Any = None) -> None:
        modes = current()
        self.change(modes, leave(self, modes))

    def __call__(self, function: F) -> F:
        if self.pending is not None:
            self.change(current(), self.pending)
            self.pending = None
        return decorated(self, function, FRAMES)

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.{type(self).__name__}(mode={self.mode})"

    def clone(self) -> Any:
        return type(self)(self.mode)

    def change(self, modes: Modes, mode: bool) -> bool:
        """Set the mode; return the previous one."""
        raise NotImplementedError


class set_grad_enabled(Setting):
    """Switch recording: as a function at once, as a context manager until its end, as a decorator for each call.

    Args:
        mode: whether operations are recorded.

    Raises:
        TypeError: if `mode` is not a bool.

    >>> import wengert as wg
    >>> x = wg.ones(2, requires_grad=True)
    >>> with wg.set_grad_enabled(False):
    ...     (x * 2).requires_grad
    False
    """

    __slots__ = ()

    def change(self, modes: Modes, mode: bool) -> bool:
        return modes.set_grad(mode)


class set_multithreading_enabled(Setting):
    """Set whether backward passes of this thread may use other threads: a function, context manager or decorator.

    The engine runs every pass in the thread that starts it, so this changes only the result of
    `is_multithreading_enabled`.

    Args:
        mode: the value that it returns from now on.

    Raises:
        TypeError: if `mode` is not a bool.
    """

    __slots__ = ()

    def change(self, modes: Modes, mode: bool) -> bool:
        before = modes.multithreading
        modes.multithreading = mode
        return before


if not cython.compiled:  # otherwise no handler comes in between
    for manager in (Recording, Inference, Setting):
        manager.__exit__ = left_wholly(manager.__exit__)  # type: ignore[method-assign]


def is_grad_enabled() -> bool:
    """Return whether operations of this thread are recorded.

    Examples:
        >>> import wengert as wg
        >>> wg.is_grad_enabled()
        True
    """
    return current().grad


def is_inference_mode_enabled() -> bool:
    """Return whether inference mode is on in this thread.

    Examples:
        >>> import wengert as wg
        >>> wg.is_inference_mode_enabled()
        False
    """
    return current().inference


def is_multithreading_enabled() -> bool:
    """Return the last setting of `set_multithreading_enabled` in this thread."""
    return current().multithreading
