"""`debug_unwrap`: the tensor within the wrappers in which functions that are transformed see it."""

from __future__ import annotations

from typing import Any

from .._tensor import Tensor
from .._tensor.transforms import layers, without_transforms


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """The tensor that stands behind one that a transformed function is given, to look at it in a debugger.

    Args:
        tensor: any tensor.
        recurse: leave out all transforms; with False only the innermost batch, or the gradients.

    Returns:
        A tensor of the same memory: of all members of a batch, and without history; `tensor` where nothing is
        transformed.

    Raises:
        TypeError: it is no tensor.

    >>> import wengert as wg
    >>> def show(row):
    ...     print(wg.func.debug_unwrap(row))
    ...     return row
    >>> _ = wg.vmap(show)(wg.ones(2, 3))
    tensor([[1., 1., 1.],
            [1., 1., 1.]])
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"debug_unwrap(): argument 'tensor' (position 1) must be Tensor, not {type(tensor).__name__}")
    depths, inner = layers(tensor), tensor
    if recurse:
        return without_transforms(tensor) if depths else tensor
    if depths:
        held: Any = tensor._array_
        inner = held.whole if depths[max(depths)] else tensor.detach()  # type: ignore[attr-defined]
    return inner
