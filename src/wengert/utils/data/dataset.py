"""Datasets with indexed samples, or as streams."""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from ..._start.boundary import Guarded, boundary
from ..._start.loading import on_demand
from ..._tensor import Tensor
from ...ops.randomness.random import randperm

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .stacked import StackDataset as StackDataset

__all__ = [
    "ChainDataset",
    "ConcatDataset",
    "Dataset",
    "IterableDataset",
    "StackDataset",
    "Subset",
    "TensorDataset",
    "random_split",
]

T = TypeVar("T", covariant=True)


class Dataset(Guarded, Generic[T]):
    """Base of datasets: a subclass defines `__getitem__` and usually `__len__`."""

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[Any]) -> ConcatDataset:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T], Iterable[T]):
    """Base of datasets that are streams: a subclass defines `__iter__`."""

    def __iter__(self) -> Iterator[T]:
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")

    def __add__(self, other: Dataset[Any]) -> Any:
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Dataset of the rows of tensors.

    Args:
        **tensors: tensors of the same length in the first dimension.

    Raises:
        AssertionError: if the lengths differ.
    """

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensor.shape[0] != tensors[0].shape[0] for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return int(self.tensors[0].shape[0])


class ConcatDataset(Dataset[Any]):
    """Concatenation of datasets.

    Args:
        datasets: at least one dataset; not streams.

    Raises:
        AssertionError: if there are none, or there is a stream among them.
    """

    def __init__(self, datasets: Iterable[Dataset[Any]]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = list(itertools.accumulate(len(dataset) for dataset in self.datasets))  # type: ignore[arg-type]

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> Any:
        if index < 0:
            if -index > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            index += len(self)
        if index >= len(self):
            raise IndexError(f"index {index} is out of range of {len(self)} samples in {len(self.datasets)} datasets")
        which = bisect.bisect_right(self.cumulative_sizes, index)
        return self.datasets[which][index - (self.cumulative_sizes[which - 1] if which else 0)]


class ChainDataset(IterableDataset[Any]):
    """Concatenation of streams."""

    def __init__(self, datasets: Iterable[Dataset[Any]]) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for dataset in self.datasets:
            yield from dataset  # type: ignore[misc]

    def __len__(self) -> int:
        return sum(map(len, self.datasets))  # type: ignore[arg-type]


class Subset(Dataset[T]):
    """Subset of a dataset.

    Args:
        dataset: the whole dataset.
        indices: the indices of the samples.
    """

    def __init__(self, dataset: Dataset[T], indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, list):
            return self.dataset[[self.indices[place] for place in index]]
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


@boundary
def random_split(dataset: Dataset[T], lengths: Sequence[float], generator: Any = None) -> list[Subset[T]]:
    """Split a dataset at random.

    Args:
        dataset: the whole dataset.
        lengths: the number of samples of each part, or shares that sum to 1; samples left by rounding go to the first
            parts, one each.
        generator: random generator.

    Returns:
        The parts.

    Raises:
        ValueError: if the lengths do not sum to that of the dataset, or a share is not between 0 and 1.
    """
    total = len(dataset)  # type: ignore[arg-type]
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        for at, share in enumerate(lengths):
            if not 0 <= share <= 1:
                raise ValueError(f"Fraction at index {at} is not between 0 and 1")
        counts = [math.floor(total * share) for share in lengths]
        for at in range(total - sum(counts)):
            counts[at % len(counts)] += 1
    else:
        counts = [int(length) for length in lengths]
    if sum(counts) != total:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = randperm(total, generator=generator).tolist()
    ends = list(itertools.accumulate(counts))
    return [Subset(dataset, order[end - count : end]) for end, count in zip(ends, counts)]


__getattr__, __dir__ = on_demand(globals())
