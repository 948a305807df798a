"""Names that torch's archives may use, with their meaning. A file cannot use any other name.

Tensors and containers are built here, other objects of Python and NumPy in `plain_objects`, and layers, optimisers and
objects that the program allows (`trusted`) in `instances`.
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
"""Types of storages with the dtypes of their elements."""
DTYPES = {*(dtype.name for dtype in dtypes.ALL), "bfloat16", *dtypes.UNHELD}
TENSORS = {name.replace("Storage", "Tensor") for name in STORAGES}
"""Classes of tensors in files of torch before version 0.4."""
BUILTINS = {"__builtin__", "builtins"}
FACTORIES: dict[str, Any] = {
    kind.__name__: kind for kind in (list, dict, set, tuple, int, float, str, bool, bytes, complex)
} | {"long": int, "unicode": str}  # their names in Python 2
"""Allowed factories of a defaultdict."""


META = "torch._utils._rebuild_meta_tensor_no_storage"
OF_CLASS = "torch._tensor._rebuild_from_type_v2"


class Untyped:
    """Placeholder for the type of storages without a dtype."""


def is_factory(name: Any) -> bool:
    """Return whether a name is an allowed factory of a defaultdict."""
    return isinstance(name, Name) and name.module in BUILTINS and name.name in FACTORIES


class Allowed:
    """Resolve the names in torch's files; a file cannot use any other name.

    Args:
        objects: budget for the objects that are built.
        memory: budget for reading through the memory of storages.
    """

    def __init__(self, objects: Budget, memory: Budget) -> None:
        self.objects, self.memory = objects, memory
        self.placer = Placer(memory)

    def find(self, name: Name) -> Any:
        """Return the meaning of a global name: a dtype, a layout, a class of tensors, or a name that may be called.

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
        """Return the result of calling a name with arguments; their copies and the result are charged to the budget.

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
        """Return a new object: a layer, an optimiser, or a Parameter from torch before version 0.4.

        Raises:
            UnpicklingError: if files may not create objects of this class.
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
        """Set the state of an object: attributes of an OrderedDict or a layer, or a tensor's state before torch 0.4.

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
        """Set the state of a tensor from torch before version 0.4.

        It is the memory (storage, offset, shape, strides), the flags (requires_grad, volatile, hooks), or both (tensor,
        ..., hooks, requires_grad, volatile).
        """
        if len(state) > 3:
            data = self.rebuild_v2(*state) if len(state) == 4 else state[0]
            if not isinstance(data, Tensor) or data.dtype is not value.dtype or data._flags_ & flags.SPARSE:
                raise ValueError("a state of a tensor is of another dtype, or none")
            value.data = data
        if len(state) != 4:
            requires_grad = state[0] if len(state) == 3 else state[3]
            check_requires_grad(requires_grad, value.dtype)
            value.requires_grad = requires_grad

    # ---- tensors -----------------------------------------------------------------------------------------------------

    def empty(self, name: str, arguments: tuple[Any, ...]) -> Tensor:
        """Return an empty tensor of an old class; its state follows."""
        if arguments:
            raise ValueError("a tensor is built from values, not from a state")
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
        """Return a tensor in a typed storage."""
        if not isinstance(storage, TypedStorage):
            raise ValueError("a tensor's memory is not a typed storage")
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
        """Return a tensor in a storage, perhaps as the conjugate or the negative of its memory."""
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
            raise UnpicklingError(f"tensors of {dtype} are not supported")
        memory = storage._memory
        if not any(signs.values()):
            return self.placer.place(Tensor, memory, dtype, offset, size, stride, requires_grad)
        check_requires_grad(requires_grad, dtype)
        result = self.placer.place(Tensor, memory, dtype, offset, size, stride, False)
        set_up(result, postponed(result._array_, signs.get("conj", False), signs.get("neg", False)), memory)
        result.requires_grad = requires_grad
        return result

    def meta(self, dtype: Any, shape: Any, strides: Any, requires_grad: Any) -> Tensor:
        """Return a tensor on the device "meta"."""
        if not isinstance(dtype, dtypes.dtype):
            raise ValueError("a tensor has no dtype")
        check_lengths(0, shape, strides)
        check_requires_grad(requires_grad, dtype)
        self.objects.spend(TENSOR)
        return rebuild_meta(Tensor, tuple(shape), dtype, tuple(strides), requires_grad)

    def parameter(self, data: Any, requires_grad: Any, hooks: Any = None, state: Any = None) -> Parameter:
        """Return a Parameter on the memory of a tensor."""
        if not isinstance(data, Tensor):
            raise ValueError("a Parameter has no tensor")
        check_requires_grad(requires_grad, data.dtype)
        self.objects.spend(TENSOR)
        result = Parameter(data.detach(), requires_grad)
        if state is not None:
            take_attributes(result, state, self.objects)
        return result

    def uninitialized(self, cls: Any, arguments: tuple[Any, ...]) -> Tensor:
        """Return an uninitialised parameter or buffer of a lazy layer."""
        if len(arguments) != 1 or type(arguments[0]) is not bool:
            raise ValueError(f"a {cls.__name__} is built from whether it requires a gradient")
        self.objects.spend(TENSOR)
        return cls(arguments[0])

    def of_class(self, function: Any, cls: Any, arguments: Any, state: Any) -> Tensor:
        """Return a tensor of a known class, with the attributes that the program set."""
        if not isinstance(arguments, tuple) or not isinstance(cls, type) or not issubclass(cls, Tensor):
            raise ValueError("a tensor of no class")
        if type(state) is not dict or function == Name(*OF_CLASS.rsplit(".", 1)):
            raise ValueError("a tensor of a class has no attributes, or is not built from a tensor")
        result = self.call(function, arguments)
        if not isinstance(result, Tensor):
            raise ValueError("a tensor of a class is none")
        if cls is Buffer or state.get("_is_buffer") is True:
            state = {name: value for name, value in state.items() if name != "_is_buffer"}
            result = Buffer(result, persistent=state.get("persistent", True) is True)
        elif cls is Parameter and not isinstance(result, Parameter):
            result = self.parameter(result, result.requires_grad)
        elif type(result) is Tensor and cls is not Tensor:
            result = instances.by_program(result.as_subclass, cls)
        take_attributes(result, state, self.objects)
        return result

    def sparse(self, layout: Any, parts: Any) -> Tensor:
        """Return a sparse tensor from its parts: indices, values, size, and (not in older files) if it is coalesced.

        A compressed tensor has two index tensors. All contents are checked.
        """
        if not isinstance(layout, devices.layout) or not isinstance(parts, tuple) or layout is devices.strided:
            raise ValueError("a sparse tensor has no sparse layout, or no parts")
        plain = layout is devices.sparse_coo
        places, rest = (parts[:1], parts[1:]) if plain else (parts[:2], parts[2:])
        coalesced = rest[2] if plain and len(rest) == 3 else None
        if len(rest) - plain not in (1, 2) or not (coalesced is None or type(coalesced) is bool):
            raise ValueError("a sparse tensor does not have the parts that torch writes")
        if not all(isinstance(part, Tensor) and not part._flags_ & flags.SPARSE for part in (*places, rest[0])):
            raise ValueError("a part of a sparse tensor is not a dense tensor")
        self.objects.spend(TENSOR)
        return self.placer.sparse(
            Tensor, places, rest[0], self.size(rest[1]), bool(coalesced) if plain else layout.name
        )

    # ---- plain values ------------------------------------------------------------------------------------------------

    def layout(self, name: Any) -> devices.layout:
        """Return a layout by torch's name."""
        from ..ops.sparse.layouts import ALL

        for known in (devices.strided, devices.sparse_coo, *ALL):
            if isinstance(name, str) and name == f"torch.{known.name}":
                return known
        raise ValueError(f"there is no layout {shown(name)}")

    def size(self, lengths: Any) -> Size:
        """Return a size."""
        if not isinstance(lengths, (tuple, list)) or not all(type(length) is int for length in lengths):
            raise ValueError("these are not lengths")
        return Size(lengths)

    def device(self, kind: Any, index: Any = None) -> devices.device:
        """Return a device by its name."""
        if not isinstance(kind, str) or len(kind) > LONGEST_NAME:
            raise ValueError("a device has no name")
        return devices.device(kind, index)

    def items(self, target: Any, pairs: Any) -> Any:
        """Fill a dictionary from pairs, and return it."""
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
        """Return an OrderedDict."""
        return self.items(OrderedDict(), pairs)

    def counter(self, counts: Any = None) -> Counter[Any]:
        """Return a Counter."""
        if not isinstance(counts, (dict, type(None))):
            raise ValueError("a Counter of no dictionary")
        return self.items(Counter(), counts or {})

    def default(self, factory: Any = None, items: Any = ()) -> defaultdict[Any, Any]:
        """Return a defaultdict whose factory is one of Python's types."""
        if isinstance(factory, Name) and is_factory(factory):
            factory = FACTORIES[factory.name]
        elif factory is not None and not trusted.is_factory(factory):
            raise ValueError("a defaultdict whose factory is not one of Python's types")
        return self.items(defaultdict(factory), items)

    def member(self, owner: Any, name: Any) -> Any:
        """Return an operator, or a class nested in an allowed class, looked up by name as in `find`."""
        if isinstance(owner, Name):
            module, qualname = owner.module, owner.name
        else:
            module, qualname = getattr(owner, "__module__", ""), getattr(owner, "__qualname__", "")
        value = trusted.find(str(module), f"{qualname}.{name}") if isinstance(name, str) else None
        if value is None:
            raise trusted.NotAllowedError(trusted.refusal([f"{module}.{qualname}.{shown(name)}"]))
        return value

    def nothing(self, *arguments: Any) -> Any:
        """Refuse a call of a torch class that only serves as a namespace of operators.

        Raises:
            UnpicklingError: always; the class cannot be called.
        """
        raise UnpicklingError("'torch._C._VariableFunctionsClass' may not be called")

    def set_of(self, values: Any = ()) -> set[Any]:
        """Return a set."""
        if not isinstance(values, (list, tuple, set, frozenset)):
            raise ValueError("a set of no members")
        result: set[Any] = set()
        for value in values:
            self.objects.add(result, value)
        return result

    def frozenset_of(self, values: Any = ()) -> frozenset[Any]:
        """Return a frozenset."""
        return frozenset(self.set_of(values))

    def encoded(self, text: Any, coding: Any) -> bytes:
        """Return bytes that were written as text, one character for each byte."""
        if not isinstance(text, str) or not isinstance(coding, str) or coding != "latin1":
            raise ValueError("bytes that are not written in latin1")
        return text.encode("latin1")

    def no_bytes(self) -> bytes:
        """Return empty bytes, for which Python 2 had no opcode."""
        return b""

    def byte_array(self, content: Any = b"", coding: Any = None) -> bytearray:
        """Return a bytearray of bytes, never of a length."""
        return bytearray(content if isinstance(content, bytes) else self.encoded(content, coding))

    def complex_number(self, real: Any = 0.0, imag: Any = 0.0) -> complex:
        """Return a complex number from two real ones."""
        if not all(isinstance(part, (int, float)) for part in (real, imag)):
            raise ValueError("the parts of a complex number are not numbers")
        return complex(real, imag)


def without_self(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function that does not need `Allowed` as one that takes it as the first argument."""
    return lambda self, *arguments: function(*arguments)


VALUES: dict[str, Any] = {
    "torch.Tensor": Tensor,
    "torch.nn.parameter.Parameter": Parameter,
    "torch.nn.parameter.Buffer": Buffer,
    "torch.nn.parameter.UninitializedParameter": UninitializedParameter,
    "torch.nn.parameter.UninitializedBuffer": UninitializedBuffer,
    **plain_objects.VALUES,
    "torch.storage.UntypedStorage": Untyped,
    "torch.strided": devices.strided,
    **{f"torch.{format_.name}": format_ for format_ in (devices.preserve_format, devices.contiguous_format)},
    **{f"torch.{format_.name}": format_ for format_ in (devices.channels_last, devices.channels_last_3d)},
}
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
"""All functions that may be called, by name."""


def words(value: Any) -> str:
    """Return a short text for a value that may be a name."""
    return repr(str(value)) if isinstance(value, Name) else shown(value)


HOLDERS = (Tensor, OrderedDict, Namespace, SimpleNamespace)
"""Classes of Python and of tensors whose instances have attributes."""
LEAVES = frozenset({str, int, float, bool, bytes, type(None)})
"""Classes of values that do not contain other values."""
UNFIT = {Untyped, Tensor, Parameter, Buffer, np.ndarray, Namespace}
"""Classes that files may name to build objects, but may not contain."""


def check_result(result: Any) -> None:
    """Refuse names that were not called.

    Raises:
        UnpicklingError: if one is part of the result.
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
    """Yield the contents of an object built from a file: items, attributes, arguments."""
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
