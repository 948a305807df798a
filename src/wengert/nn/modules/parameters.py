"""Containers of parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...tensor import Tensor
from ..parameter import Parameter
from .container import position
from .module import Module


def shown(name: str, value: Any) -> str:
    """A line about one value."""
    if not isinstance(value, Tensor):
        return f"  ({name}): Object of type: {type(value).__name__}"
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    size = "x".join(map(str, value.shape))
    return f"  ({name}): {kind} containing: [{value.dtype} of size {size}]"


class _Parameters(Module):
    """Values kept as attributes; plain tensors become parameters."""

    def _keep(self, name: str, value: Any) -> None:
        if isinstance(value, Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        setattr(self, name, value)

    def extra_repr(self) -> str:
        """One line for each value."""
        return ""

    def _names(self) -> Iterable[str]:
        raise NotImplementedError

    def __repr__(self) -> str:
        lines = [shown(name, getattr(self, name)) for name in self._names()]
        return f"{self._get_name()}(" + "\n".join(lines) + ")"

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Refused: it computes nothing."""
        raise RuntimeError(f"{self._get_name()} should not be called.")


class ParameterList(_Parameters):
    """A list of parameters, which belong to the module that it is assigned to; `values`: parameters or tensors."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def _names(self) -> Iterable[str]:
        return map(str, range(self._size))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return (getattr(self, name) for name in tuple(self._names()))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return getattr(self, str(position(index, self._size)))

    def __setitem__(self, index: int, value: Any) -> None:
        self._keep(str(position(index, self._size)), value)

    def append(self, value: Any) -> ParameterList:
        """Add a parameter at the end; returns the list."""
        self._keep(str(self._size), value)
        self._size += 1
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Add parameters at the end; returns the list.

        Raises:
            TypeError: not an iterable, or a single tensor.
        """
        if isinstance(values, Tensor) or not isinstance(values, Iterable):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    __iadd__ = extend


class ParameterDict(_Parameters):
    """A dictionary of parameters, which belong to the module that it is assigned to.

    Args:
        parameters: mapping of names to parameters or tensors, or pairs of both.
    """

    def __init__(self, parameters: Mapping[str, Any] | Iterable[tuple[str, Any]] | None = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _names(self) -> Iterable[str]:
        return self._keys

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __getitem__(self, key: str) -> Any:
        if key not in self._keys:
            raise KeyError(key)
        return getattr(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string "
                f"(type is '{type(key).__name__}')."
            )
        self._keys[key] = None
        self._keep(key, value)

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._keys.keys()

    def values(self) -> Iterable[Any]:
        """The parameters."""
        return [self[key] for key in self._keys]

    def items(self) -> Iterable[tuple[str, Any]]:
        """Pairs of name and parameter."""
        return [(key, self[key]) for key in self._keys]

    def pop(self, key: str) -> Any:
        """Remove a parameter and return it."""
        value = self[key]
        del self[key]
        return value

    def update(self, parameters: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> None:
        """Add parameters, in place of those with the same names."""
        pairs = parameters.items() if isinstance(parameters, Mapping | ParameterDict) else parameters
        for key, value in pairs:
            self[key] = value
