"""The values of a call: tensors among them, lists of tensors laid out one by one, as a custom Function takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._tensor import Tensor
from .schema import Argument

Layout = tuple[int, ...]
"""For each parameter how many tensors its list has; -1 for what is no list of tensors."""


def tensors_in(value: Any) -> list[Tensor]:
    """The tensors in a value, and in lists and tuples within."""
    if isinstance(value, Tensor):
        return [value]
    return [one for each in value for one in tensors_in(each)] if isinstance(value, (list, tuple)) else []


def cast(value: Any, dtype: Any) -> Any:
    """A value with its floating-point tensors in another dtype."""
    if isinstance(value, (list, tuple)):
        return [cast(each, dtype) for each in value]
    return value.to(dtype) if isinstance(value, Tensor) and value.is_floating_point() else value


def flattened(arguments: Sequence[Argument], values: Sequence[Any]) -> tuple[list[Any], Layout]:
    """The values with lists of tensors laid out."""
    flat: list[Any] = []
    layout = []
    for argument, value in zip(arguments, values):
        listed = argument.is_list and value is not None
        flat += value if listed else [value]
        layout.append(len(value) if listed else -1)
    return flat, tuple(layout)


def spread(results: Sequence[Any]) -> tuple[Any, ...]:
    """Results with lists among them laid out, and the layout at the end."""
    flat = [one for each in results for one in (each if isinstance(each, (list, tuple)) else [each])]
    return (*flat, tuple([len(each) if isinstance(each, (list, tuple)) else -1 for each in results]))


def gathered(flat: Sequence[Any], layout: Layout) -> list[Any]:
    """What was laid out, put together again."""
    values: list[Any] = []
    at = 0
    for count in layout:
        values.append(flat[at] if count < 0 else list(flat[at : at + count]))
        at += 1 if count < 0 else count
    return values


def laid_out(name: str, values: Sequence[Any], layout: Layout) -> list[Any]:
    """Gradients for the parameters, one for each tensor; None for a list stands for all of it.

    Raises:
        RuntimeError: there are more or fewer than parameters, or than tensors of a list.
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
