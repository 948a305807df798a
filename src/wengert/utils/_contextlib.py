"""Context managers that are also decorators, from which libraries derive their modes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd.grad_mode import decorated

__all__ = ["context_decorator"]


class _FunctionClone:
    """A guard whose clones are made by a function."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.clone = make


def context_decorator(ctx: Any, func: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function whose calls run within a context.

    Args:
        ctx: a reusable context manager, or a function that makes one for each call.
        func: a function, or a generator function, which is within the context only while it runs.

    Raises:
        RuntimeError: if `ctx` is both.
    """
    if callable(ctx) and hasattr(ctx, "__enter__"):
        raise RuntimeError(
            f"Passed in {ctx} is both callable and also a valid context manager (has __enter__): "
            "pass `lambda: ctx` for itself, or `lambda: ctx()` for what it makes"
        )
    make = ctx if callable(ctx) else lambda: ctx
    return decorated(_FunctionClone(make), func, 3)


class _DecoratorContextManager:
    """Base of context managers that also decorate functions: each call uses a `clone`."""

    def __call__(self, orig_func: Any) -> Any:
        """Return the function, with each call within a clone of this context."""
        return decorated(self, orig_func, 3)

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> Any:
        raise NotImplementedError

    def clone(self) -> Any:
        """Return a context of the same class; overridden by classes with arguments."""
        return type(self)()


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """Base of context managers without arguments, which decorate also without parentheses."""

    def __new__(cls, orig_func: Any = None) -> Any:
        return super().__new__(cls) if orig_func is None else cls()(orig_func)
