"""`DataLoader`: an iterable of batches from a dataset, an order and a batch size."""

from __future__ import annotations

import itertools
import multiprocessing
import multiprocessing.context
import warnings
from collections.abc import Callable, Iterable
from typing import Any

from ..._start.boundary import guarded
from ._utils.fetch import _DatasetKind as _DatasetKind
from .collate import default_collate, default_convert
from .dataset import IterableDataset
from .fetching import _BaseDataLoaderIter, _SingleProcessDataLoaderIter
from .processes import _MultiProcessingDataLoaderIter, can_start
from .sampler import BatchSampler, RandomSampler, SequentialSampler
from .worker import get_worker_info

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]

_collate_fn_t, _worker_init_fn_t = Callable[[list[Any]], Any], Callable[[int], None]  # for annotations
_FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")


@guarded
class DataLoader:
    """Iterable over the samples of a dataset in batches.

    Batches of a `TensorDataset` (or of a `Subset` of one) are indexed from the tensors at once, not sample by sample.

    Args:
        dataset: a dataset with indices (`__getitem__`, `__len__`), or an `IterableDataset`.
        batch_size: number of samples in a batch; None for single samples.
        shuffle: use a new random order in each epoch.
        sampler: order of the samples, instead of `shuffle`.
        batch_sampler: iterable of lists of indices, instead of `batch_size`, `shuffle`, `sampler` and `drop_last`.
        num_workers: number of processes that load batches ahead; 0 to load each batch in the program itself.
        collate_fn: function from a list of samples to a batch.
        pin_memory: accepted for compatibility with torch; no effect.
        drop_last: drop a smaller last batch.
        timeout: seconds to wait for a worker's batch; 0 for no limit.
        worker_init_fn: function of the worker's number, called in each worker before it loads.
        multiprocessing_context: a context of Python's `multiprocessing`, or the name of a start method.
        generator: random generator for `shuffle` and the workers' seeds; by default the global one.
        prefetch_factor: number of batches that each worker loads ahead; by default 2.
        persistent_workers: keep the workers from one epoch to the next.
        pin_memory_device: accepted for compatibility with torch; no effect.
        in_order: accepted for compatibility with torch; batches are always in order.

    Raises:
        ValueError: if options exclude each other or are out of range.
        TypeError: if `multiprocessing_context` is not a context.
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
        pin_memory_device: str = "",
        in_order: bool = True,
    ) -> None:
        check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        self.dataset = dataset
        self.num_workers, self.timeout, self.worker_init_fn = num_workers, timeout, worker_init_fn
        self.prefetch_factor = 2 if num_workers and prefetch_factor is None else prefetch_factor
        self.multiprocessing_context = read_context(multiprocessing_context, num_workers)
        self.persistent_workers = persistent_workers
        self._iterator: _MultiProcessingDataLoaderIter | None = None
        self.pin_memory, self.pin_memory_device, self.in_order = pin_memory, pin_memory_device, in_order
        self.generator = generator
        self._take_order(batch_size, shuffle, sampler, batch_sampler, drop_last)
        self.collate_fn = collate_fn or (default_convert if self.batch_sampler is None else default_collate)
        self._ready = True

    def _take_order(
        self,
        batch_size: int | None,
        shuffle: bool | None,
        sampler: Iterable[int] | None,
        batch_sampler: Iterable[list[int]] | None,
        drop_last: bool,
    ) -> None:
        """Set the samplers of samples and batches."""
        self.streams = isinstance(self.dataset, IterableDataset)
        if self.streams and hasattr(self.dataset, "functions"):
            from .datapipes.datapipe import in_order

            self.dataset, shuffle = in_order(self.dataset, shuffle), None
        if self.streams:
            check_stream(shuffle, sampler, batch_sampler)
        check_order(batch_size, shuffle, sampler, batch_sampler, drop_last)
        if batch_sampler is not None:
            batch_size, drop_last = None, False
        if sampler is None:
            sampler = (
                RandomSampler(self.dataset, generator=self.generator) if shuffle else SequentialSampler(self.dataset)
            )
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler

    @property
    def _auto_collation(self) -> bool:
        """Return whether samples are collated to batches; read by subclasses in libraries."""
        return self.batch_sampler is not None

    @property
    def _index_sampler(self) -> Iterable[Any]:
        """Sampler of the index lists or single indices for fetches; without meaning for a stream."""
        if self.streams:
            return itertools.repeat(None)
        return self.sampler if self.batch_sampler is None else self.batch_sampler

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _FIXED and "_ready" in self.__dict__:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    def __iter__(self) -> _BaseDataLoaderIter:
        if self.streams and hasattr(self.dataset, "functions"):
            from .datapipes.datapipe import begin_orders

            begin_orders(self.dataset, self.generator)
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        if not can_start():
            warnings.warn(
                f"DataLoader: no process or thread can be started here; num_workers={self.num_workers} is taken for 0, "
                "and this process makes the batches",
                stacklevel=2,
            )
            return _SingleProcessDataLoaderIter(self)
        if not self.persistent_workers:
            return _MultiProcessingDataLoaderIter(self)
        if self._iterator is None:
            self._iterator = _MultiProcessingDataLoaderIter(self)
        else:
            self._iterator._reset(self)
        return self._iterator

    def __len__(self) -> int:
        if self.streams and self.batch_size is not None:
            total = len(self.dataset)
            return total // self.batch_size if self.drop_last else -(-total // self.batch_size)
        counted = self.dataset if self.streams else self.sampler if self.batch_sampler is None else self.batch_sampler
        return len(counted)  # type: ignore[arg-type]


def check_workers(num_workers: int, timeout: float, prefetch_factor: int | None, persistent_workers: bool) -> None:
    """Refuse invalid options of workers.

    Raises:
        ValueError: if they are out of range, or there are no workers.
    """
    if num_workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if prefetch_factor is not None and num_workers == 0:
        raise ValueError(
            "prefetch_factor option could only be specified in multiprocessing."
            "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
        )
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")


def read_context(context_: Any, num_workers: int) -> Any:
    """Return the context of `multiprocessing` for a context or its name; None for None.

    Raises:
        ValueError: if there are no workers, or no start method of this name.
        TypeError: if it is neither a name nor a context.
    """
    if context_ is None:
        return None
    if num_workers == 0:
        raise ValueError(
            "multiprocessing_context can only be used with multi-process loading (num_workers > 0), "
            f"but got num_workers={num_workers}"
        )
    if isinstance(context_, str):
        known = multiprocessing.get_all_start_methods()
        if context_ not in known:
            raise ValueError(
                "multiprocessing_context option should specify a valid start method in "
                f"{known!r}, but got multiprocessing_context={context_!r}"
            )
        return multiprocessing.get_context(context_)
    if not isinstance(context_, multiprocessing.context.BaseContext):
        raise TypeError(
            "multiprocessing_context option should be a valid context object or a string specifying the start "
            f"method, but got multiprocessing_context={context_}"
        )
    return context_


def check_order(batch_size: Any, shuffle: Any, sampler: Any, batch_sampler: Any, drop_last: Any) -> None:
    """Refuse options of the order that exclude each other.

    Raises:
        ValueError: if options exclude each other.
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
        ValueError: if an order is given.
    """
    wrong = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
    for name, value in wrong.items():
        if value is not None:
            raise ValueError(
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
            )
