"""Guards that switch recording and inference mode: context managers and decorators, per thread.

They restore what they found on any exit. One guard may be entered again while it is entered, also by other threads.
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
"""How many frames lie between the program and a warning of `decorated`: compiled methods have none."""


class Guard(Entered):
    """A context manager that is also a decorator."""

    __slots__ = ()

    def __call__(self, function: F) -> F:
        return decorated(self, function, FRAMES)

    def clone(self) -> Any:
        """A fresh guard of the same kind: one for each call of a decorated function."""
        return type(self)()


class Recording(Guard):
    """Switches recording on or off on entry."""

    wanted: bool

    __slots__ = ("wanted",)

    def __enter__(self) -> None:
        modes = current()
        self._entries_ = (modes, modes.set_grad(self.wanted), self._entries_)

    def __exit__(self, error_type: Any = None, error: Any = None, traceback: Any = None) -> None:
        modes = current()
        modes.set_grad(leave(self, modes))


class no_grad(Recording):
    """Inside, operations are not recorded: context manager, or decorator with or without parentheses.

    Only this thread is affected. A factory's own `requires_grad=True` holds inside, too.

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
        made: Recording = Recording.__new__(cls)
        made._entries_ = None
        made.wanted = False
        return made if orig_func is None else decorated(made, orig_func, FRAMES)


class enable_grad(Recording):
    """Inside, operations are recorded, also within `no_grad`: context manager or decorator.

    Within `inference_mode` it records nothing.

    >>> import wengert as wg
    >>> x = wg.ones(2, requires_grad=True)
    >>> with wg.no_grad(), wg.enable_grad():
    ...     (x * 2).requires_grad
    True
    """

    __module__ = "wengert.autograd.grad_mode"  # where programs find it
    __slots__ = ()

    def __new__(cls, orig_func: Any = None) -> Any:
        made: Recording = Recording.__new__(cls)
        made._entries_ = None
        made.wanted = True
        return made if orig_func is None else decorated(made, orig_func, FRAMES)


class Inference(Guard):
    """Switches inference mode on or off on entry."""

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
    """Inside, nothing is recorded, and new tensors are inference tensors: context manager or decorator.

    Inference tensors have no version counter. Outside they may be computed with, but not saved for a backward pass, nor
    written to; a `clone()` made outside is a normal tensor.

    Args:
        mode: False switches the mode off inside, and recording on.

    >>> import wengert as wg
    >>> with wg.inference_mode():
    ...     x = wg.ones(2) * 3
    >>> x.is_inference(), (x + 1).is_inference()
    (True, False)
    """

    __module__ = "wengert.autograd.grad_mode"  # where programs find it
    __slots__ = ()

    def __new__(cls, mode: Any = True) -> Any:
        made: Inference = Inference.__new__(cls)
        made._entries_ = None
        if mode is True or mode is False:
            made.mode = mode
            return made
        made.mode = True
        return decorated(made, mode, FRAMES)


class Setting(Guard):
    """Sets a mode at once; as a context manager it restores what was before it was made, as a decorator for each call.

    `pending` is what was before it was made, until it is entered or decorates.
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
        """Set the mode; return what it was."""
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
    for each in (Recording, Inference, Setting):
        each.__exit__ = left_wholly(each.__exit__)  # type: ignore[method-assign]


def is_grad_enabled() -> bool:
    """Return whether operations of this thread are recorded."""
    return current().grad


def is_inference_mode_enabled() -> bool:
    """Return whether inference mode is on in this thread."""
    return current().inference


def is_multithreading_enabled() -> bool:
    """What `set_multithreading_enabled` was last told in this thread."""
    return current().multithreading
