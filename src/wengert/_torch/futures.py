"""`torch.futures`: results that one thread promises to another."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

__all__ = ["Future", "collect_all", "wait_all"]

T = TypeVar("T")


class Future(Generic[T]):
    """A result that will be there, or an error.

    Args:
        devices: None or empty, because there is only the CPU.
    """

    def __init__(self, *, devices: Any = None) -> None:
        self._changed = threading.Condition()
        self._finished = False
        self._result: Any = None
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[Future[T]], Any]] = []

    def done(self) -> bool:
        """Return whether the result or an error is set."""
        return self._finished

    def wait(self) -> T:
        """Wait for the result, and return it.

        Raises:
            BaseException: if `set_exception` was called: its error.
        """
        with self._changed:
            self._changed.wait_for(self.done)
        return self.value()

    def value(self) -> T:
        """Return the result, which must be set.

        Raises:
            RuntimeError: if the future is not completed.
            BaseException: if `set_exception` was called: its error.
        """
        if not self._finished:
            raise RuntimeError("Future.value(): there is no result yet; wait() waits for it")
        if self._error is not None:
            raise self._error
        return self._result

    def set_result(self, result: T) -> None:
        """Set the result, and call the callbacks.

        Raises:
            RuntimeError: if the future is completed already.
        """
        self._finish(result, None)

    def set_exception(self, result: BaseException) -> None:
        """Set an error instead of a result.

        Raises:
            TypeError: if `result` is not an exception.
            RuntimeError: if the future is completed already.
        """
        if not isinstance(result, Exception):
            raise TypeError(f"{result} is of type {type(result)}, not an Exception.")
        self._finish(None, result)

    def _finish(self, result: Any, error: BaseException | None) -> None:
        with self._changed:
            if self._finished:
                raise RuntimeError("Future can only be marked completed once.")
            self._result, self._error, self._finished = result, error, True
            self._changed.notify_all()
            waiting, self._callbacks = self._callbacks, []
        for callback in waiting:
            callback(self)

    def add_done_callback(self, callback: Callable[[Future[T]], Any]) -> None:
        """Call `callback(future)` when the result is set; at once if it is set already."""
        with self._changed:
            if not self._finished:
                self._callbacks.append(callback)
                return
        callback(self)

    def then(self, callback: Callable[[Future[T]], Any]) -> Future[Any]:
        """Return a future of the result of `callback(future)`, which is called when the result is set."""
        following: Future[Any] = Future()

        def go_on(finished: Future[T]) -> None:
            try:
                result = callback(finished)
            except Exception as error:
                following.set_exception(error)
            else:
                following.set_result(result)

        self.add_done_callback(go_on)
        return following


def collect_all(futures: Iterable[Future[Any]]) -> Future[list[Future[Any]]]:
    """Return a future that is completed with the list of futures when all are completed."""
    members = list(futures)
    collected: Future[list[Future[Any]]] = Future()
    lock, missing = threading.Lock(), [len(members)]

    def note(_: Future[Any]) -> None:
        with lock:
            missing[0] -= 1
            complete = missing[0] == 0
        if complete:
            collected.set_result(members)

    for member in members:
        member.add_done_callback(note)
    if not members:
        collected.set_result(members)
    return collected


def wait_all(futures: Iterable[Future[Any]]) -> list[Any]:
    """Wait for all futures, and return their results."""
    return [member.wait() for member in collect_all(futures).wait()]
