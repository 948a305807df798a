"""Attributes of a node that programs may read but the engine does not need, kept apart so that nodes stay small."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..types import dtypes
from ..types.devices import device

FIRST = (1 << 64) - 1
"""torch's sequence number of nodes that run before all others."""

ENGINE = frozenset({"accumulate", "node", "recorded", "slices"})
"""The modules whose classes of nodes have names that only the engine asks for; `dir()` leaves those out."""

SHOWN = frozenset(
    {
        "_input_metadata",
        "_register_hook_dict",
        "_sequence_nr",
        "_set_sequence_nr",
        "metadata",
        "name",
        "next_functions",
        "register_hook",
        "register_prehook",
        "requires_grad",
        "variable",
    }
)
"""The names of such classes that `dir()` shows nevertheless."""


class Notes:
    """Attributes that few nodes have.

    Attributes:
        metadata: a dictionary for whoever walks the graph.
        spaces: by output number, shape and NumPy dtype of the tensor there, as far as edges have set them.
        origin: `origins.Origin`: where the node was created, or None.
    """

    __slots__ = ("metadata", "origin", "spaces")

    def __init__(self, origin: Any) -> None:
        self.origin = origin
        self.metadata: dict[Any, Any] = {}
        self.spaces: dict[int, tuple[tuple[int, ...], Any]] = {}


class InputMetadata:
    """Shape, dtype and device of the gradient that a node takes for one output of its operation."""

    __slots__ = ("device", "dtype", "is_cpp_nested_tensor", "is_nested_tensor", "shape")

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape = list(shape)
        self.dtype = None if dtype is None else dtypes.from_numpy(dtype)
        self.device = device("cpu")
        self.is_nested_tensor = self.is_cpp_nested_tensor = False


def visible(cls: type, names: Iterable[str]) -> list[str]:
    """The names that `dir()` shows of a node of a class."""
    hidden: set[str] = set()
    for base in cls.__mro__:
        if base.__module__.rpartition(".")[2] in ENGINE:
            hidden.update(vars(base))
    return [name for name in names if name in SHOWN or name.startswith("__") or name not in hidden]


def without(values: tuple[Any, ...], hidden: tuple[int, ...]) -> tuple[Any, ...]:
    """Return the edges of a node, or their gradients, without those that programs do not see."""
    return tuple([value for at, value in enumerate(values) if at not in hidden]) if hidden else values


def with_nothing(values: tuple[Any, ...], hidden: tuple[int, ...]) -> tuple[Any, ...]:
    """Return values for the result of `without`, with None inserted for the edges that programs do not see."""
    result = list(values)
    for at in hidden:
        result.insert(at, None)
    return tuple(result)


def check_arguments(grads: tuple[Any, ...], wanted: int) -> None:
    """Refuse gradients that a node cannot be called with.

    Raises:
        TypeError: if the number of gradients is not that of the outputs, or one is neither a tensor nor None.
    """
    if len(grads) != wanted:
        raise TypeError(f"expected {wanted} arguments, got {len(grads)} instead")
    for at, grad in enumerate(grads):
        if grad is not None and not hasattr(type(grad), "_array_"):
            raise TypeError(f"argument {at} is not a Variable")
