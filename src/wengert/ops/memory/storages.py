"""`Tensor.untyped_storage()` and `Tensor.storage()`: the memory of a tensor and its views, in torch's form."""

from __future__ import annotations

import operator
import sys
from typing import Any, NoReturn, Self

import numpy as np

from ..._core import flags
from ..._core.cards.arguments import asking
from ..._core.cards.late import bind
from ..._core.graph import anomaly
from ..._core.tensor.base import Tensor
from ..._core.tensor.meta_array import reserved
from ..._core.tensor.storage import Storage
from ..._core.types import dtypes
from ..._core.types.devices import device, refuse_absent
from ..._core.types.dtypes import dtype as DType, get_default_dtype, int8, uint8
from .mapped import is_shared, map_file, place_in_mapping, share
from .storage_base import StorageBase, new_memory

_IN_PACKAGE = ("StorageBase", "TypedStorage", "UntypedStorage")

DEPRECATED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. "
    "This should only matter to you if you are using storages directly.  To access UntypedStorage directly, use "
    "tensor.untyped_storage() instead of tensor.storage()"
)


ORDERS = {"native": sys.byteorder, "little": "little", "big": "big"}


class Convertible(StorageBase):
    """Storage with torch's methods for conversion: each returns new memory."""

    def _converted(self, dtype: DType) -> TypedStorage:
        if isinstance(self, NoValues):
            return TypedStorage(len(self), dtype=dtype, device=self.device)
        memory = Storage(self._elements().astype(dtype.numpy).view(np.uint8))
        return TypedStorage(wrap_storage=UntypedStorage(memory), dtype=dtype)

    def byte(self) -> TypedStorage:
        """Return the elements converted to uint8."""
        return self._converted(dtypes.uint8)

    def char(self) -> TypedStorage:
        """Return the elements converted to int8."""
        return self._converted(dtypes.int8)

    def short(self) -> TypedStorage:
        """Return the elements converted to int16."""
        return self._converted(dtypes.int16)

    def int(self) -> TypedStorage:
        """Return the elements converted to int32."""
        return self._converted(dtypes.int32)

    def long(self) -> TypedStorage:
        """Return the elements converted to int64."""
        return self._converted(dtypes.int64)

    def half(self) -> TypedStorage:
        """Return the elements converted to float16."""
        return self._converted(dtypes.float16)

    def bfloat16(self) -> TypedStorage:
        """Return the elements converted to bfloat16."""
        return self._converted(dtypes.bfloat16)

    def float(self) -> TypedStorage:
        """Return the elements converted to float32."""
        return self._converted(dtypes.float32)

    def double(self) -> TypedStorage:
        """Return the elements converted to float64."""
        return self._converted(dtypes.float64)

    def complex_float(self) -> TypedStorage:
        """Return the elements converted to complex64."""
        return self._converted(dtypes.complex64)

    def complex_double(self) -> TypedStorage:
        """Return the elements converted to complex128."""
        return self._converted(dtypes.complex128)

    def bool(self) -> TypedStorage:
        """Return the elements converted to bool."""
        return self._converted(dtypes.bool_)


class UntypedStorage(Convertible):
    """Memory of a tensor and of all that share it, byte by byte.

    Args:
        args: a number of bytes (not initialised), a sequence of bytes, or nothing.
        device: the CPU, or "meta" for a number of bytes without memory.

    Raises:
        RuntimeError: if the argument is none of these, or the device another one.

    >>> import wengert as wg
    >>> x = wg.arange(6.0)
    >>> x[2:].untyped_storage().nbytes()
    24
    >>> wg.UntypedStorage([1, 2]).tolist()
    [1, 2]
    """

    def __new__(cls, *args: Any, device: Any = None) -> Self:
        """Return a storage of the class for "meta" on that device."""
        return object.__new__(MetaStorage if cls is UntypedStorage and is_meta(device) else cls)  # type: ignore[return-value]

    def __init__(self, *args: Any, device: Any = None) -> None:
        if device is not None:
            refuse_absent(device)
        argument = args[0] if args else 0
        self._memory = (
            argument if isinstance(argument, Storage) else new_memory("torch.UntypedStorage", np.uint8, *args)
        )

    def on(self, memory: Storage) -> Self:
        """Return a storage on other memory."""
        return type(self)(memory)

    def element_size(self) -> int:
        """Return the number of bytes of an element: 1."""
        return 1

    def untyped(self) -> UntypedStorage:
        """Return the storage itself."""
        return self

    def __repr__(self) -> str:
        return f"{lines_of(self)}[torch.storage.UntypedStorage(device=cpu) of size {len(self)}]"

    def new(self) -> UntypedStorage:
        """Return an empty storage."""
        return UntypedStorage()

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """Return the name of the type."""
        return "torch.storage.UntypedStorage"

    def resize_(self, size: int) -> UntypedStorage:
        """Change the number of bytes of the storage; the bytes up to the new size stay.

        All tensors on it see the new memory. A tensor that would reach beyond the end keeps its elements.

        Args:
            size: the number of bytes.

        Returns:
            The storage itself.

        Raises:
            RuntimeError: if `size` is negative, or the memory is shared.
        """
        self.resize_bytes(size)
        return self

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return UntypedStorage(Storage(self._elements()[index]))
        return super().__getitem__(index)

    def byteswap(self, dtype: DType) -> None:
        """Swap the bytes of each element of a dtype."""
        self._elements().view(dtype.to_real().numpy).byteswap(inplace=True)

    @classmethod
    def from_buffer(
        cls, buffer: Any, byte_order: str | None = None, count: int = -1, offset: int = 0, dtype: DType | None = None
    ) -> UntypedStorage:
        """Copy the memory of an object that has the buffer protocol.

        Args:
            buffer: the object.
            byte_order: byte order of its elements: "native", "little" or "big"; int8 and uint8 need none.
            count: number of elements; all that follow if negative.
            offset: number of the first byte.
            dtype: dtype of the elements.

        Raises:
            ValueError: if there are too few bytes, a part of an element is left, or the byte order is unknown.
            RuntimeError: if `dtype` or `byte_order` is missing.
        """
        if dtype is None:
            raise RuntimeError("argument 'dtype' cannot be None")
        if byte_order is None and dtype not in (uint8, int8):
            raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
        if byte_order is not None and byte_order not in ORDERS:
            raise ValueError(f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')")
        available, itemsize = memoryview(buffer).nbytes, dtype.itemsize
        left = available - offset
        if not 0 <= offset <= available:
            raise ValueError(
                f"from_buffer(): offset must be from 0 to the length of the buffer, {available}, not {offset}"
            )
        if count < 0 and left % itemsize:
            raise ValueError(f"buffer size ({left}) must be a multiple of element size ({itemsize})")
        wanted = left if count < 0 else count * itemsize
        if wanted > left:
            raise ValueError(f"buffer has only {left // itemsize} elements after offset {offset}, not {count}")
        array = np.frombuffer(buffer, np.uint8, wanted, offset).copy() if wanted else np.empty(0, "u1")
        result = cls(Storage(array))
        if ORDERS.get(byte_order or "", sys.byteorder) != sys.byteorder:
            result.byteswap(dtype)
        return result

    @classmethod
    def from_file(cls, filename: Any, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
        """Map the first bytes of a file; see `from_file`."""
        return cls(map_file(filename, shared, operator.index(nbytes)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the bytes; `multiprocessing` sends shared memory itself."""
        return restored, (None, place_in_mapping(self._memory)[0] or self._elements())


class TypedStorage(Convertible):
    """Memory of a tensor, element by element of its dtype. (Deprecated in torch.)

    Args:
        args: a number of elements (not initialised), a sequence of numbers, or nothing.
        wrap_storage: memory to use instead of `args`.
        dtype: dtype of the elements; the default dtype by default.
        device: the CPU, or "meta" for a number of elements without memory.

    Raises:
        RuntimeError: if the argument is none of these, or the device another one.
    """

    def __new__(cls, *args: Any, wrap_storage: Any = None, dtype: DType | None = None, device: Any = None) -> Self:
        """Return a storage of the class for "meta" on that device."""
        on_meta = isinstance(wrap_storage, MetaStorage) or is_meta(device)
        return object.__new__(MetaTypedStorage if cls is TypedStorage and on_meta else cls)  # type: ignore[return-value]

    def __init__(self, *args: Any, wrap_storage: Any = None, dtype: DType | None = None, device: Any = None) -> None:
        if device is not None:
            refuse_absent(device)
        self.dtype = get_default_dtype() if dtype is None else dtype
        if wrap_storage is None:
            self._memory = new_memory(f"torch.{type(self).__name__}", self.dtype.numpy, *args)
        elif args or not isinstance(wrap_storage, UntypedStorage):
            raise TypeError("TypedStorage(): wrap_storage must be an UntypedStorage, and stand alone")
        else:
            self._memory = wrap_storage._memory

    @classmethod
    def from_buffer(
        cls, buffer: Any, *args: Any, dtype: DType | None = None, device: Any = None, **options: Any
    ) -> Self:
        """Copy the memory of an object that has the buffer protocol; see `UntypedStorage.from_buffer`.

        Args:
            buffer, args, options: those of `UntypedStorage.from_buffer`.
            dtype: dtype of the elements; the default dtype by default.
            device: the CPU.
        """
        if device is not None:
            refuse_absent(device)
        chosen = get_default_dtype() if dtype is None else dtype
        options["dtype"] = chosen
        return cls(wrap_storage=UntypedStorage.from_buffer(buffer, *args, **options), dtype=chosen)

    def on(self, memory: Storage) -> Self:
        """Return a storage on other memory."""
        return type(self)(wrap_storage=UntypedStorage(memory), dtype=self.dtype)

    def element_size(self) -> int:
        """Return the number of bytes of an element."""
        return self.dtype.itemsize

    def untyped(self) -> UntypedStorage:
        """Return the same memory byte by byte."""
        return UntypedStorage(self._memory)

    def pickle_storage_type(self) -> str:
        """Return torch's name for storages of this dtype."""
        return self.dtype.legacy.replace("Tensor", "Storage")

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """Return the name of the type."""
        return f"torch.{self.pickle_storage_type()}"

    def resize_(self, size: int) -> TypedStorage:
        """Change the number of elements; see `UntypedStorage.resize_`."""
        self.resize_bytes(operator.index(size) * self.element_size())
        return self

    def _elements(self) -> Any:
        elements = super()._elements()
        return elements[: self.size() * self.element_size()].view(self.dtype.numpy)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        return super().__getitem__(index)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the bytes and the dtype."""
        return restored, (self.dtype, UntypedStorage.__reduce__(self.untyped())[1][1])

    def __repr__(self) -> str:
        return f"{lines_of(self)}[torch.storage.TypedStorage(dtype={self.dtype}, device=cpu) of size {len(self)}]"


class NoValues(Convertible):
    """Memory of tensors on the device "meta": a number of elements without values."""

    device = device("meta")

    def _elements(self) -> NoReturn:
        raise NotImplementedError("Not available for 'meta' device type")

    def __setitem__(self, index: Any, value: Any) -> None:
        """Do nothing: there are no values."""

    def data_ptr(self) -> int:
        """Return 0: there is no memory."""
        return 0

    def fill_(self, value: Any) -> Self:
        """Return the storage itself: there are no values."""
        return self

    def cpu(self) -> NoReturn:
        """Copy to the CPU: always refused, because there are no values."""
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")

    def to(self, *, device: Any, non_blocking: bool = False) -> Self:
        """Return the storage itself on the device "meta"; refuse others."""
        return self if is_meta(device) else self.cpu()

    def clone(self) -> Self:
        """Return another storage of this size."""
        return self.on(Storage(self._memory.array.view()))

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.clone()

    def __reduce__(self) -> NoReturn:
        self.cpu()


class MetaStorage(NoValues, UntypedStorage):
    """`UntypedStorage` on the device "meta"."""

    def __init__(self, *args: Any, device: Any = None) -> None:
        argument = args[0] if args else 0
        self._memory = argument if isinstance(argument, Storage) else meta_memory("torch.UntypedStorage", 1, *args)

    def __repr__(self) -> str:
        return f"...\n[torch.storage.UntypedStorage(device=meta) of size {len(self)}]"


class MetaTypedStorage(NoValues, TypedStorage):
    """`TypedStorage` on the device "meta"."""

    def __init__(self, *args: Any, wrap_storage: Any = None, dtype: DType | None = None, device: Any = None) -> None:
        self.dtype = get_default_dtype() if dtype is None else dtype
        size = self.dtype.itemsize
        self._memory = wrap_storage._memory if wrap_storage else meta_memory("torch.TypedStorage", size, *args)

    def on(self, memory: Storage) -> Self:
        """Return a storage on other memory."""
        return type(self)(wrap_storage=MetaStorage(memory), dtype=self.dtype)

    def untyped(self) -> UntypedStorage:
        """Return the same memory byte by byte."""
        return MetaStorage(self._memory)

    def __repr__(self) -> str:
        return f"...\n[torch.storage.TypedStorage(dtype={self.dtype}, device=meta) of size {len(self)}]"


MetaStorage.__name__ = MetaStorage.__qualname__ = "UntypedStorage"
MetaTypedStorage.__name__ = MetaTypedStorage.__qualname__ = "TypedStorage"


def meta_memory(name: str, itemsize: int, *args: Any) -> Storage:
    """Memory of a storage on the device "meta" with a number of elements, or as many as a sequence.

    Raises:
        RuntimeError: if the number is negative.
        TypeError: if the argument is neither a number nor a sequence.
    """
    argument = args[0] if args else 0
    if len(args) > 1 or not (isinstance(argument, int) or hasattr(argument, "__len__")):
        raise TypeError(f"{name}(): expected a size, a sequence or nothing, not {args}")
    count = argument if isinstance(argument, int) else len(argument)
    if count < 0:
        raise RuntimeError(f"{name}(): a storage has no negative number of elements, got {count}")
    return Storage(reserved(count * itemsize))


def is_meta(place: Any) -> bool:
    """Return whether a device, or its name, is "meta"."""
    return place is not None and str(place) == "meta"


def lines_of(storage: StorageBase) -> str:
    """Return the lines of the elements, as torch prints them."""
    return " " + "\n ".join(map(str, storage.tolist())) + "\n"


def restored(dtype: DType | None, memory: Any) -> StorageBase:
    """Return a storage from its pickle."""
    elements = memory if isinstance(memory, np.ndarray) else np.frombuffer(memory, np.uint8)
    untyped = UntypedStorage(Storage(elements.view(np.uint8)))
    return untyped if dtype is None else TypedStorage(wrap_storage=untyped, dtype=dtype)


def storage_of(tensor: Tensor) -> Storage:
    """Return the storage of a tensor.

    Raises:
        NotImplementedError: if the tensor is sparse.
    """
    if tensor._flags_ & flags.SPARSE and tensor.is_meta:
        raise NotImplementedError("Cannot access storage of a tensor on the device 'meta': it has no memory")
    if tensor._flags_ & flags.SPARSE:
        raise NotImplementedError("Cannot access storage of SparseTensorImpl: use those of indices() and values()")
    return tensor._storage_


def untyped_storage(self: Tensor) -> UntypedStorage:
    """Return the memory that this tensor shares with its views, byte by byte.

    Examples:
        >>> import wengert as wg
        >>> wg.zeros(3).untyped_storage().nbytes()
        12
    """
    if self._flags_ & flags.SPARSE and self.is_meta:
        return MetaStorage(self._storage_)
    return UntypedStorage(storage_of(self))


def typed_storage(self: Tensor) -> TypedStorage:
    """Return the memory that this tensor shares with its views, element by element."""
    return TypedStorage(wrap_storage=untyped_storage(self), dtype=self.dtype)


def storage(self: Tensor) -> TypedStorage:
    """Return the memory that this tensor shares with its views, by element. Deprecated: use `untyped_storage`.

    Examples:
        >>> import wengert as wg
        >>> wg.zeros(3).storage().size()
        3
    """
    anomaly.warn_once(DEPRECATED)
    return typed_storage(self)


def share_memory_(self: Tensor) -> Tensor:
    """Move the memory of this tensor, with all that share it, to memory that processes can share.

    A forked child sees the same memory; `multiprocessing` sends it to other processes with the tensor.
    """
    share(storage_of(self))
    return self


def tensor_is_shared(self: Tensor) -> bool:
    """Return whether other processes may see the memory of this tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.zeros(3).is_shared()
        False
    """
    return is_shared(self._storage_)


bind("untyped_storage", untyped_storage)
bind("_typed_storage", typed_storage)
for name, method in (("storage", storage), ("share_memory_", share_memory_), ("is_shared", tensor_is_shared)):
    bind(name, asking(method, name, method=True))
__all__ = ["StorageBase", "TypedStorage", "UntypedStorage"]
