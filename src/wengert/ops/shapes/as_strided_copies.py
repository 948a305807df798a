"""Copies of `as_strided`, and tensors with such a part replaced: as_strided_copy, as_strided_scatter."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.calls.out import put
from ..._core.cards.card import WIDE, Array, Bad, Sample, composite, op
from ..._core.errors import wrong_type
from ..._core.operators import overlap
from ..._core.out_errors import EXACT
from ..._core.tensor.base import Tensor
from ..family import WRITTEN, describes
from .as_strided import (
    as_strided_backward,
    as_strided_from,
    as_strided_from_samples,
    as_strided_samples,
    element_places,
    furthest,
    numbered,
    strided_arguments,
)
from .scattered import check_fits, with_gaps
from .view_copies import row_major


def steps_in(strides: Any, dtype: Any) -> tuple[int, ...]:
    """Convert strides to elements."""
    return tuple(stride // dtype.itemsize for stride in strides)


@op(dtypes=WIDE, public="neither", name="_as_strided_copy", node="AsStridedBackward0_copy")
def copied(self: Array, size: Any, stride: Any, offset: int) -> Any:
    """`as_strided_copy` with an offset counted from the tensor's first element."""
    return row_major(as_strided_from.body(self, size, stride, offset))


@copied.vjp("self")
def copied_vjp(
    grad: Any, self_shape: Any, self_strides: Any, self_dtype: Any, size: Any, stride: Any, offset: int
) -> Any:
    return as_strided_backward(grad, self_shape, steps_in(self_strides, self_dtype), size, stride, offset)


@copied.jvp("self")
def copied_jvp(
    tangent: Any, self_shape: Any, self_strides: Any, self_dtype: Any, size: Any, stride: Any, offset: int
) -> Any:
    # A tangent may have other strides than its tensor.
    return as_strided_backward(tangent, self_shape, steps_in(self_strides, self_dtype), size, stride, offset, False)


@copied.batched
def copied_batched(self: Any, size: Any, stride: Any, offset: int) -> Any:
    return copied.call((self, (self.shape[0], *size), (self.stride(0), *stride), offset))


copied.samples(as_strided_from_samples)


@composite(method=False)
@describes(WRITTEN, error="if the view is not within the memory")
def as_strided_copy(input: Any, size: Any, stride: Any, storage_offset: int | None = None, *, out: Any = None) -> Any:
    """`as_strided`, copied.

    Args:
        input, size, stride, storage_offset: as for `as_strided`.

    Examples:
        >>> import wengert as wg
        >>> wg.as_strided_copy(wg.arange(4), (3, 2), (1, 1))
        tensor([[0, 1],
                [1, 2],
                [2, 3]])
    """
    return put(
        "as_strided_copy",
        out,
        copied.call((input, *strided_arguments(input, size, stride, storage_offset))),
        words=EXACT,
        recorded=False,
    )


as_strided_copy.samples(as_strided_samples)


def check_apart(size: Any, stride: Any) -> None:
    """Refuse a part with several elements at one position.

    Raises:
        RuntimeError: if elements share memory.
    """
    if overlap.overlaps_itself(np.lib.stride_tricks.as_strided(np.empty(1, np.int8), size, stride, writeable=False)):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation."
        )


@op(dtypes=WIDE, layout="own", public="neither", name="_as_strided_scatter", node="AsStridedScatterBackward0")
def replaced(self: Array, src: Array, steps: Any, size: Any, stride: Any, offset: int) -> Any:
    """`self` as if stored with the strides `steps`, with `src` in place of a strided view of it."""
    check_fits(size, src)
    check_apart(size, stride)
    result = with_gaps(self)
    if self.size and src.size:
        count, inner, outer = numbered(element_places(self.shape, steps, 0), element_places(size, stride, offset))
        memory = np.zeros(count, self.dtype)
        memory[inner] = self.reshape(-1)
        memory[outer] = src.reshape(-1)
        result[...] = memory[inner].reshape(self.shape)
    return result


@replaced.vjp("self")
def replaced_vjp_self(grad: Any, src_shape: Any, steps: Any, size: Any, stride: Any, offset: int) -> Any:
    return replaced(grad, grad.new_zeros(src_shape), steps, size, stride, offset)


@replaced.vjp("src")
def replaced_vjp_src(grad: Any, self_shape: Any, steps: Any, size: Any, stride: Any, offset: int) -> Any:
    return as_strided_backward(grad, self_shape, steps, size, stride, offset, False)


@replaced.jvp("self", "src")
def replaced_jvp(self_tangent: Any, src_tangent: Any, steps: Any, size: Any, stride: Any, offset: int) -> Any:
    return replaced(self_tangent, src_tangent, steps, size, stride, offset)


@replaced.batched
def replaced_batched(self: Any, src: Any, steps: Any, size: Any, stride: Any, offset: int) -> Any:
    # The members' memory is concatenated.
    count, shape = self.shape[0], self.shape[1:]
    reach = 1 + max(furthest(shape, steps), abs(offset) + furthest(size, stride)) - min(offset, 0)
    return replaced.call((self, src, (reach, *steps), (count, *size), (reach, *stride), offset))


@replaced.samples
def replaced_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(2, 2), (4, 1), (2, 2), (4, 1), 1)
    yield Sample(make(2, 3), make(2), (3, 1), (2,), (1,), 0)
    yield Sample(make(2, 3), make(2, 2), (1, 2), (2, 2), (3, 1), 2**40)
    yield Sample(make(2, 3), make(2, 2), (1, 2), (2, 2), (1, 3), 1)


@composite()
def as_strided_scatter(input: Any, src: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Any:
    """Copy the tensor with a part replaced, which `as_strided` would select.

    Args:
        input: tensor.
        src: replacement of the part, a tensor of shape `size`.
        size: the shape of the part.
        stride: step between neighbours along each of its dimensions, in elements of memory.
        storage_offset: start in the storage; by default that of `input`.

    Returns:
        A new tensor of the shape and dtype of `input`.

    Raises:
        TypeError: if `src` is not a tensor.
        RuntimeError: if `src` has another shape, or the part is not within the memory, or contains an element twice.

    Examples:
        >>> import wengert as wg
        >>> wg.as_strided_scatter(wg.zeros(2, 3), wg.ones(2), (2,), (3,), 1)
        tensor([[0., 1., 0.],
                [0., 1., 0.]])
    """
    if not isinstance(src, Tensor):
        raise TypeError(wrong_type("as_strided_scatter", "src", 2, "Tensor", src))
    steps = steps_in(input._array_.strides, input._array_.dtype)
    size, stride, offset = strided_arguments(input, size, stride, storage_offset)
    return replaced(input, src.to(input.dtype), steps, size, stride, offset)


@as_strided_scatter.samples
def as_strided_scatter_samples(make: Any) -> Any:
    yield Sample(make(3, 4), make(2, 2), (2, 2), (4, 1), 1)
    yield Bad(make(3), make(3), (2,), (1,), raises=RuntimeError, says="src size = [3], slice size = [2]")
    yield Bad(make(3), 1, (2,), (1,), raises=TypeError, says="argument 'src' (position 2) must be Tensor, not int")
    yield Bad(make(3), make(3), (3,), (0,), raises=RuntimeError, says="refers to a single memory location")
    yield Bad(make(3), make(4), (4,), (1,), raises=RuntimeError, says="out of bounds for storage")
