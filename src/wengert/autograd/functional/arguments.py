"""Arguments and results: one tensor or several, new leaves for inputs, vectors that fit, results without a history."""

from __future__ import annotations

from typing import Any

from ..._core.tensor.base import Tensor

Tensors = tuple[Any, ...]
"""Several tensors; their methods come from the registry, so mypy does not know them."""


def as_tuple(value: Any, what: str, function: str) -> tuple[bool, Tensors]:
    """Return whether `value` is a tuple of tensors, and the tensors as a tuple.

    Raises:
        TypeError: if it is neither a tensor nor a tuple of tensors.
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
    """Return new tensors on the same memory, distinct from originals that the function may reach in another way.

    They require a gradient. With `create_graph`, tensors whose originals require a gradient stay connected to these.
    """
    return tuple(
        [
            tensor.view_as(tensor) if create_graph and tensor.requires_grad else tensor.detach().requires_grad_(True)
            for tensor in tensors
        ]
    )


def vector(value: Any, like: Tensors, several: bool, function: str, create_graph: bool) -> Tensors:
    """Return the vector of a product, which must have the shapes of `like`.

    Raises:
        TypeError: if it is neither a tensor nor a tuple of tensors.
        RuntimeError: if the number of tensors, or a shape, differs from that of `like`.
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
    """Return whether there is a single tensor with a single element, for which the vector is optional."""
    return len(tensors) == 1 and tensors[0].numel() == 1


def result(tensors: Tensors, several: bool, create_graph: bool) -> Any:
    """Return results to the program: detached unless `create_graph`, and without the tuple unless `several`.

    Raises:
        IndexError: if there is no tensor.
    """
    if not tensors:
        raise IndexError("tuple index out of range: a derivative needs at least one input and one output")
    if several:
        return tensors if create_graph else tuple([tensor.detach() for tensor in tensors])
    return tensors[0] if create_graph else tensors[0].detach()
