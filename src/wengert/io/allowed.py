"""The names in torch's archives that mean something here, and what each gives. No file reaches any other."""

from __future__ import annotations

import reprlib
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable
from pickle import UnpicklingError
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from .._core import flags
from .._core.tensor.storage import Storage
from .._core.types import devices
from .._core.types.sizes import Size
from ..nn import Buffer, Parameter
from ..ops.memory.storages import StorageBase, TypedStorage
from ..pickling import rebuild_sparse
from ..tensor import Tensor, dtypes
from .opcodes import Name, put_items
from .placing import place, take_attributes

STORAGES = {
    each.legacy.replace("Tensor", "Storage"): each.name for each in dtypes.ALL if each.legacy.endswith("Tensor")
}
STORAGES["BFloat16Storage"] = "bfloat16"
"""Types of storages, and the dtypes of their elements."""
DTYPES = {*(each.name for each in dtypes.ALL), "bfloat16"}
BUILTINS = {"__builtin__", "builtins"}
FACTORIES: dict[str, Any] = {
    each.__name__: each for each in (list, dict, set, tuple, int, float, str, bool, bytes, complex)
}
"""What a defaultdict may make of itself."""


class Untyped:
    """Stands for the type of storages that have no dtype."""


def find(name: Name) -> Any:
    """What a global name stands for: a dtype, a layout, a class of tensors, or itself, if it may be called.

    Raises:
        UnpicklingError: it is not allowed.
    """
    if name.module == "torch" and name.name in DTYPES:
        return dtypes.by_name(name.name)
    if name.module in ("torch", "torch.cuda") and name.name in STORAGES:
        return name
    found = VALUES.get(str(name))
    if found is not None:
        return found
    if str(name) in CALLS or (name.module in BUILTINS and name.name in FACTORIES):
        return name
    raise UnpicklingError(f"Unsupported global: GLOBAL {name} was not an allowed global")


def call(function: Any, arguments: tuple[Any, ...]) -> Any:
    """What a name gives with these arguments.

    Raises:
        UnpicklingError: it is none that may be called.
        ValueError: the arguments are not those that torch writes.
    """
    known = CALLS.get(str(function)) if isinstance(function, Name) else None
    if known is None:
        raise UnpicklingError(f"{reprlib.repr(str(function))} may not be called")
    try:
        return known(*arguments)
    except (TypeError, AttributeError) as error:
        raise ValueError(f"{function}: {error}") from error


def set_state(made: Any, state: Any) -> None:
    """What torch puts on an object after it was made: the attributes of an OrderedDict.

    Raises:
        UnpicklingError: the object is of another kind.
    """
    if not isinstance(made, OrderedDict):
        raise UnpicklingError(f"a {type(made).__name__} may not be given a state")
    take_attributes(made, state)


def check_result(made: Any) -> None:
    """Refuse names that nobody called.

    Raises:
        UnpicklingError: one is part of the result.
    """
    waiting, seen = [made], set()
    while waiting:
        value = waiting.pop()
        if isinstance(value, Name) or value is Untyped or isinstance(value, type):
            raise UnpicklingError(f"{reprlib.repr(str(value))} is a value, but files hold no functions and classes")
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, dict):
            waiting.extend([*value.keys(), *value.values(), *getattr(value, "__dict__", {}).values()])
        elif isinstance(value, (list, tuple, set, frozenset)):
            waiting.extend(value)
        elif isinstance(value, Tensor):
            waiting.extend(vars(value).values())


# ---- what the names give ---------------------------------------------------------------------------------------------


def rebuild_v2(
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
    return rebuild_v3(storage, offset, size, stride, requires_grad, hooks, storage.dtype, metadata)


def rebuild_v3(
    storage: Any, offset: Any, size: Any, stride: Any, requires_grad: Any, hooks: Any, dtype: Any, metadata: Any = None
) -> Tensor:
    """A tensor in a storage; one that torch keeps as the conjugate or the negative of its memory is computed."""
    if not isinstance(storage, StorageBase) or not isinstance(dtype, dtypes.dtype):
        raise ValueError("a tensor has no memory, or no dtype")
    signs = metadata or {}
    if not isinstance(signs, dict) or set(signs) - {"conj", "neg"}:
        raise ValueError(f"a tensor has the metadata {reprlib.repr(signs)}")
    memory = storage._memory
    for sign, kernel in (("conj", np.conjugate), ("neg", np.negative)):
        if signs.get(sign):
            memory = computed(memory, dtype, sign, kernel)
    return with_gradient(place(Tensor, memory, dtype, offset, size, stride, False), requires_grad)


COMPUTED: WeakKeyDictionary[Storage, dict[tuple[str, str], Storage]] = WeakKeyDictionary()
"""The conjugates and negatives of storages: one of each, however many tensors lie there."""


def computed(storage: Storage, dtype: dtypes.dtype, sign: str, kernel: Any) -> Storage:
    """The conjugate or the negative of all that a storage holds."""
    if dtype.numpy.kind not in "fc" or (sign == "conj" and not dtype.is_complex):
        raise ValueError(f"{dtype} has no {sign}")
    known = COMPUTED.setdefault(storage, {})
    if (sign, dtype.name) not in known:
        whole = storage.array[: storage.array.size // dtype.itemsize * dtype.itemsize].view(dtype.numpy)
        known[sign, dtype.name] = Storage(kernel(whole).view(np.uint8))
    return known[sign, dtype.name]


def with_gradient(made: Tensor, requires_grad: Any) -> Tensor:
    """The tensor, which requires a gradient if that is said."""
    if requires_grad not in (True, False) or (requires_grad and dtype_has_none(made)):
        raise ValueError(f"requires_grad is {requires_grad!r} for {made.dtype}")
    made.requires_grad = bool(requires_grad)
    return made


def dtype_has_none(made: Tensor) -> bool:
    """Whether a tensor's dtype has no gradients."""
    return not (made.dtype.is_floating_point or made.dtype.is_complex)


def parameter(data: Any, requires_grad: Any, hooks: Any = None, state: Any = None) -> Parameter:
    """A Parameter on the memory of a tensor."""
    if not isinstance(data, Tensor) or requires_grad not in (True, False) or (requires_grad and dtype_has_none(data)):
        raise ValueError("a Parameter has no tensor, or cannot require a gradient")
    made = Parameter(data.detach(), requires_grad)  # type: ignore[attr-defined]
    take_attributes(made, state or {})
    return made


def of_class(function: Any, cls: Any, arguments: Any, state: Any) -> Tensor:
    """A tensor of one of the classes that are known, with what the program put on it."""
    if not isinstance(arguments, tuple) or not isinstance(cls, type) or not issubclass(cls, Tensor):
        raise ValueError("a tensor of no class")
    made = call(function, arguments)
    if not isinstance(made, Tensor):
        raise ValueError("a tensor of a class is none")
    if cls is Buffer:
        state = {name: value for name, value in state.items() if name != "_is_buffer"}
        made = Buffer(made, persistent=state.get("persistent", True) is True)
    elif cls is Parameter and not isinstance(made, Parameter):
        made = parameter(made, made.requires_grad)
    take_attributes(made, state)
    return made


def sparse(layout: Any, parts: Any) -> Tensor:
    """A sparse tensor of its parts: places, entries and size, and whether it is coalesced, which torch's older files
    do not say; of a compressed one where lines begin, too. What is in them is checked.
    """
    if not isinstance(layout, devices.layout) or not isinstance(parts, tuple) or layout is devices.strided:
        raise ValueError("a sparse tensor has no sparse layout, or no parts")
    indices, rest = (parts[:1], parts[1:]) if layout is devices.sparse_coo else (parts[:2], parts[2:])
    coalesced = rest[2] if layout is devices.sparse_coo and len(rest) == 3 else False
    if len(rest) - (layout is devices.sparse_coo) not in (1, 2) or coalesced not in (True, False, None):
        raise ValueError("a sparse tensor has not the parts that torch writes")
    values, shape = rest[0], size(rest[1])
    if not all(isinstance(each, Tensor) and not each._flags_ & flags.SPARSE for each in (*indices, values)):
        raise ValueError("a part of a sparse tensor is no dense tensor")
    if layout is devices.sparse_coo and indices[0].dtype is not dtypes.int64:
        raise ValueError("the places of a sparse tensor are not of int64")
    arrays = tuple([each._array_ for each in indices])
    form = bool(coalesced) if layout is devices.sparse_coo else layout.name
    try:
        return rebuild_sparse(Tensor, arrays[0] if len(arrays) == 1 else arrays, values.detach(), shape, form, False)  # type: ignore[attr-defined]
    except RuntimeError as error:
        raise ValueError(str(error)) from error


def layout_of(name: Any) -> devices.layout:
    """A layout, by the name that torch gives it."""
    for known in (devices.strided, devices.sparse_coo):
        if name == f"torch.{known.name}":
            return known
    from ..ops.sparse.layouts import ALL

    found = [each for each in ALL if name == f"torch.{each.name}"]
    if not found:
        raise ValueError(f"there is no layout {reprlib.repr(name)}")
    return found[0]


def size(lengths: Any) -> Size:
    """A size."""
    if not isinstance(lengths, (tuple, list)) or not all(type(each) is int for each in lengths):
        raise ValueError("these are no lengths")
    return Size(lengths)


def device(kind: Any, index: Any = None) -> devices.device:
    """A device, by its name."""
    try:
        return devices.device(kind, index)
    except RuntimeError as error:
        raise ValueError(str(error)) from error


def ordered(pairs: Any = ()) -> OrderedDict[Any, Any]:
    """An OrderedDict."""
    made: OrderedDict[Any, Any] = OrderedDict()
    put_items(made, pairs)
    return made


def counter(counts: Any = None) -> Counter[Any]:
    """A Counter."""
    if not isinstance(counts, (dict, type(None))):
        raise ValueError("a Counter of no dictionary")
    return Counter(counts or {})


def default(factory: Any = None, items: Any = ()) -> defaultdict[Any, Any]:
    """A defaultdict whose factory is one of Python's types."""
    if factory is not None and not (isinstance(factory, Name) and factory.name in FACTORIES):
        raise ValueError("a defaultdict whose factory is not one of Python's types")
    made: defaultdict[Any, Any] = defaultdict(None if factory is None else FACTORIES[factory.name])
    put_items(made, items)
    return made


def encoded(text: Any, coding: Any) -> bytes:
    """Bytes that were written as a text, each as a letter."""
    if not isinstance(text, str) or coding != "latin1":
        raise ValueError("bytes that are not written in latin1")
    return text.encode("latin1")


def byte_array(content: Any = b"", coding: Any = None) -> bytearray:
    """A bytearray of bytes; never of a length."""
    return bytearray(content if isinstance(content, bytes) else encoded(content, coding))


def members(values: Any = ()) -> list[Any]:
    """The members of a set, which can be hashed."""
    made: dict[Any, Any] = {}
    put_items(made, ((each, None) for each in values))
    return list(made)


def complex_number(real: Any = 0.0, imag: Any = 0.0) -> complex:
    """A complex number of two real ones."""
    if not all(isinstance(each, (int, float)) for each in (real, imag)):
        raise ValueError("a complex number of what are no numbers")
    return complex(real, imag)


VALUES: dict[str, Any] = {
    "torch.Tensor": Tensor, "torch.nn.parameter.Parameter": Parameter, "torch.nn.parameter.Buffer": Buffer,
    "torch.storage.UntypedStorage": Untyped, "torch.strided": devices.strided,
    **{f"torch.{each.name}": each for each in (devices.preserve_format, devices.contiguous_format)},
    **{f"torch.{each.name}": each for each in (devices.channels_last, devices.channels_last_3d)},
}  # fmt: skip
CALLS: dict[str, Callable[..., Any]] = {
    "torch._utils._rebuild_tensor": rebuild_v2,
    "torch._utils._rebuild_tensor_v2": rebuild_v2,
    "torch._utils._rebuild_tensor_v3": rebuild_v3,
    "torch._utils._rebuild_sparse_tensor": sparse,
    "torch._utils._rebuild_parameter": parameter,
    "torch._utils._rebuild_parameter_with_state": parameter,
    "torch._tensor._rebuild_from_type_v2": of_class,
    "torch.Size": size,
    "torch.device": device,
    "torch.serialization._get_layout": layout_of,
    "collections.OrderedDict": ordered,
    "collections.Counter": counter,
    "collections.defaultdict": default,
    "_codecs.encode": encoded,
    **{
        f"{module}.{name}": function
        for module in sorted(BUILTINS)
        for name, function in (
            ("set", lambda values=(): set(members(values))),
            ("frozenset", lambda values=(): frozenset(members(values))),
            ("bytearray", byte_array),
            ("complex", complex_number),
        )
    },
}
"""All that may be called, by name."""
