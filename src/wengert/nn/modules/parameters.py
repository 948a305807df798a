"""Containers of parameters."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..._start.loading import at_home
from ..._tensor import Tensor
from ..parameter import Parameter
from .container import check_iterable, checked_pairs, position
from .module import Module


class _Parameters(Module):
    """Base of containers whose values are attributes; plain tensors become parameters."""

    def _keep(self, name: str, value: Any) -> None:
        if isinstance(value, Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        setattr(self, name, value)

    def _items(self) -> Iterable[tuple[Any, Any]]:
        """Iterate over pairs of name and value."""
        raise NotImplementedError

    def extra_repr(self) -> str:
        """One line of text for each value."""
        return "\n".join(f"  ({name}): {self._shown(value)}" for name, value in self._items())

    def _shown(self, value: Any) -> str:
        if not isinstance(value, Tensor):
            return f"Object of type: {type(value).__name__}"
        kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
        return f"{kind} containing: [{self._element(value)} of size {'x'.join(map(str, value.shape))}]"

    def _element(self, value: Tensor) -> str:
        return str(value.dtype)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Raise RuntimeError: a container of parameters computes nothing."""
        raise RuntimeError(f"{self._get_name()} should not be called.")


class ParameterList(_Parameters):
    """A list of parameters, which belong to the module that it is assigned to; `values`: parameters or tensors."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self.extend(values)

    def _items(self) -> Iterable[tuple[Any, Any]]:
        return enumerate(self)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return (getattr(self, str(index)) for index in range(self._size))

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
            TypeError: if `values` is not iterable, or is a single tensor.
        """
        if isinstance(values, Tensor) or not isinstance(values, Iterable):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    __iadd__ = extend


class ParameterDict(_Parameters):
    """An ordered dictionary of parameters, which belong to the module that it is assigned to.

    Args:
        parameters: mapping of names to parameters or tensors (a plain `dict` is taken in sorted order of its names, an
            `OrderedDict` or `ParameterDict` in its own order), or pairs of name and value.
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _items(self) -> Iterable[tuple[Any, Any]]:
        return self.items()

    def _element(self, value: Tensor) -> str:
        return value.type()

    def _key_to_attr(self, key: Any) -> str:
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string "
                f"(type is '{type(key).__name__}')."
            )
        return key

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._keys))

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __getitem__(self, key: str) -> Any:
        return getattr(self, self._key_to_attr(key))

    def __setitem__(self, key: str, value: Any) -> None:
        self._keep(self._key_to_attr(key), value)
        self._keys[key] = None

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __or__(self, other: Any) -> ParameterDict:
        result = self.copy()
        result.update(other)
        return result

    def __ror__(self, other: Any) -> Any:
        result = other.copy()
        result.update(self)
        return result

    def __ior__(self, other: Any) -> ParameterDict:
        self.update(other)
        return self

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._keys.keys()

    def values(self) -> Iterable[Any]:
        """The parameters."""
        return (self[key] for key in self._keys)

    def items(self) -> Iterable[tuple[str, Any]]:
        """Pairs of name and parameter."""
        return ((key, self[key]) for key in self._keys)

    def get(self, key: str, default: Any = None) -> Any:
        """Return the parameter named `key`, or `default`."""
        return self[key] if key in self._keys else default

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Return the parameter named `key`; add `default` if there is none."""
        if key not in self._keys:
            self[key] = default
        return self[key]

    def pop(self, key: str) -> Any:
        """Remove a parameter and return it."""
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Remove the last pair of name and parameter and return it.

        Raises:
            KeyError: if the dictionary is empty.
        """
        if not self._keys:
            raise KeyError("popitem(): dictionary is empty")
        key = next(reversed(self._keys))
        return key, self.pop(key)

    def clear(self) -> None:
        """Remove all parameters."""
        for key in tuple(self._keys):
            del self[key]

    def copy(self) -> ParameterDict:
        """Return a new dictionary of the same parameters."""
        return ParameterDict(OrderedDict(self.items()))

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """Return a new dictionary with `default` under each of the names."""
        return ParameterDict((key, default) for key in keys)

    def update(self, parameters: Any) -> None:
        """Add parameters; those with the same names are replaced. See the class for the order.

        Raises:
            TypeError: if `parameters`, or an element of it, is not iterable.
            ValueError: if an element is not a pair.
        """
        check_iterable("ParametersDict", parameters)
        if isinstance(parameters, OrderedDict | ParameterDict):
            pairs: Iterable[Any] = parameters.items()
        elif isinstance(parameters, Mapping):
            pairs = sorted(parameters.items(), key=operator.itemgetter(0))
        else:
            pairs = checked_pairs("ParameterDict", parameters)
        for key, value in pairs:
            self[key] = value


at_home("wengert.nn.modules.container", ParameterList, ParameterDict)
