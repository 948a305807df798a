"""Samplers: orders of the samples of a dataset."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

from ..._start.boundary import Guarded
from ..._tensor.attributes import dtypes
from ...ops.create.create import empty
from ...ops.create.interchange import as_tensor
from ...ops.randomness.generator import Generator
from ...ops.randomness.random import randint, randperm
from ...ops.randomness.sampling import multinomial

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

T = TypeVar("T", covariant=True)
CHUNK = 32
"""Number of indices drawn at once with replacement, as in torch, since random numbers depend on it."""


def check_count(name: str, value: Any) -> None:
    """Refuse a value that is not a positive integer.

    Raises:
        ValueError: if it is not.
    """
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")


def check_flag(name: str, value: Any, error: type[Exception]) -> None:
    """Refuse a value that is not a bool, with an error of the given class."""
    if not isinstance(value, bool):
        raise error(f"{name} should be a boolean value, but got {name}={value}")


class Sampler(Guarded, Generic[T]):
    """Base of samplers: a subclass defines `__iter__` over indices of samples, and usually `__len__`."""

    def __iter__(self) -> Iterator[T]:
        raise NotImplementedError(f"{type(self).__name__} does not define __iter__()")


class SequentialSampler(Sampler[int]):
    """Indices of all samples in order."""

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """Indices of samples in random order.

    Without a generator each pass draws a seed for its own generator, as in torch: so random numbers drawn meanwhile do
    not change the order.

    Args:
        data_source: the dataset.
        replacement: draw with replacement.
        num_samples: the number of samples; by default the length of the dataset.
        generator: random generator; by default the global one.

    Raises:
        TypeError: if `replacement` is not a bool.
        ValueError: if `num_samples` is not positive.
    """

    def __init__(
        self, data_source: Sized, replacement: bool = False, num_samples: int | None = None, generator: Any = None
    ) -> None:
        check_flag("replacement", replacement, TypeError)
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        check_count("num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        """Number of samples of a pass."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        total, wanted = len(self.data_source), self.num_samples
        generator = self.generator
        if generator is None:
            generator = Generator().manual_seed(int(empty((), dtype=dtypes.int64).random_().item()))
        if self.replacement:
            for _ in range(wanted // CHUNK):
                yield from randint(0, total, (CHUNK,), generator=generator).tolist()
            yield from randint(0, total, (wanted % CHUNK,), generator=generator).tolist()
            return
        for _ in range(wanted // total):
            yield from randperm(total, generator=generator).tolist()
        yield from randperm(total, generator=generator).tolist()[: wanted % total]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """Given indices in random order.

    Args:
        indices: the indices.
        generator: random generator; by default the global one.
    """

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for at in randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[at]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Indices drawn with given probabilities.

    Args:
        weights: non-negative weights, one for each sample; they need not sum to 1.
        num_samples: the number of draws.
        replacement: draw with replacement.
        generator: random generator; by default the global one.

    Raises:
        ValueError: if `num_samples` is not positive, `replacement` is not a bool, or `weights` not a sequence of
            numbers.
        RuntimeError: if weights are negative, all zero, or too few for draws without replacement (on iteration).
    """

    def __init__(
        self, weights: Sequence[float], num_samples: int, replacement: bool = True, generator: Any = None
    ) -> None:
        check_count("num_samples", num_samples)
        check_flag("replacement", replacement, ValueError)
        self.weights = as_tensor(weights, dtype=dtypes.float64)
        if self.weights.dim() != 1:
            raise ValueError(
                f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        yield from multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator).tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Indices of another sampler in lists.

    Args:
        sampler: the other sampler.
        batch_size: the length of a list.
        drop_last: drop a shorter last list.

    Raises:
        ValueError: if `batch_size` is not positive, or `drop_last` is not a bool.
    """

    def __init__(self, sampler: Iterable[int], batch_size: int, drop_last: bool) -> None:
        check_count("batch_size", batch_size)
        check_flag("drop_last", drop_last, ValueError)
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        numbers = iter(self.sampler)
        while batch := list(itertools.islice(numbers, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        total = len(self.sampler)  # type: ignore[arg-type]
        return total // self.batch_size if self.drop_last else -(-total // self.batch_size)
