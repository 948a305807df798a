"""Objects from the JSON text that `save` wrote: whatever it says, it gives plain values or a ValueError."""

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
"""Values of JSON that stand for themselves."""
ARRAY = re.compile(r"[<>|](b1|[iufc]\d{1,2}|[SU]\d{1,9}|[mM]8(\[\d{0,9}[a-zA-Z]{1,2}\])?)", re.ASCII)
"""Dtypes of NumPy's arrays of numbers and texts, in its own words."""
Steps = Generator[Any, Any, Any]
"""Yields pieces of JSON, is sent the values that they stand for, and returns a value: no recursion."""


class Decoder:
    """Turns JSON into an object.

    Args:
        memory: gives the storage of an entry by its name.
        parts: what is nested deeply; a piece of JSON says where each of them belongs.
        objects, space: pay for objects, and for copies of the memory and looking through it.
    """

    def __init__(self, memory: Callable[[str], Storage], parts: list[Any], objects: Budget, space: Budget) -> None:
        self.memory, self.parts, self.objects, self.space = memory, parts, objects, space
        self.placer = Placer(space)
        self.known: list[Any] = []  # containers and tensors, in the order in which they came up

    def decode(self, tree: Any) -> Any:
        """Return the value that a piece of JSON stands for.

        Raises:
            ValueError: if it stands for none.
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
        """The value that a piece of JSON stands for."""
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
        """Count an object that may come up again."""
        self.known.append(value)
        return value

    def values(self, trees: Any) -> Steps:
        """The values of a list."""
        result = []
        for tree in listed(trees):
            result.append(tree if type(tree) in PLAIN else (yield tree))
        return result

    def fill(self, target: list[Any], trees: Any) -> Steps:
        """A list, which may hold itself."""
        self.new(target).extend((yield from self.values(trees)))
        return target

    def pairs(self, target: dict[Any, Any], trees: Any) -> Steps:
        """A dictionary, which may hold itself."""
        self.new(target)
        for pair in listed(trees):
            key, value = listed(pair, 2)
            key = key if type(key) in PLAIN else (yield key)
            self.objects.put(target, key, value if type(value) in PLAIN else (yield value))
        return target

    def default(self, tree: Any) -> Steps:
        """A defaultdict."""
        name, pairs = listed(tree, 2)
        return (yield from self.pairs(defaultdict(named(FACTORY, name, "factory")), pairs))

    def members(self, target: set[Any], trees: Any) -> Steps:
        """A set with members."""
        for value in (yield from self.values(trees)):
            self.objects.add(target, value)
        return target

    def tuple_of(self, trees: Any) -> Steps:
        """A tuple."""
        return tuple((yield from self.values(trees)))

    def frozenset_of(self, trees: Any) -> Steps:
        """A frozenset."""
        return frozenset((yield from self.members(set(), trees)))

    def part(self, number: Any) -> Steps:
        """What is nested deeply, and stands beside; in one place only."""
        if type(number) is not int or not 0 <= number < len(self.parts) or self.parts[number] is READERS:
            raise ValueError(f"there is no part number {shown(number)}, or it was there before")
        tree, self.parts[number] = self.parts[number], READERS
        return (yield tree)

    def same(self, number: Any) -> Any:
        """What came up before."""
        if type(number) is not int or not 0 <= number < len(self.known):
            raise ValueError(f"there is no value number {shown(number)} before")
        return self.known[number]

    def tensor(self, cls: type[Tensor], entry: Any) -> Tensor:
        """A tensor, in memory that others may share."""
        if isinstance(entry, dict) and "indices" in entry:
            return self.new(self.sparse(cls, entry))  # type: ignore[no-any-return]
        return self.new(self.strided(cls, entry))  # type: ignore[no-any-return]

    def sparse(self, cls: type[Tensor], entry: Any) -> Tensor:
        """A sparse tensor, whose places are checked."""
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
        """A tensor, in memory that others may share, not counted."""
        if not isinstance(entry, dict) or set(entry) - {"requires_grad"} != {"storage", "dtype", *LAYOUT}:
            raise ValueError("a tensor has not the entries storage, dtype, offset, shape and strides")
        offset, shape, strides = (entry[name] for name in LAYOUT)
        storage, dtype = self.memory(entry["storage"]), dtype_of(entry["dtype"])
        return self.placer.place(cls, storage, dtype, offset, shape, strides, entry.get("requires_grad", False))

    def storage(self, entry: Any) -> UntypedStorage:
        """A storage that is a value of its own."""
        name, dtype = listed(entry, 2)
        memory = UntypedStorage(self.memory(name))
        return self.new(  # type: ignore[no-any-return]
            memory if dtype is None else TypedStorage(wrap_storage=memory, dtype=dtype_of(dtype))
        )

    def array(self, entry: Any) -> np.ndarray[Any, Any]:
        """An array of NumPy's, in memory of its own."""
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
    """The layouts of compressed tensors, by name."""
    from ..ops.sparse.layouts import ALL

    return {layout.name: layout for layout in ALL}


def listed(tree: Any, length: int | None = None) -> list[Any]:
    """A list of JSON.

    Raises:
        ValueError: it is none, or not of that length.
    """
    if not isinstance(tree, list) or (length is not None and len(tree) != length):
        raise ValueError(f"expected a list{'' if length is None else f' of {length}'}, found {shown(tree)}")
    return tree


def text(tree: Any) -> str:
    """A text of JSON.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(tree, str):
        raise ValueError(f"expected a text, found {shown(tree)}")
    return tree


def named(table: dict[str, Any], name: Any, what: str) -> Any:
    """One of a table.

    Raises:
        ValueError: it has none of that name.
    """
    if not isinstance(name, str) or name not in table:
        raise ValueError(f"there is no {what} {shown(name)}")
    return table[name]


def dtype_of(name: Any) -> dtypes.dtype:
    """A dtype by its name.

    Raises:
        ValueError: there is none.
    """
    try:
        return dtypes.by_name(text(name))
    except KeyError as error:
        raise ValueError(f"there is no dtype {shown(name)}") from error


def device_of(name: Any) -> devices.device:
    """A device by its name.

    Raises:
        ValueError: there is none.
    """
    try:
        return devices.device(text(name))
    except RuntimeError as error:
        raise ValueError(str(error)) from error


def lengths(tree: Any) -> Size:
    """A size.

    Raises:
        ValueError: these are no lengths.
    """
    if not all(type(length) is int for length in listed(tree)):
        raise ValueError("a list that should be lengths holds something else")
    return Size(tree)


def part_of_complex(tree: Any) -> float:
    """A part of a complex number, which JSON or `encoding.number` wrote."""
    if isinstance(tree, dict) and set(tree) == {"float"}:
        return float(text(tree["float"]))
    if type(tree) not in (int, float):
        raise ValueError(f"{shown(tree)} is no part of a complex number")
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
"""How values are read that hold no others, by their kind."""

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
"""How containers are read."""
