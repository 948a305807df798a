"""Collation of samples to batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..._tensor import Tensor
from ..._tensor.attributes import dtypes
from ...ops.create.create import tensor
from ...ops.create.interchange import from_numpy
from ...ops.shapes.join import stack


def default_convert(data: Any) -> Any:
    """Convert NumPy arrays in nested containers to tensors; other values are unchanged."""
    if isinstance(data, np.ndarray | np.generic) and np.asarray(data).dtype.kind not in "SUOV":
        return from_numpy(np.asarray(data))
    if isinstance(data, Mapping):
        return {key: default_convert(value) for key, value in data.items()}
    if isinstance(data, tuple):
        converted = [default_convert(value) for value in data]
        return type(data)(*converted) if hasattr(data, "_fields") else converted
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return [default_convert(value) for value in data]
    return data


def default_collate(batch: Sequence[Any]) -> Any:
    """Collate samples of one structure to a batch of that structure.

    Args:
        batch: tensors, NumPy arrays, numbers (float becomes float64, int int64), strings, or mappings, tuples and lists
            of these.

    Returns:
        Tensors and arrays stacked along a new first dimension; numbers as a tensor; strings unchanged; mappings of
        batches, named tuples of batches, and otherwise lists of batches.

    Raises:
        TypeError: if samples are of another structure.
        RuntimeError: if sequences or tensors differ in size.
        IndexError: if there are no samples.
    """
    if not len(batch):
        raise IndexError("default_collate: expected one sample or more, got none")
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(list(batch), 0)
    if isinstance(first, np.ndarray | np.generic):
        if np.asarray(first).dtype.kind in "SUOV":
            raise TypeError(unfit(np.asarray(first).dtype))
        return stack([from_numpy(np.asarray(array)) for array in batch], 0)
    if isinstance(first, float):
        return tensor(batch, dtype=dtypes.float64)
    if isinstance(first, int):
        return tensor(batch)
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        return {key: default_collate([sample[key] for sample in batch]) for key in first}
    if isinstance(first, Sequence):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [default_collate(column) for column in zip(*batch)]
        return type(first)(*columns) if hasattr(first, "_fields") else columns
    raise TypeError(unfit(type(first)))


def unfit(kind: object) -> str:
    """Return the error text for samples that cannot be collated."""
    return f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {kind}"
