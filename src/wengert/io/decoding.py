"""Decoding of the JSON text of `save_safetensors`: any text leads to plain values or a ValueError."""

from __future__ import annotations

import base64
import math
import re
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Generator
from typing import Any

import numpy as np

from .._core.tensor.storage import Storage
from .._core.types import devices
from .._core.types.sizes import Size
from .._tensor import Tensor
from .._tensor.attributes import dtypes
from ..nn import Buffer, Parameter
from ..ops.memory.storages import TypedStorage, UntypedStorage
from .budget import COPY, Budget
from .encoding import FACTORIES
from .errors import shown
from .placing import Placer, check_requires_grad, take_attributes

FACTORY = {name: factory for factory, name in FACTORIES.items()}
LAYOUT = ("offset", "shape", "strides")
PLAIN = {type(None), bool, int, float, str}
"""Types of JSON values that stand for themselves."""
ARRAY = re.compile(r"[<>|](b1|[iufc]\d{1,2}|[SU]\d{1,9}|[mM]8(\[\d{0,9}[a-zA-Z]{1,2}\])?)", re.ASCII)
"""Pattern of NumPy's names of dtypes of numbers and texts."""
Steps = Generator[Any, Any, Any]
"""Generator that yields pieces of JSON, receives their values, and returns a value: it avoids recursion."""


class Decoder:
    """Decoder from JSON to an object.

    Args:
        memory: function from the name of an entry to its storage.
        parts: deeply nested parts, which pieces of JSON refer to.
        objects, space: budgets for objects, and for copying and reading through the memory.
    """

    def __init__(self, memory: Callable[[str], Storage], parts: list[Any], objects: Budget, space: Budget) -> None:
        self.memory, self.parts, self.objects, self.space = memory, parts, objects, space
        self.placer = Placer(space)
        self.known: list[Any] = []  # containers and tensors, in order of appearance

    def decode(self, tree: Any) -> Any:
        """Return the value that a piece of JSON stands for.

        Raises:
            ValueError: if it does not stand for a value.
        """
        running, result = [self.value(tree)], None
        while running:
            try:
                inner = running[-1].send(result)
            except StopIteration as end:
                result = end.value
                running.pop()
            else:
                running.append(self.value(inner))
                result = None
        return result

    def value(self, tree: Any) -> Steps:
        """Decode a piece of JSON."""
        if type(tree) in PLAIN:
            return tree
        if isinstance(tree, list):
            return (yield from self.fill([], tree))
        kind = next(iter(tree), "")
        if set(tree) - {kind} - {"attributes"}:
            raise ValueError(f"a value has the entries {shown(', '.join(sorted(tree)))}")
        if kind in READERS:
            result = READERS[kind](self, tree[kind])
        elif kind in CONTAINERS:
            result = yield from CONTAINERS[kind](self, tree[kind])
        else:
            raise ValueError(f"there is no kind of value {shown(kind)}")
        if "attributes" in tree:
            take_attributes(result, (yield tree["attributes"]), self.objects)
        return result

    def new(self, value: Any) -> Any:
        """Number an object that may be referred to again."""
        self.known.append(value)
        return value

    def values(self, trees: Any) -> Steps:
        """Decode a list of values."""
        result = []
        for tree in listed(trees):
            result.append(tree if type(tree) in PLAIN else (yield tree))
        return result

    def fill(self, target: list[Any], trees: Any) -> Steps:
        """Decode a list, which may contain itself."""
        self.new(target).extend((yield from self.values(trees)))
        return target

    def pairs(self, target: dict[Any, Any], trees: Any) -> Steps:
        """Decode a dictionary, which may contain itself."""
        self.new(target)
        for pair in listed(trees):
            key, value = listed(pair, 2)
            key = key if type(key) in PLAIN else (yield key)
            self.objects.put(target, key, value if type(value) in PLAIN else (yield value))
        return target

    def default(self, tree: Any) -> Steps:
        """Decode a defaultdict."""
        name, pairs = listed(tree, 2)
        return (yield from self.pairs(defaultdict(named(FACTORY, name, "factory")), pairs))

    def members(self, target: set[Any], trees: Any) -> Steps:
        """Decode a set."""
        for value in (yield from self.values(trees)):
            self.objects.add(target, value)
        return target

    def tuple_of(self, trees: Any) -> Steps:
        """Decode a tuple."""
        return tuple((yield from self.values(trees)))

    def frozenset_of(self, trees: Any) -> Steps:
        """Decode a frozenset."""
        return frozenset((yield from self.members(set(), trees)))

    def part(self, number: Any) -> Steps:
        """Decode a deeply nested part, which may be referred to only once."""
        if type(number) is not int or not 0 <= number < len(self.parts) or self.parts[number] is READERS:
            raise ValueError(f"there is no part number {shown(number)}, or it was there before")
        tree, self.parts[number] = self.parts[number], READERS
        return (yield tree)

    def same(self, number: Any) -> Any:
        """Return an object decoded before."""
        if type(number) is not int or not 0 <= number < len(self.known):
            raise ValueError(f"there is no value number {shown(number)} before")
        return self.known[number]

    def tensor(self, cls: type[Tensor], entry: Any) -> Tensor:
        """Decode a tensor, in memory that others may share."""
        if isinstance(entry, dict) and "indices" in entry:
            return self.new(self.sparse(cls, entry))
        return self.new(self.strided(cls, entry))

    def sparse(self, cls: type[Tensor], entry: Any) -> Tensor:
        """Decode a sparse tensor; its indices are checked."""
        names = set(entry) - {"requires_grad"}
        compressed = "layout" in names
        if names != {"indices", "values", "shape", *(("bounds", "layout") if compressed else ("coalesced",))}:
            raise ValueError("a sparse tensor has not the entries indices, values, shape and coalesced")
        parts = ("bounds", "indices", "values") if compressed else ("indices", "values")
        *places, values = [self.strided(Tensor, entry[name]) for name in parts]
        form = named(layouts(), entry["layout"], "layout").name if compressed else entry["coalesced"] is True
        requires_grad = entry.get("requires_grad", False)
        check_requires_grad(requires_grad, values.dtype)
        result = self.placer.sparse(cls, tuple(places), values, lengths(entry["shape"]), form)
        result.requires_grad = requires_grad
        return result

    def strided(self, cls: type[Tensor], entry: Any) -> Tensor:
        """Decode a tensor, in memory that others may share, without numbering it."""
        if not isinstance(entry, dict) or set(entry) - {"requires_grad"} != {"storage", "dtype", *LAYOUT}:
            raise ValueError("a tensor has not the entries storage, dtype, offset, shape and strides")
        offset, shape, strides = (entry[name] for name in LAYOUT)
        storage, dtype = self.memory(entry["storage"]), dtype_of(entry["dtype"])
        return self.placer.place(cls, storage, dtype, offset, shape, strides, entry.get("requires_grad", False))

    def storage(self, entry: Any) -> UntypedStorage:
        """Decode a storage as a value."""
        name, dtype = listed(entry, 2)
        memory = UntypedStorage(self.memory(name))
        return self.new(memory if dtype is None else TypedStorage(wrap_storage=memory, dtype=dtype_of(dtype)))

    def array(self, entry: Any) -> np.ndarray[Any, Any]:
        """Decode a NumPy array, in its own memory."""
        name, code, shape, order = listed(entry, 4)
        if not ARRAY.fullmatch(text(code)) or order not in ("C", "F"):
            raise ValueError(f"there are no arrays of {shown(code)} in the order {shown(order)}")
        dtype, sizes = np.dtype(code), lengths(shape)
        elements = self.memory(name).array
        count = math.prod(sizes)
        if min(sizes, default=0) < 0 or elements.size != dtype.itemsize * count:
            raise ValueError(f"an array of {dtype} and the shape {list(sizes)} has not {elements.size} bytes")
        self.space.spend(COPY * elements.size + count)
        return np.ndarray(sizes, dtype, elements.copy(), order=order)


def layouts() -> dict[str, devices.layout]:
    """Return the layouts of compressed tensors, by name."""
    from ..ops.sparse.layouts import ALL

    return {layout.name: layout for layout in ALL}


def listed(tree: Any, length: int | None = None) -> list[Any]:
    """Return a JSON list.

    Raises:
        ValueError: if it is not a list, or not of this length.
    """
    if not isinstance(tree, list) or (length is not None and len(tree) != length):
        raise ValueError(f"expected a list{'' if length is None else f' of {length}'}, found {shown(tree)}")
    return tree


def text(tree: Any) -> str:
    """Return a JSON string.

    Raises:
        ValueError: if it is not a string.
    """
    if not isinstance(tree, str):
        raise ValueError(f"expected a text, found {shown(tree)}")
    return tree


def named(table: dict[str, Any], name: Any, what: str) -> Any:
    """Return an entry of a table.

    Raises:
        ValueError: if it has no entry of this name.
    """
    if not isinstance(name, str) or name not in table:
        raise ValueError(f"there is no {what} {shown(name)}")
    return table[name]


def dtype_of(name: Any) -> dtypes.dtype:
    """Return a dtype by its name.

    Raises:
        ValueError: if there is none.
    """
    try:
        return dtypes.by_name(text(name))
    except KeyError as error:
        raise ValueError(f"there is no dtype {shown(name)}") from error


def device_of(name: Any) -> devices.device:
    """Return a device by its name.

    Raises:
        ValueError: if there is none.
    """
    try:
        return devices.device(text(name))
    except RuntimeError as error:
        raise ValueError(str(error)) from error


def lengths(tree: Any) -> Size:
    """Return a size.

    Raises:
        ValueError: if these are not lengths.
    """
    if not all(type(length) is int for length in listed(tree)):
        raise ValueError("a list that should be lengths holds something else")
    return Size(tree)


def part_of_complex(tree: Any) -> float:
    """Return a part of a complex number, written by JSON or `encoding.number`."""
    if isinstance(tree, dict) and set(tree) == {"float"}:
        return float(text(tree["float"]))
    if type(tree) not in (int, float):
        raise ValueError(f"{shown(tree)} is not a part of a complex number")
    return float(tree)


MEMORY_FORMATS = {
    known.name: known
    for known in (devices.preserve_format, devices.contiguous_format, devices.channels_last, devices.channels_last_3d)
}

READERS: dict[str, Callable[[Decoder, Any], Any]] = {
    "int": lambda self, tree: int(text(tree), 16),
    "float": lambda self, tree: float(text(tree)),
    "complex": lambda self, tree: complex(*map(part_of_complex, listed(tree, 2))),
    "letters": lambda self, tree: "".join(map(chr, lengths(tree))),
    "bytes": lambda self, tree: base64.b64decode(text(tree), validate=True),
    "bytearray": lambda self, tree: self.new(bytearray(base64.b64decode(text(tree), validate=True))),
    "same": Decoder.same,
    "Size": lambda self, tree: lengths(tree),
    "dtype": lambda self, tree: dtype_of(tree),
    "device": lambda self, tree: device_of(tree),
    "layout": lambda self, tree: named(
        {"strided": devices.strided, "sparse_coo": devices.sparse_coo, **layouts()}, tree, "layout"
    ),
    "memory_format": lambda self, tree: named(MEMORY_FORMATS, tree, "memory format"),
    "tensor": lambda self, tree: self.tensor(Tensor, tree),
    "parameter": lambda self, tree: self.tensor(Parameter, tree),
    "buffer": lambda self, tree: self.tensor(Buffer, tree),
    "storage": Decoder.storage,
    "array": lambda self, tree: self.new(self.array(tree)),
    "scalar": lambda self, tree: self.array(tree)[()],
}
"""Decoders of values that do not contain other values, by kind."""

CONTAINERS: dict[str, Callable[[Decoder, Any], Steps]] = {
    "tuple": Decoder.tuple_of,
    "frozenset": Decoder.frozenset_of,
    "set": lambda self, tree: self.members(self.new(set()), tree),
    "dict": lambda self, tree: self.pairs({}, tree),
    "OrderedDict": lambda self, tree: self.pairs(OrderedDict(), tree),
    "Counter": lambda self, tree: self.pairs(Counter(), tree),
    "defaultdict": Decoder.default,
    "part": Decoder.part,
}
"""Decoders of containers, by kind."""
