"""The loader: a dataset, an order and a batch size make an iterable of batches."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ...ops.create.interchange import from_numpy
from ...tensor import Tensor
from .collate import default_collate, default_convert
from .dataset import IterableDataset, Subset, TensorDataset
from .sampler import BatchSampler, RandomSampler, SequentialSampler

_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


class DataLoader:
    """Gives the samples of a dataset in batches.

    Batches of a `TensorDataset` (or of a `Subset` of one) are taken from the tensors at once, not sample by sample.

    Args:
        dataset: by number (`__getitem__`, `__len__`), or an `IterableDataset`.
        batch_size: samples in a batch; None gives single samples.
        shuffle: new random order in each epoch.
        sampler: order of the samples, instead of `shuffle`.
        batch_sampler: lists of numbers, instead of `batch_size`, `shuffle`, `sampler` and `drop_last`.
        num_workers: 0: samples are loaded by the program itself.
        collate_fn: makes a batch of a list of samples.
        pin_memory: for torch's users; there is only the CPU's memory.
        drop_last: leave out a last batch that is smaller.
        timeout: 0.
        worker_init_fn: for torch's users.
        multiprocessing_context: None.
        generator: of random numbers, for `shuffle`; the global one if not given.
        prefetch_factor: None.
        persistent_workers: False.

    Raises:
        ValueError: options that exclude each other or are out of range.
        NotImplementedError: `num_workers` is positive.
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[int] | None = None,
        batch_sampler: Iterable[list[int]] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn: Callable[[int], None] | None = None,
        multiprocessing_context: Any = None,
        generator: Any = None,
        *,
        prefetch_factor: int | None = None,
        persistent_workers: bool = False,
    ) -> None:
        check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset = dataset
        self.num_workers, self.timeout, self.pin_memory = 0, timeout, pin_memory
        self.generator = generator
        self.persistent_workers = False
        self.streams = isinstance(dataset, IterableDataset)
        if self.streams:
            check_stream(shuffle, sampler, batch_sampler)
        check_order(batch_size, shuffle, sampler, batch_sampler, drop_last)
        if batch_sampler is not None:
            batch_size, drop_last = None, False
        if sampler is None:
            sampler = RandomSampler(dataset, generator=generator) if shuffle else SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.collate_fn = collate_fn or (default_convert if batch_sampler is None else default_collate)
        self._ready = True

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _FIXED and "_ready" in self.__dict__:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    def __iter__(self) -> Iterator[Any]:
        if self.streams:
            return self._stream()
        if self.batch_sampler is None:
            return (self.collate_fn(self.dataset[at]) for at in self.sampler)
        return map(self._batch, self.batch_sampler)

    def _batch(self, numbers: list[int]) -> Any:
        """The batch of the samples with these numbers."""
        if self.collate_fn is default_collate:
            rows = rows_of(self.dataset, numbers)
            if rows is not None:
                return rows
        return self.collate_fn([self.dataset[at] for at in numbers])

    def _stream(self) -> Iterator[Any]:
        samples = iter(self.dataset)
        if self.batch_size is None:
            yield from map(self.collate_fn, samples)
            return
        while batch := list(itertools.islice(samples, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield self.collate_fn(batch)

    def __len__(self) -> int:
        if self.streams and self.batch_size is not None:
            total = len(self.dataset)
            return total // self.batch_size if self.drop_last else -(-total // self.batch_size)
        counted = self.dataset if self.streams else self.sampler if self.batch_sampler is None else self.batch_sampler
        return len(counted)  # type: ignore[arg-type]


def rows_of(dataset: Any, numbers: list[int]) -> list[Tensor] | None:
    """The batch of a dataset of tensors without a graph, taken at once; None for any other dataset."""
    while type(dataset) is Subset:
        numbers = [dataset.indices[at] for at in numbers]
        dataset = dataset.dataset
    if type(dataset) is not TensorDataset or any(each.requires_grad for each in dataset.tensors):
        return None
    chosen = np.asarray(numbers, np.intp)
    return [from_numpy(each._array_[chosen]) for each in dataset.tensors]


def check_workers(num_workers: int, timeout: float, prefetch_factor: int | None, persistent_workers: bool) -> None:
    """Refuse options of loading in other processes.

    Raises:
        ValueError: out of range.
        NotImplementedError: other processes are asked for.
    """
    if num_workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers > 0:
        raise NotImplementedError(
            f"DataLoader: num_workers={num_workers} is not there: samples are loaded by the program itself. "
            "Use num_workers=0; a TensorDataset needs no workers, since its batches are taken at once"
        )
    if prefetch_factor is not None:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing. There is none here: "
            "set prefetch_factor to None."
        )
    if persistent_workers:
        raise ValueError("persistent_workers option needs num_workers > 0")


def check_order(batch_size: Any, shuffle: Any, sampler: Any, batch_sampler: Any, drop_last: Any) -> None:
    """Refuse options of the order that exclude each other.

    Raises:
        ValueError: they do.
    """
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None:
        if batch_size != 1 or shuffle or sampler is not None or drop_last:
            raise ValueError(
                "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
            )
    elif batch_size is None and drop_last:
        raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")


def check_stream(shuffle: Any, sampler: Any, batch_sampler: Any) -> None:
    """Refuse an order for a stream.

    Raises:
        ValueError: one is given.
    """
    wrong = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
    for name, value in wrong.items():
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
            )


def get_worker_info() -> None:
    """What a process that loads samples is told about itself; None, since the program itself loads them."""
    return None
