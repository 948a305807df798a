"""What comes in and goes out: one tensor or several, inputs made fresh, vectors that fit, results without a history."""

from __future__ import annotations

from typing import Any

from ..._core.tensor.base import Tensor

Tensors = tuple[Any, ...]
"""Several tensors, whose methods the registry gives: mypy knows none of them."""


def as_tuple(value: Any, what: str, function: str) -> tuple[bool, Tensors]:
    """Whether several tensors were given, and all of them as a tuple.

    Raises:
        TypeError: it is neither a tensor nor a tuple of tensors.
    """
    if isinstance(value, Tensor):
        return False, (value,)
    several = isinstance(value, tuple)
    for at, tensor in enumerate(value if several else (value,)):
        if not isinstance(tensor, Tensor):
            place = f"the value at index {at}" if several else f"the given {what}"
            raise TypeError(
                f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but {place} has type "
                f"{type(tensor)}."
            )
    return True, value


def fresh(tensors: Tensors, create_graph: bool) -> Tensors:
    """New tensors on the same memory, so that they differ from the same ones which the function may find elsewhere.

    They require a gradient. Under `create_graph` those whose originals do lead back to them.
    """
    return tuple(
        [
            tensor.view_as(tensor) if create_graph and tensor.requires_grad else tensor.detach().requires_grad_(True)
            for tensor in tensors
        ]
    )


def vector(value: Any, like: Tensors, several: bool, function: str, create_graph: bool) -> Tensors:
    """The vector of a product, which must have the shapes of `like`.

    Raises:
        TypeError: it is neither a tensor nor a tuple of tensors.
        RuntimeError: it has another number of tensors, or one another shape.
    """
    v = as_tuple(value, "v", function)[1]
    if len(v) != len(like):
        if several:
            raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}.")
        raise RuntimeError("The given v should contain a single Tensor.")
    for at, (tensor, other) in enumerate(zip(v, like)):
        if tensor._array_.shape != other._array_.shape:
            entry = f"Entry {at} in " if several else ""
            raise RuntimeError(f"{entry}v has invalid size: should be {other.shape} but got {tensor.shape}.")
    return tuple([tensor.view_as(tensor) if create_graph and tensor.requires_grad else tensor.detach() for tensor in v])


def is_one_number(tensors: Tensors) -> bool:
    """Whether there is a single tensor with a single element, for which no vector need be given."""
    return len(tensors) == 1 and tensors[0].numel() == 1


def result(tensors: Tensors, several: bool, create_graph: bool) -> Any:
    """Tensors as they are given back: without a history unless that was asked for, and alone where one was given.

    Raises:
        IndexError: there is none.
    """
    if not tensors:
        raise IndexError("tuple index out of range: a derivative needs at least one input and one output")
    if several:
        return tensors if create_graph else tuple([tensor.detach() for tensor in tensors])
    return tensors[0] if create_graph else tensors[0].detach()
