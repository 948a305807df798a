"""Indices of the largest and smallest elements: argmax, argmin."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ... import _kernels as kernels
from ..._core.cards.card import BOOLS, ORDERED, Bad, Index, Sample, op
from ..._core.operators.batch_rules import along
from ..axes import read_dim
from ..dtype_checks import check_ordered
from ..pointwise.binary import native
from .maxima import check_some


def place(name: str, kernel: Callable[..., Any], array: Any, dim: Any, keepdim: bool) -> Any:
    """Index of an extreme, for checked arguments."""
    for kind, word in (("c", "complex"), ("b", "bool")):
        if array.dtype.kind == kind:
            raise RuntimeError(f"{name}(): does not support {word} input")
    check_ordered(name, f"{name}_cpu", array)
    if dim is None:
        if not array.size:
            raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
        return kernel(array, None, keepdim)
    axis = read_dim(name, dim, array.ndim)
    check_some(name, array, (axis,))
    return kernel(array, axis if array.ndim else None, keepdim)


def place_samples(make: Any) -> Any:
    """Samples of the index of an extreme."""
    yield Sample(make(3, 4))
    yield Sample(make(3, 4), 0)
    yield Sample(make(3, 4), -1, True)
    yield Sample(make(), 0)
    yield Bad(make(0), raises=IndexError, says="Expected reduction dim to be specified")
    yield Bad(make(3), 1, raises=IndexError, says="Dimension out of range")


place_of_extreme = partial(
    op,
    batching=along("dim", flat=True),
    shape="reduction",
    dtypes=ORDERED - BOOLS,
    why="an index",
    samples=place_samples,
    describes="""
    Args:
        self: real tensor.
        dim: the dimension; None for the index into the flattened tensor.
        keepdim: leave the dimension with length 1.

    Returns:
        A new int64 tensor.

    Raises:
        IndexError: if there are no elements.
    """,
)
"""Card decorator for the index of an extreme."""


@place_of_extreme(native=native("argmax"))
def argmax(self: Index, dim: int | None = None, keepdim: bool = False) -> Any:
    """Index of the largest element, the first of equals; NaN wins.

    Examples:
        >>> import wengert as wg
        >>> wg.argmax(wg.tensor([[1.0, 5.0], [3.0, 2.0]]), 1)
        tensor([1, 0])
    """
    return place("argmax", kernels.argmax, self, dim, keepdim)


@place_of_extreme(native=native("argmin"))
def argmin(self: Index, dim: int | None = None, keepdim: bool = False) -> Any:
    """Index of the smallest element, the first of equals; NaN wins.

    Examples:
        >>> import wengert as wg
        >>> wg.argmin(wg.tensor([[1.0, 5.0], [3.0, 2.0]]), 1)
        tensor([0, 1])
    """
    return place("argmin", kernels.argmin, self, dim, keepdim)
