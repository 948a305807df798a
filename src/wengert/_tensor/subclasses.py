"""Tensors of subclasses of Tensor: views of a class, and tensors without values whose class answers for them."""

from __future__ import annotations

from typing import Any

from .._core import flags
from .._core.calls.subclasses import allocate, dispatches
from .._core.cards.arguments import asking
from .._core.cards.card import registered
from .._core.cards.late import bind
from .._core.tensor.base import Tensor, set_up
from .._core.types import dtypes
from .._core.types.devices import device as as_device, strided


def module_load(self: Tensor, other: Tensor, assign: bool = False) -> Tensor:
    """What `load_state_dict` gives a parameter in the place of this one, where `torch.__future__` lets it swap them.

    Args:
        other: the tensor that was saved.
        assign: take its memory; otherwise its values are copied into this one's.

    Returns:
        A tensor without history.
    """
    return (other if assign else self.copy_(other)).detach()


def _make_subclass(cls: type, data: Tensor, require_grad: bool = False) -> Any:
    """An instance of a subclass of Tensor on the memory of a tensor, without its history; called on the class.

    Args:
        cls: the subclass.
        data: the tensor.
        require_grad: whether it requires a gradient.
    """
    made = as_subclass(data.detach(), cls)
    made.requires_grad = require_grad
    return made


def _make_wrapper_subclass(
    cls: type,
    size: Any,
    strides: Any = None,
    storage_offset: Any = None,
    memory_format: Any = None,
    dtype: Any = None,
    layout: Any = strided,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    dispatch_sizes_strides_policy: Any = None,
    dispatch_device: bool = False,
    dispatch_layout: bool = False,
    _extra_dispatch_keys: Any = None,
    storage_size: Any = None,
) -> Any:
    """A tensor of a subclass that has shape, strides, dtype and device, but no values: its class, which has a
    `__torch_dispatch__`, makes the result of each operator. Called on the class.

    Args:
        cls: the subclass.
        size, strides, storage_offset, memory_format: how the elements would lie in memory; row by row unless given.
        dtype, layout, device: what the tensor says of itself; any device.
        pin_memory: ignored.
        requires_grad: whether operations on it are recorded.
        dispatch_sizes_strides_policy, dispatch_device, dispatch_layout: must be left out: the tensor answers itself.
        _extra_dispatch_keys: ignored.
        storage_size: ignored.

    Raises:
        NotImplementedError: if the class is to answer for its size itself.
        TypeError: if the class has no `__torch_dispatch__`.
    """
    from .._core.tensor.wrappers import wrapper

    if not isinstance(cls, type) or not issubclass(cls, Tensor):
        raise TypeError(f"_make_wrapper_subclass(): cls must be a subclass of Tensor, not {cls!r}")
    if not dispatches(cls):
        raise TypeError(f"{cls.__name__} must define __torch_dispatch__")
    if dispatch_sizes_strides_policy is not None or dispatch_device or dispatch_layout:
        raise NotImplementedError(
            "_make_wrapper_subclass(): size, strides, device and layout are those that are given here; "
            "__torch_dispatch__ is not asked for them (dispatch_sizes_strides_policy, dispatch_device, dispatch_layout)"
        )
    kind = dtypes.get_default_dtype() if dtype is None else dtype
    steps = order_of(tuple(size), strides, memory_format)
    made = wrapper(cls, tuple(size), kind.numpy, steps, storage_offset or 0, as_device(device or "cpu"), layout)
    if requires_grad:
        made.requires_grad = True
    return made


def order_of(size: tuple[int, ...], strides: Any, memory_format: Any) -> Any:
    """The strides of a tensor of a size, where they or a memory format are given; None for row by row."""
    if strides is not None or memory_format is None:
        return None if strides is None else tuple(strides)
    return Tensor.stride(registered("empty").public(size, device="meta", memory_format=memory_format))


def as_subclass(self: Any, cls: type) -> Any:
    """The tensor as an instance of a subclass of Tensor: a view of it, recorded as views are.

    Raises:
        TypeError: `cls` is no such class.
    """
    if not isinstance(cls, type) or not issubclass(cls, Tensor):
        raise TypeError(f"as_subclass(): argument 'cls' must be a subclass of torch.Tensor, not {cls!r}")
    from .._core.calls.overriding import DisableTorchFunction

    with DisableTorchFunction():
        view: Any = Tensor.__getitem__(self, ...)
    made = allocate(cls)
    set_up(made, view._array_, view._storage_)
    made._flags_ = view._flags_ | made._flags_ & (flags.OVERRIDDEN | flags.OBSERVED)
    made._edge_, made._meta_ = view._edge_, view._meta_
    return made


for method in (_make_subclass, _make_wrapper_subclass, as_subclass):
    bind(method.__name__, method)
bind("module_load", asking(module_load, method=True))
