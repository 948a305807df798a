"""Small things that layers and their users share, under torch's names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any

from ..._start.boundary import guarded
from ...ops.family import PACKAGE, is_of_package

__all__ = ["consume_prefix_in_state_dict_if_present"]

SHARED = frozenset({"_AdaptiveAvgPoolNd", "_AdaptiveMaxPoolNd", "_BatchNorm", "_InstanceNorm", "_LazyNormBase"})
"""Families of which torch's layers, too, have the constructor, so that its errors name them."""


def _own_init(cls: type) -> None:
    """Give a new class of a family a constructor of its own name, which Python's errors about wrong calls show.

    It stands in the family as `__init_subclass__ = classmethod(_own_init)`. What programs derive from a layer has the
    layer's constructor.
    """
    keep_functions(cls)
    inherited: Any = getattr(cls.__init__, "__wrapped__", cls.__init__)  # type: ignore[misc]
    owner = inherited.__qualname__.partition(".")[0]
    if owner[:1] == "_" and owner not in SHARED and "__init__" not in vars(cls):
        made = FunctionType(
            inherited.__code__, inherited.__globals__, "__init__", inherited.__defaults__, inherited.__closure__
        )
        made.__kwdefaults__, made.__annotations__ = inherited.__kwdefaults__, inherited.__annotations__
        made.__doc__, made.__module__ = inherited.__doc__, cls.__module__
        made.__qualname__ = f"{cls.__name__}.__init__"
        cls.__init__ = made  # type: ignore[misc]
    guarded(cls)


def keep_functions(cls: type) -> None:
    """Let functions of the package that a program puts on a class of modules be called without the module, as torch's
    are, which are no methods: `activation = torch.tanh`, `self.activation(x)`.
    """
    if not cls.__module__.startswith(f"{PACKAGE}."):
        for name, value in tuple(vars(cls).items()):
            if is_of_package(value):
                setattr(cls, name, staticmethod(value))


def _ntuple(n: int, name: str = "parse") -> Callable[[Any], tuple[Any, ...]]:
    """A function that makes a tuple: of the elements of what can be iterated, else of `n` times the same."""

    def parse(x: Any) -> tuple[Any, ...]:
        return tuple(x) if isinstance(x, Iterable) else (x,) * n

    parse.__name__ = name
    return parse


_single, _pair, _triple, _quadruple = map(_ntuple, (1, 2, 3, 4), ("_single", "_pair", "_triple", "_quadruple"))


def _reverse_repeat_tuple(t: Sequence[Any], n: int) -> tuple[Any, ...]:
    """Each element `n` times, the last first: how `pad` wants the widths of a layer."""
    return tuple([x for x in reversed(t) for _ in range(n)])


def _list_with_default(out_size: Any, defaults: Sequence[int]) -> Any:
    """The sizes, those of `defaults` (whose last belong to them) where there is None; a number stays one.

    Raises:
        ValueError: there are no more defaults than sizes.
    """
    if isinstance(out_size, int):
        return out_size
    if len(defaults) <= len(out_size):
        raise ValueError(f"Input dimension should be at least {len(out_size) + 1}")
    return [usual if size is None else size for size, usual in zip(out_size, defaults[-len(out_size) :])]


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Take a prefix off the names of a state, in place.

    Args:
        state_dict: values by dotted names; those without the prefix stay as they are.
        prefix: as "module.".

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
