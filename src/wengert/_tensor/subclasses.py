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
    """Return the tensor that replaces a parameter in `load_state_dict`, where `torch.__future__` lets it swap them.

    Args:
        other: the saved tensor.
        assign: use its memory; otherwise its values are copied into this tensor.

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
    instance = as_subclass(data.detach(), cls)
    instance.requires_grad = require_grad
    return instance


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
    """Create a tensor of a subclass with shape, strides, dtype and device, but without values. Called on the class.

    The `__torch_dispatch__` of the class computes the result of each operator.

    Args:
        cls: the subclass.
        size, strides, storage_offset, memory_format: the layout of elements in memory; row-major by default.
        dtype, layout, device: the properties that the tensor reports; any device.
        pin_memory: ignored.
        requires_grad: whether operations on it are recorded.
        dispatch_sizes_strides_policy, dispatch_device, dispatch_layout: not supported: the tensor answers itself.
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
            "_make_wrapper_subclass(): size, strides, device and layout are those of the arguments; "
            "__torch_dispatch__ is not asked for them (dispatch_sizes_strides_policy, dispatch_device, dispatch_layout)"
        )
    kind = dtypes.get_default_dtype() if dtype is None else dtype
    steps = order_of(tuple(size), strides, memory_format)
    instance = wrapper(cls, tuple(size), kind.numpy, steps, storage_offset or 0, as_device(device or "cpu"), layout)
    if requires_grad:
        instance.requires_grad = True
    return instance


def order_of(size: tuple[int, ...], strides: Any, memory_format: Any) -> Any:
    """Strides of a tensor from `strides` or a memory format; None for row-major order."""
    if strides is not None or memory_format is None:
        return None if strides is None else tuple(strides)
    return Tensor.stride(registered("empty").public(size, device="meta", memory_format=memory_format))


def as_subclass(self: Any, cls: type) -> Any:
    """Return the tensor as an instance of a subclass of Tensor: a view, recorded as views are.

    Raises:
        TypeError: if `cls` is not a subclass of Tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1.0]).as_subclass(wg.nn.Parameter).__class__.__name__
        'Parameter'
    """
    if not isinstance(cls, type) or not issubclass(cls, Tensor):
        raise TypeError(f"as_subclass(): argument 'cls' must be a subclass of torch.Tensor, not {cls!r}")
    from .._core.calls.overriding import DisableTorchFunction

    with DisableTorchFunction():
        view: Any = Tensor.__getitem__(self, ...)
    instance = allocate(cls)
    set_up(instance, view._array_, view._storage_)
    instance._flags_ = view._flags_ | instance._flags_ & (flags.OVERRIDDEN | flags.OBSERVED)
    instance._edge_, instance._meta_ = view._edge_, view._meta_
    return instance


for method in (_make_subclass, _make_wrapper_subclass, as_subclass):
    bind(method.__name__, method)
bind("module_load", asking(module_load, method=True))
