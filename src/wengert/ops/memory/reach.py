"""Memory of tensors: strides, offsets, extents of storages, and their growth."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core import flags
from ..._core.operators.layouts import address_of, steps_of
from ..._core.tensor import reading, slots
from ..._core.tensor.base import OPERATORS, Tensor
from ..._core.tensor.standins import StandIn
from ..._core.tensor.storage import Storage, size_in_bytes
from ..._core.types.devices import strided
from ..._kernels.layout import address, reaching, row_major
from .memory_formats import is_in_format

SPARSE: int = flags.SPARSE  # a global is read twice as fast as an attribute of a module
WITHOUT_MEMORY: int = flags.SPARSE | flags.BATCHED | flags.OBSERVED


def offset_in_bytes(tensor: Tensor) -> int:
    """Return the number of bytes from the start of a tensor's storage to its first element."""
    return address_of(tensor._array_) - address_of(tensor._storage_.array)


def refuse_sparse(name: str, *tensors: Any) -> None:
    """Refuse sparse tensors for operators that change the view of memory.

    Raises:
        NotImplementedError: if a tensor is sparse.
    """
    if any(isinstance(tensor, Tensor) and tensor._flags_ & flags.SPARSE for tensor in tensors):  # on "meta", too
        from ..._core import sparse_errors

        raise NotImplementedError(sparse_errors.no_kernel(name))


def refuse_compressed(self: Tensor, what: str) -> None:
    """Refuse a compressed sparse tensor, whose elements have no strides.

    Raises:
        RuntimeError: if the tensor is compressed.
    """
    form: Any = getattr(self._array_, "layout", strided)
    if form is not strided:
        raise RuntimeError(f"Sparse {form.short} tensors do not have {what}")


def is_sparse(self: Tensor) -> bool:
    """Return whether the elements have no order in memory, because not all of them are stored."""
    return self._flags_ & flags.SPARSE != 0 and self.layout is not strided


def stride(self: Tensor, dim: int | None = None) -> Any:
    """Return the step between neighbours along each dimension (or one), in elements of memory.

    Args:
        dim: the dimension; None for all.

    Raises:
        RuntimeError: if the tensor is compressed.

    Examples:
        >>> import wengert as wg
        >>> wg.zeros(2, 3).stride()
        (3, 1)
    """
    if self._flags_ & SPARSE:
        refuse_compressed(self, "strides")
        steps = (0,) * self._array_.ndim if is_sparse(self) else steps_of(self._array_)
    else:
        steps = steps_of(self._array_)
    return steps if dim is None else steps[reading.place_of("stride", dim, len(steps))]


def storage_offset(self: Tensor) -> int:
    """Return the number of elements from the start of the storage to the first element.

    Examples:
        >>> import wengert as wg
        >>> wg.arange(5)[2:].storage_offset()
        2
    """
    return 0 if is_sparse(self) else offset_in_bytes(self) // self._array_.itemsize


def data_ptr(self: Tensor) -> int:
    """Return the address of the first element.

    Raises:
        RuntimeError: if the tensor is sparse, or stands for the members of a batch.

    Examples:
        >>> import wengert as wg
        >>> x = wg.arange(5)
        >>> x[1:].data_ptr() - x.data_ptr()
        8
    """
    if self._flags_ & WITHOUT_MEMORY:
        if self.is_meta:
            return 0
        if self._flags_ & (flags.SPARSE | flags.BATCHED):
            raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")
        if isinstance(self._array_, StandIn):  # a class that stores the values elsewhere
            return 0
    return address_of(self._array_)


def is_contiguous(self: Tensor, memory_format: Any = None) -> bool:
    """Return whether the elements are contiguous: row-major without gaps, or in a memory format.

    Args:
        memory_format: the order of the elements; row-major by default.

    Raises:
        RuntimeError: if the tensor is compressed.

    Examples:
        >>> import wengert as wg
        >>> x = wg.zeros(2, 3)
        >>> x.is_contiguous(), x.t().is_contiguous()
        (True, False)
    """
    if self._flags_ & SPARSE:
        refuse_compressed(self, "is_contiguous")
        if is_sparse(self):
            return False
    return is_in_format(self._array_, memory_format)


def get_nbytes(self: Tensor) -> int:
    """Number of bytes of all elements.

    Raises:
        RuntimeError: if the tensor is sparse.
    """
    if is_sparse(self):
        raise RuntimeError("nbytes is not defined for sparse tensors: add those of the indices and of the values")
    return int(self._array_.nbytes)


def resize(tensor: Tensor, shape: tuple[int, ...], steps: tuple[int, ...] | None = None) -> None:
    """Change the shape of a tensor, and enlarge its storage if necessary.

    Nothing is checked, and no write is counted. New elements are not initialised. `steps` are the strides in elements,
    of a dense order; row-major if they are not given.

    Raises:
        NotImplementedError: if the tensor is sparse.
    """
    refuse_sparse("resize_", tensor)
    array = tensor._array_
    need = offset_in_bytes(tensor) + math.prod(shape) * array.itemsize
    if need > size_in_bytes(tensor._storage_):
        resize_storage(tensor._storage_, need)
    step = array.itemsize
    strides = row_major(shape, step) if steps is None else tuple([stride * step for stride in steps])
    see(tensor, lambda array: reaching(array, shape, strides, 0))
    if tensor._flags_ & flags.VIEW:
        tensor._meta_.view.frame = None  # its strides no longer lead to it


def see(tensor: Tensor, move: Callable[[Any], Any]) -> None:
    """Let a tensor use other memory, the result of `move` for its array, as elements of the same kind."""
    slots.settle_tapes()
    array = tensor._array_
    if not tensor._flags_ & flags.POSTPONED:
        tensor._array_ = move(array)
        return
    from ..._core.tensor.postponed import like, physical

    tensor._array_ = like(move(physical(array)), array)


def resize_storage(storage: Storage, size: int) -> None:
    """Change the size of a storage to `size` bytes: the elements stay, in new memory if it grows.

    All tensors on the storage see the new memory, as in torch, so they have to be searched: that takes a walk over all
    objects of the program. A tensor that is not within the new size (it reaches beyond the end of a storage that has
    shrunk) stays where it is.
    """
    known = storage.array
    have = size_in_bytes(storage)
    whole = memory = first_bytes(known, min(have, size))
    if size > have:
        whole = np.empty(size, np.uint8)
        whole[:have] = memory
    move_storage(storage, whole, size > have)


def move_storage(storage: Storage, whole: Any, moves: bool = True) -> None:
    """Replace the memory of a storage; if it `moves`, all tensors on it use the new memory from now on."""
    known = storage.array
    start = address(known)
    for tensor in tensors_on(known):
        offset = address(tensor._array_) - start
        tensor._storage_.array = whole
        if moves and not tensor._flags_ & (flags.BATCHED | flags.SPARSE):  # these see it through another tensor
            see(tensor, lambda array, offset=offset: array_on_memory(array, whole, offset))  # type: ignore[misc]
    storage.array = whole


def first_bytes(array: Any, count: int) -> Any:
    """Return the memory of an array from its first element, as `count` bytes."""
    if not count:
        return np.empty(0, np.uint8)
    first = reaching(array, (1,), (array.itemsize,), 0)
    return reaching(first.view(np.uint8), (count,), (1,), 0)


def array_on_memory(array: Any, whole: Any, offset: int) -> Any:
    """Return an array of the same shape, strides and dtype in other memory; the array itself if it does not fit."""
    end = offset + sum((length - 1) * step for length, step in zip(array.shape, array.strides)) + array.itemsize
    if not 0 <= offset <= end <= whole.size and array.size:
        return array
    return np.ndarray(array.shape, array.dtype, whole, min(max(offset, 0), whole.size), array.strides)


def tensors_on(memory: Any) -> list[Tensor]:
    """Return all tensors of the program whose storage's memory is that of an array."""
    return [
        candidate
        for candidate in gc.get_objects()
        if issubclass(type(candidate), Tensor)
        and candidate._storage_ is not None
        and candidate._storage_.array is memory
    ]


OPERATORS.resize = resize
