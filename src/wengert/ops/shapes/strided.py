"""Views by strides: diagonal and unfold; operators on diagonals."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.calls.out import check_cast, one_output, put
from ..._core.cards.arguments import integer
from ..._core.cards.card import WIDE, Array, Bad, Out, Sample, composite, op
from ..._core.out_errors import EXACT
from ..._core.types.devices import contiguous_format
from ..._core.types.sizes import normalise
from ..._kernels.layout import strided

native = kernels.direct_function


def two_dims(dim1: int, dim2: int, ndim: int) -> tuple[int, int]:
    """Return two different dimensions, counted from the front."""
    first, second = normalise(dim1, ndim), normalise(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return first, second


@op(dtypes=WIDE, view=True, linear="self", native=native("diagonal"))
def diagonal(self: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """Select a diagonal of two dimensions, as the last dimension of the result.

    Args:
        self: tensor with at least two dimensions.
        offset: 0 for the main diagonal, positive above it.
        dim1, dim2: the dimensions.

    Raises:
        RuntimeError: if the dimensions are equal.

    Examples:
        >>> import wengert as wg
        >>> wg.diagonal(wg.tensor([[1, 2], [3, 4]]))
        tensor([1, 4])
    """
    first, second = two_dims(dim1, dim2, self.ndim)
    moved = self.transpose([*[dim for dim in range(self.ndim) if dim not in (first, second)], first, second])
    rows, columns = moved.shape[-2:]
    length = max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)
    if length:
        moved = moved[..., max(-offset, 0) :, max(offset, 0) :]
    return strided(moved, (*moved.shape[:-2], length), (*moved.strides[:-2], moved.strides[-2] + moved.strides[-1]))


@diagonal.vjp("self", native=native("diagonal_backward"))
def diagonal_vjp(grad: Any, self_shape: Any, offset: int, dim1: int, dim2: int) -> Any:
    return diagonal_backward(grad, self_shape, offset, dim1, dim2)


@diagonal.batched
def diagonal_batched(self: Any, offset: int, dim1: int, dim2: int) -> Any:
    first, second = two_dims(dim1, dim2, self.ndim - 1)
    return diagonal.call((self, offset, first + 1, second + 1))


@diagonal.samples
def diagonal_samples(make: Any) -> Any:
    yield Sample(make(3, 4))
    yield Sample(make(2, 3, 4), -1, 2, 0)
    yield Bad(make(2, 2), 0, 1, 1, raises=RuntimeError, says="diagonal dimensions cannot be identical")


@op(dtypes=WIDE, linear="grad", public="neither", native=native("diagonal_backward"))
def diagonal_backward(grad: Array, shape: Any, offset: int, dim1: int, dim2: int) -> Any:
    """Zeros of `shape` with `grad` on a diagonal."""
    zeros = np.zeros(shape, grad.dtype)
    diagonal.body(zeros, offset, dim1, dim2)[...] = grad
    return zeros


@diagonal_backward.vjp("grad")
def diagonal_backward_vjp(grad: Any, offset: int, dim1: int, dim2: int) -> Any:
    return grad.diagonal(offset, dim1, dim2)


@diagonal_backward.batched
def diagonal_backward_batched(grad: Any, shape: Any, offset: int, dim1: int, dim2: int) -> Any:
    first, second = two_dims(dim1, dim2, len(shape))
    return diagonal_backward.call((grad, (grad.shape[0], *shape), offset, first + 1, second + 1))


@diagonal_backward.samples
def diagonal_backward_samples(make: Any) -> Any:
    yield Sample(make(3), (3, 4), 1, 0, 1)


def embedded_shape(shape: tuple[int, ...], offset: int, dims: tuple[int, int]) -> tuple[int, ...]:
    """Return a shape whose last dimension has become a diagonal of two, counted from the front."""
    lengths = list(shape[:-1])
    for dim in sorted(dims):
        lengths.insert(dim, shape[-1] + abs(offset))
    return tuple(lengths)


@op(dtypes=WIDE, linear="self", native=native("diag_embed"))
def diag_embed(self: Array, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    """Place the last dimension on a diagonal of two, zeros elsewhere.

    Args:
        self: tensor with at least one dimension.
        offset: 0 for the main diagonal, positive above it.
        dim1, dim2: the two dimensions of the result.

    Examples:
        >>> import wengert as wg
        >>> wg.diag_embed(wg.tensor([1, 2]))
        tensor([[1, 0],
                [0, 2]])
    """
    first, second = two_dims(dim1, dim2, self.ndim + 1)
    zeros = np.zeros(embedded_shape(self.shape, offset, (first, second)), self.dtype)
    diagonal.body(zeros, offset, first, second)[...] = self
    return zeros


diag_embed.vjp("self")(diagonal_backward_vjp)


@diag_embed.batched
def diag_embed_batched(self: Any, offset: int, dim1: int, dim2: int) -> Any:
    if self.ndim == 1:
        raise RuntimeError("diag_embed(): expected a tensor with at least one dimension")
    first, second = two_dims(dim1, dim2, self.ndim)
    return diag_embed.call((self, offset, first + 1, second + 1))


@diag_embed.samples
def diag_embed_samples(make: Any) -> Any:
    yield Sample(make(3))
    yield Sample(make(2, 3), 1, 0, 2)


@op(
    dtypes=WIDE,
    linear="self",
    public="function",
    node="DiagonalBackward0_copy",
    native=native("diagonal_copy"),
    out=Out(recorded=False),
)
def diagonal_copy(self: Array, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """`diagonal`, copied.

    Args:
        self: tensor with at least two dimensions.
        offset: the diagonal; 0 is the main one, positive ones are above it.
        dim1, dim2: the dimensions of the diagonal's plane.

    Examples:
        >>> import wengert as wg
        >>> wg.diagonal_copy(wg.tensor([[1, 2], [3, 4]]))
        tensor([1, 4])
    """
    return diagonal.body(self, offset, dim1, dim2).copy()


diagonal_copy.vjp("self", native=native("diagonal_backward"))(diagonal_vjp)


@diagonal_copy.batched
def diagonal_copy_batched(self: Any, offset: int, dim1: int, dim2: int) -> Any:
    first, second = two_dims(dim1, dim2, self.ndim - 1)
    return self.diagonal(offset, first + 1, second + 1).clone(memory_format=contiguous_format)


diagonal_copy.samples(diagonal_samples)


@composite()
def diag(input: Any, diagonal: int = 0, *, out: Any = None) -> Any:
    """The diagonal matrix of a vector, or the diagonal of a matrix (a copy).

    Args:
        input: tensor with one or two dimensions.
        diagonal: 0 for the main diagonal, positive above it.
        out: where to write the result.

    Returns:
        A new tensor.

    Raises:
        RuntimeError: if `input` has neither one nor two dimensions.

    Examples:
        >>> import wengert as wg
        >>> wg.diag(wg.tensor([1, 2]), 1)
        tensor([[0, 1, 0],
                [0, 0, 2],
                [0, 0, 0]])
    """
    ndim = input._array_.ndim
    if ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")
    result = input.diag_embed(diagonal) if ndim == 1 else diagonal_copy(input, diagonal)
    if out is None:
        return result
    if ndim == 1:
        words = "diag: result type {wanted} can't be cast to the desired out= type {found}"
        check_cast(one_output("diag", out), result, words)
    return put("diag", out, result, words=EXACT, recorded=False, writer="diagonal_copy")


@composite()
def diagflat(input: Any, offset: int = 0) -> Any:
    """Diagonal matrix of all elements.

    Args:
        input: tensor.
        offset: 0 for the main diagonal, positive above it.

    Returns:
        A new tensor with two dimensions.

    Examples:
        >>> import wengert as wg
        >>> wg.diagflat(wg.tensor([[1, 2]]))
        tensor([[1, 0],
                [0, 2]])
    """
    return input.reshape((-1,)).diag_embed(offset)


@diag.samples
@diagflat.samples
def vectors_and_matrices(make: Any) -> Any:
    """A vector and a matrix as samples."""
    yield Sample(make(3))
    yield Sample(make(3, 4), 1)


@op(dtypes=WIDE, view=True, linear="self", native=native("unfold"))
def unfold(self: Array, dimension: int, size: int, step: int) -> Any:
    """Windows along a dimension: the dimension counts the windows, and a new last one their elements.

    Args:
        dimension: the dimension.
        size: the length of a window.
        step: distance between the starts of windows.

    Returns:
        A view; windows may overlap.

    Raises:
        RuntimeError: if the window is longer than the dimension, or `step` is not positive.

    Examples:
        >>> import wengert as wg
        >>> wg.arange(5).unfold(0, 3, 1)
        tensor([[0, 1, 2],
                [1, 2, 3],
                [2, 3, 4]])
    """
    at = normalise(integer("unfold", "dimension", dimension), self.ndim)
    length = self.shape[at] if self.ndim else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > length:
        raise RuntimeError(f"maximum size for tensor at dimension {at} is {length} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    shape, strides = self.shape or (1,), self.strides or (self.itemsize,)
    if not self.ndim:
        return strided(self, (size,), (self.itemsize,))
    shape = (*shape[:at], (length - size) // step + 1, *shape[at + 1 :], size)
    return strided(self, shape, (*strides[:at], strides[at] * step, *strides[at + 1 :], strides[at]))


@unfold.vjp("self")
def unfold_vjp(grad: Any, self_shape: Any, dimension: int, size: int, step: int) -> Any:
    return unfold_backward(grad, self_shape, dimension, size, step)


@unfold.batched
def unfold_batched(self: Any, dimension: int, size: int, step: int) -> Any:
    if self.ndim == 1:  # a window in a 0-dim tensor
        return unfold.call((self.unsqueeze(1), 1 + normalise(dimension, 0), size, step)).select(1, 0)
    return unfold.call((self, 1 + normalise(dimension, self.ndim - 1), size, step))


@unfold.samples
def unfold_samples(make: Any) -> Any:
    yield Sample(make(5, 2), 0, 3, 1)
    yield Sample(make(2, 5), -1, 2, 2)
    yield Bad(make(3), 0, 4, 1, raises=RuntimeError, says="maximum size for tensor at dimension 0 is 3 but size is 4")


@op(dtypes=WIDE, linear="grad", public="neither", takes_halves=True)
def unfold_backward(grad: Array, shape: Any, dimension: int, size: int, step: int) -> Any:
    """Zeros of `shape` with the windows of `grad` added at their places, one after the other as torch does."""
    zeros = np.zeros(shape, grad.dtype)
    if not zeros.ndim:
        return zeros + grad.sum()
    at = normalise(dimension, zeros.ndim)
    count = grad.shape[at]
    if count < size:
        for nr in range(count):
            part = (slice(None),) * at + (slice(nr * step, nr * step + size),)
            zeros[part] += np.moveaxis(grad[(slice(None),) * at + (nr,)], -1, at)
        return zeros
    for offset in reversed(range(size)):
        part = (slice(None),) * at + (slice(offset, offset + (count - 1) * step + 1, step),)
        zeros[part] += grad[..., offset]
    return zeros


@unfold_backward.vjp("grad")
def unfold_backward_vjp(grad: Any, dimension: int, size: int, step: int) -> Any:
    return grad.unfold(dimension, size, step)


@unfold_backward.batched
def unfold_backward_batched(grad: Any, shape: Any, dimension: int, size: int, step: int) -> Any:
    if not shape:
        return grad.sum(1)
    return unfold_backward.call((grad, (grad.shape[0], *shape), 1 + normalise(dimension, len(shape)), size, step))


@unfold_backward.samples
def unfold_backward_samples(make: Any) -> Any:
    yield Sample(make(3, 2, 3), (5, 2), 0, 3, 1)
    yield Sample(make(2, 2, 3), (2, 5), 1, 3, 2)
