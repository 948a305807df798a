"""Encoding for `save_safetensors`: nested containers as JSON text, the memory of tensors separately.

A JSON value stands for itself, a list for a list; everything else is an object with one entry, whose name is the kind.
A repeated container or tensor is `{"same": number}`, numbered by first appearance. So the identity of objects is kept,
and a container may contain itself.
"""

from __future__ import annotations

import base64
import math
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Generator, Iterable
from typing import Any

import numpy as np

from .._core import flags
from .._core.tensor.base import wrap
from .._core.tensor.batches import refuse
from .._core.tensor.storage import Storage, size_in_bytes
from .._core.types.devices import device, layout, memory_format
from .._core.types.sizes import Size
from .._tensor import Tensor
from .._tensor.attributes import dtypes
from .._tensor.pickling import attributes_of, in_memory, parts_of, warn_of_hooks
from ..nn import Buffer, Parameter
from ..ops.memory.reach import first_bytes, offset_in_bytes
from ..ops.memory.storages import TypedStorage, UntypedStorage
from .budget import DEEPEST_KEY
from .placing import is_attribute
from .weights import CODES, METADATA

LARGEST = 2**53
"""Largest integer that all readers of JSON read exactly; larger ones are written in hexadecimal digits."""
CLASSES: dict[type, str] = {Tensor: "tensor", Parameter: "parameter", Buffer: "buffer"}
FACTORIES: dict[Any, str] = {
    None: "None",
    list: "list",
    dict: "dict",
    set: "set",
    tuple: "tuple",
    int: "int",
    float: "float",
    str: "str",
    bool: "bool",
    bytes: "bytes",
    complex: "complex",
    OrderedDict: "OrderedDict",
}
"""Allowed factories of a defaultdict."""


Path = Any
"""Path to a value: None, or the path to its container and its name there."""
Steps = Generator[Any, Any, Any]
"""Generator that yields values and paths, receives their JSON, and returns JSON: it avoids recursion."""
LEVELS = 32
"""Number of levels after which a part is stored separately."""


class NotPlainError(TypeError):
    """Raised for objects other than tensors, plain values and containers."""


class Encoder:
    """Encoder from an object to JSON and arrays.

    Attributes:
        arrays: the memory of each storage, by the name of its entry in the file.
        parts: JSON of deeply nested parts, stored separately because readers of JSON use recursion.
    """

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self.parts: list[Any] = []
        self.numbers: dict[int, tuple[int, Any]] = {}  # by identity of containers and tensors, kept alive
        self.names: dict[int, tuple[str, Any]] = {}  # by identity of the memory, kept alive

    def encode(self, value: Any) -> Any:
        """Return JSON for a value.

        Raises:
            TypeError: if the value cannot be saved.
            ValueError: if it could not be loaded.
        """
        running, result = [self.value(value, None)], None
        while running:
            try:
                inner = running[-1].send(result)
            except StopIteration as end:
                result = end.value
                running.pop()
                if len(running) % LEVELS == LEVELS - 1:
                    self.parts.append(result)
                    result = {"part": len(self.parts) - 1}
            else:
                running.append(self.value(*inner))
                result = None
        return result

    def value(self, value: Any, path: Path) -> Steps:
        """Encode a value; `path` is its path, for names and errors."""
        kind: type = layout if isinstance(value, layout) else type(value)
        if kind in WRITERS:
            return WRITERS[kind](self, value, path)
        if kind in CONSTANT:
            return (yield from CONSTANT[kind](self, value, path))
        if isinstance(value, np.generic) and value.dtype.kind in PLAIN_KINDS:
            return {"scalar": self.array(np.asarray(value), path)}
        if isinstance(value, Tensor) or kind in MUTABLE:
            if id(value) in self.numbers:
                return {"same": self.numbers[id(value)][0]}
            self.numbers[id(value)] = (len(self.numbers), value)
            steps = self.tensor(value, path) if isinstance(value, Tensor) else MUTABLE[kind](self, value, path)
            return (yield from steps) if isinstance(steps, Generator) else steps
        raise NotPlainError(refusal(value, path))

    def text(self, value: str, path: Path) -> Any:
        """Encode a text; by code points if it is not valid in UTF-8."""
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            return {"letters": [ord(letter) for letter in value]}
        return value

    def values(self, values: Iterable[Any], path: Path) -> Steps:
        """Encode a sequence of values."""
        result = []
        for number, value in enumerate(values):
            write = WRITERS.get(type(value))
            inner = (path, number)
            result.append((yield value, inner) if write is None else write(self, value, inner))
        return result

    def keys(self, values: Iterable[Any], path: Path) -> Steps:
        """Encode the members of a set; raises as `check_key`."""
        values = list(values)
        for value in values:
            check_key(value, path)
        return (yield from self.values(values, path))

    def pairs(self, value: dict[Any, Any], path: Path) -> Steps:
        """Encode the keys and values of a dictionary."""
        result = []
        for key, item in value.items():
            if isinstance(key, (tuple, frozenset)):
                check_key(key, path)
            write, inner = WRITERS.get(type(key)), (path, "key")
            pair = [(yield key, inner) if write is None else write(self, key, inner)]
            write, inner = WRITERS.get(type(item)), (path, key)
            pair.append((yield item, inner) if write is None else write(self, item, inner))
            result.append(pair)
        return result

    def ordered(self, value: OrderedDict[Any, Any], path: Path) -> Steps:
        """Encode an OrderedDict; a `state_dict()` has the versions of its modules as an attribute."""
        pairs = yield from self.pairs(value, path)
        return {"OrderedDict": pairs, **(yield from self.attributes(value, vars(value), path))}

    def attributes(self, value: Any, attributes: Any, path: Path) -> Steps:
        """Encode attributes that the program set on an object, if there are any.

        Raises:
            TypeError: if an attribute has a name of its class.
        """
        if not attributes:
            return {}
        for name in attributes:
            if not is_attribute(value, name):
                raise TypeError(
                    f"{where(path)}the attribute {name!r} of a {type(value).__name__} hides one of the class"
                )
        return {"attributes": (yield dict(attributes), (path, "attributes"))}

    def default(self, value: defaultdict[Any, Any], path: Path) -> Steps:
        """Encode a defaultdict.

        Raises:
            TypeError: if its factory is not one of Python's types.
        """
        factory = value.default_factory
        if factory not in FACTORIES:
            raise NotPlainError(f"{where(path)}the factory of a defaultdict is {factory!r}: save dict(...) of it")
        return {"defaultdict": [FACTORIES[factory], (yield from self.pairs(value, path))]}

    def under(self, name: str, steps: Steps) -> Steps:
        """Encode a value under the name of its kind."""
        return {name: (yield from steps)}

    def tensor(self, value: Tensor, path: Path) -> Steps:
        """Encode a tensor: the name of its memory, with offset, shape and strides in elements.

        Raises:
            TypeError: if its class is unknown.
        """
        if type(value) not in CLASSES:
            raise NotPlainError(f"{where(path)}a {type(value).__name__} is a subclass of Tensor")
        if value.is_meta:
            raise NotImplementedError(f"{where(path)}a tensor on the device 'meta' has no values to be saved")
        warn_of_hooks(value)
        entry = self.sparse(value, path) if value._flags_ & flags.SPARSE else self.strided(value, path)
        if value.requires_grad:
            entry["requires_grad"] = True
        attributes = attributes_of(value)
        if isinstance(attributes, tuple):
            attributes = {**(attributes[0] or {}), **attributes[1]}
        return {CLASSES[type(value)]: entry, **(yield from self.attributes(value, attributes, path))}

    def strided(self, value: Tensor, path: Path) -> dict[str, Any]:
        """Encode memory, offset, shape and strides of a tensor."""
        refuse("a copy of the memory", value)
        value = in_memory(value)
        offset = offset_in_bytes(value) if value._array_.size else 0
        if value.dtype.name == "bool" and value._array_.view(np.uint8).max(initial=0) > 1:
            raise ValueError(f"{where(path)}a tensor of torch.bool holds a byte that is neither 0 nor 1")
        array, size = value._array_, value.dtype.itemsize
        return {
            "storage": self.storage(value._storage_, value.dtype, path, value),
            "dtype": value.dtype.name,
            "offset": offset // size,
            "shape": list(array.shape),
            "strides": [step // size for step in array.strides],
        }

    def sparse(self, value: Tensor, path: Path) -> dict[str, Any]:
        """Encode the indices and values of a sparse tensor."""
        indices, values, shape, form = parts_of(value)
        parts = {"values": self.strided(values, path), "shape": list(shape)}
        if isinstance(form, str):
            bounds, plain = (self.strided(wrap(index), path) for index in indices)
            return {"bounds": bounds, "indices": plain, **parts, "layout": form}
        return {"indices": self.strided(wrap(indices), path), **parts, "coalesced": form}

    def storage(self, memory: Storage, dtype: Any, path: Path, tensor: Tensor | None = None) -> str:
        """Return the name of the entry with the memory of a storage; a new one is added."""
        known = self.names.get(id(memory.array))
        if known is not None:
            name = known[0]
            if self.arrays[name].dtype != dtype.numpy:  # two dtypes: neither is that of the memory
                self.arrays[name] = self.arrays[name].reshape(-1).view(np.uint8)
            return name
        name = self.new_name(".".join(words(path)) or "value")
        content = first_bytes(memory.array, size_in_bytes(memory))
        if dtype.name in CODES and content.size % dtype.itemsize == 0:
            content = content.view(dtype.numpy)
            if tensor is not None and tensor._array_.flags.c_contiguous and tensor._array_.size == content.size:
                content = content.reshape(tensor._array_.shape)
        self.arrays[name] = content
        self.names[id(memory.array)] = (name, memory.array)
        return name

    def array(self, value: np.ndarray[Any, Any], path: Path) -> list[Any]:
        """Encode a NumPy array; its elements are an entry of bytes.

        Raises:
            TypeError: if its elements are Python objects, or records.
        """
        if value.dtype.kind not in PLAIN_KINDS:
            raise TypeError(refusal(value, path))
        columns = value.flags.f_contiguous and not value.flags.c_contiguous
        name = self.new_name(".".join(words(path)) or "value")
        self.arrays[name] = np.frombuffer(value.tobytes("F" if columns else "C"), np.uint8)
        return [name, value.dtype.str, list(value.shape), "F" if columns else "C"]

    def new_name(self, wanted: str) -> str:
        """Return a new name of an entry."""
        wanted = wanted.encode("utf-8", "replace").decode("utf-8")
        name, number = wanted, 1
        while name in self.arrays or name == METADATA:
            number += 1
            name = f"{wanted}#{number}"
        return name

    def whole_storage(self, value: UntypedStorage, path: Path) -> dict[str, Any]:
        """Encode a storage as a value."""
        dtype = value.dtype if isinstance(value, TypedStorage) else dtypes.by_name("uint8")
        name = self.storage(value._memory, dtype, path)
        return {"storage": [name, dtype.name if isinstance(value, TypedStorage) else None]}


def whole_number(encoder: Encoder, value: int, path: Path) -> Any:
    """Encode an integer."""
    return value if abs(value) <= LARGEST else {"int": hex(value)}


def number(encoder: Encoder, value: float, path: Path) -> Any:
    """Encode a float; JSON has no infinity and no NaN."""
    return value if math.isfinite(value) else {"float": repr(value)}


def content(value: bytes | bytearray) -> str:
    """Encode bytes as text."""
    return base64.b64encode(value).decode("ascii")


PLAIN_KINDS = "?biufcSUmM"
"""Kinds of NumPy dtypes whose elements consist of plain bytes."""

Writer = Callable[[Encoder, Any, Path], Any]

WRITERS: dict[type, Writer] = {
    type(None): lambda self, value, path: None,
    bool: lambda self, value, path: value,
    str: Encoder.text,
    int: whole_number,
    float: number,
    complex: lambda self, value, path: {"complex": [number(self, part, path) for part in (value.real, value.imag)]},
    bytes: lambda self, value, path: {"bytes": content(value)},
    Size: lambda self, value, path: {"Size": list(value)},
    dtypes.dtype: lambda self, value, path: {"dtype": value.name},
    device: lambda self, value, path: {"device": str(value)},
    layout: lambda self, value, path: {"layout": repr(value).removeprefix("torch.")},
    memory_format: lambda self, value, path: {"memory_format": repr(value).removeprefix("torch.")},
}
"""Encoders of immutable values without contents, by exact type: an instance of a subclass would lose its class.
"""

CONSTANT: dict[type, Callable[[Encoder, Any, Path], Steps]] = {
    tuple: lambda self, value, path: self.under("tuple", self.values(value, path)),
    frozenset: lambda self, value, path: self.under("frozenset", self.keys(value, path)),
}
"""Encoders of immutable containers."""

MUTABLE: dict[type, Writer] = {
    list: Encoder.values,
    set: lambda self, value, path: self.under("set", self.keys(value, path)),
    bytearray: lambda self, value, path: {"bytearray": content(value)},
    dict: lambda self, value, path: self.under("dict", self.pairs(value, path)),
    OrderedDict: Encoder.ordered,
    Counter: lambda self, value, path: self.under("Counter", self.pairs(value, path)),
    defaultdict: Encoder.default,
    UntypedStorage: lambda self, value, path: self.whole_storage(value, path),
    TypedStorage: lambda self, value, path: self.whole_storage(value, path),
    np.ndarray: lambda self, value, path: {"array": self.array(value, path)},
}


def check_key(key: Any, path: Path) -> None:
    """Refuse a key that `load` refuses to hash.

    Raises:
        ValueError: if it is nested too deeply.
    """
    waiting = [(key, 0)] if isinstance(key, (tuple, frozenset)) else []
    while waiting:
        value, depth = waiting.pop()
        if depth == DEEPEST_KEY:
            raise ValueError(f"{where(path)}a key is nested in more than {DEEPEST_KEY} levels")
        waiting += [(inner, depth + 1) for inner in value if isinstance(inner, (tuple, frozenset))]


def words(path: Path) -> list[str]:
    """Return the names on a path, from the outermost on."""
    names = []
    while path is not None:
        path, name = path
        names.append(str(name))
    return names[::-1]


def where(path: Path) -> str:
    """Return the prefix of an error message."""
    return f"save(): {'at ' + '.'.join(words(path)) + ': ' if path else ''}"


def refusal(value: Any, path: Path) -> str:
    """Return the error for a value that cannot be saved as a plain one, with advice."""
    text = f"{where(path)}a value of type {type(value).__module__}.{type(value).__qualname__} cannot be saved"
    if isinstance(value, np.ndarray):
        return f"{text}: this array of {value.dtype} is none of numbers or texts. Save value.tolist() instead"
    return f"{text} as a plain value"


def pieces(value: Any) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    """Return JSON for an object, and the memory of its storages by name.

    Raises:
        TypeError: if a part of it cannot be saved; the text names it.
        ValueError: if a part of it could not be loaded.
    """
    encoder = Encoder()
    tree = encoder.encode(value)
    return {"object": tree, **({"parts": encoder.parts} if encoder.parts else {})}, encoder.arrays
