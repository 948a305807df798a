"""Modules that hold modules."""

from __future__ import annotations

import itertools
import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, overload

from ..._start.loading import on_demand
from ...ops.warned import warn
from .module import Module, indented

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .parameters import ParameterDict as ParameterDict, ParameterList as ParameterList

__all__ = ["Container", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


def position(index: Any, length: int) -> int:
    """Return `index` counted from the front.

    Raises:
        IndexError: if `index` is outside `[-length, length - 1]`.
    """
    index = operator.index(index)
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of range")
    return index % length


def check_iterable(container: str, pairs: Any) -> None:
    """Refuse what a container cannot be updated with.

    Raises:
        TypeError: if `pairs` is not iterable.
    """
    if not isinstance(pairs, Iterable):
        raise TypeError(
            f"{container}.update should be called with an iterable of key/value pairs, but got {type(pairs).__name__}"
        )


def checked_pairs(container: str, pairs: Iterable[Any]) -> Iterator[Any]:
    """Iterate over the pairs that a container is updated with.

    Raises:
        TypeError: if an element is not iterable.
        ValueError: if an element is not a pair.
    """
    for index, pair in enumerate(pairs):
        if not isinstance(pair, Iterable):
            raise TypeError(f"{container} update sequence element #{index} should be Iterable; is{type(pair).__name__}")
        if len(pair) != 2:  # type: ignore[arg-type]
            raise ValueError(f"{container} update sequence element #{index} has length {len(pair)}; 2 is required")  # type: ignore[arg-type]
        yield pair


class Numbered(Module):
    """Base of `Sequential` and `ModuleList`: children are named 0, 1, ... (`Sequential` may have other names)."""

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(tuple(self._modules.values()))

    def _name_at(self, index: Any) -> str:
        """Return the name of the module at `index`.

        Raises:
            IndexError: if `index` is out of range.
        """
        try:
            return list(self._modules)[operator.index(index)]
        except IndexError:
            raise IndexError(f"index {operator.index(index)} is out of range") from None

    @overload
    def __getitem__(self, index: slice) -> Any: ...
    @overload
    def __getitem__(self, index: int) -> Any: ...
    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._slice(index)
        return self._modules[self._name_at(index)]

    def _slice(self, index: slice) -> Any:
        raise NotImplementedError

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._name_at(index), module)

    def __delitem__(self, index: int | slice) -> None:
        chosen = list(self._modules)[index] if isinstance(index, slice) else [self._name_at(index)]
        for name in chosen:
            delattr(self, name)
        self._modules = {str(position): module for position, module in enumerate(self._modules.values())}

    def append(self, module: Module) -> Any:
        """Add a module at the end; returns the container."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: int | slice) -> Any:
        """Remove the module at `key` and return it."""
        module = self[key]
        del self[key]
        return module

    def _insert(self, index: int, module: Module) -> None:
        values = list(self._modules.values())
        values.insert(index, module)
        self._modules = {str(at): value for at, value in enumerate(values)}


class Container(Module):
    """A module that holds others under names. Older than `Module`, which does the same; subclass that.

    Args:
        kwargs: the modules.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        warn(
            "`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. "
            "Subclass that instead.",
            FutureWarning,
        )
        for name, module in kwargs.items():
            self.add_module(name, module)


class Sequential(Numbered):
    """Modules applied one after the other.

    Args:
        *args: modules, or one `OrderedDict` of names and modules.

    >>> import wengert as wg
    >>> wg.nn.Sequential(wg.nn.Linear(4, 2), wg.nn.ReLU())
    Sequential(
      (0): Linear(in_features=4, out_features=2, bias=True)
      (1): ReLU()
    )
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict) else enumerate(args)
        for name, module in named:
            self.add_module(str(name) if isinstance(name, int) else name, module)

    def forward(self, input: Any) -> Any:
        """Apply the modules in order; return the result of the last."""
        for module in self._modules.values():
            input = module(input)
        return input

    def _slice(self, index: slice) -> Any:
        return type(self)(OrderedDict(list(self._modules.items())[index]))

    def extend(self, sequential: Iterable[Module]) -> Sequential:
        """Add modules at the end; returns the container."""
        for module in tuple(sequential):
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> Sequential:
        """Insert a module before the one at `index`; returns the container.

        Raises:
            AssertionError: if `module` is not a module.
            IndexError: if `index` is out of range.
        """
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        self._insert(index, module)
        return self

    def _check_addend(self, other: object) -> None:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")

    def __add__(self, other: Sequential) -> Sequential:
        self._check_addend(other)
        return Sequential(*self, *other)

    def __iadd__(self, other: Sequential) -> Sequential:
        self._check_addend(other)
        return self.extend(other)

    def _check_factor(self, other: object) -> int:
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")
        return other

    def __mul__(self, other: int) -> Sequential:
        return Sequential(*tuple(self) * self._check_factor(other))

    __rmul__ = __mul__

    def __imul__(self, other: int) -> Sequential:
        return self.extend(tuple(self) * (self._check_factor(other) - 1))


class ModuleList(Numbered):
    """A list of modules; their parameters belong to the module that the list is assigned to.

    Args:
        modules: the modules.
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def _slice(self, index: slice) -> Any:
        return type(self)(list(self)[index])

    def extend(self, modules: Iterable[Module]) -> ModuleList:
        """Add modules at the end; returns the list.

        Raises:
            TypeError: if `modules` is not iterable.
        """
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        for module in tuple(modules):
            self.append(module)
        return self

    def insert(self, index: int, module: Module) -> None:
        """Insert a module before the one at `index`."""
        self._insert(index, module)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList(itertools.chain(self, other))

    def __iadd__(self, other: Iterable[Module]) -> ModuleList:
        return self.extend(other)

    def __repr__(self) -> str:
        """Print neighbouring children with the same text as one line: `(0-2): 3 x Linear(...)`."""
        if not len(self):
            return f"{self._get_name()}()"
        runs: list[tuple[int, int, str]] = []
        for index, text in enumerate(map(repr, self)):
            if runs and runs[-1][2] == text:
                runs[-1] = (runs[-1][0], index, text)
            else:
                runs.append((index, index, text))
        lines = []
        for first, last, text in runs:
            label = f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}"
            lines.append("  " + indented(label))
        return f"{self._get_name()}(\n" + "\n".join(lines) + "\n)"


class ModuleDict(Module):
    """An ordered dictionary of modules; their parameters belong to the module that it is assigned to.

    Args:
        modules: mapping of names to modules, or pairs of name and module.
    """

    def __init__(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Remove all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Remove a module and return it."""
        return self._modules.pop(key)

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._modules.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Pairs of name and module."""
        return self._modules.items()

    def values(self) -> Iterable[Any]:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Add modules; those with the same names are replaced.

        Raises:
            TypeError: if `modules`, or an element of it, is not iterable.
            ValueError: if an element is not a pair.
        """
        check_iterable("ModuleDict", modules)
        named = isinstance(modules, Mapping | ModuleDict)
        for name, module in modules.items() if named else checked_pairs("ModuleDict", modules):  # type: ignore[union-attr]
            self[name] = module


__getattr__, __dir__ = on_demand(globals())
