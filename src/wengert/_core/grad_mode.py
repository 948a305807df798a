"""Guards that switch recording on and off: context managers and decorators, per thread."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from .modes import current

F = TypeVar("F", bound=Callable[..., Any])


class Guard:
    """A context manager that is also a decorator of functions, generators and coroutines.

    A decorated generator or coroutine runs under the mode whenever it runs, and leaves the caller's mode alone in
    between.
    """

    def clone(self) -> Guard:
        """A fresh guard of the same kind: one for each call of a decorated function."""
        return type(self)()

    def __enter__(self) -> Any:
        raise NotImplementedError

    def __exit__(self, *exc: object) -> None:
        raise NotImplementedError

    def __call__(self, function: F) -> F:
        if isinstance(function, type):
            raise TypeError(f"{type(self).__name__} decorates functions, not the class {function.__name__}")
        wrapper: Any
        if inspect.isgeneratorfunction(function):
            wrapper = functools.wraps(function)(lambda *args, **kwargs: self._generate(function(*args, **kwargs)))
        elif inspect.iscoroutinefunction(function):
            # Each step of the coroutine runs under the guard, so `await` gives other tasks the mode that they had.
            @functools.wraps(function)
            async def wrapper(*args: Any, **kwargs: Any) -> Any:
                return await _Awaited(self._generate(function(*args, **kwargs).__await__()))
        else:

            @functools.wraps(function)
            def wrapper(*args: Any, **kwargs: Any) -> Any:
                with self.clone():
                    return function(*args, **kwargs)

        return wrapper

    def _generate(self, generator: Any) -> Any:
        """Run a generator step by step under the guard."""
        step, value = generator.send, None
        while True:
            try:
                with self.clone():
                    given = step(value)
            except StopIteration as stop:
                return stop.value
            try:
                value = yield given
                step = generator.send
            except GeneratorExit:
                with self.clone():
                    generator.close()
                raise
            except BaseException as error:  # the caller threw into the generator: pass it on
                step, value = generator.throw, error


class _Awaited:
    """Makes a generator awaitable."""

    def __init__(self, generator: Any) -> None:
        self._generator = generator

    def __await__(self) -> Any:
        return self._generator


class _Recording(Guard):
    """Sets recording on entry, restores on exit."""

    wanted = True

    def __new__(cls, function: Any = None) -> Any:
        made = super().__new__(cls)
        if function is not None:
            made.__init__()  # type: ignore[misc]
            return made(function)
        return made

    def __init__(self) -> None:
        self._before: list[bool] = []

    def __enter__(self) -> None:
        self._before.append(current().set_grad(self.wanted))

    def __exit__(self, *exc: object) -> None:
        current().set_grad(self._before.pop())


class no_grad(_Recording):
    """Inside, operations are not recorded.

    >>> import wengert as wg
    >>> x = wg.ones(2, requires_grad=True)
    >>> with wg.no_grad():
    ...     (x * 2).requires_grad
    False
    """

    wanted = False


class enable_grad(_Recording):
    """Inside, operations are recorded, also within `no_grad`."""

    wanted = True


class set_grad_enabled(Guard):
    """Switch recording: as a function at once, as a context manager until its end, as a decorator for each call."""

    def __init__(self, mode: bool) -> None:
        self._mode = bool(mode)
        self._before = current().set_grad(self._mode)

    def clone(self) -> set_grad_enabled:
        return type(self)(self._mode)

    def __enter__(self) -> None:
        current().set_grad(self._mode)

    def __exit__(self, *exc: object) -> None:
        current().set_grad(self._before)

    def __call__(self, function: F) -> F:
        current().set_grad(self._before)
        return super().__call__(function)


def is_grad_enabled() -> bool:
    """Whether operations of this thread are recorded."""
    return current().grad
