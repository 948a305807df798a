"""`functorch.experimental`: former place of functions of `func`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from wengert.func import functionalize, hessian, jacfwd, jvp, replace_all_batch_norm_modules_, vmap


def chunk_vmap(
    func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", chunks: int = 2
) -> Callable[..., Any]:
    """`vmap` in so many parts, one after the other: less memory.

    Args:
        func, in_dims, out_dims, randomness: see `func.vmap`.
        chunks: how many parts.

    Raises:
        RuntimeError: if (when the function is called) there is not at least one chunk.

    >>> import wengert as wg
    >>> chunk_vmap(lambda x: x.sum(), chunks=2)(wg.ones(4, 3))
    tensor([3., 3., 3., 3.])
    """
    if chunks == 1:
        return vmap(func, in_dims, out_dims, randomness)

    @functools.wraps(func)
    def call(*args: Any, **kwargs: Any) -> Any:
        if chunks <= 0:
            raise RuntimeError(f"chunk_vmap: chunk expects `chunks` to be greater than 0, got: {chunks}")
        size = batch_size(args, in_dims)
        return vmap(func, in_dims, out_dims, randomness, chunk_size=-(-size // chunks))(*args, **kwargs)

    return call


def batch_size(args: Any, dims: Any) -> int:
    """The length of the first dimension among (nested) arguments that a function is mapped over; 1 without any."""
    if isinstance(args, dict):
        args, dims = tuple(args.values()), tuple(dims.values()) if isinstance(dims, dict) else dims
    if not isinstance(args, (tuple, list)):
        return int(args.shape[dims]) if isinstance(dims, int) and hasattr(args, "shape") else 0
    dims_of_args = dims if isinstance(dims, (tuple, list)) else (dims,) * len(args)
    return max((batch_size(arg, dim) for arg, dim in zip(args, dims_of_args)), default=1) or 1


__all__ = ["chunk_vmap", "functionalize", "hessian", "jacfwd", "jvp", "replace_all_batch_norm_modules_"]
