"""Methods of older programs: deprecated forms, and those that torch has removed."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .._core import errors, flags
from .._core.cards.arguments import asking
from .._core.cards.card import registered
from .._core.cards.late import bind
from .._core.graph import anomaly
from .._core.tensor.base import Tensor
from .._core.tensor.storage import Storage
from .._core.types.sizes import Size
from .removed import eig, lstsq, reinforce, solve, symeig


def new(self: Any, *data: Any, device: Any = None, size: Any = None) -> Tensor:
    """A tensor of this dtype: of these lengths (not initialised), of these values, or on the memory of another tensor.

    The old form of `new_empty` and `new_tensor`; of sparse tensors, `new(indices, values, size)` makes another one.

    Args:
        data: lengths, values or a tensor; nothing for no element.
        device: the device.

    Raises:
        TypeError: if it is made of a tensor of another dtype, or a sparse one of anything but lengths or entries.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1.5]).new([3.0, 4.0])
        tensor([3., 4.])
    """
    if self._flags_ & flags.SPARSE and self.layout.name == "sparse_coo":
        return new_sparse(self, data, device, size)
    value = data[0] if len(data) == 1 else None
    if isinstance(value, Tensor):
        if value.dtype is not self.dtype:
            raise TypeError(errors.wrong_type("new", "other", 1, f"torch.{self.dtype.legacy}", value))
        return value.detach()
    if isinstance(value, (list, tuple, np.ndarray)) and not isinstance(value, Size):
        return self.new_tensor(value, device=device)
    if isinstance(getattr(value, "_memory", None), Storage):  # a result of `storage()`
        return self.new_empty((0,), device=device).set_(value)
    return self.new_empty(value if isinstance(value, Size) else data or (0,), device=device)


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
        return registered("sparse_coo_tensor").public(*data[:2], *wanted, device=device)
    value = data[0] if len(data) == 1 else None
    if isinstance(value, (Tensor, list, np.ndarray)) or (isinstance(value, tuple) and not isinstance(value, Size)):
        raise TypeError(
            f"new(): a sparse tensor is made of lengths, or of indices, values and a size, not of a "
            f"{type(value).__name__}: use sparse_coo_tensor(), or to_sparse() of a dense tensor"
        )
    return like.new_empty(value if isinstance(value, Size) else data or (0,), device=device)


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
    return self.reshape(wanted)


def resize_as(self: Tensor, tensor: Tensor) -> Any:
    """`view_as`, by its older name: the number of elements cannot change."""
    anomaly.warn("non-inplace resize_as is deprecated")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return resize(self, tensor.shape)


for method in (new, eig, lstsq, reinforce, solve, symeig):
    bind(method.__name__, method)
bind("resize", asking(resize, method=True))
bind("resize_as", asking(resize_as, method=True))
