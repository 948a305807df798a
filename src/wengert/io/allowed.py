"""The names in torch's archives that mean something here, and what each gives. No file reaches any other.

Tensors and containers are made here, other objects of Python and NumPy in `plain_objects`, layers, optimisers and what
the program has named (`trusted`) in `instances`.
"""

from __future__ import annotations

from argparse import Namespace
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from functools import partial
from pickle import UnpicklingError
from types import SimpleNamespace
from typing import Any

import numpy as np

from .._core import flags
from .._core.tensor.base import set_up
from .._core.tensor.postponed import postponed
from .._core.tensor.storage import Storage
from .._core.types import devices
from .._core.types.sizes import Size
from .._tensor import Tensor
from .._tensor.attributes import dtypes
from .._tensor.pickling import rebuild_meta
from ..nn import Buffer, Parameter, UninitializedBuffer, UninitializedParameter
from ..nn.parameter import UninitializedTensorMixin
from ..ops.memory.storages import StorageBase, TypedStorage
from . import instances, plain_objects, trusted
from .budget import INSTANCE, ITEM, RESULT, TENSOR, Budget
from .errors import shown
from .opcodes import LONGEST_NAME, Name
from .placing import Placer, check_lengths, check_requires_grad, take_attributes

STORAGES = {
    dtype.legacy.replace("Tensor", "Storage"): dtype.name for dtype in dtypes.ALL if dtype.legacy.endswith("Tensor")
}
STORAGES["BFloat16Storage"] = "bfloat16"
"""Types of storages, and the dtypes of their elements."""
DTYPES = {*(dtype.name for dtype in dtypes.ALL), "bfloat16", *dtypes.UNHELD}
TENSORS = {name.replace("Storage", "Tensor") for name in STORAGES}
"""Classes of tensors, which versions of torch before 0.4 wrote."""
BUILTINS = {"__builtin__", "builtins"}
FACTORIES: dict[str, Any] = {
    kind.__name__: kind for kind in (list, dict, set, tuple, int, float, str, bool, bytes, complex)
} | {"long": int, "unicode": str}  # as Python 2 called them
"""What a defaultdict may make of itself."""


META = "torch._utils._rebuild_meta_tensor_no_storage"
OF_CLASS = "torch._tensor._rebuild_from_type_v2"


class Untyped:
    """Stands for the type of storages that have no dtype."""


def is_factory(name: Any) -> bool:
    """Whether a name is one of Python's types that a defaultdict may make."""
    return isinstance(name, Name) and name.module in BUILTINS and name.name in FACTORIES


class Allowed:
    """Gives the names in torch's files their meaning; no file reaches any other.

    Args:
        objects: pays for the objects that are built.
        memory: pays for looking through the memory of storages.
    """

    def __init__(self, objects: Budget, memory: Budget) -> None:
        self.objects, self.memory = objects, memory
        self.placer = Placer(memory)

    def find(self, name: Name) -> Any:
        """Return what a global name stands for: a dtype, a layout, a class of tensors, or itself, if it may be called.

        Raises:
            UnpicklingError: if it is not allowed.
        """
        if name.module == "torch" and name.name in DTYPES:
            return dtypes.by_name(name.name)
        if name.module in ("torch", "torch.cuda") and (name.name in STORAGES or name.name in TENSORS):
            return name
        value = VALUES.get(str(name))
        if value is not None:
            return value
        if str(name) in CALLS:
            return name
        value = trusted.find(name.module, name.name)
        if value is not None:
            return value
        if is_factory(name):
            return name
        raise trusted.NotAllowedError(trusted.refusal([str(name)]))

    def call(self, function: Any, arguments: tuple[Any, ...]) -> Any:
        """Return what a name gives with these arguments, whose copies and the result are paid for.

        Raises:
            UnpicklingError: if it may not be called.
            ValueError: if the arguments are not those that torch writes.
        """
        if isinstance(function, type) and issubclass(function, UninitializedTensorMixin):
            return self.uninitialized(function, arguments)
        if function is Parameter:
            return self.create(function, arguments)
        if isinstance(function, Name) and function.name in TENSORS:
            return self.empty(function.name, arguments)
        self.objects.copy(*arguments)
        if not isinstance(function, Name):
            return instances.call(function, arguments)
        known = CALLS.get(str(function))
        if known is None:
            raise UnpicklingError(f"{words(function)} may not be called")
        try:
            return known(self, *arguments)
        except (TypeError, AttributeError, RuntimeError, LookupError) as error:
            raise ValueError(f"{function}: {error}") from error

    def create(self, cls: Any, arguments: tuple[Any, ...]) -> Any:
        """Return a new object: a layer, an optimiser; a Parameter, which versions of torch before 0.4 wrote so.

        Raises:
            UnpicklingError: if files may not make objects of that class.
        """
        self.objects.spend(INSTANCE)
        if cls is Namespace and not arguments:
            return Namespace()
        if isinstance(cls, Name):
            raise UnpicklingError(f"{words(cls)} may not be created")
        if cls is not Parameter:
            return instances.create(cls, arguments)
        if not 1 <= len(arguments) <= 2:
            raise ValueError("a Parameter is created of a tensor, and whether it requires a gradient")
        self.objects.spend(RESULT)
        return self.parameter(arguments[0], arguments[1] if len(arguments) == 2 else True)

    def set_state(self, value: Any, state: Any) -> None:
        """Set the state of an object: the attributes of an OrderedDict or a layer, what versions of torch before 0.4
        wrote of a tensor.

        Raises:
            UnpicklingError: if the object is of another kind, or may not have such attributes.
        """
        self.objects.copy(*(state if isinstance(state, tuple) else (state,)))
        if isinstance(value, Tensor) and isinstance(state, tuple) and len(state) in (3, 4, 5):
            try:
                return self.set_old_state(value, state)
            except RuntimeError as error:
                raise ValueError(str(error)) from error
        if type(value) is OrderedDict:
            take_attributes(value, state, self.objects)
        elif not plain_objects.set_state(value, state, self.objects):
            instances.restore(value, state)

    def set_old_state(self, value: Tensor, state: tuple[Any, ...]) -> None:
        """Give a tensor its memory (storage, offset, shape, strides), or say whether it requires a gradient
        (requires_grad, volatile, hooks), or both: (tensor, ..., hooks, requires_grad, volatile).
        """
        if len(state) > 3:
            data = self.rebuild_v2(*state) if len(state) == 4 else state[0]
            if not isinstance(data, Tensor) or data.dtype is not value.dtype or data._flags_ & flags.SPARSE:
                raise ValueError("a state of a tensor is of another dtype, or none")
            value.data = data  # type: ignore[attr-defined]
        if len(state) != 4:
            requires_grad = state[0] if len(state) == 3 else state[3]
            check_requires_grad(requires_grad, value.dtype)
            value.requires_grad = requires_grad

    # ---- tensors -----------------------------------------------------------------------------------------------------

    def empty(self, name: str, arguments: tuple[Any, ...]) -> Tensor:
        """An empty tensor of an old class, whose state follows."""
        if arguments:
            raise ValueError("a tensor is made of values, not of a state")
        self.objects.spend(TENSOR)
        memory = Storage(np.empty(0, np.uint8))
        dtype = dtypes.by_name(STORAGES[name.replace("Tensor", "Storage")])
        return self.placer.place(Tensor, memory, dtype, 0, (0,), (1,), False)

    def rebuild_v2(
        self,
        storage: Any,
        offset: Any,
        size: Any,
        stride: Any,
        requires_grad: Any = False,
        hooks: Any = None,
        metadata: Any = None,
    ) -> Tensor:
        """A tensor in a typed storage."""
        if not isinstance(storage, TypedStorage):
            raise ValueError("a tensor's memory is no typed storage")
        return self.rebuild_v3(storage, offset, size, stride, requires_grad, hooks, storage.dtype, metadata)

    def rebuild_v3(
        self,
        storage: Any,
        offset: Any,
        size: Any,
        stride: Any,
        requires_grad: Any,
        hooks: Any,
        dtype: Any,
        metadata: Any = None,
    ) -> Tensor:
        """A tensor in a storage; perhaps one that stands for the conjugate or the negative of its memory."""
        if not isinstance(storage, StorageBase) or not isinstance(dtype, dtypes.dtype):
            raise ValueError("a tensor has no memory, or no dtype")
        signs = {} if metadata is None else metadata
        if type(signs) is not dict or set(signs) - {"conj", "neg"} or set(map(type, signs.values())) - {bool}:
            raise ValueError(f"a tensor has the metadata {shown(signs)}")
        for sign in signs:
            if dtype.numpy.kind not in "fc" or (sign == "conj" and not dtype.is_complex):
                raise ValueError(f"{dtype} has no {sign}")
        self.objects.spend(TENSOR)
        if dtype.name in dtypes.UNHELD:
            raise UnpicklingError(f"there are no tensors of {dtype} here")
        memory = storage._memory
        if not any(signs.values()):
            return self.placer.place(Tensor, memory, dtype, offset, size, stride, requires_grad)
        check_requires_grad(requires_grad, dtype)
        result = self.placer.place(Tensor, memory, dtype, offset, size, stride, False)
        set_up(result, postponed(result._array_, signs.get("conj", False), signs.get("neg", False)), memory)
        result.requires_grad = requires_grad
        return result

    def meta(self, dtype: Any, shape: Any, strides: Any, requires_grad: Any) -> Tensor:
        """A tensor on the device "meta"."""
        if not isinstance(dtype, dtypes.dtype):
            raise ValueError("a tensor has no dtype")
        check_lengths(0, shape, strides)
        check_requires_grad(requires_grad, dtype)
        self.objects.spend(TENSOR)
        return rebuild_meta(Tensor, tuple(shape), dtype, tuple(strides), requires_grad)

    def parameter(self, data: Any, requires_grad: Any, hooks: Any = None, state: Any = None) -> Parameter:
        """A Parameter on the memory of a tensor."""
        if not isinstance(data, Tensor):
            raise ValueError("a Parameter has no tensor")
        check_requires_grad(requires_grad, data.dtype)
        self.objects.spend(TENSOR)
        result = Parameter(data.detach(), requires_grad)  # type: ignore[attr-defined]
        if state is not None:
            take_attributes(result, state, self.objects)
        return result

    def uninitialized(self, cls: Any, arguments: tuple[Any, ...]) -> Tensor:
        """A parameter or buffer of a lazy layer, which has no values yet."""
        if len(arguments) != 1 or type(arguments[0]) is not bool:
            raise ValueError(f"a {cls.__name__} is made of whether it requires a gradient")
        self.objects.spend(TENSOR)
        return cls(arguments[0])  # type: ignore[no-any-return]

    def of_class(self, function: Any, cls: Any, arguments: Any, state: Any) -> Tensor:
        """A tensor of one of the classes that are known, with what the program put on it."""
        if not isinstance(arguments, tuple) or not isinstance(cls, type) or not issubclass(cls, Tensor):
            raise ValueError("a tensor of no class")
        if type(state) is not dict or function == Name(*OF_CLASS.rsplit(".", 1)):
            raise ValueError("a tensor of a class has no attributes, or is made of another one")
        result = self.call(function, arguments)
        if not isinstance(result, Tensor):
            raise ValueError("a tensor of a class is none")
        if cls is Buffer or state.get("_is_buffer") is True:
            state = {name: value for name, value in state.items() if name != "_is_buffer"}
            result = Buffer(result, persistent=state.get("persistent", True) is True)
        elif cls is Parameter and not isinstance(result, Parameter):
            result = self.parameter(result, result.requires_grad)
        elif type(result) is Tensor and cls is not Tensor:
            result = instances.by_program(result.as_subclass, cls)  # type: ignore[attr-defined]
        take_attributes(result, state, self.objects)
        return result

    def sparse(self, layout: Any, parts: Any) -> Tensor:
        """A sparse tensor of its parts: places, entries and size, and whether it is coalesced, which torch's older
        files do not say; of a compressed one where lines begin, too. What is in them is checked.
        """
        if not isinstance(layout, devices.layout) or not isinstance(parts, tuple) or layout is devices.strided:
            raise ValueError("a sparse tensor has no sparse layout, or no parts")
        plain = layout is devices.sparse_coo
        places, rest = (parts[:1], parts[1:]) if plain else (parts[:2], parts[2:])
        coalesced = rest[2] if plain and len(rest) == 3 else None
        if len(rest) - plain not in (1, 2) or not (coalesced is None or type(coalesced) is bool):
            raise ValueError("a sparse tensor has not the parts that torch writes")
        if not all(isinstance(part, Tensor) and not part._flags_ & flags.SPARSE for part in (*places, rest[0])):
            raise ValueError("a part of a sparse tensor is no dense tensor")
        self.objects.spend(TENSOR)
        return self.placer.sparse(
            Tensor, places, rest[0], self.size(rest[1]), bool(coalesced) if plain else layout.name
        )

    # ---- plain values ------------------------------------------------------------------------------------------------

    def layout(self, name: Any) -> devices.layout:
        """A layout, by the name that torch gives it."""
        from ..ops.sparse.layouts import ALL

        for known in (devices.strided, devices.sparse_coo, *ALL):
            if isinstance(name, str) and name == f"torch.{known.name}":
                return known
        raise ValueError(f"there is no layout {shown(name)}")

    def size(self, lengths: Any) -> Size:
        """A size."""
        if not isinstance(lengths, (tuple, list)) or not all(type(length) is int for length in lengths):
            raise ValueError("these are no lengths")
        return Size(lengths)

    def device(self, kind: Any, index: Any = None) -> devices.device:
        """A device, by its name."""
        if not isinstance(kind, str) or len(kind) > LONGEST_NAME:
            raise ValueError("a device has no name")
        return devices.device(kind, index)

    def items(self, target: Any, pairs: Any) -> Any:
        """A dictionary with items that are given as pairs."""
        if isinstance(pairs, dict):
            pairs = pairs.items()
        elif not isinstance(pairs, (list, tuple)):
            raise ValueError(f"a {type(target).__name__} of no pairs")
        else:
            self.objects.spend(ITEM * len(pairs))
        for key, value in pairs:
            self.objects.put(target, key, value)
        return target

    def ordered(self, pairs: Any = ()) -> OrderedDict[Any, Any]:
        """An OrderedDict."""
        return self.items(OrderedDict(), pairs)  # type: ignore[no-any-return]

    def counter(self, counts: Any = None) -> Counter[Any]:
        """A Counter."""
        if not isinstance(counts, (dict, type(None))):
            raise ValueError("a Counter of no dictionary")
        return self.items(Counter(), counts or {})  # type: ignore[no-any-return]

    def default(self, factory: Any = None, items: Any = ()) -> defaultdict[Any, Any]:
        """A defaultdict whose factory is one of Python's types."""
        if isinstance(factory, Name) and is_factory(factory):
            factory = FACTORIES[factory.name]
        elif factory is not None and not trusted.is_factory(factory):
            raise ValueError("a defaultdict whose factory is not one of Python's types")
        return self.items(defaultdict(factory), items)  # type: ignore[no-any-return]

    def member(self, owner: Any, name: Any) -> Any:
        """An operator, or a class within one that the program has named: looked up by name, as `find` does."""
        if isinstance(owner, Name):
            module, own = owner.module, owner.name
        else:
            module, own = getattr(owner, "__module__", ""), getattr(owner, "__qualname__", "")
        value = trusted.find(str(module), f"{own}.{name}") if isinstance(name, str) else None
        if value is None:
            raise trusted.NotAllowedError(trusted.refusal([f"{module}.{own}.{shown(name)}"]))
        return value

    def nothing(self, *arguments: Any) -> Any:
        """Refused: a class of torch's whose operators are named by it.

        Raises:
            UnpicklingError: always.
        """
        raise UnpicklingError("'torch._C._VariableFunctionsClass' may not be called")

    def set_of(self, values: Any = ()) -> set[Any]:
        """A set."""
        if not isinstance(values, (list, tuple, set, frozenset)):
            raise ValueError("a set of no members")
        result: set[Any] = set()
        for value in values:
            self.objects.add(result, value)
        return result

    def frozenset_of(self, values: Any = ()) -> frozenset[Any]:
        """A frozenset."""
        return frozenset(self.set_of(values))

    def encoded(self, text: Any, coding: Any) -> bytes:
        """Bytes that were written as a text, each as a letter."""
        if not isinstance(text, str) or not isinstance(coding, str) or coding != "latin1":
            raise ValueError("bytes that are not written in latin1")
        return text.encode("latin1")

    def no_bytes(self) -> bytes:
        """Empty bytes, which Python 2 had no opcode for."""
        return b""

    def byte_array(self, content: Any = b"", coding: Any = None) -> bytearray:
        """A bytearray of bytes; never of a length."""
        return bytearray(content if isinstance(content, bytes) else self.encoded(content, coding))

    def complex_number(self, real: Any = 0.0, imag: Any = 0.0) -> complex:
        """A complex number of two real ones."""
        if not all(isinstance(part, (int, float)) for part in (real, imag)):
            raise ValueError("a complex number of what are no numbers")
        return complex(real, imag)


def without_self(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that needs nothing of `Allowed`, as one that is called with it."""
    return lambda self, *arguments: function(*arguments)


VALUES: dict[str, Any] = {
    "torch.Tensor": Tensor, "torch.nn.parameter.Parameter": Parameter, "torch.nn.parameter.Buffer": Buffer,
    "torch.nn.parameter.UninitializedParameter": UninitializedParameter,
    "torch.nn.parameter.UninitializedBuffer": UninitializedBuffer, **plain_objects.VALUES,
    "torch.storage.UntypedStorage": Untyped, "torch.strided": devices.strided,
    **{f"torch.{format_.name}": format_ for format_ in (devices.preserve_format, devices.contiguous_format)},
    **{f"torch.{format_.name}": format_ for format_ in (devices.channels_last, devices.channels_last_3d)},
}  # fmt: skip
CALLS: dict[str, Callable[..., Any]] = {
    "torch._utils._rebuild_tensor": Allowed.rebuild_v2,
    "torch._utils._rebuild_tensor_v2": Allowed.rebuild_v2,
    "torch._utils._rebuild_tensor_v3": Allowed.rebuild_v3,
    "torch._utils._rebuild_sparse_tensor": Allowed.sparse,
    "torch._utils._rebuild_parameter": Allowed.parameter,
    "torch._utils._rebuild_parameter_with_state": Allowed.parameter,
    META: Allowed.meta,
    OF_CLASS: Allowed.of_class,
    "torch.Size": Allowed.size,
    "torch.device": Allowed.device,
    "torch.serialization._get_layout": Allowed.layout,
    "collections.OrderedDict": Allowed.ordered,
    "collections.Counter": Allowed.counter,
    "collections.defaultdict": Allowed.default,
    "_codecs.encode": Allowed.encoded,
    **{name: without_self(function) for name, function in plain_objects.CALLS.items()},
    **dict.fromkeys(("__builtin__.getattr", "builtins.getattr"), Allowed.member),
    "torch._C._VariableFunctionsClass": Allowed.nothing,
    **{
        f"{module}.{name}": function
        for module in sorted(BUILTINS)
        for name, function in (
            ("set", Allowed.set_of),
            ("frozenset", Allowed.frozenset_of),
            ("bytearray", Allowed.byte_array),
            ("bytes", Allowed.no_bytes),
            ("complex", Allowed.complex_number),
        )
    },
}
"""All that may be called, by name."""


def words(value: Any) -> str:
    """A few letters for a value that may be a name."""
    return repr(str(value)) if isinstance(value, Name) else shown(value)


HOLDERS = (Tensor, OrderedDict, Namespace, SimpleNamespace)
"""Classes of Python's and of tensors whose instances have attributes."""
LEAVES = frozenset({str, int, float, bool, bytes, type(None)})
"""Classes of values that hold no others."""
UNFIT = {Untyped, Tensor, Parameter, Buffer, np.ndarray, Namespace}
"""Classes that files name to make others, but may not hold."""


def check_result(result: Any) -> None:
    """Refuse names that nobody called.

    Raises:
        UnpicklingError: one is part of the result.
    """
    waiting, seen = [result], set()
    while waiting:
        value = waiting.pop()
        kind = type(value)
        if kind in LEAVES:
            continue
        if kind is Name or (isinstance(value, type) and value in UNFIT):
            raise UnpicklingError(f"{words(value)} is a value, but files hold no functions and classes")
        if id(value) in seen:
            continue
        seen.add(id(value))
        if kind is dict:
            waiting.extend(value.keys())
            waiting.extend(value.values())
        elif kind is list or kind is tuple:
            waiting.extend(value)
        else:
            waiting.extend(parts_of(value))


def parts_of(value: Any) -> list[Any]:
    """What an object that a file made holds: items, attributes, arguments."""
    parts: list[Any] = []
    if isinstance(value, HOLDERS) or trusted.is_instance(type(value)):
        parts.extend(getattr(value, "__dict__", {}).values())
    if isinstance(value, dict):
        parts.extend([*value.keys(), *value.values()])
    elif isinstance(value, (list, tuple, set, frozenset, deque)):
        parts.extend(value)
    elif isinstance(value, partial):
        parts.extend([value.func, *value.args, *value.keywords.values()])
    return parts
