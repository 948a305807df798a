"""`torch.compile` and `torch.compiler` without a compiler: functions run as they are, or are replayed."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any, TypeVar

_IN_PACKAGE = ("compile",)

Anything = TypeVar("Anything")


def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    disable: bool = False,
    replay: bool = False,
    **options: Any,
) -> Any:
    """Return the function or module itself, or with `replay` a function that replays its calls.

    Nothing is compiled. With `replay=True` the second call with some shapes, dtypes and Python values is recorded as a
    list of calls on arrays, and later ones run that list, without the program's Python code: see the page "Capture" for
    what the function may do. What cannot be captured is called eagerly, with a warning.

    Args:
        model: a function or module; without one, a decorator is returned.
        fullgraph: raise an error where the function cannot be captured.
        disable: return `model` itself.
        replay: record and replay the calls.
        options: torch's other keywords (`dynamic`, `backend`, `mode`, `recompile_limit`, ...), which change nothing:
            each combination of shapes has a list of its own.

    Raises:
        AssertionError: if `model` cannot be called.

    >>> import wengert as wg
    >>> @wg.compile(replay=True)
    ... def double(x):
    ...     return x * 2
    >>> [double(wg.ones(2) * number).tolist() for number in range(6)][-1]
    [10.0, 10.0]
    >>> wg.compile(double) is double
    True
    """
    if model is not None and not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    if model is None:
        return functools.partial(compile, fullgraph=fullgraph, disable=disable, replay=replay)
    if disable or not replay:
        return model
    from .replaying import Replaying

    return Replaying(model, fullgraph)


def explain(compiled: Any) -> str:
    """Return as text what a function of `wg.compile(..., replay=True)` has captured: lists, entries and their lines.

    Raises:
        TypeError: if `compiled` is no such function.
    """
    from . import explaining

    return explaining.explain(compiled)


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
    """Forget what functions of `wg.compile(..., replay=True)` have recorded."""
    replaying = sys.modules.get(f"{__name__}.replaying")
    for compiled in list(replaying.KNOWN) if replaying is not None else ():
        compiled.forget()


def cudagraph_mark_step_begin() -> None:
    """Nothing."""


def list_backends(exclude_tags: Any = ()) -> list[str]:
    """Empty."""
    return []
