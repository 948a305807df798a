"""Reductions of segments: consecutive parts of a dimension, of different lengths."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import errors
from ..._core.cards.card import REALS, Array, Bad, Index, Sample, composite, op
from ..._core.tensor.base import Tensor, wrap
from ..._core.tensor.batches import is_batched
from ..._core.tensor.meta_array import is_meta
from ..._core.types import dtypes
from ..._kernels import positions
from ..axes import normalise
from ..create.factory import read_number, refuse_dtype
from ..shapes.join import cat

KINDS = {"sum": "sum", "mean": "mean", "prod": "prod", "max": "max", "min": "min", "amax": "max", "amin": "min"}
EMPTY = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -np.inf, "min": np.inf}
JOINS: dict[str, Any] = {"sum": np.add, "mean": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}


def bounds(offsets: Any, steps: int) -> tuple[Any, Any]:
    """Return bounds of segments in consecutive rows, with a spare row after every `steps`."""
    rows = offsets.reshape(-1, offsets.shape[-1])
    rows = rows + positions.arange(len(rows))[:, None] * (steps + 1)
    return rows[:, :-1].reshape(-1), rows[:, 1:].reshape(-1)


def reduce_rows(rows: Any, starts: Any, ends: Any, kind: str, initial: Any) -> Any:
    """Reduce each segment of rows; `initial` belongs to each, None for no value."""
    fill = EMPTY[kind] if initial is None else initial
    result = np.full((len(starts), *rows.shape[1:]), fill, rows.dtype)
    full = positions.flatnonzero(ends > starts)
    if full.size:
        places = np.stack([starts[full], ends[full]], 1).reshape(-1)
        pieces = positions.reduceat(JOINS[kind], rows, places)[::2]
        result[full] = JOINS[kind](result[full], pieces)
    if kind == "mean":
        counts = (ends - starts).reshape(-1, *(1,) * (rows.ndim - 1)).astype(rows.dtype)
        counts = np.maximum(counts, 1) if initial is not None else counts
        result = result / counts
    return result


def check_offsets(offsets: Any, steps: int, whole: bool) -> None:
    """Refuse segments that are not consecutive parts of the data, or, if they must, do not cover it.

    Raises:
        RuntimeError: if they are not.
    """
    if (offsets[..., 1:] < offsets[..., :-1]).any():
        raise RuntimeError("segment_reduce(): lengths contains negative value! Segments must not end before they begin")
    if whole and (offsets[..., -1] != steps).any():
        raise RuntimeError(
            "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when "
            "!unsafe."
        )
    if offsets.size and (int(offsets.min()) < 0 or int(offsets.max()) > steps):
        raise RuntimeError(
            f"segment_reduce(): segments must be within {steps} steps, got offsets from {offsets.min()} to "
            f"{offsets.max()}"
        )


@op(
    dtypes=REALS,
    outputs={"result": True, "places": False},
    name="_segment_reduce",
    node="SegmentReduceBackward0",
    public="neither",
)
def reduce_segments(
    data: Array, offsets: Index, reduce: str, axis: int, initial: Any = None, whole: bool = False
) -> Any:
    """Return the reductions, and the segment of each step along `axis`; the number of segments for a step in none."""
    refuse_dtype("_segment_reduce_cpu", data, REALS)
    check_offsets(offsets, data.shape[axis], whole)
    outer, steps, rest = data.shape[:axis], data.shape[axis], data.shape[axis + 1 :]
    count = offsets.shape[-1] - 1
    spare = np.concatenate([data, np.zeros((*outer, 1, *rest), data.dtype)], axis)
    starts, ends = bounds(offsets, steps)
    result = reduce_rows(spare.reshape((math.prod(spare.shape[: axis + 1]), *rest)), starts, ends, reduce, initial)
    at = positions.arange(steps)[:, None]
    places = np.where(at[:, 0] < offsets[..., :1], count, np.sum(at >= offsets[..., None, 1:], -1, np.int64))
    return result.reshape((*outer, count, *rest)).astype(data.dtype, copy=False), places.astype(np.int64)


def spread(values: Any, places: Any, axis: int) -> Any:
    """Return the value of each step's segment; zeros for a step in none."""
    shape = (*values.shape[:axis], 1, *values.shape[axis + 1 :])
    spare = cat([values, values.new_zeros(shape)], axis)
    index = places.reshape((*places.shape, *(1,) * (values.ndim - axis - 1)))
    index = index.expand((*places.shape, *values.shape[axis + 1 :]))
    return spare.gather(axis, index)


def summed(values: Any, places: Any, axis: int, count: int) -> Any:
    """Return the sum of the steps' values for each segment."""
    index = places.reshape((*places.shape, *(1,) * (values.ndim - axis - 1)))
    spare = values.new_zeros((*values.shape[:axis], count + 1, *values.shape[axis + 1 :]))
    result = spare.scatter_add(axis, index.expand(values.shape), values)
    return result.narrow(axis, 0, count)


def derivatives(data: Any, result: Any, places: Any, reduce: str, axis: int, initial: Any) -> Any:
    """Derivative of the reduction with respect to each element; elements that equal a maximum share it."""
    count = result.shape[axis]
    if reduce in ("sum", "mean"):
        ones = data.new_ones(data.shape)
        if reduce == "sum":
            return ones
        return ones / spread(summed(ones, places, axis, count).clamp(min=1), places, axis).clamp(min=1)
    if reduce in ("max", "min"):
        reached = ((data == spread(result, places, axis)) | data.isnan()).to(data.dtype)
        return reached / spread(summed(reached, places, axis, count), places, axis).clamp(min=1)
    zero, stray = data == 0, data.isnan()
    if not is_batched(zero) and not is_meta(zero) and not (zero | stray).any():
        return spread(result, places, axis) / data
    others = data.where(~(zero | stray), 1)
    products = spread(reduce_products(others, places, axis, count, initial), places, axis) / others
    zeros, strays = (
        spread(summed(operand.to(data.dtype), places, axis, count), places, axis) > operand.to(data.dtype)
        for operand in (zero, stray)
    )
    return (products * (~zeros).to(data.dtype)).where(~strays, np.nan)


def reduce_products(values: Any, places: Any, axis: int, count: int, initial: Any) -> Any:
    """Return the product of the steps' values for each segment."""
    shape = (*values.shape[:axis], count + 1, *values.shape[axis + 1 :])
    index = places.reshape((*places.shape, *(1,) * (values.ndim - axis - 1))).expand(values.shape)
    start = values.new_full(shape, 1 if initial is None else initial)
    return start.scatter_reduce(axis, index, values, "prod").narrow(axis, 0, count)


@reduce_segments.vjp("data")
def segments_vjp(grads: Any, data: Any, result: Any, places: Any, reduce: str, axis: int, initial: Any) -> Any:
    return spread(grads[0], places, axis) * derivatives(data, result, places, reduce, axis, initial)


@reduce_segments.jvp("data")
def segments_jvp(tangent: Any, data: Any, result: Any, places: Any, reduce: str, axis: int, initial: Any) -> Any:
    weighted = tangent * derivatives(data, result, places, reduce, axis, initial)
    return summed(weighted, places, axis, result.shape[axis]), None


@reduce_segments.batched
def segments_batched(data: Any, offsets: Any, reduce: str, axis: int, initial: Any, whole: bool) -> Any:
    return reduce_segments.call((data, offsets, reduce, axis + 1, initial, whole))


@reduce_segments.samples
def segments_samples(make: Any) -> Any:
    for kind in EMPTY:
        yield Sample(make(4, 2), wrap(np.zeros(2, np.int64)), kind, 0, 2.0)  # the batching tests reverse offsets


def check_segments(data: Any, reduce: str, lengths: Any, offsets: Any, indices: Any, axis: int) -> int:
    """Check the arguments of `segment_reduce`, and return the dimension.

    Raises:
        RuntimeError: if the arguments do not fit.
        NotImplementedError: if lengths are not integers.
    """
    if reduce not in KINDS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    at = int(normalise(axis, data.ndim))
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if lengths is None and offsets is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    bounds, name = (lengths, "lengths") if lengths is not None else (offsets, "offsets")
    if name == "offsets" and bounds.ndim and not bounds.shape[-1]:
        raise RuntimeError(
            "segment_reduce(): offsets tell where a segment ends, too: Trying to create tensor with "
            "negative dimension -1"
        )
    if bounds.ndim > data.ndim:
        raise RuntimeError(f"Expected data.dim() >= {name}_value.dim() to be true, but got false.")
    if at != bounds.ndim - 1:
        raise RuntimeError(f"segment_reduce(): Expected axis to be the last dimension of {name} but got {axis}.")
    if bounds.dtype not in (dtypes.int64, dtypes.int32):
        raise NotImplementedError(errors.no_kernel(f"_segment_reduce_{name}_cpu_kernel1", bounds.dtype))
    if tuple(bounds.shape[:-1]) != tuple(data.shape[:at]):
        raise RuntimeError(f"segment_reduce(): Expected {name} {bounds.shape} to begin as data {data.shape} does.")
    return at


@composite(method=False)
def segment_reduce(
    data: Tensor,
    reduce: str,
    *,
    lengths: Tensor | None = None,
    indices: Tensor | None = None,
    offsets: Tensor | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: Any = None,
) -> Any:
    """Reductions of consecutive parts of a dimension.

    Args:
        data: floating tensor.
        reduce: "sum", "mean", "max", "min" or "prod".
        lengths: length of each segment, int64 or int32: (*, segments), where * are the dimensions of `data` before
            `axis`.
        indices: must be None.
        offsets: start of each segment, and the end of the last one, in place of lengths.
        axis: the dimension; the last one of `lengths` or `offsets`.
        unsafe: do not check that the lengths fit `data`.
        initial: a value that belongs to each segment, too.

    Returns:
        A new tensor, with as many values along `axis` as there are segments; for an empty one `initial`, or 0, NaN,
        -inf, inf and 1.

    Raises:
        RuntimeError: if arguments do not fit.
        NotImplementedError: if `lengths` or `offsets` are not integers.

    Examples:
        >>> import wengert as wg
        >>> wg.segment_reduce(wg.tensor([1.0, 2.0, 3.0, 4.0]), "sum", lengths=wg.tensor([1, 3]))
        tensor([1., 9.])
    """
    at = check_segments(data, reduce, lengths, offsets, indices, axis)
    bounds: Any = lengths if lengths is not None else offsets
    if lengths is not None:
        bounds = cat([bounds.new_zeros((*bounds.shape[:-1], 1)), bounds.cumsum(-1).to(bounds.dtype)], -1)
    number = None if initial is None else float(read_number("segment_reduce", "initial", 7, initial))
    whole = lengths is not None and not unsafe
    return reduce_segments(data, bounds, KINDS[reduce], at, number, whole)[0]


@segment_reduce.samples
def segment_reduce_samples(make: Any) -> Any:
    yield Sample(make(5, 2), "sum", lengths=wrap(np.array([5], np.int64)))
    yield Sample(make(3, 2), "max", offsets=wrap(np.array([0, 0], np.int64)))
    yield Sample(make(2, 3), "prod", lengths=wrap(np.array([[3], [3]], np.int64)), axis=1, initial=2.0)
    yield Bad(
        make(3), "x", lengths=wrap(np.array([3], np.int64)), raises=RuntimeError, says="reduce argument must be either"
    )
    yield Bad(make(3), "sum", lengths=wrap(np.array([2], np.int64)), raises=RuntimeError, says="to sum to data.size")
    yield Bad(make(3), "sum", raises=RuntimeError, says="Either lengths or offsets must be defined.")


__all__ = ["segment_reduce"]
