"""From a list of samples to a batch, by a table of what is done with samples of each type."""

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
    """Samples of one form as one batch of that form.

    Args:
        batch: the samples.
        collate_fn_map: for types (or tuples of types) functions of a list of samples and this table. Who meets none of
            these types, looks into mappings and sequences, whose batches are of their types.

    Raises:
        TypeError: samples of another form.
        RuntimeError: sequences of different lengths.
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
    """What the table says of a type: of that very type, or of the first that the sample is an instance of."""
    if kind in table:
        return table[kind]
    return next((function for kind, function in table.items() if isinstance(sample, kind)), None)


def like_mapping(sample: Any, columns: dict[Any, Any]) -> Any:
    """The columns in a mapping of the sample's type, or in a dictionary where such a one cannot be made."""
    try:
        if isinstance(sample, MutableMapping):
            result = sample.copy() if hasattr(sample, "copy") else type(sample)(sample)  # type: ignore[call-arg]
            result.update(columns)
            return result
        return type(sample)(columns)
    except TypeError:
        return columns


def like_sequence(sample: Any, values: list[Any]) -> Any:
    """The columns in a sequence of the sample's type, or in a list where such a one cannot be made."""
    try:
        return type(sample)(values)
    except TypeError:
        return values


def collate_tensor_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """Tensors stacked."""
    return stack(list(batch), 0)  # type: ignore[no-any-return]


def collate_numpy_array_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """Arrays of numbers as tensors, stacked.

    Raises:
        TypeError: arrays of texts or objects.
    """
    if batch[0].dtype.kind in "SUOV":
        raise TypeError(unfit(batch[0].dtype))
    return collate([as_tensor(sample) for sample in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """NumPy's numbers as a tensor."""
    return as_tensor(np.asarray(batch))


def collate_float_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """Numbers as a tensor of float64."""
    return tensor(batch, dtype=dtypes.float64)  # type: ignore[no-any-return]


def collate_int_fn(batch: Any, *, collate_fn_map: Any = None) -> Tensor:
    """Integers as a tensor."""
    return tensor(batch)  # type: ignore[no-any-return]


def collate_str_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    """Texts as they are."""
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
"""What `default_collate` does with samples of each type."""
