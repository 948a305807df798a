"""Pickling of objects to the opcodes of torch's archives, for `save`.

Python's own pickler traverses the object. Tensors are written as calls of torch's functions that rebuild them, and
names of this package as torch's names, so that torch can read the file.
"""

from __future__ import annotations

import pickle
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from io import BytesIO
from typing import Any

import numpy as np

from .._core import flags
from .._core.graph.hooks import HookDict
from .._core.tensor.base import wrap
from .._core.tensor.batches import refuse
from .._core.tensor.postponed import physical
from .._core.tensor.storage import Storage, size_in_bytes
from .._core.types.devices import device, layout, memory_format
from .._core.types.sizes import Size
from .._tensor import Tensor
from .._tensor.attributes import dtypes
from .._tensor.pickling import attributes_of, meta_parts, parts_of, warn_of_hooks
from ..nn import Buffer, Module, Parameter, RNNBase
from ..nn.modules.hook_table import HookTable
from ..nn.parameter import UninitializedTensorMixin
from ..ops.memory.reach import first_bytes, offset_in_bytes
from ..ops.memory.storages import NoValues, StorageBase, TypedStorage
from . import trusted
from .allowed import META, OF_CLASS, STORAGES
from .encoding import PLAIN_KINDS, check_key, refusal
from .instances import written_state
from .placing import is_attribute

PROTOCOL = 2
DISPATCH: dict[type, Callable[[Any, Any], None]] = pickle._Pickler.dispatch
ATOMS = {kind: DISPATCH[kind] for kind in (int, float, bool, type(None))}
"""Writers of values that are never put into the memo."""
PLAIN = {kind: DISPATCH[kind] for kind in (str, list, tuple, dict, bytes, set, frozenset)}
"""Writers of values and containers that are put into the memo."""
KEYED = (dict, set, frozenset)
NESTED = frozenset({tuple, frozenset})
"""Types of keys that contain other values."""
CLASSES = {dtype: name for name, dtype in STORAGES.items() if dtype not in ("uint16", "uint32", "uint64")}
"""torch's types of storages by dtype; dtypes without a type are written as storages of bytes."""


class SaveError(TypeError, pickle.PicklingError):
    """Raised for objects that cannot be written."""


class Global:
    """A global name that is written unchanged."""

    def __init__(self, name: str) -> None:
        self.module, _, self.name = name.rpartition(".")

    def __call__(self, *arguments: Any) -> Any:
        """Do nothing: a pickler requires that functions are callable."""


class Memory:
    """A storage to be written under a dtype; None for bytes."""

    def __init__(self, storage: Storage, dtype: dtypes.dtype | None) -> None:
        self.storage, self.dtype = storage, dtype


class Pickler(pickle._Pickler):
    """Pickler of the opcodes of an object.

    Attributes:
        memories: the bytes of each storage, by its key.
    """

    def __init__(self, file: BytesIO) -> None:
        super().__init__(file, PROTOCOL)
        self.memories: dict[str, np.ndarray[Any, Any]] = {}
        self.keys: dict[int, tuple[str, str, Any]] = {}  # by identity of the memory, kept alive
        self.globals: dict[str, Global] = {}
        self.reducers: dict[type, Callable[[Pickler, Any], Any] | None] = {}

    def save(self, obj: Any, save_persistent_id: bool = True) -> None:
        """Write an object; plain values and containers directly, without `reducer_override`."""
        kind = type(obj)
        write = ATOMS.get(kind)
        if write is not None:
            write(self, obj)
            return
        write = PLAIN.get(kind)
        if write is None:
            super().save(obj, save_persistent_id)  # type: ignore[misc]
            return
        known = self.memo.get(id(obj))  # type: ignore[attr-defined]
        if known is not None:
            self.write(self.get(known[0]))  # type: ignore[attr-defined]
            return
        if kind in KEYED:
            check_keys(obj)
        write(self, obj)

    # ---- names -------------------------------------------------------------------------------------------------------

    def named(self, name: str) -> Global:
        """Return the object of a global name, one for each name."""
        return self.globals.setdefault(name, Global(name))

    def save_global(self, obj: Any, name: Any = None) -> None:
        """Write a class or function by its name; for those of this package by torch's name.

        Raises:
            SaveError: if it has no name.
        """
        target = obj if isinstance(obj, Global) else None
        if target is None:
            known = name if isinstance(name, str) and name.startswith("torch.") else trusted.written(obj)
            target = None if known is None else self.named(known)
        if target is not None:
            self.write(f"c{target.module}\n{target.name}\n".encode())  # type: ignore[attr-defined]
            self.memoize(obj)  # type: ignore[attr-defined]
            return
        super().save_global(obj, name)  # type: ignore[misc]

    # ---- storages ----------------------------------------------------------------------------------------------------

    def persistent_id(self, obj: Any) -> Any:
        """Return the persistent name of a storage; None for other objects.

        Raises:
            NotImplementedError: if it is on the device "meta".
        """
        if isinstance(obj, NoValues):
            raise NotImplementedError("save(): a storage on the device 'meta' has no values to be saved")
        if isinstance(obj, Memory):
            return self.storage(obj.storage, obj.dtype)
        if isinstance(obj, StorageBase):
            return self.storage(obj._memory, obj.dtype if isinstance(obj, TypedStorage) else None)
        return None

    def storage(self, memory: Storage, dtype: dtypes.dtype | None) -> tuple[Any, ...]:
        """Return the persistent name of a storage, and note its bytes.

        Raises:
            RuntimeError: if it is written under two dtypes, which torch also refuses.
        """
        kind = None if dtype is None else CLASSES.get(dtype.name)
        name = f"torch.{kind}" if kind else "torch.storage.UntypedStorage"
        known = self.keys.get(id(memory.array))
        if known is None:
            known = self.keys[id(memory.array)] = (str(len(self.keys)), name, memory.array)
            self.memories[known[0]] = first_bytes(memory.array, size_in_bytes(memory))
        key, before, _ = known
        if before != name:
            raise RuntimeError(
                "Cannot save multiple tensors or storages that view the same data as different types: "
                f"{before} and {name}"
            )
        count = self.memories[key].size // (dtype.itemsize if kind and dtype is not None else 1)
        return ("storage", self.named(name), key, "cpu", count)

    # ---- objects -----------------------------------------------------------------------------------------------------

    def reducer_override(self, obj: Any) -> Any:
        """Return the reduction of an object that is not pickled in Python's own way."""
        kind = type(obj)
        if kind not in self.reducers:
            self.reducers[kind] = next((reduce for kinds, reduce in REDUCERS if issubclass(kind, kinds)), None)
        reduce = self.reducers[kind]
        if reduce is not None:
            return reduce(self, obj)
        if isinstance(obj, tuple) and trusted.is_result(kind):
            return self.named(f"torch.return_types.{kind.__name__}"), (tuple(obj), {})
        if not isinstance(obj, type) and callable(obj):
            return trusted.function_name(obj) or NotImplemented
        return NotImplemented

    def tensor(self, value: Tensor) -> Any:
        """Reduce a tensor to a call of one of torch's functions."""
        warn_of_hooks(value)
        if value.is_meta:
            function, arguments = self.meta(value)
        else:
            function, arguments = self.sparse(value) if value._flags_ & flags.SPARSE else self.strided(value)
        state = attributes_of(value)
        attributes = {**(state[0] or {}), **state[1]} if isinstance(state, tuple) else dict(state or {})
        check_attributes(value, attributes)
        if type(value) is Parameter:
            data = wrap_plain(value)
            name = "torch._utils._rebuild_parameter" + ("_with_state" if attributes else "")
            extra = (attributes,) if attributes else ()
            return self.named(name), (data, value.requires_grad, OrderedDict(), *extra)
        kind: Any = type(value)
        if kind is Buffer:
            kind, attributes = Tensor, {**attributes, "_is_buffer": True}
        if kind is Tensor and not attributes:
            return function, arguments
        cls = self.named("torch.Tensor") if kind is Tensor else kind
        return self.named(OF_CLASS), (function, cls, arguments, attributes)

    def strided(self, value: Tensor) -> tuple[Global, tuple[Any, ...]]:
        """Reduce a tensor to storage, offset, shape and strides.

        Raises:
            ValueError: if it is a bool tensor with bytes other than 0 and 1.
        """
        refuse("a copy of the memory", value)
        array, dtype = physical(value._array_), value.dtype
        if dtype.name == "bool" and array.view(np.uint8).max(initial=0) > 1:
            raise ValueError("save(): a tensor of torch.bool holds a byte that is neither 0 nor 1")
        offset = max(offset_in_bytes(value), 0) // dtype.itemsize
        strides = tuple([step // dtype.itemsize for step in array.strides])
        place: tuple[Any, ...] = (offset, tuple(array.shape), strides, value.requires_grad, OrderedDict())
        signs = signs_of(value)
        if dtype.name in CLASSES:
            return self.named("torch._utils._rebuild_tensor_v2"), (Memory(value._storage_, dtype), *place, *signs)
        return self.named("torch._utils._rebuild_tensor_v3"), (Memory(value._storage_, None), *place, dtype, *signs)

    def meta(self, value: Tensor) -> tuple[Global, tuple[Any, ...]]:
        """Reduce a tensor without values to its shape."""
        _, shape, dtype, strides = meta_parts(value)
        return self.named(META), (dtype, shape, tuple(strides), value.requires_grad)

    def sparse(self, value: Tensor) -> tuple[Global, tuple[Any, ...]]:
        """Reduce a sparse tensor to its parts."""
        indices, values, shape, form = parts_of(value)
        values, size = values.detach(), Size(shape)
        if isinstance(form, str):
            values.requires_grad = value.requires_grad  # as in torch, which keeps it only for compressed tensors
            return self.named("torch._utils._rebuild_sparse_tensor"), (
                value.layout,
                (*(wrap(index) for index in indices), values, size),
            )
        parts = (wrap(indices), values, size, bool(form))
        return self.named("torch._utils._rebuild_sparse_tensor"), (value.layout, parts)

    def device(self, value: device) -> Any:
        """Reduce a device to its name."""
        return self.named("torch.device"), (value.type,) if value.index is None else (value.type, value.index)

    def module(self, value: Module) -> Any:
        """Reduce a module as Python does, with its tables in torch's form.

        Raises:
            SaveError: if it is a lazy layer with uninitialised parameters.
        """
        if "_initialize_hook" in vars(value):
            raise SaveError(f"save(): a {type(value).__name__} that has not been called cannot be saved; call it first")
        reduced = value.__reduce_ex__(PROTOCOL)
        if not isinstance(reduced, tuple) or len(reduced) < 3 or not isinstance(reduced[2], dict):
            return reduced
        state = written_state(reduced[2])
        if isinstance(value, RNNBase):  # torch saves them, and does not recompute them after loading
            state["_flat_weights"] = list(value._flat_weights)
        return *reduced[:2], state, *reduced[3:]

    def array(self, value: Any) -> Any:
        """Reduce a NumPy array or number; raises SaveError for arrays of Python objects."""
        if value.dtype.kind not in PLAIN_KINDS:
            raise SaveError(refusal(value, None))
        return NotImplemented


def wrap_plain(value: Tensor) -> Tensor:
    """Return a plain tensor on the memory of a parameter."""
    return value.detach()


def signs_of(value: Tensor) -> tuple[dict[str, bool], ...]:
    """Return the flags of a tensor that is the conjugate or negative of its memory; nothing for others."""
    if not value._flags_ & flags.POSTPONED:
        return ()
    array: Any = value._array_
    return ({name: True for name, is_so in (("conj", array.conjugated), ("neg", array.negated)) if is_so},)


def check_keys(container: Any) -> None:
    """Refuse keys that `load` refuses to hash.

    Raises:
        ValueError: if one is nested too deeply.
    """
    if not NESTED.isdisjoint(map(type, container)):
        for key in container:
            check_key(key, None)


def check_attributes(value: Any, attributes: dict[str, Any]) -> None:
    """Refuse attributes of an object that `load` would refuse.

    Raises:
        SaveError: if an attribute has a name of the class.
    """
    for name in attributes:
        if not is_attribute(value, name):
            raise SaveError(f"save(): the attribute {name!r} of a {type(value).__name__} hides one of the class")


def dictionary(pickler: Pickler, value: Any) -> Any:
    """Reduce a dictionary of a subclass as Python does."""
    check_keys(value)
    if type(value) is OrderedDict:
        check_attributes(value, vars(value))
    return NotImplemented


REDUCERS: tuple[tuple[Any, Any], ...] = (
    (UninitializedTensorMixin, lambda self, value: value.__reduce_ex__(PROTOCOL)),
    (Tensor, Pickler.tensor),
    (Module, Pickler.module),
    ((np.ndarray, np.generic), Pickler.array),
    (Global, lambda self, value: value.name),
    ((HookTable, HookDict), lambda self, value: (OrderedDict, (), None, None, iter(value.items()))),
    (dtypes.dtype, lambda self, value: str(value)),
    (Size, lambda self, value: (self.named("torch.Size"), (tuple(value),))),
    (device, Pickler.device),
    (layout, lambda self, value: (self.named("torch.serialization._get_layout"), (str(value),))),
    (memory_format, lambda self, value: str(value)),
    ((OrderedDict, defaultdict, Counter), dictionary),
)
"""Reductions of objects, by class."""


def opcodes_of(value: Any) -> tuple[bytes, dict[str, np.ndarray[Any, Any]]]:
    """Return the opcodes of an object, and the memory of its storages by key.

    Raises:
        SaveError: if a part of it cannot be written.
    """
    file = BytesIO()
    pickler = Pickler(file)
    try:
        pickler.dump(value)
    except SaveError:
        raise
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise SaveError(f"save(): {error}") from error
    return file.getvalue(), pickler.memories
