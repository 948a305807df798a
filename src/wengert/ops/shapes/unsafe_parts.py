"""Parts that do not count as views: unsafe_split and the like; split_with_sizes.

In-place writes to them are not seen by the recorded graph of the whole: torch provides them for code that takes
care of that.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ..._core.cards.card import WIDE, Array, Bad, Sample, composite, op
from ..._core.errors import wrong_type
from ..._core.operators.batch_rules import along
from ..._core.types.sizes import normalise
from .slices import checked_lengths, cut, equal_lengths, split, split_vjp

unsafe = partial(
    op,
    dtypes=WIDE,
    outputs=...,
    linear="self",
    layout="own",
    takes_halves=True,
    batching=along("dim"),
    rules=lambda card: card.vjp("self")(split_vjp),
    describes="""
    Args:
        self: tensor with at least one dimension.

    Returns:
        A tuple of tensors that share the memory of `self`, but do not count as views of it.

    Raises:
        RuntimeError: if the lengths do not add up.
    """,
)
"""Card decorator for parts that do not count as views."""


def length_of(array: Any, dim: int) -> tuple[int, int]:
    """Return a dimension counted from the front, and its length."""
    if not array.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    at = normalise(dim, array.ndim)
    return at, array.shape[at]


@unsafe()
def unsafe_split(self: Array, split_size: int, dim: int = 0) -> Any:
    """Split into consecutive parts along a dimension, of the same length except the last.

    Args:
        split_size: the length.
    """
    if isinstance(split_size, tuple):
        raise TypeError(wrong_type("unsafe_split", "split_size", 2, "int", split_size))
    at, have = length_of(self, dim)
    return cut(self, at, equal_lengths(have, split_size))


@unsafe_split.samples
def unsafe_split_samples(make: Any) -> Any:
    yield Sample(make(5, 2), 2)
    yield Sample(make(2, 5), 3, -1)
    yield Bad(make(), 2, raises=RuntimeError, says="split expects at least a 1-dimensional tensor")
    yield Bad(make(3), -1, raises=RuntimeError, says="split expects split_size be non-negative, but got split_size=-1")


unsafe = partial(unsafe, rules=None)


@unsafe()
def unsafe_split_with_sizes(self: Array, split_sizes: Any, dim: int = 0) -> Any:
    """Split into consecutive parts along a dimension, of given lengths.

    Args:
        split_sizes: the lengths.
    """
    at, have = length_of(self, dim)
    return cut(self, at, checked_lengths(split_sizes, have, at))


@unsafe_split_with_sizes.vjp("self")
def unsafe_split_with_sizes_vjp(grads: Any, self_shape: Any, split_sizes: Any, dim: int) -> Any:
    return split_vjp(grads, self_shape, split_sizes, dim)


@unsafe_split_with_sizes.samples
def unsafe_split_with_sizes_samples(make: Any) -> Any:
    yield Sample(make(5, 2), (2, 3))
    yield Sample(make(2, 5), [1, 0, 4], -1)
    yield Bad(make(5), [1, 2], raises=RuntimeError, says="split_sizes to sum exactly to 5")


@composite()
def unsafe_chunk(input: Any, chunks: int, dim: int = 0) -> tuple[Any, ...]:
    """Split into at most `chunks` parts of equal length (the last may be shorter) that do not count as views.

    Args:
        input: tensor with at least one dimension.
        chunks: number of parts.
        dim: the dimension.

    Returns:
        A tuple of tensors that share the memory of `input`, but do not count as views of it.

    Raises:
        RuntimeError: if `chunks` is less than 1, or the tensor has no dimensions.
    """
    if not input._array_.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks < 1:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    have = input._array_.shape[normalise(dim, input._array_.ndim)]
    if not have:
        return unsafe_split_with_sizes(input, (0,) * chunks, dim)
    return unsafe_split(input, (have + chunks - 1) // chunks, dim)


@composite()
def split_with_sizes(input: Any, split_sizes: Any, dim: int = 0) -> tuple[Any, ...]:
    """Split into consecutive parts along a dimension, of given lengths.

    Args:
        input: tensor with at least one dimension.
        split_sizes: the lengths.
        dim: the dimension.

    Returns:
        A tuple of views; they may not be written to in place while recording.

    Raises:
        RuntimeError: if the lengths do not add up.
    """
    if not isinstance(split_sizes, (tuple, list)):
        raise TypeError(wrong_type("split_with_sizes", "split_sizes", 2, "tuple of ints", split_sizes))
    return split(input, split_sizes, dim)


@unsafe_chunk.samples
def unsafe_chunk_samples(make: Any) -> Any:
    yield Sample(make(5, 2), 2)
    yield Bad(make(5), 0, raises=RuntimeError, says="chunks` to be greater than 0")


@split_with_sizes.samples
def split_with_sizes_samples(make: Any) -> Any:
    yield Sample(make(5, 2), (2, 3))
    yield Bad(make(5), 2, raises=TypeError, says="argument 'split_sizes' (position 2) must be tuple of ints, not int")
    yield Bad(make(5), [1, 2], raises=RuntimeError, says="split_sizes to sum exactly to 5")
