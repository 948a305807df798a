"""`scan`: repeated application of a function to a carried value and the next slice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .elements import joined, slices_of, tensors_in


def scan(
    combine_fn: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any, *, dim: int = 0, reverse: bool = False
) -> tuple[Any, Any]:
    """Apply a function to the slices of tensors and a carried value, and stack the results.

    Args:
        combine_fn: function of the carried value and a slice that returns the next carried value and a result.
        init: the initial carried value.
        xs: a tensor, or containers of tensors of one length along `dim`.
        dim: the dimension of the slices.
        reverse: begin with the last slice; the results are in the order of the slices all the same.

    Returns:
        The last carried value, and the results, stacked along a new dimension `dim`.

    Raises:
        RuntimeError: if `combine_fn` cannot be called or does not return a pair, or `xs` are not tensors of one
            positive length.

    >>> import wengert as wg
    >>> scan(lambda total, x: (total + x, total * x), wg.tensor(1.0), wg.tensor([1.0, 2.0, 3.0]))
    (tensor(7.), tensor([ 1.,  4., 12.]))
    """
    if not callable(combine_fn):
        raise RuntimeError(f"scan: Combine_fn must be a callable, but got {combine_fn}")
    leaves, structure, length = tensors_in("scan", xs, dim)
    at, carried, results = slices_of(leaves, structure, dim), init, []
    for place in range(length)[:: -1 if reverse else 1]:
        pair = combine_fn(carried, at(place))
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise RuntimeError(f"scan: combine_fn must return a pair (carry, y), but got {type(pair).__name__}")
        carried, result = pair
        results.append(result)
    return carried, joined(results[::-1] if reverse else results, dim)


scan_op = scan

__all__ = ["scan", "scan_op"]
