"""`associative_scan`: running results of an operation of two."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .elements import joined, slices_of, tensors_in

MODES = ("pointwise", "generic")


def associative_scan(
    combine_fn: Callable[[Any, Any], Any], xs: Any, dim: int, reverse: bool = False, combine_mode: str = "pointwise"
) -> Any:
    """Cumulative results of an associative operation over the slices of tensors.

    Args:
        combine_fn: function of two slices, in the containers of `xs`, that returns one.
        xs: a tensor, or containers of tensors of one length along `dim`.
        dim: the dimension of the slices.
        reverse: from the last slice on.
        combine_mode: "pointwise" or "generic", which is the same here.

    Returns:
        Tensors of the shapes of `xs`.

    Raises:
        ValueError: if `combine_fn` cannot be called, or there is no such mode.
        RuntimeError: if `xs` are not tensors of one positive length.

    >>> import wengert as wg
    >>> associative_scan(lambda x, y: x + y, wg.tensor([1.0, 2.0, 3.0]), 0)
    tensor([1., 3., 6.])
    """
    if not callable(combine_fn):
        raise ValueError(f"associative_scan: Combine_fn must be a callable, but got {combine_fn}")
    if combine_mode not in MODES:
        raise ValueError(f"Combine_mode must either 'pointwise' or 'generic', but got {combine_mode}")
    leaves, structure, length = tensors_in("associative_scan", xs, dim)
    at, order = slices_of(leaves, structure, dim), range(length)[:: -1 if reverse else 1]
    results = [at(order[0])]
    for place in order[1:]:
        results.append(combine_fn(results[-1], at(place)))
    return joined(results[::-1] if reverse else results, dim)


associative_scan_op = associative_scan

__all__ = ["associative_scan", "associative_scan_op"]
