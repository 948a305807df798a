"""Branches: pipes that share the values of another pipe, or divide them."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from ._decorator import functional_datapipe
from .datapipe import IterDataPipe, warn_of_local


class Shared:
    """Iterations of a pipe that is read by several branches.

    Args:
        source: the pipe.
        count: the number of branches.
        places: function from a value to the branches that receive it.
        buffer_size: the largest number of buffered values; -1 for no limit.
        copied: function from a value to the object for a branch.
    """

    def __init__(
        self,
        source: Any,
        count: int,
        places: Callable[[Any], Any],
        buffer_size: int,
        copied: Callable[[Any], Any] = lambda value: value,
    ) -> None:
        self.source, self.count, self.places = source, count, places
        self.buffer_size, self.copied = buffer_size, copied
        self.begun: set[int] = set(range(count))  # so that the first iteration starts a round
        self.waiting: list[deque[Any]] = []
        self.values: Iterator[Any] = iter(())

    def begin(self, branch: int) -> None:
        """Start an iteration of a branch: in this round, or in a new one if the branch has read this round."""
        if branch in self.begun:
            self.begun = set()
            self.waiting = [deque() for _ in range(self.count)]
            self.values = iter(self.source)
        self.begun.add(branch)

    def read(self, branch: int) -> Iterator[Any]:
        """Yield the values of a branch.

        Raises:
            BufferError: if too many values are buffered for the others.
        """
        waiting = self.waiting[branch]
        while True:
            while not waiting:
                try:
                    value = next(self.values)
                except StopIteration:
                    return
                for place in self.places(value):
                    self.waiting[place].append(value)
                if 0 <= self.buffer_size < max(map(len, self.waiting)):
                    raise BufferError(f"a branch of a pipe is more than {self.buffer_size} values behind the others")
            yield self.copied(waiting.popleft())


class BranchIterDataPipe(IterDataPipe[Any]):
    """One of several pipes that share another pipe."""

    def __init__(self, shared: Shared, number: int, length: bool) -> None:
        self.shared, self.number, self.length = shared, number, length

    def reset(self) -> None:
        """Start an iteration."""
        self.shared.begin(self.number)

    def __iter__(self) -> Iterator[Any]:
        return self.shared.read(self.number)

    def __len__(self) -> int:
        if not self.length:
            raise TypeError(f"object of type {type(self).__name__!r} has no len()")
        return len(self.shared.source)


@functional_datapipe("fork")
class ForkerIterDataPipe(IterDataPipe[Any]):
    """Several pipes of the values of one pipe, or of copies (`copy`: "shallow" or "deep")."""

    def __new__(cls, datapipe: Any, num_instances: int, buffer_size: int = 1000, copy: str | None = None) -> Any:
        """Return a list of the pipes.

        Raises:
            ValueError: if `num_instances` is below 1, or `copy` is unknown.
        """
        check(num_instances, buffer_size)
        if copy not in COPIES:
            raise ValueError(f"Unknown copy method `{copy}`, choose one of None, `shallow` or `deep`.")
        everyone = range(num_instances)
        if num_instances == 1 and copy is None:
            return [datapipe]
        shared = Shared(datapipe, num_instances, lambda value: everyone, buffer_size, COPIES[copy])
        return [BranchIterDataPipe(shared, number, True) for number in everyone]


@functional_datapipe("demux")
class DemultiplexerIterDataPipe(IterDataPipe[Any]):
    """Several pipes: a function of each value returns the number of its pipe."""

    def __new__(
        cls,
        datapipe: Any,
        num_instances: int,
        classifier_fn: Callable[[Any], int | None],
        drop_none: bool = False,
        buffer_size: int = 1000,
    ) -> Any:
        """Return a list of the pipes.

        Raises:
            ValueError: if `num_instances` is below 1, or the function does not return the number of a pipe (when values
                are read).
        """
        check(num_instances, buffer_size)
        warn_of_local(classifier_fn)

        def places(value: Any) -> tuple[int, ...]:
            place = classifier_fn(value)
            if place is None and drop_none:
                return ()
            if place is None or not 0 <= place < num_instances:
                raise ValueError(
                    f"Output of the classification fn should be between 0 and {num_instances - 1}. {place} is returned."
                )
            return (int(place),)

        shared = Shared(datapipe, num_instances, places, buffer_size)
        return [BranchIterDataPipe(shared, number, False) for number in range(num_instances)]


COPIES: dict[str | None, Callable[[Any], Any]] = {
    None: lambda value: value,
    "shallow": copy.copy,
    "deep": copy.deepcopy,
}
"""Functions from a value to the object for a branch."""


def check(count: int, buffer_size: int) -> None:
    """Refuse invalid numbers of branches and buffered values.

    Raises:
        ValueError: if there is no branch, or no value may be buffered.
    """
    if count < 1:
        raise ValueError(f"Expected `num_instances` larger than 0, but {count} is found")
    if buffer_size < -1 or buffer_size == 0:
        raise ValueError(f"buffer_size must be -1 (no limit) or larger than 0, but {buffer_size} is found")
