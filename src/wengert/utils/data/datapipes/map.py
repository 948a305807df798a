"""Pipes with indexed values."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

from ._decorator import functional_datapipe
from .datapipe import DataChunk, IterDataPipe, MapDataPipe, Shuffled, warn_of_local


class SequenceWrapperMapDataPipe(MapDataPipe[Any]):
    """Values of a sequence or a mapping, copied unless `deepcopy` is False."""

    def __init__(self, sequence: Any, deepcopy: bool = True) -> None:
        self.sequence = copy.deepcopy(sequence) if deepcopy else sequence

    def __getitem__(self, index: Any) -> Any:
        return self.sequence[index]

    def __len__(self) -> int:
        return len(self.sequence)


@functional_datapipe("map")
class MapperMapDataPipe(MapDataPipe[Any]):
    """Results of a function of each value."""

    def __init__(self, datapipe: Any, fn: Callable[..., Any] = lambda value: value) -> None:
        warn_of_local(fn)
        self.datapipe, self.fn = datapipe, fn

    def __getitem__(self, index: Any) -> Any:
        return self.fn(self.datapipe[index])

    def __len__(self) -> int:
        return len(self.datapipe)


@functional_datapipe("zip")
class ZipperMapDataPipe(MapDataPipe[Any]):
    """Tuples of the values of several pipes at an index."""

    def __init__(self, *datapipes: Any) -> None:
        self.datapipes = datapipes

    def __getitem__(self, index: Any) -> Any:
        return tuple(datapipe[index] for datapipe in self.datapipes)

    def __len__(self) -> int:
        return min(len(datapipe) for datapipe in self.datapipes)


@functional_datapipe("concat")
class ConcaterMapDataPipe(MapDataPipe[Any]):
    """Concatenation of pipes."""

    def __init__(self, *datapipes: Any) -> None:
        self.datapipes = datapipes

    def __getitem__(self, index: int) -> Any:
        rest = index
        for datapipe in self.datapipes:
            if rest < len(datapipe):
                return datapipe[rest]
            rest -= len(datapipe)
        raise IndexError(f"Index {index} is out of range.")

    def __len__(self) -> int:
        return sum(len(datapipe) for datapipe in self.datapipes)


@functional_datapipe("batch")
class BatcherMapDataPipe(MapDataPipe[Any]):
    """Lists of `batch_size` values at each index."""

    def __init__(self, datapipe: Any, batch_size: int, drop_last: bool = False, wrapper_class: Any = DataChunk) -> None:
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        self.datapipe, self.batch_size, self.drop_last = datapipe, batch_size, drop_last
        self.wrapper_class = wrapper_class

    def __getitem__(self, index: int) -> Any:
        if index >= len(self):
            raise IndexError(f"Index {index} is out of bound.")
        end = min((index + 1) * self.batch_size, len(self.datapipe))
        return self.wrapper_class([self.datapipe[at] for at in range(index * self.batch_size, end)])

    def __len__(self) -> int:
        batches, rest = divmod(len(self.datapipe), self.batch_size)
        return batches + (rest > 0 and not self.drop_last)


class ShufflerIterDataPipe(Shuffled, IterDataPipe[Any]):
    """Values of a pipe in random order, by Python's generator, whose seed is drawn from the default generator."""

    def __init__(self, datapipe: Any, *, indices: list[Any] | None = None) -> None:
        self.datapipe, self.indices = datapipe, indices

    def __iter__(self) -> Iterator[Any]:
        order = list(range(len(self.datapipe)) if self.indices is None else self.indices)
        if self.enabled:
            self.generator().shuffle(order)
        for index in order:
            yield self.datapipe[index]

    def __len__(self) -> int:
        return len(self.datapipe)


MapDataPipe.register_datapipe_as_function("shuffle", ShufflerIterDataPipe)


SequenceWrapper, Mapper, Zipper = SequenceWrapperMapDataPipe, MapperMapDataPipe, ZipperMapDataPipe
Concater, Batcher, Shuffler = ConcaterMapDataPipe, BatcherMapDataPipe, ShufflerIterDataPipe

__all__ = ["Batcher", "Concater", "Mapper", "SequenceWrapper", "Shuffler", "Zipper"]
