"""Nested containers as JSON text, and the memory of their tensors apart from it: what `save` writes.

A value of JSON stands for itself, a list for a list; all else is an object of one entry, whose name says what it is.
A container or a tensor that comes up again is `{"same": number}`, counted in the order in which they came up first: so
what was one object is one object afterwards, and a container may hold itself.
"""

from __future__ import annotations

import base64
import math
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .._core import flags
from .._core.tensor.base import wrap
from .._core.tensor.storage import Storage, size_in_bytes
from .._core.types.devices import device, layout, memory_format
from .._core.types.sizes import Size
from ..nn import Buffer, Module, Parameter
from ..ops.memory.reach import first_bytes
from ..ops.memory.storages import TypedStorage, UntypedStorage
from ..pickling import attributes_of, memory_of, parts_of, warn_of_hooks
from ..tensor import Tensor, dtypes
from .weights import CODES, METADATA

LARGEST = 2**53
"""Integers beyond it are not the same to every reader of JSON; they are written in hexadecimal digits."""
CLASSES: dict[type, str] = {Tensor: "tensor", Parameter: "parameter", Buffer: "buffer"}
FACTORIES: dict[Any, str] = {
    None: "None", list: "list", dict: "dict", set: "set", tuple: "tuple", int: "int", float: "float", str: "str",
    bool: "bool", bytes: "bytes", complex: "complex", OrderedDict: "OrderedDict",
}  # fmt: skip
"""What a defaultdict may make of itself."""


class Encoder:
    """Turns an object into JSON and arrays.

    Attributes:
        arrays: the memory of each storage by the name of its entry in the file.
    """

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self.numbers: dict[int, tuple[int, Any]] = {}  # of containers and tensors, by identity; kept alive
        self.names: dict[int, tuple[str, Any]] = {}  # of storages, by identity of the memory, which is kept alive

    def encode(self, value: Any, path: tuple[str, ...]) -> Any:
        """JSON for a value; `path` leads to it, for names and errors.

        Raises:
            TypeError: the value cannot be saved.
        """
        kind: type = layout if isinstance(value, layout) else type(value)
        if value is None or kind in (bool, str):
            return self.text(value, path) if kind is str else value
        write = WRITERS.get(kind)
        if write is not None:
            return write(self, value, path)
        if isinstance(value, np.generic) and value.dtype.kind in PLAIN_KINDS:
            return {"scalar": self.array(np.asarray(value), path)}
        if isinstance(value, Tensor) or kind in MUTABLE:
            if id(value) in self.numbers:
                return {"same": self.numbers[id(value)][0]}
            self.numbers[id(value)] = (len(self.numbers), value)
            return self.tensor(value, path) if isinstance(value, Tensor) else MUTABLE[kind](self, value, path)
        raise TypeError(refusal(value, path))

    def text(self, value: str, path: tuple[str, ...]) -> Any:
        """A text; one that UTF-8 has not, by the numbers of its letters."""
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            return {"letters": [ord(letter) for letter in value]}
        return value

    def each(self, values: Iterable[Any], path: tuple[str, ...]) -> list[Any]:
        """JSON for values in their order."""
        return [self.encode(value, (*path, str(number))) for number, value in enumerate(values)]

    def pairs(self, value: dict[Any, Any], path: tuple[str, ...]) -> list[Any]:
        """JSON for the keys and values of a dictionary."""
        return [[self.encode(key, (*path, "key")), self.encode(each, (*path, str(key)))] for key, each in value.items()]

    def ordered(self, value: OrderedDict[Any, Any], path: tuple[str, ...]) -> dict[str, Any]:
        """JSON for an OrderedDict; a `state_dict()` carries the versions of its modules as an attribute."""
        return {"OrderedDict": self.pairs(value, path), **self.attributes(vars(value), path)}

    def attributes(self, given: Any, path: tuple[str, ...]) -> dict[str, Any]:
        """An entry for what the program put on an object, if it put anything there."""
        return {"attributes": self.encode(dict(given), (*path, "attributes"))} if given else {}

    def default(self, value: defaultdict[Any, Any], path: tuple[str, ...]) -> dict[str, Any]:
        """JSON for a defaultdict.

        Raises:
            TypeError: its factory is not one of Python's types.
        """
        factory = value.default_factory
        if factory not in FACTORIES:
            raise TypeError(f"{where(path)}the factory of a defaultdict is {factory!r}: save dict(...) of it")
        return {"defaultdict": [FACTORIES[factory], self.pairs(value, path)]}

    def tensor(self, value: Tensor, path: tuple[str, ...]) -> dict[str, Any]:
        """JSON for a tensor: the name of its memory, and how it lies there, counted in elements.

        Raises:
            TypeError: it is of a class that is not known here.
        """
        if type(value) not in CLASSES:
            raise TypeError(
                f"{where(path)}a {type(value).__name__} is a subclass of Tensor that a file cannot name; save it as a "
                "plain tensor: value.as_subclass(torch.Tensor)"
            )
        if value.is_meta:  # type: ignore[attr-defined]
            raise NotImplementedError(f"{where(path)}a tensor on the device 'meta' has no values to be saved")
        warn_of_hooks(value)
        found = self.sparse(value, path) if value._flags_ & flags.SPARSE else self.strided(value, path)
        if value.requires_grad:
            found["requires_grad"] = True
        own = attributes_of(value)
        if isinstance(own, tuple):
            own = {**(own[0] or {}), **own[1]}
        return {CLASSES[type(value)]: found, **self.attributes(own, path)}

    def strided(self, value: Tensor, path: tuple[str, ...]) -> dict[str, Any]:
        """How a tensor lies in its memory."""
        _, offset = memory_of(value)
        array, size = value._array_, value.dtype.itemsize
        return {
            "storage": self.storage(value._storage_, value.dtype, path, value),
            "dtype": value.dtype.name,
            "offset": offset // size,
            "shape": list(array.shape),
            "strides": [step // size for step in array.strides],
        }

    def sparse(self, value: Tensor, path: tuple[str, ...]) -> dict[str, Any]:
        """How the places and the entries of a sparse tensor lie."""
        indices, values, shape, form = parts_of(value)
        found = {"values": self.strided(values, path), "shape": list(shape)}
        if isinstance(form, str):
            bounds, plain = (self.strided(wrap(each), path) for each in indices)
            return {"bounds": bounds, "indices": plain, **found, "layout": form}
        return {"indices": self.strided(wrap(indices), path), **found, "coalesced": form}

    def storage(self, memory: Storage, dtype: Any, path: tuple[str, ...], tensor: Tensor | None = None) -> str:
        """The name of the entry that holds the memory of a storage, which is added where it is new."""
        known = self.names.get(id(memory.array))
        if known is not None:
            name = known[0]
            if self.arrays[name].dtype != dtype.numpy:  # seen under two dtypes: no one of them is the memory's
                self.arrays[name] = self.arrays[name].reshape(-1).view(np.uint8)
            return name
        name = self.new_name(".".join(path) or "value")
        content = first_bytes(memory.array, size_in_bytes(memory))
        if dtype.name in CODES and content.size % dtype.itemsize == 0:
            content = content.view(dtype.numpy)
            if tensor is not None and tensor._array_.flags.c_contiguous and tensor._array_.size == content.size:
                content = content.reshape(tensor._array_.shape)
        self.arrays[name] = content
        self.names[id(memory.array)] = (name, memory.array)
        return name

    def array(self, value: np.ndarray[Any, Any], path: tuple[str, ...]) -> list[Any]:
        """JSON for an array of NumPy's, whose elements are an entry of bytes.

        Raises:
            TypeError: its elements are Python's objects, or records.
        """
        if value.dtype.kind not in PLAIN_KINDS:
            raise TypeError(refusal(value, path))
        columns = value.flags.f_contiguous and not value.flags.c_contiguous
        name = self.new_name(".".join(path) or "value")
        self.arrays[name] = np.frombuffer(value.tobytes("F" if columns else "C"), np.uint8)
        return [name, value.dtype.str, list(value.shape), "F" if columns else "C"]

    def new_name(self, wanted: str) -> str:
        """A name that no entry has yet."""
        wanted = wanted.encode("utf-8", "replace").decode("utf-8")
        name, number = wanted, 1
        while name in self.arrays or name == METADATA:
            number += 1
            name = f"{wanted}#{number}"
        return name

    def whole_storage(self, value: UntypedStorage, path: tuple[str, ...]) -> dict[str, Any]:
        """JSON for a storage that is a value of its own."""
        dtype = value.dtype if isinstance(value, TypedStorage) else dtypes.by_name("uint8")
        name = self.storage(value._memory, dtype, path)
        return {"storage": [name, dtype.name if isinstance(value, TypedStorage) else None]}


def whole_number(encoder: Encoder, value: int, path: tuple[str, ...]) -> Any:
    """An integer."""
    return value if abs(value) <= LARGEST else {"int": hex(value)}


def number(encoder: Encoder, value: float, path: tuple[str, ...]) -> Any:
    """A float; JSON has no infinity and no NaN."""
    return value if math.isfinite(value) else {"float": repr(value)}


def content(value: bytes | bytearray) -> str:
    """Bytes as text."""
    return base64.b64encode(value).decode("ascii")


PLAIN_KINDS = "?biufcSUmM"
"""Kinds of NumPy's dtypes whose elements are nothing but their bytes."""

Writer = Callable[[Encoder, Any, tuple[str, ...]], Any]

WRITERS: dict[type, Writer] = {
    int: whole_number,
    float: number,
    complex: lambda self, value, path: {"complex": self.each((value.real, value.imag), path)},
    bytes: lambda self, value, path: {"bytes": content(value)},
    tuple: lambda self, value, path: {"tuple": self.each(value, path)},
    frozenset: lambda self, value, path: {"frozenset": self.each(value, path)},
    Size: lambda self, value, path: {"Size": list(value)},
    dtypes.dtype: lambda self, value, path: {"dtype": value.name},
    device: lambda self, value, path: {"device": str(value)},
    layout: lambda self, value, path: {"layout": repr(value).removeprefix("torch.")},
    memory_format: lambda self, value, path: {"memory_format": repr(value).removeprefix("torch.")},
}
"""How values are written that nothing can change; by their very type, for a subclass would come back as less."""

MUTABLE: dict[type, Writer] = {
    list: Encoder.each,
    set: lambda self, value, path: {"set": self.each(value, path)},
    bytearray: lambda self, value, path: {"bytearray": content(value)},
    dict: lambda self, value, path: {"dict": self.pairs(value, path)},
    OrderedDict: Encoder.ordered,
    Counter: lambda self, value, path: {"Counter": self.pairs(value, path)},
    defaultdict: Encoder.default,
    UntypedStorage: Encoder.whole_storage,
    TypedStorage: Encoder.whole_storage,
    np.ndarray: lambda self, value, path: {"array": self.array(value, path)},
}


def where(path: tuple[str, ...]) -> str:
    """The beginning of an error."""
    return f"save(): {'at ' + '.'.join(path) + ': ' if path else ''}"


def refusal(value: Any, path: tuple[str, ...]) -> str:
    """Why a value cannot be saved, and what can be done instead."""
    kind = type(value)
    named = f"{kind.__module__}.{kind.__qualname__}"
    text = f"{where(path)}a value of type {named} cannot be saved: files hold tensors, plain values and containers"
    if isinstance(value, Module):
        return f"{text}, never code. Save module.state_dict(), and load it with module.load_state_dict(load(...))"
    if hasattr(value, "state_dict"):
        return f"{text}, never code. Save its state_dict() instead"
    if isinstance(value, np.ndarray):
        return f"{text}, and this array of {value.dtype} is none of numbers or texts. Save value.tolist() instead"
    if callable(value):
        return f"{text}, never code: a function is not part of a file. Save what it is made from instead"
    if isinstance(value, tuple):
        return f"{text}. Save tuple(value) or value._asdict() instead"
    for base in (dict, list, str, int, float):
        if isinstance(value, base):
            return f"{text}. Save {base.__name__}(value) instead"
    return f"{text}. Save its fields, as a dictionary, instead"


def pieces(value: Any) -> tuple[Any, dict[str, np.ndarray[Any, Any]]]:
    """JSON for an object, and the memory of its storages by name.

    Raises:
        TypeError: part of it cannot be saved; the error says which.
        ValueError: it is nested too deeply.
    """
    encoder = Encoder()
    try:
        return encoder.encode(value, ()), encoder.arrays
    except RecursionError as error:
        raise ValueError("save(): the containers are nested too deeply") from error
