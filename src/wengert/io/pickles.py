"""Objects as the opcodes of torch's archives: what `save` writes where there is more than tensors and containers.

Python's own pickler goes through the object. Tensors are written as calls of torch's functions that make them, and
everything of this package under the name that torch has for it, so torch reads the file, too.
"""

from __future__ import annotations

import pickle
from collections import OrderedDict
from io import BytesIO
from typing import Any

import numpy as np

from .._core import flags
from .._core.graph.hooks import HookDict
from .._core.tensor.base import wrap
from .._core.tensor.batches import refuse
from .._core.tensor.storage import Storage, size_in_bytes
from .._core.types.devices import device, layout, memory_format
from .._core.types.sizes import Size
from ..nn import Buffer, Module, Parameter, RNNBase
from ..nn.modules.hook_table import HookTable
from ..nn.parameter import UninitializedTensorMixin
from ..ops.memory.reach import first_bytes, offset_in_bytes
from ..ops.memory.storages import TypedStorage, UntypedStorage
from ..pickling import attributes_of, in_memory, parts_of, warn_of_hooks
from ..tensor import Tensor, dtypes
from . import trusted
from .allowed import OF_CLASS, STORAGES
from .encoding import PLAIN_KINDS, refusal
from .instances import written_state

PROTOCOL = 2
CLASSES = {dtype: name for name, dtype in STORAGES.items()}
"""Types of storages by the dtype of their elements; those that have none are in storages of bytes."""


class SaveError(TypeError, pickle.PicklingError):
    """An object cannot be written."""


class Global:
    """A global name that is written as it is."""

    def __init__(self, name: str) -> None:
        self.module, _, self.name = name.rpartition(".")

    def __call__(self, *arguments: Any) -> Any:
        """Nothing: a pickler asks that what is called can be called."""


class Memory:
    """A storage that is to be written under a dtype; None for bytes."""

    def __init__(self, storage: Storage, dtype: dtypes.dtype | None) -> None:
        self.storage, self.dtype = storage, dtype


class Pickler(pickle._Pickler):
    """Writes the opcodes of an object.

    Attributes:
        memories: the bytes of each storage, by its key.
    """

    def __init__(self, file: BytesIO) -> None:
        super().__init__(file, PROTOCOL)
        self.memories: dict[str, np.ndarray[Any, Any]] = {}
        self.keys: dict[int, tuple[str, str, Any]] = {}  # of storages, by identity of the memory, which is kept alive
        self.globals: dict[str, Global] = {}

    # ---- names -------------------------------------------------------------------------------------------------------

    def named(self, name: str) -> Global:
        """A global name, one object for each."""
        return self.globals.setdefault(name, Global(name))

    def save_global(self, obj: Any, name: Any = None) -> None:
        """Write a class or function by its name, which for ours is torch's.

        Raises:
            SaveError: it has none.
        """
        known = name if isinstance(name, str) and name.startswith("torch.") else trusted.written(obj)
        if isinstance(obj, Global) or known is not None:
            target = obj if isinstance(obj, Global) else self.named(str(known))
            self.write(f"c{target.module}\n{target.name}\n".encode())  # type: ignore[attr-defined]
            self.memoize(obj)  # type: ignore[attr-defined]
            return
        super().save_global(obj, name)  # type: ignore[misc]

    # ---- storages ----------------------------------------------------------------------------------------------------

    def persistent_id(self, obj: Any) -> Any:
        """The name of a storage; None for all else."""
        if isinstance(obj, Memory):
            return self.storage(obj.storage, obj.dtype)
        if isinstance(obj, UntypedStorage):
            return self.storage(obj._memory, obj.dtype if isinstance(obj, TypedStorage) else None)
        return None

    def storage(self, memory: Storage, dtype: dtypes.dtype | None) -> tuple[Any, ...]:
        """The persistent name of a storage, whose bytes are noted.

        Raises:
            RuntimeError: it is written under two dtypes, which torch refuses, too.
        """
        kind = None if dtype is None else CLASSES.get(dtype.name)
        name = f"torch.{kind}" if kind else "torch.storage.UntypedStorage"
        content = first_bytes(memory.array, size_in_bytes(memory))
        key, before, _ = self.keys.setdefault(id(memory.array), (str(len(self.keys)), name, memory.array))
        if before != name:
            raise RuntimeError(
                "Cannot save multiple tensors or storages that view the same data as different types: "
                f"{before} and {name}"
            )
        self.memories[key] = content
        count = content.size // (dtype.itemsize if kind and dtype is not None else 1)
        return ("storage", self.named(name), key, "cpu", count)

    # ---- objects -----------------------------------------------------------------------------------------------------

    def reducer_override(self, obj: Any) -> Any:
        """How an object is made again, where it is not Python's own way."""
        for kinds, reduce in REDUCERS:
            if isinstance(obj, kinds):
                return reduce(self, obj)
        if trusted.is_result(type(obj)):
            return self.named(f"torch.return_types.{type(obj).__name__}"), (tuple(obj), {})
        if not isinstance(obj, type) and id(obj) in trusted.function_names():
            return trusted.function_names()[id(obj)]
        return NotImplemented

    def tensor(self, value: Tensor) -> Any:
        """A tensor as a call of one of torch's functions.

        Raises:
            NotImplementedError: it is on the device "meta".
        """
        if value.is_meta:  # type: ignore[attr-defined]
            raise NotImplementedError("save(): a tensor on the device 'meta' has no values to be saved")
        warn_of_hooks(value)
        function, arguments = self.sparse(value) if value._flags_ & flags.SPARSE else self.strided(value)
        own = attributes_of(value)
        attributes = {**(own[0] or {}), **own[1]} if isinstance(own, tuple) else dict(own or {})
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
        """A tensor by its place in memory.

        Raises:
            ValueError: it is one of bool, and holds other bytes than 0 and 1.
        """
        refuse("a copy of the memory", value)
        value = in_memory(value)
        array, dtype = value._array_, value.dtype
        if dtype.name == "bool" and array.view(np.uint8).max(initial=0) > 1:
            raise ValueError("save(): a tensor of torch.bool holds a byte that is neither 0 nor 1")
        offset = offset_in_bytes(value) // dtype.itemsize if array.size else 0
        strides = tuple([step // dtype.itemsize for step in array.strides])
        place: tuple[Any, ...] = (offset, tuple(array.shape), strides, value.requires_grad, OrderedDict())
        if dtype.name in CLASSES:
            return self.named("torch._utils._rebuild_tensor_v2"), (Memory(value._storage_, dtype), *place)
        return self.named("torch._utils._rebuild_tensor_v3"), (Memory(value._storage_, None), *place, dtype)

    def sparse(self, value: Tensor) -> tuple[Global, tuple[Any, ...]]:
        """A sparse tensor by its parts."""
        indices, values, shape, form = parts_of(value)
        values, size = values.detach(), Size(shape)  # type: ignore[attr-defined]
        if isinstance(form, str):
            return self.named("torch._utils._rebuild_sparse_tensor"), (
                value.layout, (*(wrap(each) for each in indices), values, size)  # type: ignore[attr-defined]
            )  # fmt: skip
        parts = (wrap(indices), values, size, bool(form))
        return self.named("torch._utils._rebuild_sparse_tensor"), (value.layout, parts)  # type: ignore[attr-defined]

    def device(self, value: device) -> Any:
        """A device by its name."""
        return self.named("torch.device"), (value.type,) if value.index is None else (value.type, value.index)

    def module(self, value: Module) -> Any:
        """A module as Python does, with its tables as torch has them.

        Raises:
            SaveError: it is a lazy layer whose parameters have no values yet.
        """
        if "_initialize_hook" in vars(value):
            raise SaveError(f"save(): a {type(value).__name__} that has not been called cannot be saved; call it first")
        reduced = value.__reduce_ex__(PROTOCOL)
        if not isinstance(reduced, tuple) or len(reduced) < 3 or not isinstance(reduced[2], dict):
            return reduced
        state = written_state(reduced[2])
        if isinstance(value, RNNBase):  # torch keeps them, and does not look for them after loading
            state["_flat_weights"] = list(value._flat_weights)
        return *reduced[:2], state, *reduced[3:]

    def array(self, value: Any) -> Any:
        """An array or number of NumPy's; raises SaveError for one of Python's objects."""
        if value.dtype.kind not in PLAIN_KINDS:
            raise SaveError(refusal(value, None))
        return NotImplemented


def wrap_plain(value: Tensor) -> Tensor:
    """A plain tensor that lies where a parameter does."""
    return value.detach().as_subclass(Tensor)  # type: ignore[attr-defined, no-any-return]


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
)
"""How objects of these classes are made again."""


def opcodes_of(value: Any) -> tuple[bytes, dict[str, np.ndarray[Any, Any]]]:
    """The opcodes that make an object, and the memory of its storages by key.

    Raises:
        SaveError: part of it cannot be written.
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
