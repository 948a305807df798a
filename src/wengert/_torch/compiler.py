"""`torch.compile` and `torch.compiler` without a compiler: functions and modules run as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

_IN_PACKAGE = ("compile",)

Anything = TypeVar("Anything")


def compile(model: Any = None, **options: Any) -> Any:
    """Return the function or module itself; without one, return the identity as a decorator.

    >>> import wengert as wg
    >>> @wg.compile
    ... def double(x):
    ...     return x * 2
    >>> double(wg.ones(2))
    tensor([2., 2.])

    Raises:
        AssertionError: if `model` cannot be called.
    """
    if model is not None and not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    return model if model is not None else lambda function: function


def is_compiling() -> bool:
    """False."""
    return False


def is_dynamo_compiling() -> bool:
    """False."""
    return False


def is_exporting() -> bool:
    """False."""
    return False


def disable(fn: Any = None, recursive: bool = True, **options: Any) -> Any:
    """The function itself; without one a decorator."""
    return fn if fn is not None else lambda function: function


def allow_in_graph(fn: Anything) -> Anything:
    """The function itself."""
    return fn


def assume_constant_result(fn: Anything) -> Anything:
    """The function itself."""
    return fn


def substitute_in_graph(original_fn: Any, **options: Any) -> Callable[[Anything], Anything]:
    """A decorator that changes nothing."""
    return lambda function: function


def reset() -> None:
    """Nothing: nothing was compiled."""


def cudagraph_mark_step_begin() -> None:
    """Nothing."""


def list_backends(exclude_tags: Any = ()) -> list[str]:
    """Empty."""
    return []
