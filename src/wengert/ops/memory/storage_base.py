"""Base class of storages of bytes and of typed elements."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, NoReturn, Self

import numpy as np

from ..._core.tensor.storage import Storage, size_in_bytes
from ..._core.tensor.tracing import told_reading
from ..._core.types.devices import device, refuse_absent
from ..._kernels.layout import address
from .mapped import is_shared, mapping_of, share
from .reach import first_bytes, resize_storage


def new_memory(name: str, dtype: Any, *args: Any) -> Storage:
    """Allocate memory for a number of elements, or for those of a sequence.

    Raises:
        RuntimeError: if the argument is neither a number nor a sequence of numbers.
    """
    argument = args[0] if args else 0
    if len(args) > 1:
        raise RuntimeError(f"{name}(): expected a size, a sequence or nothing. Too many positional arguments")
    if isinstance(argument, (int, np.integer)) and not isinstance(argument, bool):
        if argument < 0:
            raise RuntimeError(f"{name}(): a storage has no negative number of elements, got {argument}")
        return Storage(np.zeros(int(argument), dtype).view(np.uint8))
    if isinstance(argument, str) or not hasattr(argument, "__iter__"):
        raise TypeError(f"{name}(): expected a size or a sequence of numbers, not {type(argument).__name__}")
    return Storage(np.array(list(argument), dtype).reshape(-1).view(np.uint8))


class StorageBase:
    """Base class of both kinds of storages, which are views of memory, not the memory itself."""

    is_cuda = False
    is_hpu = False
    is_sparse = False
    is_sparse_csr = False
    device = device("cpu")
    _memory: Storage

    def nbytes(self) -> int:
        """Return the number of bytes."""
        return size_in_bytes(self._memory)

    def element_size(self) -> int:
        """Return the number of bytes of an element."""
        raise NotImplementedError

    def size(self) -> int:
        """Return the number of elements."""
        return self.nbytes() // self.element_size()

    def __len__(self) -> int:
        return self.size()

    def data_ptr(self) -> int:
        """Return the address of the first byte; 0 if there is none."""
        return address(self._memory.array) if self.nbytes() else 0

    @property
    def _cdata(self) -> int:
        """Number that is equal for equal storages, as long as one of them is alive."""
        return id(self._memory.array)

    @property
    def filename(self) -> str | None:
        """The file that is the memory, if it was mapped as shared."""
        mapping = mapping_of(self._memory)
        return None if mapping is None else mapping.filename

    def resizable(self) -> bool:
        """Return whether `resize_` may be called: not if the memory is shared, or a file."""
        return mapping_of(self._memory) is None

    def resize_bytes(self, size: Any) -> None:
        """Change the number of bytes."""
        wanted = operator.index(size)
        if wanted < 0:
            raise RuntimeError(f"resize_: expected a number of bytes that is not negative, got {wanted}")
        if not self.resizable():
            raise RuntimeError("Trying to resize storage that is not resizable: it is shared, or a file")
        if wanted != self.nbytes():
            resize_storage(self._memory, wanted)

    def _elements(self) -> Any:
        told_reading(None, "elements of a storage")
        return first_bytes(self._memory.array, self.nbytes())

    def __getitem__(self, index: Any) -> Any:
        return self._elements()[check_index(index, len(self), type(self))].item()

    def __setitem__(self, index: Any, value: Any) -> None:
        place = index if isinstance(index, slice) else check_index(index, len(self), type(self))
        self._elements()[place] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def tolist(self) -> list[Any]:
        """Return the elements as a list of numbers."""
        return self._elements().tolist()

    def fill_(self, value: Any) -> Self:
        """Set all elements; writes here are not counted as in-place writes to the tensors."""
        self._elements()[...] = value
        return self

    def copy_(self, source: StorageBase, non_blocking: bool | None = None) -> Self:
        """Copy the elements of a storage of the same size, converted to this one's type.

        Raises:
            RuntimeError: if the sizes differ.
        """
        if len(self) != len(source):
            raise RuntimeError(
                f"size does not match, self was {self.nbytes()} bytes but src was {source.nbytes()} bytes"
            )
        self._elements()[...] = source._elements()
        return self

    def is_shared(self) -> bool:
        """Return whether other processes may see the memory."""
        return is_shared(self._memory)

    def share_memory_(self) -> Self:
        """Move the memory, with all tensors on it, to memory that processes can share.

        A forked child sees the same memory; `multiprocessing` sends it to other processes with a tensor.
        """
        share(self._memory)
        return self

    def is_pinned(self, device: Any = "cuda") -> bool:
        """Return False: there is no accelerator to pin memory for."""
        return False

    def pin_memory(self, device: Any = "cuda") -> NoReturn:
        """Pin the memory: always refused, because there is no accelerator."""
        raise RuntimeError("Cannot access accelerator device when none is available.")

    def cuda(self, device: Any = None, non_blocking: bool = False) -> NoReturn:
        """Copy to a CUDA device: always refused, because there is none."""
        refuse_absent("cuda")
        raise AssertionError

    def cpu(self) -> Self:
        """Return the storage itself."""
        return self

    def to(self, *, device: Any, non_blocking: bool = False) -> Self:
        """Return the storage itself: the CPU is the only device.

        Raises:
            RuntimeError: if another device is requested.
        """
        refuse_absent(device)
        return self

    def get_device(self) -> int:
        """Return -1: the memory is the CPU's."""
        return -1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StorageBase) and self._cdata == other._cdata

    def __hash__(self) -> int:
        return hash(self._cdata)

    def __copy__(self) -> Self:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return a copy, shared with the copies of tensors on the same memory."""
        if id(self._memory) not in memo:
            memo[id(self._memory)] = Storage(first_bytes(self._memory.array, self.nbytes()).copy())
        return self.on(memo[id(self._memory)])

    def on(self, memory: Storage) -> Self:
        """Return a storage of this type on other memory."""
        raise NotImplementedError

    def clone(self) -> Self:
        """Return a copy with its own memory."""
        return self.on(Storage(first_bytes(self._memory.array, self.nbytes()).copy()))


def check_index(index: Any, length: int, kind: type) -> int:
    """Return an index, counted from the front.

    Raises:
        TypeError: if `index` is not an integer.
        IndexError: if `index` is out of range.
    """
    if not isinstance(index, (int, np.integer)):
        raise TypeError(f"can't index a torch.{kind.__name__} with {type(index).__name__}")
    if not -length <= index < length:
        raise IndexError(f"index {index} out of range for storage of size {length}")
    return int(index) % length
