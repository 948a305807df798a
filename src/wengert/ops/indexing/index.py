"""Reading at indices: gather, index_select, take, nonzero."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.calls.out import one_output, put
from ..._core.cards.card import WIDE, Array, Bad, Index, Out, Sample, composite, op
from ..._core.errors import shown
from ..._core.graph.anomaly import warn
from ..._core.out_errors import EXACT
from ..._core.tensor.base import Tensor, wrap
from ..._core.tensor.standins import StandIn
from ..._core.types import dtypes
from ..._core.types.sizes import broadcast, normalise
from ..._kernels import positions
from ..memory.memory_formats import in_order_like

OF_SELECTED = "index_select(): self and result must have the same scalar type"
OF_TAKEN = "take(): self and out expected to have the same dtype, but got self.dtype = {wanted} and out.dtype = {found}"
PLACES = "nonzero: Expected out tensor to have scalar type {wanted} but got scalar type{found}"
native = kernels.direct_function

EXPANDED = (
    "Use of {}_ on expanded tensors is deprecated. Please clone() the tensor before performing this operation. This "
    "also applies to advanced indexing e.g. tensor[{}"
)
OF_TENSOR, OF_SCALAR = "indices] = tensor", "mask] = scalar"


def warn_expanded(name: str, writing: str = OF_SCALAR) -> None:
    """Warn that an operator writes to elements that share memory.

    Args:
        name: the operator, without the `_` of its in-place form.
        writing: the form of the write, in brackets: OF_TENSOR or OF_SCALAR.
    """
    warn(EXPANDED.format(name, writing))


def integers(*values: Any) -> Any:
    """An int64 index tensor, for samples."""
    return wrap(np.array(values, dtype=np.int64))


def out_of_range_sample(make: Any) -> Bad:
    """A sample of a write along a dimension whose index is out of range."""
    says = "index 3 is out of bounds for dimension 0 with size 3"
    return Bad(make(3), 0, integers(3), make(1), raises=RuntimeError, says=says)


def check_index_dtype(name: str, index: Any, wanted: str) -> None:
    """Refuse indices that are not int32 or int64.

    Raises:
        RuntimeError: if the dtype is neither; the message names `wanted`.
    """
    if index.dtype not in (np.int32, np.int64):
        raise RuntimeError(f"{name}(): Expected dtype {wanted} for index")


ADDED = """
    Returns:
        A new tensor; `{name}_` writes into `self`.

    Raises:
        RuntimeError: if shapes or dtypes do not fit, or an index is out of range.
    """
"""Sections of an operator that adds to elements at indices."""


def check_range(
    index: Any, length: int, dim: int, kind: type[Exception] = IndexError, *, low: bool = True, name: str = ""
) -> None:
    """Refuse an index that is out of range.

    Args:
        low: negative indices count from the end; otherwise they are out of range.
        name: first word of the error.

    Raises:
        IndexError: if an index is out of range (or the error `kind`); the message names the first one.
    """
    if index.size == 0 or isinstance(index, StandIn):
        return
    floor = -length if low else 0
    if index.max() >= length or index.min() < floor:
        flat = index.reshape(-1)
        bad = flat[(flat >= length) | (flat < floor)][0]
        raise kind(f"{name}index {bad} is out of bounds for dimension {dim} with size {length}")


def check_gather(array: Any, dim: int, index: Any) -> int:
    """Check the arguments of `gather`; return the dimension, counted from the front."""
    at = normalise(dim, array.ndim)
    if index.size == 0:
        return at
    check_index_dtype("gather", index, "int32/int64")
    if max(index.ndim, 1) != max(array.ndim, 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    for axis in range(array.ndim if index.ndim else 0):
        if axis != at and index.shape[axis] > array.shape[axis]:
            raise RuntimeError(
                f"Size does not match at dimension {axis} expected index {shown(index.shape)} to be no larger than "
                "self "
                f"{shown(array.shape)} apart from dimension {at}"
            )
    check_range(index, array.shape[at] if array.ndim else 1, at, RuntimeError, low=False)
    return at


@op(dtypes=WIDE, linear="self", batching="batches.elements", native=native("gather"), out=Out(apart="wholly"))
def gather(self: Array, dim: int, index: Index, *, sparse_grad: bool = False) -> Any:
    """Gather elements along a dimension: `out[i][j] = self[index[i][j]][j]` for `dim` 0.

    Args:
        dim: the dimension of `index`.
        index: int64 or int32 tensor with as many dimensions, no longer than `self` along the others; an empty one may
            have any dtype.
        sparse_grad: has no effect.

    Returns:
        A new tensor of the shape of `index`.

    Raises:
        RuntimeError: if shape or dtype of `index` do not fit, or an index is out of range.

    Examples:
        >>> import wengert as wg
        >>> wg.gather(wg.tensor([[1, 2], [3, 4]]), 1, wg.tensor([[0], [1]]))
        tensor([[1],
                [4]])
    """
    at = check_gather(self, dim, index)
    if index.size == 0:
        return np.empty(index.shape, self.dtype)
    return kernels.gather(self, at, index)


gather.shows(sparse_grad="as off")


@gather.vjp("self", native=native("gather_rule"))
def gather_vjp(grad: Any, self_shape: Any, dim: int, index: Any) -> Any:
    return gather_backward(grad, self_shape, dim, index)


@gather.samples
def gather_samples(make: Any) -> Any:
    yield Sample(make(3, 2), 0, integers([2, 0], [0, 0]))
    yield Sample(make(3), -1, integers(1, 1, 0, 2))
    yield Bad(make(3), 0, integers(3), raises=RuntimeError, says="index 3 is out of bounds for dimension 0 with size 3")
    yield Bad(make(3, 2), 0, integers(0), raises=RuntimeError, says="must have the same number of dimensions")


@op(dtypes=WIDE, linear="grad", batching="batches.gathered_backward", public="neither", node="ScatterAddBackward0")
def gather_backward(grad: Array, shape: Any, dim: int, index: Index) -> Any:
    """Zeros of `shape` with the elements of `grad` added at the indices of `gather`."""
    zeros = np.zeros(shape, grad.dtype)
    return kernels.scatter_add(zeros, normalise(dim, len(shape)), index, grad) if index.size else zeros


@gather_backward.vjp("grad")
def gather_backward_vjp(grad: Any, dim: int, index: Any) -> Any:
    return grad.gather(dim, index)


@gather_backward.samples
def gather_backward_samples(make: Any) -> Any:
    yield Sample(make(2, 2), (3, 2), 0, integers([2, 0], [0, 0]))


@composite()
def take_along_dim(input: Any, indices: Tensor, dim: int | None = None, *, out: Any = None) -> Any:
    """`gather` with broadcasting; from the flat tensor without `dim`.

    Args:
        input: tensor.
        indices: int64 tensor.
        dim: the dimension of the indices.
        out: where to write the result.

    Returns:
        A new tensor.

    Raises:
        RuntimeError: if dtype or number of dimensions of `indices` do not fit.

    Examples:
        >>> import wengert as wg
        >>> x = wg.tensor([[3, 1], [2, 4]])
        >>> wg.take_along_dim(x, x.argsort(1), 1)
        tensor([[1, 3],
                [2, 4]])
    """
    if dim is None:
        return write_taken(out, input.reshape(-1).gather(0, indices.reshape(-1)), input, indices)
    have, wanted = input._array_.shape, indices._array_.shape
    if len(have) != len(wanted):
        raise RuntimeError(
            f"torch.take_along_dim(): input and indices should have the same number of dimensions, but got {len(have)} "
            f"dimensions for input, and {len(wanted)} dimensions for indices"
        )
    if indices._array_.dtype != np.int64:
        raise RuntimeError(
            f"torch.take_along_dim(): dtype of indices should be Long but got {indices.dtype.legacy[:-6]}"
        )
    at = normalise(dim, len(have))
    index = indices.remainder(have[at]) if have[at] else indices  # counted from the end, too
    if have[:at] == wanted[:at] and have[at + 1 :] == wanted[at + 1 :]:
        return write_taken(out, input.gather(at, index), input, indices)
    common = broadcast(
        tuple([1 if axis == at else length for axis, length in enumerate(have)]),
        tuple([1 if axis == at else length for axis, length in enumerate(wanted)]),
    )
    index = index.expand((*common[:at], wanted[at], *common[at + 1 :]))
    return write_taken(out, input.expand((*common[:at], have[at], *common[at + 1 :])).gather(at, index), input, indices)


def write_taken(out: Any, taken: Any, *read: Any) -> Any:
    """Write the elements of `take_along_dim` to `out`."""
    return put("take_along_dim", out, taken, words=EXACT, read=read, wholly=True, writer="gather")


@take_along_dim.samples
def take_along_dim_samples(make: Any) -> Any:
    yield Sample(make(3, 2), integers([2, 0]), 0)
    yield Sample(make(3, 2), integers([5], [0]))
    yield Sample(make(3, 2).t(), integers([5], [0]))
    yield Bad(make(3, 2), integers([0, 0, 0]), 0, raises=RuntimeError, says="The size of tensor a (2) must match the")


def check_selection(array: Any, dim: int, index: Any) -> int:
    """Return the dimension along which slices are selected, counted from the front.

    Raises:
        IndexError: if the index has several dimensions.
        RuntimeError: if the dtype is not an index's, or several slices are selected from a 0-dim tensor.
    """
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    check_index_dtype("index_select", index, "int32 or int64")
    at = normalise(dim, array.ndim)
    if not array.ndim and index.size != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index.size} value(s)")
    return at


@op(
    dtypes=WIDE,
    linear="self",
    batching="batches.selected",
    native=native("index_select"),
    out=Out(apart="wholly", words=OF_SELECTED),
)
def index_select(self: Array, dim: int, index: Index) -> Any:
    """Return the slices along `dim` at `index`.

    Args:
        index: int64 or int32 tensor with at most one dimension.

    Raises:
        IndexError: if an index is out of range, or `index` has more dimensions.
        RuntimeError: if several slices are selected from a 0-dim tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.index_select(wg.tensor([[1, 2], [3, 4], [5, 6]]), 0, wg.tensor([2, 0]))
        tensor([[5, 6],
                [1, 2]])
    """
    at = check_selection(self, dim, index)
    length = self.shape[at] if self.ndim else 1
    if index.size and (index.max() >= length or index.min() < 0):
        raise IndexError("index out of range in self")
    return kernels.index_select(self, at, index)


@index_select.vjp("self", native=native("index_select_rule"))
def index_select_vjp(grad: Any, self_shape: Any, dim: int, index: Any) -> Any:
    return index_select_backward(grad, self_shape, dim, index)


@index_select.samples
def index_select_samples(make: Any) -> Any:
    yield Sample(make(3, 2), 0, integers(2, 0, 2))
    yield Sample(make(3, 2), -1, integers(1))
    yield Bad(
        make(), 0, integers(0, 0), raises=RuntimeError, says="Index to scalar can have only 1 value, got 2 value(s)"
    )
    yield Bad(make(3), 0, integers(3), raises=IndexError, says="index out of range in self")
    yield Bad(make(3), 0, make(1), raises=RuntimeError, says="Expected dtype int32 or int64 for index")


@op(dtypes=WIDE, linear="grad", batching="batches.selected_backward", public="neither", node="IndexAddBackward0")
def index_select_backward(grad: Array, shape: Any, dim: int, index: Index) -> Any:
    """Zeros of `shape` with the slices of `grad` added at the indices of `index_select`."""
    return kernels.index_add(np.zeros(shape, grad.dtype), normalise(dim, len(shape)), index, grad)


@index_select_backward.vjp("grad")
def index_select_backward_vjp(grad: Any, dim: int, index: Any) -> Any:
    return grad.index_select(dim, index)


@index_select_backward.samples
def index_select_backward_samples(make: Any) -> Any:
    yield Sample(make(2, 2), (3, 2), 0, integers(2, 2))


def check_taken(index: Any) -> None:
    """Refuse an index of `take` of another dtype than int64.

    Raises:
        RuntimeError: if the dtype is not int64.
    """
    if index.dtype != np.int64:
        raise RuntimeError(
            f"take(): Expected a long tensor for index, but got {dtypes.from_numpy(index.dtype).legacy[:-6]}"
        )


@op(
    dtypes=WIDE, linear="self", batching="batches.taken", out=Out(apart="wholly", words=OF_TAKEN), native=native("take")
)
def take(self: Array, index: Index) -> Any:
    """Return elements of the flat tensor.

    Args:
        index: int64 tensor; negative numbers count from the end.

    Returns:
        A new tensor of the shape of `index`.

    Raises:
        IndexError: if an index is out of range.

    Examples:
        >>> import wengert as wg
        >>> wg.take(wg.tensor([[1, 2], [3, 4]]), wg.tensor([3, 0]))
        tensor([4, 1])
    """
    check_taken(index)
    flat = index.reshape(-1)
    outside = flat[(flat >= self.size) | (flat < -self.size)]
    if outside.size:
        raise IndexError(f"out of range: tried to access index {outside[0]} on a tensor of {self.size} elements.")
    return positions.take(self.reshape(-1), flat).reshape(index.shape)


@take.vjp("self")
def take_vjp(grad: Any, self_shape: Any, self_strides: Any, index: Any) -> Any:
    length = 1
    for size in self_shape:
        length *= size
    flat = index.reshape((-1,))
    result = index_select_backward(grad.reshape((-1,)), (length,), 0, flat.remainder(max(length, 1))).reshape(
        self_shape
    )
    return in_order_like(result, self_shape, self_strides)


@take.samples
def take_samples(make: Any) -> Any:
    yield Sample(make(3, 2), integers([0, 5], [-1, 0]))
    yield Bad(make(3), integers(3), raises=IndexError, says="tried to access index 3 on a tensor of 3 elements")


@op(
    layout="own",
    dtypes=WIDE,
    why="indices",
    batching="batches.nonzero_refused",
    public="neither",
    native=native("nonzero_positions"),
)
def nonzero_positions(self: Index) -> Any:
    """Indices of nonzero elements, one row for each; column-major, as in torch."""
    result = np.array(positions.nonzero(self)).T if self.ndim else np.zeros((1 if self else 0, 0), np.int64)
    if len(result):
        return result
    return np.ndarray(result.shape, result.dtype, result, 0, (result.itemsize, 0))


@nonzero_positions.samples
def nonzero_positions_samples(make: Any) -> Any:
    yield Sample(make(2, 3))


@composite()
def nonzero(input: Any, *, as_tuple: bool = False, out: Any = None) -> Any:
    """Indices of elements that are not zero.

    Args:
        input: tensor.
        as_tuple: return one index tensor for each dimension instead of one row for each element.
        out: where to write the result.

    Returns:
        An int64 tensor of shape (count, ndim), or a tuple of ndim tensors of shape (count,).

    Raises:
        TypeError: if `out` is not a tensor.
        RuntimeError: if there is an `out`, and `as_tuple` is set.

    Examples:
        >>> import wengert as wg
        >>> wg.nonzero(wg.tensor([[0, 1], [2, 0]]))
        tensor([[0, 1],
                [1, 0]])
    """
    result = nonzero_positions(input)
    if not as_tuple:
        return put("nonzero", out, result, words=PLACES)
    if out is not None:
        one_output("nonzero", out)
        raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
    return tuple((nonzero_positions(input.reshape((1,))) if not input._array_.ndim else result).unbind(1))


@composite()
def argwhere(input: Any) -> Any:
    """Alias of `nonzero` without a tuple.

    Args:
        input: tensor.

    Returns:
        An int64 tensor of shape (count, ndim).

    Examples:
        >>> import wengert as wg
        >>> wg.argwhere(wg.tensor([[0, 1], [2, 0]]))
        tensor([[0, 1],
                [1, 0]])
    """
    return input.nonzero()


for card in (nonzero, argwhere):
    card.samples(nonzero_positions_samples)
