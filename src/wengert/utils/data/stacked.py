"""`StackDataset`: several datasets as one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .dataset import Dataset


class StackDataset(Dataset[Any]):
    """Dataset whose samples are tuples of samples of several datasets, or dictionaries if these are named.

    Args:
        args: datasets of the same length; or
        kwargs: the same by name.

    Raises:
        ValueError: if there are none, only some are named, or they differ in length.
    """

    datasets: tuple[Any, ...] | dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like input/output, but both "
                "types are given."
            )
        if not (args or kwargs):
            raise ValueError("At least one dataset should be passed")
        self.datasets = args or kwargs
        lengths = [len(dataset) for dataset in self._members()]
        if any(length != lengths[0] for length in lengths):
            raise ValueError("Size mismatch between datasets")
        self._length = lengths[0]

    def _members(self) -> Iterator[Any]:
        return iter(self.datasets.values() if isinstance(self.datasets, dict) else self.datasets)

    def _sample(self, parts: Sequence[Any]) -> Any:
        return dict(zip(self.datasets, parts)) if isinstance(self.datasets, dict) else tuple(parts)

    def __getitem__(self, index: Any) -> Any:
        return self._sample([dataset[index] for dataset in self._members()])

    def __getitems__(self, indices: Sequence[Any]) -> list[Any]:
        """Return the samples at some indices; datasets with their own `__getitems__` are called once."""
        columns = [several(dataset, indices) for dataset in self._members()]
        return [self._sample(parts) for parts in zip(*columns)]

    def __len__(self) -> int:
        return self._length


def several(dataset: Any, indices: Sequence[Any]) -> Sequence[Any]:
    """Return a dataset's samples at some indices.

    Raises:
        ValueError: if its own `__getitems__` returns another number of samples.
    """
    if not callable(getattr(dataset, "__getitems__", None)):
        return [dataset[index] for index in indices]
    samples: Sequence[Any] = dataset.__getitems__(indices)
    if len(samples) != len(indices):
        raise ValueError(f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(samples)}")
    return samples
