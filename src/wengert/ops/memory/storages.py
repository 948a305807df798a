"""`Tensor.untyped_storage()` and `Tensor.storage()`: the memory behind a tensor and its views, as torch shows it."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..._core.tensor.base import Tensor, bind
from ..._core.tensor.storage import Storage, size_in_bytes
from ..._core.types.devices import device
from ..._core.types.dtypes import dtype as DType
from ..._kernels.layout import address
from .reach import first_bytes, resize_storage

DEPRECATED = (
    "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only storage class. "
    "This should only matter to you if you are using storages directly.  To access UntypedStorage directly, use "
    "tensor.untyped_storage() instead of tensor.storage()"
)


class UntypedStorage:
    """The memory of a tensor and of all that share it, byte by byte.

    >>> import wengert as wg
    >>> x = wg.arange(6.0)
    >>> x[2:].untyped_storage().nbytes()
    24
    """

    __hash__ = None  # type: ignore[assignment]  # two of these may stand for the same memory
    is_cuda = False
    device = device("cpu")

    def __init__(self, storage: Storage) -> None:
        self._memory = storage

    def nbytes(self) -> int:
        """The number of bytes."""
        return size_in_bytes(self._memory)

    def size(self) -> int:
        """The number of bytes."""
        return self.nbytes()

    __len__ = nbytes

    def element_size(self) -> int:
        """The bytes of an element: 1."""
        return 1

    def data_ptr(self) -> int:
        """The address of the first byte; 0 if there is none."""
        return address(self._memory.array) if self.nbytes() else 0

    @property
    def _cdata(self) -> int:
        """A number that is equal for equal storages, as long as one of them lives."""
        return id(self._memory.array)

    def untyped(self) -> UntypedStorage:
        """The storage itself."""
        return self

    def resizable(self) -> bool:
        """Whether `resize_` may be called."""
        return True

    def resize_(self, size: int) -> UntypedStorage:
        """Let the storage have another number of bytes; what was there stays as far as it goes.

        All tensors on it see the new memory. One that would reach beyond the end keeps what it had.

        Args:
            size: the number of bytes.

        Returns:
            The storage itself.

        Raises:
            RuntimeError: `size` is negative.
        """
        wanted = operator.index(size)
        if wanted < 0:
            raise RuntimeError(f"resize_: expected a number of bytes that is not negative, got {wanted}")
        if wanted != self.nbytes():
            resize_storage(self._memory, wanted)
        return self

    def _elements(self) -> Any:
        return first_bytes(self._memory.array, self.nbytes())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return UntypedStorage(Storage(self._elements()[index]))
        return self._elements()[check_index(index, len(self))].item()

    def __setitem__(self, index: Any, value: Any) -> None:
        self._elements()[index if isinstance(index, slice) else check_index(index, len(self))] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def tolist(self) -> list[Any]:
        """The elements as a list of numbers."""
        return self._elements().tolist()  # type: ignore[no-any-return]

    def fill_(self, value: Any) -> UntypedStorage:
        """Set all elements; writes here are not counted as in-place writes to the tensors."""
        self._elements()[...] = value
        return self

    def copy_(self, source: UntypedStorage, non_blocking: bool = False) -> UntypedStorage:
        """Take over the elements of a storage of the same size."""
        self._elements()[...] = source._elements()
        return self

    def clone(self) -> UntypedStorage:
        """A copy with memory of its own."""
        return UntypedStorage(Storage(self._elements().copy()))

    def cpu(self) -> UntypedStorage:
        """The storage itself."""
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and self._cdata == other._cdata

    def __repr__(self) -> str:
        lines = "".join(f" {value}\n" for value in self.tolist())
        return f"{lines}[torch.storage.UntypedStorage(device=cpu) of size {len(self)}]"


class TypedStorage(UntypedStorage):
    """The memory of a tensor, element by element of its dtype. (torch calls it deprecated.)"""

    def __init__(self, storage: Storage, dtype: DType) -> None:
        super().__init__(storage)
        self.dtype = dtype

    def element_size(self) -> int:
        """The bytes of an element."""
        return self.dtype.itemsize

    def size(self) -> int:
        """The number of elements."""
        return self.nbytes() // self.element_size()

    __len__ = size

    def untyped(self) -> UntypedStorage:
        """The same memory byte by byte."""
        return UntypedStorage(self._memory)

    def resize_(self, size: int) -> TypedStorage:
        """`UntypedStorage.resize_`, counted in elements."""
        super().resize_(operator.index(size) * self.element_size())
        return self

    def _elements(self) -> Any:
        whole = super()._elements()
        return whole[: self.size() * self.element_size()].view(self.dtype.numpy)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        return super().__getitem__(index)

    def clone(self) -> TypedStorage:
        """A copy with memory of its own."""
        return TypedStorage(Storage(self._elements().copy()), self.dtype)

    def __repr__(self) -> str:
        lines = "".join(f" {value}\n" for value in self.tolist())
        return f"{lines}[torch.storage.TypedStorage(dtype={self.dtype}, device=cpu) of size {len(self)}]"


def check_index(index: Any, length: int) -> int:
    """An index, counted from the front.

    Raises:
        TypeError: it is no integer.
        IndexError: there is no such element.
    """
    if not isinstance(index, (int, np.integer)):
        raise TypeError(f"can't index a storage with {type(index).__name__}")
    if not -length <= index < length:
        raise IndexError(f"index {index} out of range for storage of size {length}")
    return int(index) % length


def untyped_storage(self: Tensor) -> UntypedStorage:
    """The memory that this tensor shares with its views, byte by byte."""
    return UntypedStorage(self._storage_)


def storage(self: Tensor) -> TypedStorage:
    """The memory that this tensor shares with its views, element by element; deprecated, see `untyped_storage`."""
    warnings.warn(DEPRECATED, UserWarning, stacklevel=2)
    return TypedStorage(self._storage_, self.dtype)


bind("untyped_storage", untyped_storage)
bind("storage", storage)
__all__ = ["TypedStorage", "UntypedStorage"]
