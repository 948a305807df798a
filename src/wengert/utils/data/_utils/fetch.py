"""Fetchers of batches from datasets with indices, or from streams."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any


class _BaseDatasetFetcher:
    """Base of fetchers.

    Args:
        dataset: the samples.
        auto_collation: whether a fetch returns a batch of several samples, or one sample.
        collate_fn: function from a list of samples to a batch.
        drop_last: whether a smaller last batch is dropped.
    """

    def __init__(self, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool) -> None:
        self.dataset, self.auto_collation = dataset, auto_collation
        self.collate_fn, self.drop_last = collate_fn, drop_last

    def fetch(self, possibly_batched_index: Any) -> Any:
        """Return the batch for a list of indices, or the sample for an index."""
        raise NotImplementedError


class _DatasetKind:
    """torch's two kinds of datasets, with their fetchers."""

    Map = 0
    Iterable = 1

    @staticmethod
    def create_fetcher(
        kind: int, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool
    ) -> _BaseDatasetFetcher:
        """Return a fetcher for a kind of dataset."""
        fetcher = _MapDatasetFetcher if kind == _DatasetKind.Map else _IterableDatasetFetcher
        return fetcher(dataset, auto_collation, collate_fn, drop_last)


class _MapDatasetFetcher(_BaseDatasetFetcher):
    """Fetcher for datasets with indices."""

    def fetch(self, possibly_batched_index: Any) -> Any:
        """Return the batch for a list of indices, or the sample for an index."""
        if not self.auto_collation:
            return self.collate_fn(self.dataset[possibly_batched_index])
        if getattr(self.dataset, "__getitems__", None):
            return self.collate_fn(self.dataset.__getitems__(possibly_batched_index))
        return self.collate_fn([self.dataset[at] for at in possibly_batched_index])


class _IterableDatasetFetcher(_BaseDatasetFetcher):
    """Fetcher for streams: it takes as many samples as there are indices."""

    def __init__(self, dataset: Any, auto_collation: bool, collate_fn: Callable[[Any], Any], drop_last: bool) -> None:
        super().__init__(dataset, auto_collation, collate_fn, drop_last)
        self.dataset_iter: Iterator[Any] = iter(dataset)
        self.ended = False

    def fetch(self, possibly_batched_index: Any) -> Any:
        """Return the batch of the next samples, or the next sample.

        Raises:
            StopIteration: if there is none.
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
