"""`torch.compile` and `torch.compiler` without a compiler: functions are followed, or replayed."""

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
    """Return a function that does the same in less time: it is followed, or with `replay` its calls are replayed.

    Nothing is compiled. A followed function runs in each call, with all that it does; operators that are called as in
    the last round run without dispatch, and backward passes run from lists of calls on arrays.

    With `replay=True` the second call with some shapes, dtypes and Python values is recorded as a list of calls on
    arrays, and later calls run the list, without the program's Python code: see the page "Compiling" for the
    conditions. A function that cannot be captured is called eagerly, with a warning.

    Args:
        model: a function or module; without one, a decorator is returned. A module is changed, and returned itself.
        fullgraph: with `replay`, raise an error if the function cannot be captured.
        disable: return `model` itself.
        replay: record and replay the calls.
        options: torch's other keywords (`dynamic`, `backend`, `mode`, `recompile_limit`, ...), which have no effect:
            each combination of shapes has a list of its own.

    Raises:
        AssertionError: if `model` is not callable.

    >>> import wengert as wg
    >>> @wg.compile(replay=True)
    ... def double(x):
    ...     return x * 2
    >>> [double(wg.ones(2) * number).tolist() for number in range(6)][-1]
    [10.0, 10.0]
    >>> @wg.compile
    ... def squared(x):
    ...     print("called")
    ...     return x * x
    >>> squared(wg.ones(1))
    called
    tensor([1.])
    """
    if model is not None and not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    if model is None:
        return functools.partial(compile, fullgraph=fullgraph, disable=disable, replay=replay)
    if disable:
        return model
    if replay:
        from .replaying import Replaying

        return Replaying(model, fullgraph)
    from .following import followed

    return followed(model)


def explain(compiled: Any, times: bool | None = None) -> Any:
    """Return what is known of the lists of a function of `wg.compile(..., replay=True)`: a text that has data, too.

    The text, a `str`, has the entries of each list with their lines in the program, the memory that the list keeps,
    where the native loop ends, and the reasons of eager calls. `signatures`, `lists` and `to_dict()` have the same as
    data, `save("lists.html")` writes a page for a browser, and a notebook shows that page.

    Args:
        compiled: the function.
        times: True to measure each entry in later calls, which then take longer: call them, and `explain` again. False
            to stop. Lists that are recorded later are not measured.

    Raises:
        TypeError: if `compiled` is not a function of `wg.compile(..., replay=True)`.

    >>> import wengert as wg
    >>> double = wg.compile(lambda x: x * 2, replay=True)
    >>> results = [double(wg.ones(2) * number) for number in range(6)]
    >>> lists = wg.compiler.explain(double).lists
    >>> [entry.name for entry in lists[0].entries], lists[0].kinds
    (['mul'], {'call': 1})
    """
    from . import explaining

    return explaining.explain(compiled, times)


def is_compiling() -> bool:
    """Return False, also while a call is recorded: a recorded call is an eager call, whose operators are noted."""
    return False


def is_dynamo_compiling() -> bool:
    """Return False."""
    return False


def is_exporting() -> bool:
    """Return False."""
    return False


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Return a form of a function that is never part of a list: functions that call it are called eagerly.

    Args:
        fn: a function; a function of `wg.compile`, which is returned uncompiled; a module, which is changed and
            returned; or a class, whose instances are excluded. Without one, a decorator is returned.
        recursive: has no effect, since calls of other functions in `fn` are never recorded by themselves.
        reason: text for the warning about the functions that call `fn`.

    >>> import wengert as wg
    >>> @wg.compiler.disable(reason="it prints")
    ... def noted(x):
    ...     print("noted")
    ...     return x
    >>> noted(wg.ones(1))
    noted
    tensor([1.])
    """
    if fn is None:
        return functools.partial(disable, recursive=recursive, reason=reason)
    from .excluding import excluded

    return excluded(fn, reason)


def allow_in_graph(fn: Anything) -> Anything:
    """Return the function itself."""
    return fn


def assume_constant_result(fn: Anything) -> Anything:
    """Return the function itself."""
    return fn


def substitute_in_graph(original_fn: Any, **options: Any) -> Callable[[Anything], Anything]:
    """Return a decorator that has no effect."""
    return lambda function: function


def reset() -> None:
    """Discard the lists and patterns of all functions of `wg.compile`."""
    replaying = sys.modules.get(f"{__name__}.replaying")
    for compiled in list(replaying.KNOWN) if replaying is not None else ():
        compiled.forget()


def cudagraph_mark_step_begin() -> None:
    """Do nothing."""


def list_backends(exclude_tags: Any = ()) -> list[str]:
    """Return an empty list."""
    return []
