"""Values of a call: lists of tensors flattened, as a custom Function takes them, and restored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._tensor import Tensor
from .schema import Argument

Layout = tuple[int, ...]
"""Length of the list of tensors for each parameter; -1 if it is not a list of tensors."""


def tensors_in(value: Any) -> list[Tensor]:
    """Return the tensors in a value, and in nested lists and tuples."""
    if isinstance(value, Tensor):
        return [value]
    return [tensor for item in value for tensor in tensors_in(item)] if isinstance(value, (list, tuple)) else []


def cast(value: Any, dtype: Any) -> Any:
    """Convert the floating-point tensors in a value to another dtype."""
    if isinstance(value, (list, tuple)):
        return [cast(item, dtype) for item in value]
    return value.to(dtype) if isinstance(value, Tensor) and value.is_floating_point() else value


def flattened(arguments: Sequence[Argument], values: Sequence[Any]) -> tuple[list[Any], Layout]:
    """Return the values with lists of tensors flattened, and their layout."""
    flat: list[Any] = []
    layout = []
    for argument, value in zip(arguments, values):
        listed = argument.is_list and value is not None
        flat += value if listed else [value]
        layout.append(len(value) if listed else -1)
    return flat, tuple(layout)


def spread(results: Sequence[Any]) -> tuple[Any, ...]:
    """Return the results with lists flattened, followed by their layout."""
    flat = [item for result in results for item in (result if isinstance(result, (list, tuple)) else [result])]
    return (*flat, tuple([len(result) if isinstance(result, (list, tuple)) else -1 for result in results]))


def gathered(flat: Sequence[Any], layout: Layout) -> list[Any]:
    """Restore the lists in flattened values."""
    values: list[Any] = []
    start = 0
    for count in layout:
        values.append(flat[start] if count < 0 else list(flat[start : start + count]))
        start += 1 if count < 0 else count
    return values


def laid_out(name: str, values: Sequence[Any], layout: Layout) -> list[Any]:
    """Flatten the gradients of the parameters to one for each tensor; None for a list means None for all its tensors.

    Raises:
        RuntimeError: if the number of gradients is not that of the parameters, or of the tensors of a list.
    """
    if len(values) != len(layout):
        raise RuntimeError(
            f"Expected the return from backward to be of the same structure as the inputs of {name}: {len(layout)} "
            f"gradients, but got {len(values)}"
        )
    flat: list[Any] = []
    for value, count in zip(values, layout):
        part = [value] if count < 0 else [None] * count if value is None else list(value)
        if len(part) != max(count, 0) + (count < 0):
            raise RuntimeError(f"Expected {count} gradients for a list of as many inputs of {name}, got {len(part)}")
        flat += part
    return flat
