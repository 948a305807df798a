"""Types of storages of early versions of torch: `torch.FloatStorage` and its family, one for each dtype.

They create storages, and support `isinstance`; all these storages are `TypedStorage`.
"""

from __future__ import annotations

import operator
from typing import Any

from ..._core.cards.arguments import asking
from ..._core.cards.late import bind
from ..._core.tensor.base import Tensor
from ..._core.types.dtypes import ALL, bfloat16, dtype as DType, float32, get_default_dtype
from ..memory.mapped import map_file
from ..memory.storages import TypedStorage, UntypedStorage
from .create import empty

_IN_PACKAGE = (
    "BFloat16Storage",
    "BoolStorage",
    "ByteStorage",
    "CharStorage",
    "ComplexDoubleStorage",
    "ComplexFloatStorage",
    "DoubleStorage",
    "FloatStorage",
    "HalfStorage",
    "IntStorage",
    "LongStorage",
    "ShortStorage",
    "Storage",
    "from_file",
)


class StorageType(type):
    """Class of these types."""

    dtype: DType
    is_cuda = False
    is_sparse = False

    def __call__(cls, *args: Any, wrap_storage: Any = None, **others: Any) -> TypedStorage:
        """Return a storage of the dtype: of a given length (not initialised), of given numbers, or on other memory.

        Raises:
            RuntimeError: if the arguments are none of these.
        """
        if others:
            raise RuntimeError(
                f"{cls.__name__}(): expected nothing, a size, a sequence, or wrap_storage. Keyword argument "
                f"'{next(iter(others))}' cannot be specified"
            )
        return TypedStorage(*args, wrap_storage=wrap_storage, dtype=cls.dtype)

    def from_buffer(cls, *args: Any, **options: Any) -> TypedStorage:
        """Copy the memory of an object that has the buffer protocol; see `UntypedStorage.from_buffer`."""
        return TypedStorage.from_buffer(*args, **options, dtype=cls.dtype)

    def from_file(cls, filename: Any, shared: bool = False, size: int = 0) -> TypedStorage:
        """Map the first elements of a file; see `torch.from_file`."""
        memory = map_file(filename, shared, operator.index(size) * cls.dtype.itemsize)
        return TypedStorage(wrap_storage=UntypedStorage(memory), dtype=cls.dtype)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, TypedStorage) and instance.dtype is cls.dtype

    def __repr__(cls) -> str:
        return f"<class 'torch.{cls.__name__}'>"


TYPES: dict[str, StorageType] = {
    name: StorageType(name, (), {"dtype": dtype, "__doc__": f"Storages of dtype `{dtype.name}`."})
    for name, dtype in ((dtype.legacy.replace("Tensor", "Storage"), dtype) for dtype in (*ALL, bfloat16))
}
"""The types, by name."""
Storage = StorageType("Storage", (), {"dtype": float32, "__doc__": "`FloatStorage` by its first name."})


def __getattr__(name: str) -> StorageType:
    if name not in TYPES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return TYPES[name]


def storage_type(self: Tensor) -> Any:
    """Return the type of `storage()`, such as `torch.FloatStorage`.

    Examples:
        >>> import wengert as wg
        >>> wg.ones(2).storage_type()
        <class 'torch.FloatStorage'>
    """
    return TYPES[self.dtype.legacy.replace("Tensor", "Storage")]


bind("storage_type", asking(storage_type, method=True))


def from_file(
    filename: Any, shared: bool | None = None, size: int = 0, *, dtype: DType | None = None, **options: Any
) -> Tensor:
    """Return a tensor whose memory is a file.

    Args:
        filename: the name of the file.
        shared: whether writes go to the file, which is then created or extended if necessary. Otherwise they
            stay in this process, and the file must be long enough.
        size: the number of elements.
        dtype: dtype of the elements; the default dtype by default.
        options: torch's `layout`, `device`, `pin_memory`, `requires_grad`.

    Returns:
        A tensor of shape (size,).

    Raises:
        RuntimeError: if the file does not exist, or is too short.

    >>> import pathlib, tempfile
    >>> import wengert as wg
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "numbers"
    >>> x = wg.from_file(path, shared=True, size=2, dtype=wg.uint8)
    >>> _ = x.fill_(7)
    >>> path.read_bytes()
    b'\\x07\\x07'
    """
    chosen = get_default_dtype() if dtype is None else dtype
    result: Any = empty(0, dtype=chosen, **options)
    memory = map_file(filename, bool(shared), operator.index(size) * chosen.itemsize)
    return result.set_(UntypedStorage(memory), 0, (size,), (1,)) if size else result
