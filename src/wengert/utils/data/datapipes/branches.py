"""Pipes that share the values of one: all of them, or each its own."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from ._decorator import functional_datapipe
from .datapipe import IterDataPipe, warn_of_local


class Shared:
    """The iterations of a pipe that several branches read.

    Args:
        source: the pipe.
        count: how many branches there are.
        places: gives of a value the branches that it is for.
        buffer_size: how many values may wait for branches; -1 for any number.
        copied: what a branch gets of a value.
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
        self.begun: set[int] = set(range(count))  # so that the first iteration begins a round
        self.waiting: list[deque[Any]] = []
        self.values: Iterator[Any] = iter(())

    def begin(self, branch: int) -> None:
        """Begin an iteration of a branch: of this round, or, if that has been read by it, of a new one."""
        if branch in self.begun:
            self.begun = set()
            self.waiting = [deque() for _ in range(self.count)]
            self.values = iter(self.source)
        self.begun.add(branch)

    def read(self, branch: int) -> Iterator[Any]:
        """The values of a branch.

        Raises:
            BufferError: too many values wait for the others.
        """
        own = self.waiting[branch]
        while True:
            while not own:
                try:
                    value = next(self.values)
                except StopIteration:
                    return
                for place in self.places(value):
                    self.waiting[place].append(value)
                if 0 <= self.buffer_size < max(map(len, self.waiting)):
                    raise BufferError(f"a branch of a pipe is more than {self.buffer_size} values behind the others")
            yield self.copied(own.popleft())


class BranchIterDataPipe(IterDataPipe[Any]):
    """One of the pipes that share another one."""

    def __init__(self, shared: Shared, number: int, length: bool) -> None:
        self.shared, self.number, self.length = shared, number, length

    def reset(self) -> None:
        """Begin an iteration."""
        self.shared.begin(self.number)

    def __iter__(self) -> Iterator[Any]:
        return self.shared.read(self.number)

    def __len__(self) -> int:
        if not self.length:
            raise TypeError(f"object of type {type(self).__name__!r} has no len()")
        return len(self.shared.source)


@functional_datapipe("fork")
class ForkerIterDataPipe(IterDataPipe[Any]):
    """Several pipes of the values of one, or of copies of these (`copy`: "shallow" or "deep")."""

    def __new__(cls, datapipe: Any, num_instances: int, buffer_size: int = 1000, copy: str | None = None) -> Any:
        """The pipes, in a list.

        Raises:
            ValueError: there is none of them, or `copy` is neither of these.
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
    """Several pipes: each value is for the one of which a function gives the number."""

    def __new__(
        cls,
        datapipe: Any,
        num_instances: int,
        classifier_fn: Callable[[Any], int | None],
        drop_none: bool = False,
        buffer_size: int = 1000,
    ) -> Any:
        """The pipes, in a list.

        Raises:
            ValueError: there is none of them; (when values are read) the function gives no number of one.
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
    None: lambda value: value, "shallow": copy.copy, "deep": copy.deepcopy
}  # fmt: skip
"""What a branch gets of a value."""


def check(count: int, buffer_size: int) -> None:
    """Refuse numbers that make no sense.

    Raises:
        ValueError: there is no branch, or none may wait for another.
    """
    if count < 1:
        raise ValueError(f"Expected `num_instances` larger than 0, but {count} is found")
    if buffer_size < -1 or buffer_size == 0:
        raise ValueError(f"buffer_size must be -1 (no limit) or larger than 0, but {buffer_size} is found")
