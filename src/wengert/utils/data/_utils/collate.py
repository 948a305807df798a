"""Collation of samples to batches, by a table of functions for types of samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any

import numpy as np

from ...._tensor import Tensor
from ...._tensor.attributes import dtypes
from ....ops.create.create import tensor
from ....ops.create.interchange import as_tensor
from ....ops.shapes.join import stack
from ..collate import default_collate, default_convert, unfit

__all__ = ["collate", "default_collate", "default_collate_fn_map", "default_convert"]

Collated = Callable[..., Any]
Kind = type | tuple[type, ...]


def collate(batch: Any, *, collate_fn_map: dict[Kind, Collated] | None = None) -> Any:
    """Collate samples of one structure to a batch of that structure.

    Args:
        batch: the samples.
        collate_fn_map: functions of a list of samples and this table, by types (or tuples of types). Mappings and
            sequences without a function are collated item by item, to batches of their types.

    Raises:
        TypeError: if samples are of another structure.
        RuntimeError: if sequences differ in length.
    """
    first = batch[0]
    function = collate_fn_map and function_for(type(first), first, collate_fn_map)
    if function:
        return function(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        columns = {key: collate([sample[key] for sample in batch], collate_fn_map=collate_fn_map) for key in first}
        return like_mapping(first, columns)
    if isinstance(first, Sequence) and not isinstance(first, (str, bytes)):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        values = [collate(column, collate_fn_map=collate_fn_map) for column in zip(*batch)]
        if isinstance(first, tuple):
            return type(first)(*values) if hasattr(first, "_fields") else values
        return like_sequence(first, values)
    raise TypeError(unfit(type(first)))


def function_for(kind: type, sample: Any, table: dict[Kind, Collated]) -> Collated | None:
    """Return the function of a table for the exact type, or for the first class that the sample is an instance of."""
    if kind in table:
        return table[kind]
    return next((function for kind, function in table.items() if isinstance(sample, kind)), None)


def like_mapping(sample: Any, columns: dict[Any, Any]) -> Any:
    """Return the columns in a mapping of the sample's type, or in a dictionary if that fails."""
    try:
        if isinstance(sample, MutableMapping):
            result = sample.copy() if hasattr(sample, "copy") else type(sample)(sample)  # type: ignore[call-arg]
            result.update(columns)
            return result
        return type(sample)(columns)
    except TypeError:
        return columns


def like_sequence(sample: Any, values: list[Any]) -> Any:
    """Return the columns in a sequence of the sample's type, or in a list if that fails."""
    try:
        return type(sample)(values)
    except TypeError:
        return values


def collate_tensor_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """Stack tensors."""
    return stack(list(batch), 0)


def collate_numpy_array_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """Stack arrays of numbers as tensors.

    Raises:
        TypeError: if the arrays contain texts or objects.
    """
    if batch[0].dtype.kind in "SUOV":
        raise TypeError(unfit(batch[0].dtype))
    return collate([as_tensor(sample) for sample in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """Return NumPy scalars as a tensor."""
    return as_tensor(np.asarray(batch))


def collate_float_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """Return floats as a tensor of float64."""
    return tensor(batch, dtype=dtypes.float64)


def collate_int_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """Return integers as a tensor."""
    return tensor(batch)


def collate_str_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """Return texts unchanged."""
    return batch


default_collate_fn_map: dict[Kind, Collated] = {
    Tensor: collate_tensor_fn,
    np.ndarray: collate_numpy_array_fn,
    (np.bool_, np.number, np.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}
"""Functions of `default_collate` by type of samples."""
