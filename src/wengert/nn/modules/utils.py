"""Small helpers of layers and their users, under torch's names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any

from ..._start.boundary import guarded
from ...ops.family import PACKAGE, is_of_package

__all__ = ["consume_prefix_in_state_dict_if_present"]

SHARED = frozenset({"_AdaptiveAvgPoolNd", "_AdaptiveMaxPoolNd", "_BatchNorm", "_InstanceNorm", "_LazyNormBase"})
"""Base classes whose constructor torch's layers inherit, so that errors name the base class."""


def name_constructor(cls: type) -> None:
    """Give a new class a constructor with its own name, which Python shows in errors about wrong calls.

    Base classes use it as `__init_subclass__ = classmethod(name_constructor)`. Subclasses of a layer outside the
    package keep the layer's constructor.
    """
    keep_functions(cls)
    inherited: Any = getattr(cls.__init__, "__wrapped__", cls.__init__)  # type: ignore[misc]
    owner = inherited.__qualname__.partition(".")[0]
    if owner[:1] == "_" and owner not in SHARED and "__init__" not in vars(cls):
        init = FunctionType(
            inherited.__code__, inherited.__globals__, "__init__", inherited.__defaults__, inherited.__closure__
        )
        init.__kwdefaults__, init.__annotations__ = inherited.__kwdefaults__, inherited.__annotations__
        init.__doc__, init.__module__ = inherited.__doc__, cls.__module__
        init.__qualname__ = f"{cls.__name__}.__init__"
        cls.__init__ = init  # type: ignore[misc]
    guarded(cls)
    layer: Any = cls
    layer._fill_slots()


def keep_functions(cls: type) -> None:
    """Make functions of the package that are attributes of a module class static, as torch's functions, which are not
    methods, behave: `activation = torch.tanh`, `self.activation(x)`.
    """
    if not cls.__module__.startswith(f"{PACKAGE}."):
        for name, value in tuple(vars(cls).items()):
            if is_of_package(value):
                setattr(cls, name, staticmethod(value))


def _ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple[Any, ...]]:
    """Return a function that converts an iterable to a tuple, and any other value to a tuple of `n` copies."""

    def parse(x: Any) -> tuple[Any, ...]:
        return tuple(x) if isinstance(x, Iterable) else (x,) * n

    parse.__name__ = name
    return parse


def _single(x: Any) -> tuple[Any, ...]:
    """Convert an iterable to a tuple, and any other value to a tuple of one copy."""
    return tuple(x) if isinstance(x, Iterable) else (x,) * 1


def _pair(x: Any) -> tuple[Any, ...]:
    """Convert an iterable to a tuple, and any other value to a tuple of two copies."""
    return tuple(x) if isinstance(x, Iterable) else (x,) * 2


def _triple(x: Any) -> tuple[Any, ...]:
    """Convert an iterable to a tuple, and any other value to a tuple of three copies."""
    return tuple(x) if isinstance(x, Iterable) else (x,) * 3


def _quadruple(x: Any) -> tuple[Any, ...]:
    """Convert an iterable to a tuple, and any other value to a tuple of four copies."""
    return tuple(x) if isinstance(x, Iterable) else (x,) * 4


def _reverse_repeat_tuple(t: Sequence[Any], n: int) -> tuple[Any, ...]:
    """Repeat each element `n` times, the last first, as `pad` expects the widths of a layer."""
    return tuple([x for x in reversed(t) for _ in range(n)])


def _list_with_default(out_size: Any, defaults: Sequence[int]) -> Any:
    """Return `out_size` with None replaced by the element of `defaults` (aligned at the end); a number stays as it is.

    Raises:
        ValueError: if there are no more defaults than sizes.
    """
    if isinstance(out_size, int):
        return out_size
    if len(defaults) <= len(out_size):
        raise ValueError(f"Input dimension should be at least {len(out_size) + 1}")
    return [usual if size is None else size for size, usual in zip(out_size, defaults[-len(out_size) :])]


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Remove a prefix from the names of a state, in place.

    Args:
        state_dict: values by dotted names; those without the prefix stay as they are.
        prefix: the prefix, for example "module.".

    >>> state = {"module.weight": 1, "count": 2}
    >>> consume_prefix_in_state_dict_if_present(state, "module.")
    >>> state
    {'count': 2, 'weight': 1}
    """
    for key in list(state_dict):
        if key.startswith(prefix):
            state_dict[key.removeprefix(prefix)] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", {})
    for key in list(metadata):
        if key and (key == prefix.replace(".", "") or key.startswith(prefix)):
            metadata[key[len(prefix) :]] = metadata.pop(key)
