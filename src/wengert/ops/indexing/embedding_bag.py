"""Embedding bags: sums, means and maxima of rows of a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core import errors
from ..._core.cards.card import REALS, Array, Bad, Index, Sample, composite, op
from ..._core.tensor.base import Tensor, wrap
from ..._core.tensor.standins import StandIn
from ..._core.types.dtypes import promote_types
from ..._kernels import positions
from ..create.factory import refuse_dtype
from ..shapes.join import cat
from .embedding import embedding_dense_backward, rows_of_batch, sparse_rows

SUM, MEAN, MAX = range(3)
MODES = ("sum", "mean", "max")


def check_places(weight: Any, indices: Any, offsets: Any, padding_idx: int) -> None:
    """Refuse row numbers and offsets that are out of range.

    Raises:
        RuntimeError: if a number is out of range, or the dtypes do not fit.
    """
    for operand in (indices, offsets):
        if operand.dtype not in (np.int64, np.int32):
            raise RuntimeError(
                "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but "
                f"got {errors.type_name(operand)} instead (while checking arguments for embedding_bag)"
            )
    if weight.ndim != 2:
        raise RuntimeError(f"weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}")
    rows, count = weight.shape[0], indices.size
    if not -1 <= padding_idx < rows:
        raise RuntimeError(
            f"padding_idx must be within the number of embeddings, -{rows} through {rows - 1}, but got {padding_idx}"
        )
    if isinstance(indices, StandIn):
        return
    bad = positions.flatnonzero((indices < 0) | (indices >= rows))
    if bad.size:
        raise RuntimeError(
            f"Index {bad[0]} of input takes value {indices[bad[0]]} which is not in the valid range [0, {rows})"
        )
    if not offsets.size:
        return
    if offsets[0] != 0:
        raise RuntimeError(
            "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. "
            f"However, got {offsets[0]}"
        )
    if offsets[-1] > count:
        raise RuntimeError(
            f"offsets[-1] can not be greater than input's length {count} but got offsets[-1] of {offsets[-1]}"
        )
    if (offsets[1:] < offsets[:-1]).any():
        raise RuntimeError("embedding_bag: offsets must not decrease")


def check_lookup(weight: Any, indices: Any, offsets: Any, padding_idx: int) -> None:
    """Check tables, numbers and offsets: see `check_places`; refuse dtypes without a kernel."""
    refuse_dtype("embedding_bag", weight, REALS)
    check_places(weight, indices, offsets, padding_idx)


def check_factors(weight: Any, per_sample_weights: Any) -> None:
    """Refuse factors of another dtype than the table's.

    Raises:
        RuntimeError: if the dtype differs.
    """
    if per_sample_weights is not None and per_sample_weights.dtype != weight.dtype:
        raise RuntimeError(
            "Expected tensor for argument #1 'weight' to have the same type as tensor for argument #1 "
            f"'per_sample_weights'; but type {weight.type()} does not equal {per_sample_weights.type()} "
            "(while checking arguments for embedding_bag)"
        )


def reduced(rows: Any, bags: Any, count: int, mode: int) -> tuple[Any, Any]:
    """Reduce rows bag by bag; for a maximum also return the number of its row.

    A maximum is searched from the first row, so that NaN counts in that row only, and hides all others.

    Args:
        rows: (n, width).
        bags: the bag of each row, in increasing order.
        count: number of bags.
        mode: see `MODES`.
    """
    width = rows.shape[1]
    result, places = np.zeros((count, width), rows.dtype), np.zeros((count, width), np.int64)
    if not len(rows):
        return result, places
    starts = positions.flatnonzero(np.r_[True, bags[1:] != bags[:-1]])
    full = bags[starts]
    result[full] = positions.reduceat(np.fmax if mode == MAX else np.add, rows, starts)
    if mode == MAX:
        result[full] = np.where(np.isnan(rows[starts]), rows[starts], result[full])
        reached = rows == result[bags]
        reached[starts] |= np.isnan(rows[starts])
        numbers = np.where(reached, positions.arange(len(rows))[:, None], len(rows) - 1)
        places[full] = positions.reduceat(np.minimum, numbers, starts)
    return result, places


def check_last(offsets: Any, include_last_offset: bool) -> None:
    """Refuse empty offsets if they are to include the last one.

    Raises:
        RuntimeError: if they are empty.
    """
    if include_last_offset and not offsets.size:
        raise RuntimeError("include_last_offset: number of offset should be at least 1")


@op(
    dtypes=REALS,
    outputs={"result": True, "offset2bag": False, "bag_size": False, "maximum_indices": False},
    name="_embedding_bag",
    node="EmbeddingBagBackward0",
    public="neither",
)
def bags_of_rows(
    weight: Array,
    indices: Index,
    offsets: Index,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Array = None,
    include_last_offset: bool = False,
    padding_idx: int = -1,
) -> Any:
    """Return the reduced bags, the bag of each row, the size of each bag, and the rows of maxima."""
    check_lookup(weight, indices, offsets, padding_idx)
    check_last(offsets, include_last_offset)
    bags = positions.searchsorted(offsets, positions.arange(indices.size), side="right") - bool(offsets.size)
    count = len(offsets) - include_last_offset
    used = positions.flatnonzero((indices != padding_idx) & (bags < count))
    rows = weight[indices[used]]
    if per_sample_weights is not None:
        rows = rows * per_sample_weights[used, None]
    result, places = reduced(rows, bags[used], count, mode)
    sizes = positions.bincount(bags[used], count)
    if mode == MEAN:
        result /= np.maximum(sizes, 1)[:, None].astype(result.dtype)
    if mode == MAX and used.size:
        places = np.where(sizes[:, None] > 0, indices[used][places], 0)
    return result.astype(weight.dtype, copy=False), bags, sizes, places.astype(np.int64, copy=False)


def uses_of(grad: Any, offset2bag: Any, bag_size: Any, mode: int) -> Any:
    """Gradient of each use of a row; its share for a mean. Zeros for uses in no bag."""
    if mode == MEAN:
        grad = grad / bag_size.clamp(min=1).unsqueeze(-1)
    spare = cat([grad, grad.new_zeros((1, grad.shape[1]))])
    return spare.index_select(0, offset2bag)


@bags_of_rows.vjp("weight")
def bags_vjp_weight(
    grads: Any,
    weight_shape: Any,
    indices: Any,
    per_sample_weights: Any,
    offset2bag: Any,
    bag_size: Any,
    maximum_indices: Any,
    scale_grad_by_freq: bool,
    mode: int,
    padding_idx: int,
    sparse: bool,
) -> Any:
    grad = grads[0]
    if mode == MAX:
        shown = grad.where((bag_size > 0).unsqueeze(-1), 0)
        return grad.new_zeros(weight_shape).scatter_add(0, maximum_indices, shown)
    uses = uses_of(grad, offset2bag, bag_size, mode)
    if per_sample_weights is not None:
        uses = uses * per_sample_weights.unsqueeze(-1)
    if sparse:
        return sparse_rows(uses, indices, weight_shape, padding_idx, scale_grad_by_freq)
    return embedding_dense_backward(uses, indices, weight_shape[0], padding_idx, scale_grad_by_freq)


@bags_of_rows.vjp("per_sample_weights")
def bags_vjp_weights(
    grads: Any, weight: Any, indices: Any, offset2bag: Any, bag_size: Any, mode: int, padding_idx: int
) -> Any:
    uses = uses_of(grads[0], offset2bag, bag_size, mode)
    result = (uses * weight.index_select(0, indices)).sum(-1)
    return result.where(indices != padding_idx, 0)


def put_in_bags(uses: Any, indices: Any, offset2bag: Any, bag_size: Any, mode: int, padding_idx: int) -> Any:
    """Sums or means of the values of each use of a row, bag by bag."""
    counted = uses.where((indices != padding_idx).unsqueeze(-1), 0)
    spare = uses.new_zeros((bag_size.shape[0] + 1, uses.shape[1])).index_add(0, offset2bag, counted)
    result = spare[:-1]
    return result / bag_size.clamp(min=1).unsqueeze(-1) if mode == MEAN else result


@bags_of_rows.jvp("weight")
def bags_jvp_weight(
    tangent: Any,
    indices: Any,
    per_sample_weights: Any,
    offset2bag: Any,
    bag_size: Any,
    maximum_indices: Any,
    mode: int,
    padding_idx: int,
) -> Any:
    if mode == MAX:
        return tangent.gather(0, maximum_indices).where((bag_size > 0).unsqueeze(-1), 0), None, None, None
    uses = tangent.index_select(0, indices)
    if per_sample_weights is not None:
        uses = uses * per_sample_weights.unsqueeze(-1)
    return put_in_bags(uses, indices, offset2bag, bag_size, mode, padding_idx), None, None, None


@bags_of_rows.jvp("per_sample_weights")
def bags_jvp_weights(
    tangent: Any, weight: Any, indices: Any, offset2bag: Any, bag_size: Any, mode: int, padding_idx: int
) -> Any:
    uses = weight.index_select(0, indices) * tangent.unsqueeze(-1)
    return put_in_bags(uses, indices, offset2bag, bag_size, mode, padding_idx), None, None, None


@bags_of_rows.batched
def bags_batched(weight: Any, indices: Any, offsets: Any, *options: Any) -> Any:
    *first_options, per_sample_weights, include_last_offset, padding_idx = options
    size, rows, width = weight.shape
    uses, bags = indices.shape[1], offsets.shape[1]
    first = wrap(positions.arange(size)[:, None])
    numbers, table = rows_of_batch(indices, rows), weight.reshape((size * rows, width))
    if padding_idx >= 0:  # one row for all of them
        numbers = numbers.where(indices != padding_idx, size * rows)
        table = cat([table, table.new_zeros((1, width))])
    result, bag_of_index, sizes, places = bags_of_rows(
        table,
        numbers.reshape((size * uses,)),
        (offsets + first * uses).reshape((size * bags,)),
        *first_options,
        None if per_sample_weights is None else per_sample_weights.reshape((size * uses,)),
        False,
        size * rows if padding_idx >= 0 else -1,
    )
    count = max(0, bags - include_last_offset)
    result, places = (part.reshape((size, bags, width))[:, :count] for part in (result, places))
    places = (places - first.unsqueeze(-1) * rows).clamp(min=0)
    return result, bag_of_index.reshape((size, uses)) - first * bags, sizes.reshape((size, bags))[:, :count], places


def numbers(*values: int) -> Tensor:
    """A vector of integers."""
    return wrap(np.array(values, np.int64))


@bags_of_rows.samples
def bags_samples(make: Any) -> Any:
    places = numbers(0, 2, 3, 1, 2), numbers(0, 0)  # the batching tests reverse them
    yield Sample(make(4, 3), *places, False, SUM, False, make(5))
    yield Sample(make(4, 3), *places, True, MEAN, False, None, False, 2)
    yield Sample(make(4, 3), *places, False, MAX, False, None, True)
    yield Sample(make(4, 3), numbers(), numbers(0, 0), False, SUM)
    yield Bad(make(4), numbers(0, 1), numbers(0), raises=RuntimeError, says="weight has to be a 2D Tensor")
    yield Bad(make(4, 3), numbers(0, 4), numbers(0), raises=RuntimeError, says="not in the valid range [0, 4)")
    yield Bad(make(4, 3), numbers(0, 1), numbers(1), raises=RuntimeError, says="offsets[0] has to be 0")
    yield Bad(make(4, 3), numbers(0, 1), numbers(0, 3), raises=RuntimeError, says="offsets[-1] can not be greater")


def row_number(padding_idx: Any, rows: int) -> int:
    """Return the row that does not count; -1 for none.

    Raises:
        RuntimeError: if `padding_idx` is out of range.
    """
    if padding_idx is None:
        return -1
    if not -rows <= padding_idx < rows:
        raise RuntimeError(
            f"padding_idx must be within the number of embeddings, -{rows} through {rows - 1}, but got {padding_idx}"
        )
    return int(padding_idx) % rows


@composite(method=False)
def embedding_bag(
    weight: Tensor,
    indices: Tensor,
    offsets: Tensor,
    scale_grad_by_freq: bool = False,
    mode: int = 0,
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Reduce rows of a table bag by bag.

    Args:
        weight: (rows, width).
        indices: row numbers, (n,), int64 or int32.
        offsets: start of each bag.
        scale_grad_by_freq: divide gradients by the number of uses of their row.
        mode: 0 for sums, 1 for means, 2 for maxima.
        sparse: the gradient of the table is a sparse tensor, with a row for each use.
        per_sample_weights: factors of the rows of sums, (n,).
        include_last_offset: whether `offsets` includes the end of the last bag.
        padding_idx: row that does not count; negative numbers count from the end.

    Returns:
        New tensors: the reduced bags, (bags, width); the bag of each row, the size of each bag, and the rows of
        maxima.

    Raises:
        RuntimeError: if a number is out of range, or dtypes do not fit.
        IndexError: if `weight` has no dimensions, and `padding_idx` is given.

    Examples:
        >>> import wengert as wg
        >>> wg.embedding_bag(wg.tensor([[0.0, 1.0], [2.0, 3.0]]), wg.tensor([0, 1, 1]), wg.tensor([0, 2]))[0]
        tensor([[2., 4.],
                [2., 3.]])
    """
    if not weight.ndim and padding_idx is None:
        raise RuntimeError("weight has to be a 2D Tensor, but got Tensor of dimension 0")
    if not weight.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    padding = row_number(padding_idx, weight.shape[0])
    check_factors(weight, per_sample_weights)
    if indices.dtype is not offsets.dtype:
        common = promote_types(indices.dtype, offsets.dtype)
        indices, offsets = indices.to(common), offsets.to(common)
    return bags_of_rows(
        weight, indices, offsets, scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding
    )


@embedding_bag.samples
def embedding_bag_samples(make: Any) -> Any:
    yield Sample(make(4, 3), numbers(0, 2, 3), numbers(0))
    yield Sample(make(4, 3), numbers(0, 2, 3), numbers(0, 0), False, MEAN, False, None, False, -1)
    yield Bad(make(), numbers(0), numbers(0), raises=RuntimeError, says="weight has to be a 2D Tensor")
    yield Bad(
        *(make(), numbers(0), numbers(0), False, SUM, False, None, False, -1),
        raises=IndexError,
        says="Dimension specified as 0 but tensor has no dimensions",
    )
    yield Bad(
        *(make(4, 3), numbers(0), numbers(0), False, SUM, False, None, False, 7),
        raises=RuntimeError,
        says="padding_idx must be within the number of embeddings, -4 through 3, but got 7",
    )


__all__ = ["embedding_bag"]
