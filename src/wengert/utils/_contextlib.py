"""Context managers that are decorators: what libraries derive their modes from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd.grad_mode import decorated

__all__ = ["context_decorator"]


class _Made:
    """A guard whose clones are what a function makes."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.clone = make


def context_decorator(ctx: Any, func: Callable[..., Any]) -> Callable[..., Any]:
    """A function each call of which runs within a context.

    Args:
        ctx: a context manager that can be entered again, or a function that makes one for each call.
        func: a function, or a generator function, which is within it while it runs only.

    Raises:
        RuntimeError: `ctx` is both.
    """
    if callable(ctx) and hasattr(ctx, "__enter__"):
        raise RuntimeError(
            f"Passed in {ctx} is both callable and also a valid context manager (has __enter__): "
            "pass `lambda: ctx` for itself, or `lambda: ctx()` for what it makes"
        )
    make = ctx if callable(ctx) else lambda: ctx
    return decorated(_Made(make), func, 3)  # type: ignore[no-any-return]


class _DecoratorContextManager:
    """Base of context managers that decorate functions, too: each call gets a `clone`."""

    def __call__(self, orig_func: Any) -> Any:
        """The function, each call of which runs within a clone of this."""
        return decorated(self, orig_func, 3)

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> Any:
        raise NotImplementedError

    def clone(self) -> Any:
        """One of the same kind; who takes arguments overrides this."""
        return type(self)()


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """One without arguments, that decorates also without brackets."""

    def __new__(cls, orig_func: Any = None) -> Any:
        return super().__new__(cls) if orig_func is None else cls()(orig_func)
