"""How batches are taken from datasets: of samples by number, or one sample after the other."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any


class _BaseDatasetFetcher:
    """What both ways share.

    Args:
        dataset: the samples.
        auto_collation: whether a batch of several samples is asked for, or one sample.
        collate_fn: makes a batch of samples.
        drop_last: whether a last batch of fewer samples is left out.
    """

    def __init__(self, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool) -> None:
        self.dataset, self.auto_collation = dataset, auto_collation
        self.collate_fn, self.drop_last = collate_fn, drop_last

    def fetch(self, possibly_batched_index: Any) -> Any:
        """The batch of these numbers, or the sample of this one."""
        raise NotImplementedError


class _DatasetKind:
    """Torch's two kinds of datasets, and what takes batches from each."""

    Map = 0
    Iterable = 1

    @staticmethod
    def create_fetcher(
        kind: int, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool
    ) -> _BaseDatasetFetcher:
        """What takes batches from a dataset of that kind."""
        fetcher = _MapDatasetFetcher if kind == _DatasetKind.Map else _IterableDatasetFetcher
        return fetcher(dataset, auto_collation, collate_fn, drop_last)


class _MapDatasetFetcher(_BaseDatasetFetcher):
    """Of samples by number."""

    def fetch(self, possibly_batched_index: Any) -> Any:
        """The batch of these numbers, or the sample of this one."""
        if not self.auto_collation:
            return self.collate_fn(self.dataset[possibly_batched_index])
        if getattr(self.dataset, "__getitems__", None):
            return self.collate_fn(self.dataset.__getitems__(possibly_batched_index))
        return self.collate_fn([self.dataset[at] for at in possibly_batched_index])


class _IterableDatasetFetcher(_BaseDatasetFetcher):
    """Of samples one after the other: as many as there are numbers."""

    def __init__(self, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool) -> None:
        super().__init__(dataset, auto_collation, collate_fn, drop_last)
        self.dataset_iter: Iterator[Any] = iter(dataset)
        self.ended = False

    def fetch(self, possibly_batched_index: Any) -> Any:
        """The batch of the next samples, or the next one.

        Raises:
            StopIteration: there is none.
        """
        if not self.auto_collation:
            return self.collate_fn(next(self.dataset_iter))
        if self.ended:
            raise StopIteration
        wanted = len(possibly_batched_index)
        data = list(itertools.islice(self.dataset_iter, wanted))
        self.ended = len(data) < wanted
        if not data or (self.drop_last and self.ended):
            raise StopIteration
        return self.collate_fn(data)
