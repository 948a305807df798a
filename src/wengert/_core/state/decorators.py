"""Guards as decorators: of functions, generators, coroutines and asynchronous generators.

A decorated generator or coroutine runs under the mode whenever it runs, and restores the caller's mode in between.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import AsyncGenerator, Generator
from typing import Any

CLASS_DECORATED = (
    "Decorating classes is deprecated and will be disabled in future versions. Decorate functions or methods instead; "
    "to go on as before, decorate the `__init__` of the class {} and nothing else."
)


def decorated(guard: Any, function: Any, frames: int) -> Any:
    """A function of the same kind as `function`, each call of which runs under a clone of `guard`.

    Args:
        frames: the number of frames between a warning and the program.
    """
    if isinstance(function, type):
        warnings.warn(CLASS_DECORATED.format(function.__name__), FutureWarning, stacklevel=frames)
        return function_under(
            guard, functools.update_wrapper(lambda *args, **kwargs: function(*args, **kwargs), function)
        )
    if inspect.isgeneratorfunction(function):
        return generator_under(guard, function)
    if inspect.isasyncgenfunction(function):
        return asynchronous_generator_under(guard, function)
    if inspect.iscoroutinefunction(function):
        return coroutine_under(guard, function)
    return function_under(guard, function)


def function_under(guard: Any, function: Any) -> Any:
    """A plain function under a guard."""
    clone = guard.clone

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with clone():
            return function(*args, **kwargs)

    return wrapper


def generator_under(guard: Any, function: Any) -> Any:
    """A generator function under a guard."""

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return (yield from steps(guard, function(*args, **kwargs)))

    return wrapper


def coroutine_under(guard: Any, function: Any) -> Any:
    """A coroutine function under a guard: during `await` other tasks have their own mode."""

    @functools.wraps(function)
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        return await Steps(guard, function(*args, **kwargs))

    return wrapper


def asynchronous_generator_under(guard: Any, function: Any) -> Any:
    """An asynchronous generator function under a guard."""

    @functools.wraps(function)
    async def wrapper(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        generator = function(*args, **kwargs)
        step, value = generator.asend, None
        while True:
            try:
                item = await Steps(guard, step(value))
            except StopAsyncIteration:
                return
            try:
                value = yield item
                step = generator.asend
            except GeneratorExit:
                await Steps(guard, generator.aclose())
                raise
            except BaseException as error:  # the caller threw into the generator: pass it on
                step, value = generator.athrow, error

    return wrapper


def steps(guard: Any, generator: Any) -> Generator[Any, Any, Any]:
    """Run a generator step by step, each under a clone of `guard`."""
    step, value = generator.send, None
    while True:
        try:
            with guard.clone():
                item = step(value)
        except StopIteration as stop:
            return stop.value
        try:
            value = yield item
            step = generator.send
        except GeneratorExit:
            with guard.clone():
                generator.close()
            raise
        except BaseException as error:  # the caller threw into the generator: pass it on
            step, value = generator.throw, error


class Steps:
    """An awaitable whose steps run under a guard."""

    __slots__ = ("awaited", "guard")

    def __init__(self, guard: Any, awaited: Any) -> None:
        self.guard = guard
        self.awaited = awaited

    def __await__(self) -> Any:
        return steps(self.guard, self.awaited.__await__())
