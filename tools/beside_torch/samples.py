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

    def value(self, value: Any, memo: dict[int, Any]) -> Any:
        """`value` for wengert; `memo` keeps the identity of tensors that occur twice."""
        torch, wengert = self.torch, self.wengert
        if isinstance(value, torch.Tensor):
            if id(value) not in memo:
                base = memo.get(id(value._base))  # of the arguments before, as in out=x[:2]
                memo[id(value)] = self.tensor(value) if base is None else self.view(value, base)
            return memo[id(value)]
        if isinstance(value, torch.Size):
            return wengert.Size(value)
        if isinstance(value, (torch.dtype, torch.memory_format, torch.layout)):
            name = str(value).removeprefix("torch.")
            return find(wengert, {"bool": "bool"}.get(name, name))
        if isinstance(value, torch.device):
            return wengert.device(str(value))
        if isinstance(value, torch.Generator):
            raise Missing("Generator")
        if isinstance(value, dict):
            return {key: self.value(element, memo) for key, element in value.items()}
        if isinstance(value, slice):
            return slice(*(self.value(element, memo) for element in (value.start, value.stop, value.step)))
        if type(value) in (tuple, list):
            return type(value)(self.value(element, memo) for element in value)
        if isinstance(value, (types.FunctionType, types.BuiltinFunctionType, functools.partial)):
            return self.function(value)
        if isinstance(value, torch.nn.Module):
            return self.module(value)
        if isinstance(value, torch.nn.LinearCrossEntropyOptions):
            named = {
                element.name: self.value(getattr(value, element.name), memo) for element in dataclasses.fields(value)
            }
            return find(wengert, "nn.LinearCrossEntropyOptions")(**named)
        return value

    def module(self, module: Any) -> Any:
        """The module of wengert with the same settings; what has parameters is Missing."""
        if any(True for _ in module.parameters()):
            raise Missing(f"{type(module).__name__} with parameters")
        translated = find(self.wengert, f"nn.{type(module).__name__}")()
        for name, setting in vars(module).items():
            if not name.startswith("_"):
                setattr(translated, name, setting)
        return translated

    def tensor(self, tensor: Any) -> Any:
        """A leaf with the values, strides and `requires_grad` of `tensor`, in memory of its own."""
        if tensor.layout is not self.torch.strided:
            raise Missing(f"{tensor.layout} {tensor.dtype}")
        plain = tensor.detach().resolve_conj().resolve_neg()
        if tensor.dtype is self.torch.bfloat16:  # NumPy's arrays of them come from ml_dtypes, which torch does not know
            array = plain.view(self.torch.int16).numpy().view(self.wengert.bfloat16.numpy)
        else:
            array = plain.numpy()
        translated = self.wengert.from_numpy(same_strides(array, tensor.stride()))
        translated.requires_grad = tensor.requires_grad
        return translated

    def view(self, tensor: Any, base: Any) -> Any:
        """The part of `base` that `tensor` is of what `base` stands for."""
        with self.wengert.no_grad():
            return base.as_strided(tuple(tensor.shape), tensor.stride(), tensor.storage_offset())

    def function(self, function: Any) -> Any:
        """The function of wengert that does what `function` does: of its name, or its code with wengert for torch."""
        module = getattr(function, "__module__", None) or ""
        if isinstance(function, functools.partial):
            return functools.partial(
                self.function(function.func), *self.value(function.args, {}), **self.value(function.keywords, {})
            )
        if getattr(function, "__name__", "") == "freeze_rng_state":
            return contextlib.nullcontext
        if id(function) in self.functions:
            return self.functions[id(function)]
        if isinstance(function, types.FunctionType) and (module.startswith(TESTING) or function.__name__ == "<lambda>"):
            return self.rebind(function)
        for home, prefix in self.homes():
            if getattr(home, getattr(function, "__name__", ""), None) is function:
                return find(self.wengert, prefix + str(getattr(function, "__name__", "")))
        return function

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

    def rebind(self, function: types.FunctionType) -> Any:
        """The same code, with wengert wherever it says torch."""
        replaced: dict[str, Any] = {"__builtins__": __builtins__}
        self.kept.append(function)
        cells = tuple(types.CellType() for _ in function.__closure__ or ())
        rebound = types.FunctionType(function.__code__, replaced, function.__name__, None, cells)
        self.functions[id(function)] = rebound
        for name in names_in(function.__code__):
            if name in function.__globals__:
                replaced[name] = self.constant(function.__globals__[name])
        for cell, old in zip(cells, function.__closure__ or ()):
            cell.cell_contents = self.constant(old.cell_contents)
        rebound.__defaults__ = tuple(self.constant(value) for value in function.__defaults__ or ()) or None
        rebound.__kwdefaults__ = {
            key: self.constant(value) for key, value in (function.__kwdefaults__ or {}).items()
        } or None
        return rebound

    def constant(self, value: Any) -> Any:
        """What stands for a global or default of a sample's function."""
        if value is self.torch:
            return self.wengert
        if isinstance(value, types.ModuleType) and value.__name__.startswith("torch."):
            return Lazy(self.wengert, value.__name__.removeprefix("torch."))
        try:
            return self.value(value, {})
        except Missing:
            return value


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
    value = package
    for part in path.split("."):
        value = getattr(value, part, None)
        if value is None:
            break
    if value is None and path.startswith(("nn.functional.", "special.", "linalg.")):
        card = package._core.cards.card.REGISTRY.get(path.rpartition(".")[2])
        if card is not None and not card.method and not card.function:
            value = card.body if type(card).__name__ == "Composite" else card
    if value is None:
        raise Missing(path)
    return value


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
        return ", ".join(f"{key}={tell(element)}" for key, element in value.items())
    if kind in ("tuple", "list"):
        return (
            f"({', '.join(tell(element) for element in value)})"
            if kind == "tuple"
            else f"[{', '.join(map(tell, value))}]"
        )
    return repr(value)


def tensors_in(value: Any) -> list[Any]:
    """All tensors in nested tuples, lists and dictionaries, in order, each once."""
    if hasattr(value, "detach"):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    tensors: list[Any] = []
    for part in parts:
        tensors += [tensor for tensor in tensors_in(part) if not any(tensor is known for known in tensors)]
    return tensors
