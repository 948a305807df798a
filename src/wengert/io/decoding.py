"""Objects from the JSON text that `save` wrote: whatever it says, it gives plain values or a ValueError."""

from __future__ import annotations

import base64
import math
import reprlib
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from .._core.tensor.storage import Storage
from .._core.types import devices
from .._core.types.sizes import Size
from ..nn import Buffer, Parameter
from ..ops.memory.storages import TypedStorage, UntypedStorage
from ..pickling import rebuild_sparse
from ..tensor import Tensor, dtypes
from .encoding import FACTORIES, PLAIN_KINDS
from .placing import place, take_attributes

FACTORY = {name: factory for factory, name in FACTORIES.items()}
LAYOUT = ("offset", "shape", "strides")


class Decoder:
    """Turns JSON into an object; `memory` gives the storage of an entry by its name."""

    def __init__(self, memory: Callable[[str], Storage]) -> None:
        self.memory = memory
        self.known: list[Any] = []  # containers and tensors, in the order in which they came up

    def decode(self, tree: Any) -> Any:
        """The value that a piece of JSON stands for.

        Raises:
            ValueError: it stands for none.
        """
        if tree is None or isinstance(tree, (bool, int, float, str)):
            return tree
        if isinstance(tree, list):
            return self.fill([], tree)
        kind = next(iter(tree), "")
        if set(tree) - {kind} - {"attributes"}:
            raise ValueError(f"a value has the entries {reprlib.repr(sorted(tree))}")
        read = READERS.get(kind)
        if read is None:
            raise ValueError(f"there is no kind of value {reprlib.repr(kind)}")
        made = read(self, tree[kind])
        if "attributes" in tree:
            take_attributes(made, self.decode(tree["attributes"]))
        return made

    def new(self, made: Any) -> Any:
        """Count an object that may come up again."""
        self.known.append(made)
        return made

    def each(self, given: Any) -> list[Any]:
        """The values of a list."""
        return [self.decode(each) for each in listed(given)]

    def fill(self, made: list[Any], given: Any) -> list[Any]:
        """A list, which may hold itself."""
        self.new(made)
        made.extend(self.each(given))
        return made

    def pairs(self, made: dict[Any, Any], given: Any) -> dict[Any, Any]:
        """A dictionary, which may hold itself."""
        self.new(made)
        for pair in listed(given):
            key, value = listed(pair, 2)
            key = self.decode(key)
            made[key] = self.decode(value)
        return made

    def default(self, given: Any) -> Any:
        """A defaultdict."""
        name, pairs = listed(given, 2)
        return self.pairs(defaultdict(named(FACTORY, name, "factory")), pairs)

    def members(self, given: Any) -> set[Any]:
        """A set, which may come up again."""
        made: set[Any] = self.new(set())
        made.update(self.each(given))
        return made

    def same(self, given: Any) -> Any:
        """What came up before."""
        if type(given) is not int or not 0 <= given < len(self.known):
            raise ValueError(f"there is no value number {reprlib.repr(given)} before")
        return self.known[given]

    def tensor(self, cls: type[Tensor], given: Any) -> Tensor:
        """A tensor, in memory that others may share."""
        if isinstance(given, dict) and "indices" in given:
            return self.sparse(cls, given)
        return self.new(self.strided(cls, given))  # type: ignore[no-any-return]

    def sparse(self, cls: type[Tensor], given: Any) -> Tensor:
        """A sparse tensor, whose places are checked."""
        names = set(given) - {"requires_grad"}
        compressed = "layout" in names
        if names != {"indices", "values", "shape", *(("bounds", "layout") if compressed else ("coalesced",))}:
            raise ValueError("a sparse tensor has not the entries indices, values, shape and coalesced")
        parts = ("bounds", "indices", "values") if compressed else ("indices", "values")
        *indices, values = [self.strided(Tensor, given[name]) for name in parts]
        shape, requires_grad = lengths(given["shape"]), given.get("requires_grad", False) is True
        form = named(layouts(), given["layout"], "layout").name if compressed else given["coalesced"] is True
        if not compressed and indices[0].dtype is not dtypes.int64:
            raise ValueError("the places of a sparse tensor are not of int64")
        arrays = tuple([each._array_ for each in indices])
        try:
            made = rebuild_sparse(cls, arrays if compressed else arrays[0], values.detach(), shape, form, requires_grad)
        except RuntimeError as error:
            raise ValueError(str(error)) from error
        return self.new(made)  # type: ignore[no-any-return]

    def strided(self, cls: type[Tensor], given: Any) -> Tensor:
        """A tensor, in memory that others may share, not counted."""
        if not isinstance(given, dict) or set(given) - {"requires_grad"} != {"storage", "dtype", *LAYOUT}:
            raise ValueError("a tensor has not the entries storage, dtype, offset, shape and strides")
        offset, shape, strides = (given[name] for name in LAYOUT)
        storage, dtype = self.memory(given["storage"]), dtype_of(given["dtype"])
        return place(cls, storage, dtype, offset, shape, strides, given.get("requires_grad", False))

    def storage(self, given: Any) -> UntypedStorage:
        """A storage that is a value of its own."""
        name, dtype = listed(given, 2)
        memory = self.memory(name)
        return self.new(
            UntypedStorage(memory)
            if dtype is None
            else TypedStorage(wrap_storage=UntypedStorage(memory), dtype=dtype_of(dtype))
        )  # type: ignore[no-any-return]

    def array(self, given: Any) -> np.ndarray[Any, Any]:
        """An array of NumPy's, in memory of its own."""
        name, code, shape, order = listed(given, 4)
        dtype = np.dtype(text(code))
        if dtype.kind not in PLAIN_KINDS or order not in ("C", "F"):
            raise ValueError(f"there are no arrays of {reprlib.repr(code)} in the order {reprlib.repr(order)}")
        sizes = lengths(shape)
        elements = self.memory(name).array.tobytes()
        if min(sizes, default=0) < 0 or len(elements) != dtype.itemsize * math.prod(sizes):
            raise ValueError(f"an array of {dtype} and the shape {list(sizes)} has not {len(elements)} bytes")
        return np.ndarray(sizes, dtype, bytearray(elements), order=order)


def layouts() -> dict[str, devices.layout]:
    """The layouts of compressed tensors, by name."""
    from ..ops.sparse.layouts import ALL

    return {each.name: each for each in ALL}


def listed(given: Any, length: int | None = None) -> list[Any]:
    """A list of JSON.

    Raises:
        ValueError: it is none, or not of that length.
    """
    if not isinstance(given, list) or (length is not None and len(given) != length):
        raise ValueError(f"expected a list{'' if length is None else f' of {length}'}, found {reprlib.repr(given)}")
    return given


def text(given: Any) -> str:
    """A text of JSON.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(given, str):
        raise ValueError(f"expected a text, found {reprlib.repr(given)}")
    return given


def named(table: dict[str, Any], name: Any, what: str) -> Any:
    """One of a table.

    Raises:
        ValueError: it has none of that name.
    """
    if not isinstance(name, str) or name not in table:
        raise ValueError(f"there is no {what} {reprlib.repr(name)}")
    return table[name]


def dtype_of(name: Any) -> dtypes.dtype:
    """A dtype by its name.

    Raises:
        ValueError: there is none.
    """
    try:
        return dtypes.by_name(text(name))
    except KeyError as error:
        raise ValueError(f"there is no dtype {reprlib.repr(name)}") from error


def device_of(name: Any) -> devices.device:
    """A device by its name.

    Raises:
        ValueError: there is none.
    """
    try:
        return devices.device(text(name))
    except RuntimeError as error:
        raise ValueError(str(error)) from error


def lengths(given: Any) -> Size:
    """A size.

    Raises:
        ValueError: these are no lengths.
    """
    if not all(type(each) is int for each in listed(given)):
        raise ValueError(f"{reprlib.repr(given)} are no lengths")
    return Size(given)


def numbers(given: Any, length: int | None = None) -> list[Any]:
    """Numbers, which JSON or `encoding.number` wrote."""
    found = [float(each["float"]) if isinstance(each, dict) else each for each in listed(given, length)]
    return [float(each) for each in found]


MEMORY_FORMATS = {
    each.name: each
    for each in (devices.preserve_format, devices.contiguous_format, devices.channels_last, devices.channels_last_3d)
}

READERS: dict[str, Callable[[Decoder, Any], Any]] = {
    "int": lambda self, given: int(text(given), 16),
    "float": lambda self, given: float(text(given)),
    "complex": lambda self, given: complex(*numbers(given, 2)),
    "letters": lambda self, given: "".join(chr(each) for each in lengths(given)),
    "bytes": lambda self, given: base64.b64decode(text(given), validate=True),
    "bytearray": lambda self, given: self.new(bytearray(base64.b64decode(text(given), validate=True))),
    "tuple": lambda self, given: tuple(self.each(given)),
    "frozenset": lambda self, given: frozenset(self.each(given)),
    "set": Decoder.members,
    "dict": lambda self, given: self.pairs({}, given),
    "OrderedDict": lambda self, given: self.pairs(OrderedDict(), given),
    "Counter": lambda self, given: self.pairs(Counter(), given),
    "defaultdict": Decoder.default,
    "same": Decoder.same,
    "Size": lambda self, given: lengths(given),
    "dtype": lambda self, given: dtype_of(given),
    "device": lambda self, given: device_of(given),
    "layout": lambda self, given: named(
        {"strided": devices.strided, "sparse_coo": devices.sparse_coo, **layouts()}, given, "layout"
    ),
    "memory_format": lambda self, given: named(MEMORY_FORMATS, given, "memory format"),
    "tensor": lambda self, given: self.tensor(Tensor, given),
    "parameter": lambda self, given: self.tensor(Parameter, given),
    "buffer": lambda self, given: self.tensor(Buffer, given),
    "storage": Decoder.storage,
    "array": lambda self, given: self.new(self.array(given)),
    "scalar": lambda self, given: self.array(given)[()],
}
"""How values are read, by their kind."""


def decode(tree: Any, memory: Callable[[str], Storage]) -> Any:
    """The object that JSON stands for.

    Args:
        tree: what `json.loads` gave.
        memory: gives the storage of an entry by its name, or raises ValueError.

    Raises:
        ValueError: it stands for none.
    """
    try:
        return Decoder(memory).decode(tree)
    except (TypeError, OverflowError, RecursionError) as error:  # an unhashable key, a letter that there is not, ...
        raise ValueError(str(error)) from error
