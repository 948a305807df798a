"""In-place changes of a tensor's shape, strides or memory: swapaxes_, as_strided_, resize_, resize_as_, set_."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._core import errors, flags, forward_errors
from ..._core.aliasing import views
from ..._core.calls.asking import asks_itself
from ..._core.cards.arguments import asked_or_raised, checked, integers
from ..._core.cards.card import derive_in_place
from ..._core.cards.late import bind
from ..._core.graph.refused import new_refusal
from ..._core.leaves.accumulate import gradient_edge
from ..._core.state.modes import current
from ..._core.tensor import postponed
from ..._core.tensor.base import Tensor, share
from ..._core.tensor.batches import refuse
from ..._core.tensor.meta_array import META, is_meta, meta_array, over
from ..._core.tensor.storage import count_write, succeed
from ..._core.tensor.tangents import is_dual
from ..._core.types.devices import preserve_format
from ..._core.types.sizes import check_room
from ..._core.writes import inplace
from ..memory.reach import first_bytes, refuse_sparse, resize
from .as_strided import as_strided_from, strided_arguments
from .moved import swapaxes, swapdims

_IN_PACKAGE = ("as_strided_", "resize_as_")

CANNOT_RESIZE = "cannot resize variables that require grad"
NO_DERIVATIVE = "derivative for set_ is not implemented; set the memory under no_grad(), or use copy_()"


def as_strided_(self: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Any:
    """Change the shape and strides of a tensor in place.

    Args:
        self: tensor.
        size: the shape.
        stride: step between neighbours along each dimension, in elements of memory.
        storage_offset: start in the storage; by default unchanged.

    Returns:
        The tensor itself.

    Raises:
        RuntimeError: if the view is not within the memory, or the tensor may not be written to.

    Examples:
        >>> import wengert as wg
        >>> wg.arange(5).as_strided_((2, 2), (2, 1))
        tensor([[0, 1],
                [2, 3]])
    """
    as_strided_from.in_place.call((self, *strided_arguments(self, size, stride, storage_offset)))
    views.moved(self)
    return self


def swapped_in_place(self: Tensor, dim0: int, dim1: int) -> Any:
    """Alias of `transpose_`.

    Args:
        self: tensor.
        dim0, dim1: the dimensions.

    Returns:
        The tensor itself.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([[1, 2], [3, 4]]).swapaxes_(0, 1)
        tensor([[1, 3],
                [2, 4]])
    """
    return self.transpose_(dim0, dim1)


@asks_itself("resize_")
def resize_(self: Tensor, *sizes: Any, size: Any = None, memory_format: Any = None) -> Tensor:
    """Change the shape of a tensor in place, and enlarge its memory if necessary; new elements are not initialised.

    Args:
        self: tensor that requires no gradient.
        sizes: the shape.
        size: the shape, by name.
        memory_format: `contiguous_format`, which determines the strides.

    Returns:
        The tensor itself. If more memory is needed, all tensors that share the memory move there.

    Raises:
        RuntimeError: if the tensor requires a gradient, or is dual; for a matrix in compressed rows, if it would grow.
        NotImplementedError: if it is sparse in another layout.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1, 2, 3, 4]).resize_(2, 2)
        tensor([[1, 2],
                [3, 4]])
    """
    lengths: Sequence[Any] = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)) else sizes
    try:
        shape = integers("resize_", "size", lengths if size is None else size)
    except TypeError:
        return asked_or_raised("resize_", self, *sizes)
    if any(length < 0 for length in shape):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(shape)}: {errors.shown(shape)}")
    check_room("resize_", shape, self._array_.itemsize)
    inplace.check_target(self, False, current())
    if self.requires_grad and not current().inference:
        raise RuntimeError(CANNOT_RESIZE)
    if self._array_.shape == shape:
        return self
    if is_dual(self):
        raise RuntimeError(forward_errors.RESIZED)
    refuse("resize_()", self)
    if self._flags_ & flags.SPARSE and hasattr(self._array_, "resized"):
        self._array_ = self._array_.resized(shape)
    else:
        resize(self, shape)
    count_write(self._storage_, "resize_")
    return self


def resize_as_(self: Tensor, the_template: Tensor, *, memory_format: Any = preserve_format) -> Tensor:
    """`resize_` to the shape of another tensor.

    Args:
        self: tensor that requires no gradient.
        the_template: tensor.
        memory_format: has no effect on the row-major order.

    Returns:
        The tensor itself.

    Raises:
        RuntimeError: if the tensor requires a gradient.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1, 2, 3, 4]).resize_as_(wg.ones(2, 2))
        tensor([[1, 2],
                [3, 4]])
    """
    return resize_(self, the_template._array_.shape)


def set_(self: Tensor, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = ()) -> Any:
    """Use the memory of another tensor in place; without a source the tensor becomes empty.

    Args:
        self: tensor.
        source: tensor or typed storage of the same dtype, or an untyped storage.
        storage_offset, size, stride: the part of that memory; by default those of the source.

    Returns:
        The tensor itself.

    Raises:
        RuntimeError: if the tensor may not be written to, or the dtypes differ. If recording is on and one of the two
            requires a gradient, there is no derivative: a backward pass that reaches it raises.

    Examples:
        >>> import wengert as wg
        >>> x = wg.tensor([1, 2])
        >>> x.set_(wg.tensor([3, 4, 5]))
        tensor([3, 4, 5])
    """
    if is_meta(self) or (source is not None and getattr(source, "device", None) == META):
        return set_meta(self, source, storage_offset, size, stride)
    refuse_sparse("set_", self, source)
    if source is not None and not isinstance(source, Tensor):
        source, size, stride = on_storage(self, source, storage_offset, size, stride)
    for argument, value in (("self", self), ("source", source)):
        if value is not None and is_dual(value):
            raise NotImplementedError(forward_errors.no_forward_rule("set_", argument))
    recording = check_set(self, source)
    edges = tuple(
        [
            (operand.requires_grad and gradient_edge(operand)) or None
            for operand in (self, source)
            if operand is not None
        ]
    )
    if source is None:
        empty = np.empty(0, self._array_.dtype)
        array, memory = empty, empty
    else:
        array, memory = source._array_, source._storage_.array
        if size is not None:
            seen = source.detach().as_strided(size, stride or contiguous_strides(size), storage_offset)
            array = seen._array_
    postponed.lay(self, array)
    self._storage_ = succeed(self._storage_, memory)
    if self._meta_ is not None and not current().inference:
        self._meta_.accumulator = None  # existing graphs keep theirs, as in torch
    views.moved(self)
    count_write(self._storage_, "set_")
    if recording:
        inplace.rebase(self, new_refusal("torch::autograd::NotImplemented", NO_DERIVATIVE, edges, 1), current())
    return self


def set_meta(tensor: Tensor, source: Any, offset: Any, size: Any, stride: Any) -> Tensor:
    """`set_` on the device "meta".

    Raises:
        RuntimeError: if only one of the two is on "meta", or `set_` refuses the arguments.
    """
    here, there = (device_of(operand) for operand in (tensor, tensor if source is None else source))
    if here != there:
        raise RuntimeError(
            f'Attempted to set the storage of a tensor on device "{here}" to a storage on different device "{there}".  '
            "This is no longer allowed; the devices must match."
        )
    inplace.check_target(tensor, False, current())
    if source is None:
        array = meta_array((0,), tensor._array_.dtype)
    elif isinstance(source, Tensor):
        check_set(tensor, source)
        detached: Any = source.detach()
        array = (
            detached if size is None else detached.as_strided(size, stride or contiguous_strides(size), offset)
        )._array_
    else:
        values, size, stride = on_storage(tensor, source, offset, size, stride)
        seen = values if size is None else values.as_strided(size, stride, offset)
        array = over(seen._array_, values)
    tensor._array_, tensor._storage_ = array, array.values._storage_
    count_write(tensor._storage_, "set_")
    return tensor


def device_of(value: Any) -> Any:
    """Return the device of a tensor or of a storage; the CPU for anything else."""
    return getattr(value, "device", "cpu")


def on_storage(tensor: Tensor, source: Any, offset: Any, size: Any, stride: Any) -> tuple[Tensor, Any, Any]:
    """Return a tensor of the whole of a storage, which grows if necessary, and the shape and strides to use.

    Raises:
        TypeError: if `source` is not a storage.
        RuntimeError: if the storage is of another dtype, or the part is out of range.
    """
    from ..memory.storages import StorageBase, TypedStorage

    if not isinstance(source, StorageBase):
        raise TypeError(errors.wrong_type("set_", "source", 1, "Tensor", source))
    dtype = tensor.dtype
    if isinstance(source, TypedStorage) and source.dtype is not dtype:
        raise RuntimeError(
            f"Expected a Storage of type {dtype.c_name} or an UntypedStorage, but got type "
            f"{source.dtype.legacy.removesuffix('Tensor')} for argument 1 'storage'"
        )
    if size is not None:
        shape = integers("set_", "size", size)
        steps = integers("set_", "stride", stride or contiguous_strides(shape))
        if offset < 0:
            raise RuntimeError(f"Tensor: invalid storage offset {offset}")
        if len(shape) != len(steps):
            raise RuntimeError(f"unequal size length ({len(shape)}) and stride length ({len(steps)})")
        if any(number < 0 for number in (*shape, *steps)):
            raise RuntimeError(
                f"Storage size calculation overflowed with sizes={errors.shown(shape)} and "
                f"strides={errors.shown(steps)}"
            )
        check_room("set_", shape, dtype.itemsize)
        last = sum((length - 1) * step for length, step in zip(shape, steps)) if all(shape) else -1
        if (offset + last + 1) * dtype.itemsize > source.nbytes():
            source.resize_bytes((offset + last + 1) * dtype.itemsize)
        size, stride = shape, steps
    memory = source._memory
    elements = first_bytes(memory.array, source.nbytes() // dtype.itemsize * dtype.itemsize).view(dtype.numpy)
    return share(elements, memory), size, stride


def contiguous_strides(size: Any) -> list[int]:
    """Strides of a row-major tensor, in elements."""
    return list(np.empty(tuple(size), np.bool_).strides)


def check_set(tensor: Tensor, source: Tensor | None) -> bool:
    """Refuse arguments that `set_` does not support.

    Returns:
        Return whether the call is recorded.

    Raises:
        RuntimeError: always, if it is called for the recorded derivative, which does not exist.
    """
    refuse("set_()", tensor, *([] if source is None else [source]))
    modes = current()
    recording = bool(modes.mask & flags.REQUIRES_GRAD) and (
        tensor.requires_grad or (source is not None and source.requires_grad)
    )
    if tensor._flags_ & flags.VIEW and recording:
        if tensor._meta_.view.kind != views.SINGLE:
            views.refuse(tensor, True)
        views.refresh(tensor)
    if recording and source is not None and source._flags_ & flags.VIEW:
        views.refresh(source)
    inplace.check_target(tensor, recording, modes)
    if source is not None and source._array_.dtype != tensor._array_.dtype:
        raise RuntimeError(
            "Could not set tensor of type "
            f"{source.dtype.name} to a tensor of type {tensor.dtype.name}: convert the source first"
        )
    return recording


def bind_in_place() -> None:
    """Bind these methods to the class."""
    derive_in_place(as_strided_from, "_as_strided_from_")
    for function in (as_strided_, resize_):
        bind(function.__name__, function)
    bind("resize_as_", checked("resize_as_", resize_as_, method=True))
    bind("set_", checked("set_", set_, method=True))
    for other in (swapaxes, swapdims):
        bind(f"{other.__name__}_", swapped_in_place)


bind_in_place()
