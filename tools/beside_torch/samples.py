"""torch's operator samples carried over to wengert: tensors with their strides, dtypes, functions."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import math
import types
from typing import Any

import numpy as np

TESTING = "torch.testing"


class Missing(Exception):  # noqa: N818 - nothing went wrong
    """wengert has no such name."""


class Translator:
    """Turns torch's objects into wengert's.

    Args:
        torch, wengert: the two packages.
    """

    def __init__(self, torch: Any, wengert: Any) -> None:
        self.torch = torch
        self.wengert = wengert
        self.functions: dict[int, Any] = {}
        self.kept: list[Any] = []  # what `functions` knows by its id must not be freed

    def value(self, given: Any, memo: dict[int, Any]) -> Any:
        """`given` for wengert; `memo` keeps the identity of tensors that occur twice."""
        torch, wengert = self.torch, self.wengert
        if isinstance(given, torch.Tensor):
            if id(given) not in memo:
                base = memo.get(id(given._base))  # of the arguments before, as in out=x[:2]
                memo[id(given)] = self.tensor(given) if base is None else self.view(given, base)
            return memo[id(given)]
        if isinstance(given, torch.Size):
            return wengert.Size(given)
        if isinstance(given, (torch.dtype, torch.memory_format, torch.layout)):
            name = str(given).removeprefix("torch.")
            return find(wengert, {"bool": "bool"}.get(name, name))
        if isinstance(given, torch.device):
            return wengert.device(str(given))
        if isinstance(given, torch.Generator):
            raise Missing("Generator")
        if isinstance(given, dict):
            return {key: self.value(each, memo) for key, each in given.items()}
        if isinstance(given, slice):
            return slice(*(self.value(each, memo) for each in (given.start, given.stop, given.step)))
        if type(given) in (tuple, list):
            return type(given)(self.value(each, memo) for each in given)
        if isinstance(given, (types.FunctionType, types.BuiltinFunctionType, functools.partial)):
            return self.function(given)
        if isinstance(given, torch.nn.Module):
            return self.module(given)
        if isinstance(given, torch.nn.LinearCrossEntropyOptions):
            named = {each.name: self.value(getattr(given, each.name), memo) for each in dataclasses.fields(given)}
            return find(wengert, "nn.LinearCrossEntropyOptions")(**named)
        return given

    def module(self, given: Any) -> Any:
        """The module of wengert with the same settings; what has parameters is Missing."""
        if any(True for _ in given.parameters()):
            raise Missing(f"{type(given).__name__} with parameters")
        made = find(self.wengert, f"nn.{type(given).__name__}")()
        for name, setting in vars(given).items():
            if not name.startswith("_"):
                setattr(made, name, setting)
        return made

    def tensor(self, given: Any) -> Any:
        """A leaf with the values, strides and `requires_grad` of `given`, in memory of its own."""
        if given.layout is not self.torch.strided:
            raise Missing(f"{given.layout} {given.dtype}")
        plain = given.detach().resolve_conj().resolve_neg()
        if given.dtype is self.torch.bfloat16:  # NumPy's arrays of them come from ml_dtypes, which torch does not know
            array = plain.view(self.torch.int16).numpy().view(self.wengert.bfloat16.numpy)
        else:
            array = plain.numpy()
        made = self.wengert.from_numpy(same_strides(array, given.stride()))
        made.requires_grad = given.requires_grad
        return made

    def view(self, given: Any, base: Any) -> Any:
        """The part of `base` that `given` is of what `base` stands for."""
        with self.wengert.no_grad():
            return base.as_strided(tuple(given.shape), given.stride(), given.storage_offset())

    def function(self, given: Any) -> Any:
        """The function of wengert that does what `given` does: of its name, or its code with wengert for torch."""
        module = getattr(given, "__module__", None) or ""
        if isinstance(given, functools.partial):
            return functools.partial(
                self.function(given.func), *self.value(given.args, {}), **self.value(given.keywords, {})
            )
        if getattr(given, "__name__", "") == "freeze_rng_state":
            return contextlib.nullcontext
        if id(given) in self.functions:
            return self.functions[id(given)]
        if isinstance(given, types.FunctionType) and (module.startswith(TESTING) or given.__name__ == "<lambda>"):
            return self.rebind(given)
        for home, prefix in self.homes():
            if getattr(home, getattr(given, "__name__", ""), None) is given:
                return find(self.wengert, prefix + str(getattr(given, "__name__", "")))
        return given

    def homes(self) -> list[tuple[Any, str]]:
        """The modules of torch whose functions samples mention."""
        torch = self.torch
        return [
            (torch, ""),
            (torch.Tensor, "Tensor."),
            (torch.nn.functional, "nn.functional."),
            (torch.linalg, "linalg."),
            (torch.special, "special."),
            (torch.fft, "fft."),
        ]

    def rebind(self, given: types.FunctionType) -> Any:
        """The same code, with wengert wherever it says torch."""
        replaced: dict[str, Any] = {"__builtins__": __builtins__}
        self.kept.append(given)
        cells = tuple(types.CellType() for _ in given.__closure__ or ())
        made = types.FunctionType(given.__code__, replaced, given.__name__, None, cells)
        self.functions[id(given)] = made
        for name in names_in(given.__code__):
            if name in given.__globals__:
                replaced[name] = self.constant(given.__globals__[name])
        for cell, old in zip(cells, given.__closure__ or ()):
            cell.cell_contents = self.constant(old.cell_contents)
        made.__defaults__ = tuple(self.constant(each) for each in given.__defaults__ or ()) or None
        made.__kwdefaults__ = {key: self.constant(each) for key, each in (given.__kwdefaults__ or {}).items()} or None
        return made

    def constant(self, given: Any) -> Any:
        """What stands for a global or default of a sample's function."""
        if given is self.torch:
            return self.wengert
        if isinstance(given, types.ModuleType) and given.__name__.startswith("torch."):
            return Lazy(self.wengert, given.__name__.removeprefix("torch."))
        try:
            return self.value(given, {})
        except Missing:
            return given


class Lazy:
    """A module of wengert that need not exist before it is used."""

    def __init__(self, wengert: Any, path: str) -> None:
        self.wengert = wengert
        self.path = path

    def __getattr__(self, name: str) -> Any:
        return find(self.wengert, f"{self.path}.{name}")


def names_in(code: types.CodeType) -> set[str]:
    """The global names that code and the functions inside it mention."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= names_in(constant)
    return names


def same_strides(array: Any, steps: tuple[int, ...]) -> Any:
    """A copy of an array with the strides that are given in elements (elements that share memory still do).

    torch's own arrays without elements have strides of 0.
    """
    strides = tuple(step * array.itemsize for step in steps)
    if not array.size:
        return np.ndarray(array.shape, array.dtype, np.empty(0, array.dtype), 0, strides)
    length = 1 + sum((count - 1) * step for count, step in zip(array.shape, steps))
    memory = np.lib.stride_tricks.as_strided(array, (length,), (array.itemsize,)).copy()
    return np.lib.stride_tricks.as_strided(memory, array.shape, strides)


def find(package: Any, path: str) -> Any:
    """What `package.path` is; functions of a family that is not exported are found in the registry.

    Raises:
        Missing: nothing of that name exists.
    """
    found = package
    for part in path.split("."):
        found = getattr(found, part, None)
        if found is None:
            break
    if found is None and path.startswith(("nn.functional.", "special.", "linalg.")):
        card = package._core.cards.card.REGISTRY.get(path.rpartition(".")[2])
        if card is not None and not card.method and not card.function:
            found = card.body if type(card).__name__ == "Composite" else card
    if found is None:
        raise Missing(path)
    return found


def tell(value: Any) -> str:
    """A sample's argument as text: small tensors with their values, others with shape and dtype."""
    kind = type(value).__name__
    if hasattr(value, "detach"):
        name = str(value.dtype).removeprefix("torch.")
        strided = "" if value.is_contiguous() else f", strides {tuple(value.stride())}"
        if math.prod(value.shape) <= 8:
            shape = f" {list(value.shape)}" if 0 in value.shape else ""
            return f"tensor({value.detach().tolist()}, {name}{shape}{strided})"
        return f"<{name} {list(value.shape)}{strided}>"
    if isinstance(value, dict):
        return ", ".join(f"{key}={tell(each)}" for key, each in value.items())
    if kind in ("tuple", "list"):
        return f"({', '.join(tell(each) for each in value)})" if kind == "tuple" else f"[{', '.join(map(tell, value))}]"
    return repr(value)


def tensors_in(value: Any) -> list[Any]:
    """All tensors in nested tuples, lists and dictionaries, in order, each once."""
    if hasattr(value, "detach"):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    found: list[Any] = []
    for part in parts:
        found += [each for each in tensors_in(part) if not any(each is known for known in found)]
    return found
