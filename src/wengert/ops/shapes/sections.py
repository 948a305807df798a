"""Division into parts: tensor_split, hsplit, vsplit, dsplit; and parts that do not count as views: unsafe_split.

In-place writes to the latter are not seen by the recorded graph of the whole: torch provides them for code that takes
care of that.
"""

from __future__ import annotations

import functools
import itertools
import sys
from functools import partial
from typing import Any

from ..._core.cards.arguments import integers
from ..._core.cards.card import WIDE, Array, Bad, Sample, composite, op
from ..._core.cards.plain_case import plain_case
from ..._core.errors import wrong_type
from ..._core.operators.batch_rules import along
from ..._core.operators.declaration import is_whole, number_in
from ..._core.tensor.base import Tensor
from ..._core.types.dtypes import int64
from ..._core.types.sizes import normalise
from ..family import describes
from .slices import checked_lengths, chunk_samples, cut, equal_lengths, slice_, split, split_sizes_vjp, split_vjp

MANY = 64
"""Largest number of parts whose bounds are cached."""


@composite()
def tensor_split(input: Any, indices_or_sections: Any, dim: int = 0) -> Any:
    """Split a tensor along a dimension: into a number of parts of nearly equal length, or at indices.

    Args:
        input: tensor with at least one dimension.
        indices_or_sections: number of parts, or indices to split at (integers, or a 0-dim or 1-dim integer tensor).
        dim: the dimension.

    Returns:
        A tuple of views.

    Raises:
        RuntimeError: if the number of parts is below 1, or the tensor has no dimensions.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor_split(wg.arange(5), 2)
        (tensor([0, 1, 2]), tensor([3, 4]))
    """
    shape = input._array_.shape
    if not shape:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    wanted = cuts_of(indices_or_sections) if isinstance(indices_or_sections, Tensor) else indices_or_sections
    places = None if is_whole(wanted) else integers("tensor_split", "indices", wanted)
    have = shape[normalise(dim, len(shape))]
    if places is None:
        if wanted < 1:
            raise RuntimeError(f"number of sections must be larger than 0, got {wanted}")
        if wanted > sys.maxsize // 8:
            raise RuntimeError(
                f"cannot create std::vector larger than max_size(): tensor_split cannot make {wanted} sections"
            )
        cuts = [0] * (wanted + 1)  # memory for all parts, or MemoryError, before any is created
        short, longer = divmod(have, wanted)
        for at in range(wanted):
            cuts[at + 1] = cuts[at] + short + (at < longer)
    else:
        cuts = [0, *places, have]
    return tuple([slice_(input, dim, first, last, 1) for first, last in itertools.pairwise(cuts)])


@functools.lru_cache
def cuts_between(have: int, sections: int, dim: int) -> Any:
    """Return the arguments of `slice_` for a number of nonempty parts; the first ones may be longer by one."""
    if not 0 < sections <= min(have, MANY):
        return NotImplemented
    length, longer = divmod(have, sections)
    cuts = [at * length + min(at, longer) for at in range(sections + 1)]
    return tuple([(dim, first, last, 1) for first, last in itertools.pairwise(cuts)])


def part_arguments(array: Any, sections: Any, dim: Any) -> Any:
    """Return the arguments of `slice_` for the parts of `tensor_split`."""
    if type(sections) is not int or type(dim) is not int:
        return NotImplemented
    return cuts_between(array.shape[dim], sections, dim)


plain_case(tensor_split, slice_, slice_.native, translate=part_arguments, parted=True)


def cuts_of(sections: Tensor) -> Any:
    """Return the number of parts, or the indices to split at, from a tensor.

    Raises:
        RuntimeError: if the tensor is not int64, or has several dimensions.
    """
    what = "tensor_split expected tensor_indices_or_sections to"
    if sections.dtype is not int64:
        raise RuntimeError(f"{what} have dtype of long, but got {sections.dtype.legacy[:-6]}")
    if sections.ndim > 1:
        raise RuntimeError(
            f"{what} be a zero-dimensional or one-dimensional tensor, but got a tensor with {sections.ndim} dims"
        )
    return sections.tolist()


@tensor_split.samples
def tensor_split_samples(make: Any) -> Any:
    yield Sample(make(5, 2), 3)
    yield Sample(make(2, 5), [1, 3], -1)
    yield Bad(make(2), 0, raises=RuntimeError, says="number of sections must be larger than 0")
    yield Bad(make(2), 2**62, raises=RuntimeError, says="cannot create std::vector larger than max_size()")


def sections(name: str, input: Any, indices_or_sections: Any, dim: int, least: int) -> Any:
    """`tensor_split` that refuses parts of unequal length."""
    shape = input._array_.shape
    if len(shape) < least:
        raise RuntimeError(
            f"torch.{name} requires a tensor with at least {least} dimension, but got a "
            "tensor with "
            f"{len(shape)} dimensions!"
        )
    if isinstance(indices_or_sections, Tensor):
        number = number_in(name, "sections", 2, "int", indices_or_sections)
        indices_or_sections = (number,) if indices_or_sections.ndim else number  # a list of one is an index
    if not is_whole(indices_or_sections):
        return tensor_split(input, places_of(name, indices_or_sections), dim)
    if indices_or_sections < 1 or shape[dim] % indices_or_sections:
        raise RuntimeError(
            f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension {shape[dim]} is "
            "not divisible "
            f"by the split_size {indices_or_sections}!"
        )
    return tensor_split(input, indices_or_sections, dim)


def places_of(name: str, cuts: Any) -> tuple[int, ...]:
    """Return the indices to split at.

    Raises:
        TypeError: if `cuts` is not of integers.
    """
    if isinstance(cuts, (tuple, list)) and (not cuts or is_whole(cuts[0])):
        return integers(name, "indices", cuts)
    raise TypeError(
        f"{name}() received an invalid combination of arguments - got (Tensor, {type(cuts).__name__}), but expected "
        "int sections or tuple of ints indices"
    )


PARTS = """
    Args:
        input: tensor.
        indices_or_sections: number of parts of equal length, or indices to split at.

    Returns:
        A tuple of views.

    Raises:
        RuntimeError: if the length is not divisible, or the dimension does not exist.
    """


@composite()
@describes(PARTS)
def hsplit(input: Any, indices_or_sections: Any) -> Any:
    """Split along the second dimension; vectors along their only one.

    Examples:
        >>> import wengert as wg
        >>> wg.hsplit(wg.tensor([[1, 2], [3, 4]]), 2)
        (tensor([[1],
                [3]]), tensor([[2],
                [4]]))
    """
    return sections("hsplit", input, indices_or_sections, min(1, input._array_.ndim - 1), 1)


@composite()
@describes(PARTS)
def vsplit(input: Any, indices_or_sections: Any) -> Any:
    """Split along the first dimension.

    Examples:
        >>> import wengert as wg
        >>> wg.vsplit(wg.tensor([[1, 2], [3, 4]]), 2)
        (tensor([[1, 2]]), tensor([[3, 4]]))
    """
    return sections("vsplit", input, indices_or_sections, min(0, input._array_.ndim - 1), 2)


@composite()
@describes(PARTS)
def dsplit(input: Any, indices_or_sections: Any) -> Any:
    """Split along the third dimension.

    Examples:
        >>> import wengert as wg
        >>> [part.shape for part in wg.dsplit(wg.zeros(2, 3, 4), 2)]
        [torch.Size([2, 3, 2]), torch.Size([2, 3, 2])]
    """
    return sections("dsplit", input, indices_or_sections, min(2, input._array_.ndim - 1), 3)


def column_arguments(array: Any, sections: Any) -> Any:
    """Return the arguments of `slice_` for the parts of `hsplit`."""
    shape = array.shape
    dim = 1 if len(shape) > 1 else 0
    if type(sections) is not int or shape[dim] % sections:
        return NotImplemented
    return cuts_between(shape[dim], sections, dim)


def row_arguments(array: Any, sections: Any) -> Any:
    """Return the arguments of `slice_` for the parts of `vsplit`."""
    shape = array.shape
    if type(sections) is not int or len(shape) < 2 or shape[0] % sections:
        return NotImplemented
    return cuts_between(shape[0], sections, 0)


plain_case(hsplit, slice_, slice_.native, translate=column_arguments, parted=True)
plain_case(vsplit, slice_, slice_.native, translate=row_arguments, parted=True)


@hsplit.samples
@vsplit.samples
@dsplit.samples
def halves(make: Any) -> Any:
    """A tensor in two parts as sample."""
    yield Sample(make(2, 4, 2), 2)
    yield Bad(make(3, 3, 3), 2, raises=RuntimeError, says="is not divisible by the split_size 2")


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

    Examples:
        >>> import wengert as wg
        >>> wg.unsafe_split(wg.arange(5), 2)
        (tensor([0, 1]), tensor([2, 3]), tensor([4]))
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

    Examples:
        >>> import wengert as wg
        >>> wg.unsafe_split_with_sizes(wg.arange(5), (1, 4))
        (tensor([0]), tensor([1, 2, 3, 4]))
    """
    at, have = length_of(self, dim)
    return cut(self, at, checked_lengths(split_sizes, have, at))


unsafe_split_with_sizes.vjp("self")(split_sizes_vjp)


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

    Examples:
        >>> import wengert as wg
        >>> wg.unsafe_chunk(wg.arange(5), 2)
        (tensor([0, 1, 2]), tensor([3, 4]))
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

    Examples:
        >>> import wengert as wg
        >>> wg.split_with_sizes(wg.arange(5), (1, 4))
        (tensor([0]), tensor([1, 2, 3, 4]))
    """
    if not isinstance(split_sizes, (tuple, list)):
        raise TypeError(wrong_type("split_with_sizes", "split_sizes", 2, "tuple of ints", split_sizes))
    return split(input, split_sizes, dim)


unsafe_chunk.samples(chunk_samples)


@split_with_sizes.samples
def split_with_sizes_samples(make: Any) -> Any:
    yield Sample(make(5, 2), (2, 3))
    yield Bad(make(5), 2, raises=TypeError, says="argument 'split_sizes' (position 2) must be tuple of ints, not int")
    yield Bad(make(5), [1, 2], raises=RuntimeError, says="split_sizes to sum exactly to 5")
