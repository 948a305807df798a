"""Building of batches from samples, and the iterator that does so in the program itself."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._start.boundary import shorten
from ..._tensor import Tensor
from ..._tensor.attributes import dtypes
from ...autograd.profiler.ranges import is_open, record_function
from ...ops.create.create import empty
from ...ops.create.interchange import from_numpy
from .collate import default_collate
from .dataset import Subset, TensorDataset

if TYPE_CHECKING:
    from .dataloader import DataLoader


class Fetcher:
    """Builder of batches from samples by a loader's options; also sent to workers.

    Args:
        loader: the loader.
    """

    def __init__(self, loader: DataLoader) -> None:
        self.dataset, self.collate_fn, self.streams = loader.dataset, loader.collate_fn, loader.streams
        self.batch_size, self.drop_last = loader.batch_size, loader.drop_last
        self.batched = loader.batch_sampler is not None
        self.samples: Iterator[Any] | None = None

    def begin(self) -> None:
        """Start an epoch, and restart a stream."""
        if self.streams:
            self.samples = iter(self.dataset)

    def fetch(self, numbers: Any) -> Any:
        """Return the batch for a list of indices, the sample for an index, or the next of a stream.

        Raises:
            StopIteration: if the stream has ended.
        """
        if self.samples is not None:
            return self._next(self.samples)
        if not self.batched:
            return self.collate_fn(self.dataset[numbers])
        if self.collate_fn is default_collate:
            rows = rows_of(self.dataset, numbers)
            if rows is not None:
                return rows
        if hasattr(self.dataset, "__getitems__") and self.dataset.__getitems__:
            return self.collate_fn(self.dataset.__getitems__(numbers))
        return self.collate_fn([self.dataset[at] for at in numbers])

    def _next(self, samples: Iterator[Any]) -> Any:
        if self.batch_size is None:
            return self.collate_fn(next(samples))
        batch = list(itertools.islice(samples, self.batch_size))
        if not batch or (self.drop_last and len(batch) < self.batch_size):
            raise StopIteration
        return self.collate_fn(batch)


class _BaseDataLoaderIter:
    """Iterator over the batches of a loader.

    As in torch, each iterator draws a seed from the loader's generator, even if no worker needs it, so that later
    random numbers of a program are the same.

    Args:
        loader: the loader.
    """

    def __init__(self, loader: DataLoader) -> None:
        self._loader = loader
        self._base_seed = int(empty((), dtype=dtypes.int64).random_(generator=loader.generator).item())
        self._fetcher = Fetcher(loader)

    def __iter__(self) -> _BaseDataLoaderIter:
        return self

    def __next__(self) -> Any:
        try:
            if not is_open():
                return self._next_data()
            with record_function(f"enumerate(DataLoader)#{type(self).__name__}.__next__"):
                return self._next_data()
        except StopIteration:
            raise
        except Exception as error:
            shorten(error)
            raise

    def _next_data(self) -> Any:
        """Return the next batch.

        Raises:
            StopIteration: if there is none.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define _next_data()")

    def __len__(self) -> int:
        return len(self._loader)


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """Iterator that builds each batch on demand."""

    def __init__(self, loader: DataLoader) -> None:
        super().__init__(loader)
        self._order = iter(loader._index_sampler)
        self._fetcher.begin()

    def _next_data(self) -> Any:
        return self._fetcher.fetch(next(self._order))


def rows_of(dataset: Any, numbers: list[int]) -> list[Tensor] | None:
    """Return the batch of a dataset of tensors without a graph by indexing; None for any other dataset."""
    while type(dataset) is Subset:
        numbers = [dataset.indices[at] for at in numbers]
        dataset = dataset.dataset
    if type(dataset) is not TensorDataset or any(tensor.requires_grad for tensor in dataset.tensors):
        return None
    chosen = np.asarray(numbers, np.intp)
    return [from_numpy(tensor._array_[chosen]) for tensor in dataset.tensors]
