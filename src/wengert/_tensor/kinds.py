"""What programs ask of tensors that torch has in more kinds (sparse, quantised, on other devices), and older names.

Bound to Tensor when one of them is first asked for.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from .._core import errors, flags, sparse_errors
from .._core.calls.subclasses import allocate, dispatches
from .._core.cards.arguments import asking
from .._core.cards.card import registered
from .._core.cards.late import bind
from .._core.graph import anomaly
from .._core.tensor.base import Tensor, set_up
from .._core.tensor.storage import Storage
from .._core.types import dtypes
from .._core.types.devices import device as as_device, refuse_absent, sparse_coo, strided
from .._core.types.sizes import Size
from .removed import eig, lstsq, reinforce, solve, symeig

_IN_PACKAGE = ("get_device", "is_distributed", "is_nonzero", "is_same_size", "is_signed")

NEVER = (
    *("is_quantized", "is_mkldnn", "is_mps", "is_xpu", "is_xla", "is_vulkan"),
    *("is_ipu", "is_maia", "is_mtia", "is_nested"),
)
"""Properties that are False for every tensor here."""


def no(self: Tensor) -> bool:
    """False, for every tensor here."""
    return False


def is_signed(self: Tensor) -> bool:
    """Whether the dtype has negative numbers."""
    return self.dtype.is_signed


def module_load(self: Tensor, other: Tensor, assign: bool = False) -> Tensor:
    """What `load_state_dict` gives a parameter in the place of this one, where `torch.__future__` lets it swap them.

    Args:
        other: the tensor that was saved.
        assign: take its memory; otherwise its values are copied into this one's.

    Returns:
        A tensor without history.
    """
    return (other if assign else self.copy_(other)).detach()  # type: ignore[attr-defined, no-any-return]


def is_same_size(self: Tensor, other: Tensor) -> bool:
    """Whether the shapes are equal.

    Raises:
        TypeError: `other` is no tensor.
    """
    if not isinstance(other, Tensor):
        raise TypeError(errors.wrong_type("is_same_size", "other", 1, "Tensor", other))
    return self.shape == other.shape


def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Whether both are the same elements of the same memory, in the same order.

    Raises:
        TypeError: `tensor` is none.
        NotImplementedError: one of them is sparse.
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(errors.wrong_type("is_set_to", "tensor", 1, "Tensor", tensor))
    if any(each._flags_ & flags.SPARSE and not is_meta(each) for each in (self, tensor)):
        raise NotImplementedError(sparse_errors.no_kernel("is_set_to"))
    return (
        self._storage_.array is tensor._storage_.array
        and self.storage_offset() == tensor.storage_offset()  # type: ignore[attr-defined]
        and self.shape == tensor.shape
        and self.stride() == tensor.stride()  # type: ignore[attr-defined]
    )


def is_nonzero(self: Tensor) -> bool:
    """Whether the one element is not zero.

    Raises:
        RuntimeError: there is not one element.
    """
    return bool(self)


def ndimension(self: Tensor) -> int:
    """The number of dimensions."""
    return self.ndim


def is_sparse(self: Tensor) -> bool:
    """Whether the tensor keeps the places and entries of coordinates, and not all of its elements."""
    return self._flags_ & flags.SPARSE != 0 and self.layout is sparse_coo  # type: ignore[attr-defined]


def is_sparse_csr(self: Tensor) -> bool:
    """Whether the tensor is compressed row by row."""
    return self._flags_ & flags.SPARSE != 0 and self.layout.name == "sparse_csr"  # type: ignore[attr-defined]


def is_meta(self: Tensor) -> bool:
    """Whether the tensor is on the device "meta": it has a shape, and no values."""
    return self._flags_ & (flags.SPARSE | flags.OBSERVED) != 0 and self.device.type == "meta"  # type: ignore[attr-defined]


def get_device(self: Tensor) -> int:
    """-1: the memory is the CPU's."""
    return -1


def dim_order(self: Tensor) -> tuple[int, ...]:
    """The dimensions from that of the longest step in memory to that of the shortest.

    Raises:
        AttributeError: the tensor is sparse.
    """
    if self._flags_ & flags.SPARSE and not is_meta(self):
        kind = self.type()  # type: ignore[attr-defined]
        raise AttributeError(f"Can't get dim order on sparse type: {kind} Use Tensor.to_dense() to convert first.")
    steps: Any = self.stride()  # type: ignore[attr-defined]
    return tuple(sorted(range(self.ndim), key=lambda dim: -steps[dim]))


def new(self: Any, *data: Any, device: Any = None, size: Any = None) -> Tensor:
    """A tensor of this dtype: of these lengths (not initialised), of these values, or on the memory of another tensor.

    The old form of `new_empty` and `new_tensor`; of sparse tensors, `new(indices, values, size)` makes another one.

    Raises:
        TypeError: if it is made of a tensor of another dtype, or a sparse one of anything but lengths or entries.
    """
    if self._flags_ & flags.SPARSE and self.layout.name == "sparse_coo":
        return new_sparse(self, data, device, size)
    given = data[0] if len(data) == 1 else None
    if isinstance(given, Tensor):
        if given.dtype is not self.dtype:
            raise TypeError(errors.wrong_type("new", "other", 1, f"torch.{self.dtype.legacy}", given))
        return given.detach()  # type: ignore[attr-defined, no-any-return]
    if isinstance(given, (list, tuple, np.ndarray)) and not isinstance(given, Size):
        return self.new_tensor(given, device=device)  # type: ignore[no-any-return]
    if isinstance(getattr(given, "_memory", None), Storage):  # what `storage()` gives
        return self.new_empty((0,), device=device).set_(given)  # type: ignore[no-any-return]
    return self.new_empty(given if isinstance(given, Size) else data or (0,), device=device)  # type: ignore[no-any-return]


def new_sparse(like: Any, data: tuple[Any, ...], device: Any, size: Any) -> Tensor:
    """`new` of a sparse tensor.

    Args:
        like: the tensor, for dtype and device.
        data: lengths; or indices and values, and perhaps the size.
        device: of the result.
        size: the size, where it is given by its name.

    Raises:
        TypeError: if it is something else.
    """
    if len(data) in (2, 3) and isinstance(data[0], Tensor):
        wanted = data[2:] or (() if size is None else (size,))
        return registered("sparse_coo_tensor").public(*data[:2], *wanted, device=device)  # type: ignore[no-any-return, union-attr]
    given = data[0] if len(data) == 1 else None
    if isinstance(given, (Tensor, list, np.ndarray)) or (isinstance(given, tuple) and not isinstance(given, Size)):
        raise TypeError(
            f"new(): a sparse tensor is made of lengths, or of indices, values and a size, not of a "
            f"{type(given).__name__}: use sparse_coo_tensor(), or to_sparse() of a dense tensor"
        )
    return like.new_empty(given if isinstance(given, Size) else data or (0,), device=device)  # type: ignore[no-any-return]


def identity(self: Tensor) -> int:
    """A number that no other tensor has while this one lives."""
    return id(self)


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
    return Tensor.stride(registered("empty").public(size, device="meta", memory_format=memory_format))  # type: ignore[attr-defined, union-attr]


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


def pin_memory(self: Tensor, device: Any = None) -> Any:
    """Refused: there is no accelerator to pin memory for."""
    raise RuntimeError("Cannot access accelerator device when none is available.")


def dequantized(self: Any) -> Any:
    """The tensor in float32, as that of a quantised one would be."""
    return self.to(dtypes.float32)


def resize(self: Tensor, *sizes: Any) -> Any:
    """`view`, by its older name: the number of elements cannot change."""
    anomaly.warn("non-inplace resize is deprecated")
    wanted = Size(sizes[0] if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes)
    if wanted.numel() != self._array_.size:
        raise RuntimeError(
            f"requested resize to {'x'.join(map(str, wanted))} ({wanted.numel()} elements in total), but the given "
            f"tensor has a size of {'x'.join(map(str, self.shape))} ({self._array_.size} elements). autograd's resize "
            "can only change the shape of a given tensor, while preserving the number of elements."
        )
    return self.reshape(wanted)  # type: ignore[attr-defined]


def resize_as(self: Tensor, tensor: Tensor) -> Any:
    """`view_as`, by its older name: the number of elements cannot change."""
    anomaly.warn("non-inplace resize_as is deprecated")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return resize(self, tensor.shape)


def on_device(name: str) -> Callable[..., NoReturn]:
    """A method that copies to a device that is not there."""

    def method(self: Tensor, device: Any = None, non_blocking: bool = False, **options: Any) -> NoReturn:
        refuse_absent(name)
        raise AssertionError(name)  # not reached

    method.__name__ = name
    method.__doc__ = f"Refused: there is no such device; see `torch.{name}.is_available()`."
    return method


ASKING = (dim_order, is_same_size, is_set_to, module_load, resize, resize_as)
METHODS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("is_distributed", "is_pinned", "_is_zerotensor"), no),
    **{each.__name__: each for each in (is_signed, is_nonzero, ndimension, get_device)},
    **{each.__name__: asking(each, method=True) for each in ASKING},
    **{each.__name__: each for each in (new, _make_subclass, _make_wrapper_subclass, as_subclass, pin_memory)},
    **{name: asking(on_device(name), method=True) for name in ("cuda", "xpu", "ipu", "mtia")},
    "dequantize": dequantized,
    **{each.__name__: each for each in (eig, lstsq, reinforce, solve, symeig)},
}
PROPERTIES = {
    **{name: property(no, doc="False: no tensor here is of that kind.") for name in NEVER},
    "is_sparse": property(is_sparse, doc=is_sparse.__doc__),
    "is_sparse_csr": property(is_sparse_csr, doc=is_sparse_csr.__doc__),
    "is_cpu": property(lambda self: not is_meta(self), doc="Whether the memory is the CPU's."),
    "_cdata": property(identity, doc=identity.__doc__),
    "is_meta": property(is_meta, doc=is_meta.__doc__),
}
"""All of them, by name."""

for name, value in (METHODS | PROPERTIES).items():
    bind(name, value)
