"""Base classes of data pipes, and the class of batches."""

from __future__ import annotations

import functools
import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Self, TypeVar

from ...._tensor.attributes import dtypes
from ....ops.create.create import empty
from ....ops.randomness.generator import Generator
from ..dataset import Dataset, IterableDataset

Values = TypeVar("Values", covariant=True)

INVALID = (
    "This iterator has been invalidated because another iterator has been created from the same IterDataPipe: {0}\n"
    "This may be caused by multiple references to the same IterDataPipe. We recommend "
    "using `.fork()` if that is necessary."
)


class DataChunk(list[Any]):
    """Batch of values: a list."""

    def __init__(self, items: Any) -> None:
        items = list(items)
        super().__init__(items)
        self.items = items

    def as_str(self, indent: str = "") -> str:
        """Return the text of the values."""
        return indent + "[" + ", ".join(str(item) for item in iter(self)) + "]"

    def raw_iterator(self) -> Iterator[Any]:
        """Return an iterator over the values."""
        return iter(self.items)


class Functional:
    """Base with registered functions from a pipe to a pipe as methods.

    Attributes:
        functions: the functions by name.
    """

    functions: ClassVar[dict[str, Callable[..., Any]]]

    def __getattr__(self, name: str) -> Any:
        if name in type(self).functions:
            return functools.partial(type(self).functions[name], self)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @classmethod
    def register_function(cls, function_name: str, function: Callable[..., Any]) -> None:
        """Register a function of a pipe as a method of all pipes."""
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(
        cls, function_name: str, cls_to_register: Callable[..., Any], enable_df_api_tracing: bool = False
    ) -> None:
        """Register a class of pipes whose first argument is a pipe as a method of all pipes.

        Raises:
            Exception: if the name is taken.
        """
        if function_name in cls.functions:
            raise Exception(f"Unable to add DataPipe function name {function_name} as it is already taken")
        cls.functions[function_name] = cls_to_register

    def __str__(self) -> str:
        return str(type(self).__qualname__)

    __repr__ = __str__


class IterDataPipe(Functional, IterableDataset[Values]):
    """Base of pipes that are iterables. Derived classes define `__iter__`.

    Only one iterator of a pipe is valid at a time: a new iterator invalidates earlier ones.

    >>> from wengert.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(5)).map(abs).batch(2))
    [[0, 1], [2, 3], [4]]
    """

    functions: ClassVar[dict[str, Callable[..., Any]]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__iter__" in vars(cls):
            cls.__iter__ = alone(vars(cls)["__iter__"])  # type: ignore[method-assign]

    def reset(self) -> None:
        """Prepare an iteration; by default nothing."""


class MapDataPipe(Functional, Dataset[Values]):
    """Base of pipes whose values have indices. Derived classes define `__getitem__` and `__len__`.

    >>> from wengert.utils.data.datapipes.map import SequenceWrapper
    >>> list(SequenceWrapper([1, -2, 3]).map(abs))
    [1, 2, 3]
    """

    functions: ClassVar[dict[str, Callable[..., Any]]] = {}


class DFIterDataPipe(IterDataPipe[Any]):
    """Base of pipes of data frames, without methods here."""


def alone(method: Callable[[Any], Iterator[Any]]) -> Callable[[Any], Iterator[Any]]:
    """Wrap an `__iter__`: its iterators become invalid when there is a later one."""

    @functools.wraps(method)
    def iterate(self: Any) -> Iterator[Any]:
        number = vars(self).get("_iterations", 0) + 1
        vars(self)["_iterations"] = number
        self.reset()
        return valid(self, method(self), number)

    return iterate


def valid(pipe: Any, values: Iterator[Any], number: int) -> Iterator[Any]:
    """Yield the values of the iterator with this number.

    Raises:
        RuntimeError: if a later iterator was created.
    """
    while True:
        if vars(pipe)["_iterations"] != number:
            raise RuntimeError(INVALID.format(pipe))
        try:
            value = next(values)
        except StopIteration:
            return
        yield value


def warn_of_local(function: Any) -> None:
    """Warn of a function that cannot be passed to other processes."""
    name = getattr(function, "__qualname__", "")
    if "<locals>" in name or "<lambda>" in name:
        kind = "Lambda" if "<locals>" not in name else "Local"
        warnings.warn(
            f"{kind} function is not supported by pickle, please use regular python function or functools.partial "
            "instead.",
            stacklevel=3,
        )


def shufflers(pipe: Any, seen: set[int] | None = None) -> Iterator[Any]:
    """Yield the shuffling pipes among a pipe and its sources, the outermost first."""
    seen = set() if seen is None else seen
    if not isinstance(pipe, Functional) or id(pipe) in seen:
        return
    seen.add(id(pipe))
    if hasattr(pipe, "set_shuffle"):
        yield pipe
    for value in vars(pipe).values():
        for item in value if isinstance(value, (tuple, list)) else (value,):
            yield from shufflers(item, seen)


def in_order(pipe: Any, shuffle: bool | None) -> Any:
    """Return a pipe for a loader with this option `shuffle`, which switches random orders on or off."""
    if shuffle is None:
        return pipe
    shuffles = list(shufflers(pipe))
    if shuffle and not shuffles:
        warnings.warn(
            "`shuffle=True` was set, but the datapipe does not contain a `Shuffler`. Adding one at the end. Be aware "
            "that the default buffer size might not be sufficient for your task.",
            stacklevel=4,
        )
        return pipe.shuffle()
    for shuffler in shuffles:
        shuffler.set_shuffle(shuffle)
    return pipe


def begin_orders(pipe: Any, generator: Any) -> None:
    """Draw the seeds of the random orders of one iteration of a loader.

    Args:
        pipe: the pipe of the loader.
        generator: the generator of the loader; None for the default one.
    """
    shuffling = Generator().manual_seed(drawn_seed(generator))
    for shuffler in shufflers(pipe):
        shuffler.set_seed(drawn_seed(shuffling))


def drawn_seed(generator: Any = None) -> int:
    """Return a seed drawn from a generator; by default from the default one."""
    return int(empty((), dtype=dtypes.int64).random_(generator=generator).item())


class Shuffled:
    """Base of pipes in random order, drawn by Python's generator."""

    enabled = True
    seed: int | None = None

    def set_shuffle(self, shuffle: bool = True) -> Self:
        """Set whether the order is random."""
        self.enabled = shuffle
        return self

    def set_seed(self, seed: int) -> Self:
        """Set the seed of the next iteration."""
        self.seed = seed
        return self

    def generator(self) -> random.Random:
        """Return the generator of an iteration, from the seed set for it or one drawn from the default generator."""
        seed, self.seed = self.seed, None
        return random.Random(drawn_seed() if seed is None else seed)


__all__ = ["DFIterDataPipe", "DataChunk", "IterDataPipe", "MapDataPipe"]
