"""Copies and pickles of tensors: memory, strides and the program's attributes; never the graph.

As in torch, a deep copy of several tensors keeps what they share of their memory, while each is pickled with the whole
of its own.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .._core import flags
from .._core.calls.subclasses import allocate
from .._core.cards.arguments import asking
from .._core.cards.late import bind
from .._core.tensor.base import Tensor, meta_of, set_up
from .._core.tensor.batches import refuse
from .._core.tensor.postponed import settled
from .._core.tensor.storage import Storage, size_in_bytes
from .._core.tensor.tracing import told_reading
from .._core.tensor.wrappers import Wrapped, wrapper
from .._core.types.dtypes import dtype as DType
from ..ops.memory.reach import first_bytes, offset_in_bytes

NON_LEAF = (
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you "
    "were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
    "https://github.com/pytorch/pytorch/pull/103001. Copy tensor.detach() instead."
)


def memory_of(tensor: Tensor) -> tuple[np.ndarray[Any, Any], int]:
    """The memory of a tensor's storage as bytes, shared, and where in it the tensor starts."""
    refuse("a copy of the memory", tensor)
    storage = tensor._storage_
    start = offset_in_bytes(tensor) if tensor._array_.size else 0
    return first_bytes(storage.array, size_in_bytes(storage)), start


def lay(cls: type[Tensor], storage: Storage, dtype: DType, offset: int, shape: Any, strides: Any) -> Tensor:
    """A tensor on the bytes of `storage` from `offset` on; `strides` are in bytes."""
    tensor: Tensor = allocate(cls)
    set_up(tensor, np.ndarray(shape, dtype.numpy, storage.array, offset, strides), storage)
    return tensor


def attributes_of(tensor: Tensor) -> Any:
    """Attributes that the program has set: a dictionary or None, or a pair of it and a dictionary of `__slots__`."""
    state: Any = object.__getstate__(tensor)
    values, slots = state if isinstance(state, tuple) else (state, {})
    fields = {name: value for name, value in slots.items() if name not in Tensor.__slots__}
    return (values, fields) if fields else values


def deepcopy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    """A leaf with copied values and gradient, which shares its memory with the copies of those that `self` shares with.

    Raises:
        RuntimeError: if the tensor is not a leaf.
    """
    told_reading(None, "a copy by `copy` or `pickle`")
    if id(self) in memo:
        return memo[id(self)]
    if self.grad_fn is not None:
        raise RuntimeError(NON_LEAF)
    import copy

    result = copied(self, memo)
    result._flags_ |= self._flags_ & (flags.REQUIRES_GRAD | flags.VOLATILE)
    memo[id(self)] = result
    if self._meta_ is not None and self._meta_.grad is not None:
        meta_of(result).grad = deepcopy(self._meta_.grad, memo)
    state = copy.deepcopy(attributes_of(self), memo)
    for values in state if isinstance(state, tuple) else (state,):
        for name, value in (values or {}).items():
            object.__setattr__(result, name, value)
    return result


def copied(tensor: Tensor, memo: dict[int, Any]) -> Tensor:
    """A tensor on a copy of the memory, which is copied once; of a sparse one, on copies of places and entries."""
    if isinstance(tensor._array_, Wrapped):
        return cloned(tensor)
    if tensor._flags_ & flags.SPARSE:
        refuse("a copy of the memory", tensor)
        if tensor.is_meta:
            return rebuild_meta(*meta_parts(tensor))
        return rebuild_sparse(type(tensor), *parts_of(tensor.clone()), False)
    source = in_memory(tensor)
    memory, offset = memory_of(source)
    if source is not tensor:
        storage = source._storage_
    elif id(tensor._storage_) in memo:
        storage = memo[id(tensor._storage_)]
    else:
        storage = memo[id(tensor._storage_)] = Storage(memory.copy())
    return lay(type(tensor), storage, tensor.dtype, offset, source._array_.shape, source._array_.strides)


def cloned(tensor: Tensor) -> Tensor:
    """Clone a tensor without values of its own, by the `__torch_dispatch__` of its class.

    Raises:
        RuntimeError: if the result is of another class.
    """
    result: Tensor = tensor.detach().clone()
    if type(result) is not type(tensor):
        raise RuntimeError(
            f"The default implementation of __deepcopy__() for wrapper subclasses only works for subclasses whose "
            f"__torch_dispatch__ makes a {type(tensor).__qualname__} of aten.clone, not a {type(result).__qualname__}"
        )
    return result


def rebuild_wrapper(
    cls: type[Tensor], shape: Any, dtype: DType, strides: Any, offset: int, device: Any, layout: Any, grad: bool
) -> Tensor:
    """Rebuild a tensor of a class without values of its own from the parts of `reduce_`."""
    tensor: Tensor = wrapper(cls, shape, dtype.numpy, strides, offset, device, layout)
    tensor.requires_grad = grad
    return tensor


def in_memory(tensor: Tensor) -> Tensor:
    """The tensor itself, or a tensor with its elements in memory if they are computed on reading."""
    return settled(tensor) if tensor._flags_ & flags.POSTPONED else tensor


def parts_of(tensor: Tensor) -> tuple[Any, Tensor, Any, bool | str]:
    """Places, entries, shape of a sparse tensor, and whether it is coalesced, or the name of its compressed layout."""
    array: Any = tensor._array_
    form = getattr(array, "layout", None)
    return array.indices, array.values, array.shape, array.coalesced if form is None else form.name


def rebuild_sparse(
    cls: type[Tensor], indices: Any, values: Tensor, shape: Any, form: bool | str, requires_grad: bool
) -> Tensor:
    """Rebuild a sparse tensor from its parts.

    Args:
        cls: the class.
        indices: places; for a compressed tensor, its two arrays of places.
        values: the entries.
        shape: the shape.
        form: whether it is coalesced, or the name of its compressed layout.
        requires_grad: whether it requires a gradient.

    Raises:
        RuntimeError: if the parts do not fit each other.
    """
    array: Any
    if isinstance(form, str):
        from ..ops.sparse import compressed_create, layouts

        bounds, plain = indices
        array = compressed_create.checked_lines(getattr(layouts, form), bounds, plain, values, shape)
    else:
        from ..ops.sparse.create import checked_parts

        array = checked_parts(indices, values, shape, form)
    tensor: Tensor = allocate(cls)
    set_up(tensor, array, values._storage_)
    tensor.requires_grad = requires_grad
    return tensor


def meta_parts(tensor: Tensor) -> tuple[Any, ...]:
    """Parts of a tensor on the device "meta": class, shape, dtype, strides."""
    return type(tensor), tuple(tensor.shape), tensor.dtype, tensor.stride()


def rebuild_meta(cls: type[Tensor], shape: Any, dtype: DType, strides: Any, requires_grad: bool = False) -> Tensor:
    """Rebuild a tensor on the device "meta" from its parts."""
    from .._core.tensor.meta_array import meta_array

    array: Any = meta_array(shape, dtype.numpy, strides)
    tensor: Tensor = allocate(cls)
    set_up(tensor, array, array.values._storage_)
    tensor.requires_grad = requires_grad
    return tensor


def rebuild(
    cls: type[Tensor], memory: Any, dtype: DType, offset: int, shape: Any, strides: Any, requires_grad: bool
) -> Tensor:
    """Rebuild a tensor from the parts of `reduce_`; `memory` is an array of bytes, or memory that processes share."""
    elements = memory if isinstance(memory, np.ndarray) else np.frombuffer(memory, np.uint8)
    tensor = lay(cls, Storage(elements), dtype, offset, shape, strides)
    tensor.requires_grad = requires_grad
    return tensor


def reduce_(self: Tensor) -> tuple[Any, ...]:
    """For pickle and copy: memory, place in it, requires_grad and attributes; not the graph, nor hooks."""
    told_reading(None, "a copy by `copy` or `pickle`")
    warn_of_hooks(self)
    has_getstate = type(self).__getstate__ is not object.__getstate__
    state = self.__getstate__() if has_getstate else attributes_of(self)
    if isinstance(self._array_, Wrapped):
        place = tuple(self.stride()), self.storage_offset(), self.device, self.layout
        return rebuild_wrapper, (type(self), tuple(self.shape), self.dtype, *place, self.requires_grad), state
    if self._flags_ & flags.SPARSE:
        refuse("pickling", self)
        if self.is_meta:
            return rebuild_meta, (*meta_parts(self), self.requires_grad), state
        return rebuild_sparse, (type(self), *parts_of(self), self.requires_grad), state
    memory: Any
    source = in_memory(self)
    memory, offset = memory_of(source)
    if source._storage_.array.base is not None:
        from ..ops.memory.mapped import place_in_mapping

        mapping, start = place_in_mapping(source._storage_)
        if mapping is not None:
            memory, offset = mapping, offset + start
    array = source._array_
    return rebuild, (type(self), memory, self.dtype, offset, array.shape, array.strides, self.requires_grad), state


def warn_of_hooks(tensor: Tensor) -> None:
    """Warn of each hook that a pickle leaves out."""
    hooks = None if tensor._meta_ is None else tensor._meta_.hooks
    for hook in (hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can decorate the "
                "function with @torch.utils.hooks.unserializable_hook to suppress this warning",
                stacklevel=3,
            )


bind("__deepcopy__", asking(deepcopy, "__deepcopy__", method=True))
bind("__reduce__", reduce_)
