"""Iterable pipes."""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator
from itertools import chain, islice
from typing import Any

from ..collate import default_collate
from ..sampler import SequentialSampler
from ..worker import get_worker_info
from ._decorator import functional_datapipe
from .branches import DemultiplexerIterDataPipe, ForkerIterDataPipe
from .datapipe import DataChunk, IterDataPipe, Shuffled, warn_of_local
from .files import FileLister, FileOpener, StreamReader


class IterableWrapperIterDataPipe(IterDataPipe[Any]):
    """Values of an iterable; each iteration uses a copy, unless `deepcopy` is False or it cannot be copied."""

    def __init__(self, iterable: Any, deepcopy: bool = True) -> None:
        self.iterable, self.deepcopy = iterable, deepcopy

    def __iter__(self) -> Iterator[Any]:
        source = self.iterable
        if self.deepcopy:
            with contextlib.suppress(TypeError):  # a generator, which can be read only once
                source = copy.deepcopy(source)
        yield from source

    def __len__(self) -> int:
        return len(self.iterable)


@functional_datapipe("map")
class MapperIterDataPipe(IterDataPipe[Any]):
    """Results of a function of each value, or of parts of it.

    Args:
        datapipe: the pipe.
        fn: the function.
        input_col: an index or key of each value, or several, as arguments of the function.
        output_col: index or key of the result; -1 to append it. By default it replaces the (first) input.
    """

    def __init__(self, datapipe: Any, fn: Callable[..., Any], input_col: Any = None, output_col: Any = None) -> None:
        warn_of_local(fn)
        if input_col is None and output_col is not None:
            raise ValueError("`output_col` must be None when `input_col` is None.")
        self.datapipe, self.fn, self.input_col = datapipe, fn, input_col
        if isinstance(output_col, (list, tuple)):
            if len(output_col) > 1:
                raise ValueError("`output_col` must be a single-element list or tuple")
            output_col = output_col[0]
        self.output_col = output_col

    def __iter__(self) -> Iterator[Any]:
        for value in self.datapipe:
            yield self.fn(value) if self.input_col is None else self.changed(value)

    def changed(self, value: Any) -> Any:
        """Return a value with the result among its parts."""
        columns = self.input_col if isinstance(self.input_col, (list, tuple)) else [self.input_col]
        result = self.fn(*(value[column] for column in columns))
        parts = list(value) if isinstance(value, tuple) else copy.copy(value)
        if self.output_col == -1:
            parts.append(result)
        elif self.output_col is not None:
            parts[self.output_col] = result
        else:
            parts[columns[0]] = result
            for column in sorted(columns[1:], reverse=True):
                del parts[column]
        return tuple(parts) if isinstance(value, tuple) else parts

    def __len__(self) -> int:
        return len(self.datapipe)


@functional_datapipe("filter")
class FilterIterDataPipe(IterDataPipe[Any]):
    """Values for which a function of the value, or of its part `input_col`, is true."""

    def __init__(self, datapipe: Any, filter_fn: Callable[..., Any], input_col: Any = None) -> None:
        warn_of_local(filter_fn)
        self.datapipe, self.filter_fn, self.input_col = datapipe, filter_fn, input_col

    def __iter__(self) -> Iterator[Any]:
        for value in self.datapipe:
            if self.is_kept(value):
                yield value

    def is_kept(self, value: Any) -> bool:
        """Return the result of the function.

        Raises:
            ValueError: if it is neither True nor False.
        """
        if self.input_col is None:
            answer = self.filter_fn(value)
        elif isinstance(self.input_col, (list, tuple)):
            answer = self.filter_fn(*(value[column] for column in self.input_col))
        else:
            answer = self.filter_fn(value[self.input_col])
        if not isinstance(answer, bool):
            raise ValueError(f"Boolean output is required for `filter_fn` of FilterIterDataPipe, got {type(answer)}")
        return answer


@functional_datapipe("batch")
class BatcherIterDataPipe(IterDataPipe[Any]):
    """Lists of `batch_size` values; the last one may be shorter unless `drop_last` is set."""

    def __init__(self, datapipe: Any, batch_size: int, drop_last: bool = False, wrapper_class: Any = DataChunk) -> None:
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        self.datapipe, self.batch_size, self.drop_last = datapipe, batch_size, drop_last
        self.wrapper_class = wrapper_class

    def __iter__(self) -> Iterator[Any]:
        values = iter(self.datapipe)
        while batch := list(islice(values, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield self.wrapper_class(batch)

    def __len__(self) -> int:
        batches, rest = divmod(len(self.datapipe), self.batch_size)
        return batches + (rest > 0 and not self.drop_last)


@functional_datapipe("unbatch")
class UnBatcherIterDataPipe(IterDataPipe[Any]):
    """Values of nested lists, `unbatch_level` levels deep; -1 for all levels."""

    def __init__(self, datapipe: Any, unbatch_level: int = 1) -> None:
        self.datapipe, self.unbatch_level = datapipe, unbatch_level

    def __iter__(self) -> Iterator[Any]:
        if self.unbatch_level < -1:
            raise ValueError("unbatch_level must be -1 or >= 0")
        for value in self.datapipe:
            yield from self.opened(value, self.unbatch_level)

    def opened(self, value: Any, level: int) -> Iterator[Any]:
        """Yield the values in a value."""
        is_list = isinstance(value, (list, DataChunk))
        if level == 0 or (level == -1 and not is_list):
            yield value
        elif is_list:
            for item in value:
                yield from self.opened(item, max(level - 1, -1))
        else:
            raise IndexError(f"unbatch_level {self.unbatch_level} exceeds the depth of the DataPipe")


@functional_datapipe("collate")
class CollatorIterDataPipe(IterDataPipe[Any]):
    """Results of a function of each batch; by default `default_collate`."""

    def __init__(self, datapipe: Any, conversion: Any = default_collate, collate_fn: Any = None) -> None:
        self.datapipe = datapipe
        self.function = conversion if collate_fn is None else collate_fn
        if not callable(self.function):
            raise TypeError(f"collate(): expected a function, not {type(self.function).__name__}")
        warn_of_local(self.function)

    def __iter__(self) -> Iterator[Any]:
        for value in self.datapipe:
            yield self.function(value)

    def __len__(self) -> int:
        return len(self.datapipe)


@functional_datapipe("concat")
class ConcaterIterDataPipe(IterDataPipe[Any]):
    """Concatenation of pipes."""

    def __init__(self, *datapipes: Any) -> None:
        if not datapipes:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        if not all(isinstance(datapipe, IterDataPipe) for datapipe in datapipes):
            raise TypeError("Expected all inputs to be `IterDataPipe`")
        self.datapipes = datapipes

    def __iter__(self) -> Iterator[Any]:
        yield from chain.from_iterable(self.datapipes)

    def __len__(self) -> int:
        return sum(len(datapipe) for datapipe in self.datapipes)


@functional_datapipe("zip")
class ZipperIterDataPipe(IterDataPipe[Any]):
    """Tuples of the values of several pipes, up to the end of the shortest."""

    def __init__(self, *datapipes: Any) -> None:
        if not all(isinstance(datapipe, IterDataPipe) for datapipe in datapipes):
            raise TypeError("All inputs are required to be `IterDataPipe` for `ZipIterDataPipe`.")
        self.datapipes = datapipes

    def __iter__(self) -> Iterator[Any]:
        yield from zip(*self.datapipes)

    def __len__(self) -> int:
        return min(len(datapipe) for datapipe in self.datapipes)


@functional_datapipe("mux")
class MultiplexerIterDataPipe(IterDataPipe[Any]):
    """Values of several pipes in turn, up to the end of the shortest."""

    def __init__(self, *datapipes: Any) -> None:
        self.datapipes = datapipes

    def __iter__(self) -> Iterator[Any]:
        for values in zip(*self.datapipes):
            yield from values

    def __len__(self) -> int:
        return min(len(datapipe) for datapipe in self.datapipes) * len(self.datapipes)


@functional_datapipe("shuffle")
class ShufflerIterDataPipe(Shuffled, IterDataPipe[Any]):
    """Values in random order, drawn from a buffer of `buffer_size`.

    The order is drawn by Python's generator, whose seed is drawn from the default generator at each iteration.
    """

    def __init__(self, datapipe: Any, *, buffer_size: int = 10000, unbatch_level: int = 0) -> None:
        if buffer_size <= 0:
            raise ValueError("buffer_size should be larger than 0")
        self.datapipe = datapipe.unbatch(unbatch_level=unbatch_level) if unbatch_level else datapipe
        self.buffer_size = buffer_size

    def __iter__(self) -> Iterator[Any]:
        if not self.enabled:
            yield from self.datapipe
            return
        draw = self.generator()
        waiting: list[Any] = []
        for value in self.datapipe:
            if len(waiting) == self.buffer_size:
                at = draw.randint(0, len(waiting) - 1)
                waiting[at], value = value, waiting[at]
                yield value
            else:
                waiting.append(value)
        while waiting:
            yield waiting.pop(draw.randint(0, len(waiting) - 1))

    def __len__(self) -> int:
        return len(self.datapipe)


class SamplerIterDataPipe(IterDataPipe[Any]):
    """Indices that a sampler draws for a pipe."""

    def __init__(
        self, datapipe: Any, sampler: Any = SequentialSampler, sampler_args: Any = None, sampler_kwargs: Any = None
    ) -> None:
        self.datapipe = datapipe
        self.sampler = sampler(*(sampler_args or ()), **{**(sampler_kwargs or {}), "data_source": datapipe})

    def __iter__(self) -> Iterator[Any]:
        yield from self.sampler

    def __len__(self) -> int:
        return len(self.sampler)


@functional_datapipe("groupby")
class GrouperIterDataPipe(IterDataPipe[Any]):
    """Lists of the values for which a function returns the same key.

    Args:
        datapipe, group_key_fn: the pipe, and the function.
        keep_key: return tuples of key and list.
        buffer_size: the largest number of buffered values; beyond it the largest group is returned.
        group_size: the size at which a group is returned.
        guaranteed_group_size: the smallest size of groups that are returned early; smaller ones raise a RuntimeError.
        drop_remaining: drop smaller groups.
    """

    def __init__(
        self,
        datapipe: Any,
        group_key_fn: Callable[[Any], Any],
        *,
        keep_key: bool = False,
        buffer_size: int = 10000,
        group_size: int | None = None,
        guaranteed_group_size: int | None = None,
        drop_remaining: bool = False,
    ) -> None:
        warn_of_local(group_key_fn)
        self.datapipe, self.group_key_fn, self.keep_key = datapipe, group_key_fn, keep_key
        self.buffer_size, self.group_size, self.drop_remaining = buffer_size, group_size, drop_remaining
        self.least = group_size if guaranteed_group_size is None else guaranteed_group_size

    def __iter__(self) -> Iterator[Any]:
        groups: dict[Any, list[Any]] = {}
        count = 0
        for value in self.datapipe:
            key = self.group_key_fn(value)
            groups.setdefault(key, []).append(value)
            count += 1
            if self.group_size is not None and len(groups[key]) == self.group_size:
                count -= self.group_size
                yield self.returned(key, groups.pop(key))
            if count == self.buffer_size:
                largest = max(groups, key=lambda key: len(groups[key]))
                count -= len(groups[largest])
                yield from self.early(largest, groups.pop(largest))
        if not self.drop_remaining:
            for key, group in groups.items():
                yield self.returned(key, group)

    def returned(self, key: Any, group: list[Any]) -> Any:
        """Return a group for the program, with its key if `keep_key`."""
        return (key, DataChunk(group)) if self.keep_key else DataChunk(group)

    def early(self, key: Any, group: list[Any]) -> Iterator[Any]:
        """Return a group early, because too many values are buffered.

        Raises:
            RuntimeError: if it is too small.
        """
        if self.least is not None and len(group) < self.least and not self.drop_remaining:
            raise RuntimeError(f"Failed to group items {group}: {self.buffer_size} values wait already")
        if self.least is None or len(group) >= self.least:
            yield self.returned(key, group)


@functional_datapipe("sharding_filter")
class ShardingFilterIterDataPipe(IterDataPipe[Any]):
    """Values of one of several shards: that of the loader's worker, unless `apply_sharding` selects one."""

    def __init__(self, source_datapipe: Any, sharding_group_filter: Any = None) -> None:
        self.source_datapipe, self.part = source_datapipe, (1, 0)

    def apply_sharding(self, num_of_instances: int, instance_id: int, sharding_group: Any = None) -> None:
        """Select shard `instance_id` of `num_of_instances`.

        Raises:
            ValueError: if there is no such shard.
        """
        if not 0 <= instance_id < num_of_instances:
            raise ValueError(f"instance_id({instance_id}) should be smaller than num_of_instances({num_of_instances})")
        self.part = (num_of_instances, instance_id)

    def __iter__(self) -> Iterator[Any]:
        worker = get_worker_info()
        count, number = self.part
        if count == 1 and worker is not None:
            count, number = worker.num_workers, worker.id
        yield from islice(self.source_datapipe, number, None, count)

    def __len__(self) -> int:
        count, number = self.part
        return len(range(number, len(self.source_datapipe), count))


IterableWrapper, Mapper, Filter = IterableWrapperIterDataPipe, MapperIterDataPipe, FilterIterDataPipe
Batcher, UnBatcher, Collator = BatcherIterDataPipe, UnBatcherIterDataPipe, CollatorIterDataPipe
Concater, Zipper, Multiplexer = ConcaterIterDataPipe, ZipperIterDataPipe, MultiplexerIterDataPipe
Shuffler, Sampler, Grouper = ShufflerIterDataPipe, SamplerIterDataPipe, GrouperIterDataPipe
ShardingFilter, Forker, Demultiplexer = ShardingFilterIterDataPipe, ForkerIterDataPipe, DemultiplexerIterDataPipe

__all__ = [
    "Batcher",
    "Collator",
    "Concater",
    "Demultiplexer",
    "FileLister",
    "FileOpener",
    "Filter",
    "Forker",
    "Grouper",
    "IterableWrapper",
    "Mapper",
    "Multiplexer",
    "Sampler",
    "ShardingFilter",
    "Shuffler",
    "StreamReader",
    "UnBatcher",
    "Zipper",
]
