"""`debug_unwrap`: the tensor behind the argument of a transformed function."""

from __future__ import annotations

from typing import Any

from .._tensor import Tensor
from .._tensor.transforms import layers, without_transforms


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """Return the tensor behind an argument of a transformed function, for use in a debugger.

    Args:
        tensor: any tensor.
        recurse: remove all transforms; with False only the innermost batch, or the gradients.

    Returns:
        A tensor on the same memory, of all members of a batch, and without history; `tensor` itself outside of
        transforms.

    Raises:
        TypeError: if `tensor` is not a tensor.

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
        inner = held.whole if depths[max(depths)] else tensor.detach()
    return inner
