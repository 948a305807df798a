"""Histograms: histc, histogram, histogramdd."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..._core.calls.out import put
from ..._core.cards.card import REALS, Array, Arrays, Bad, Index, Number, Sample, composite, op
from ..._core.cards.plain_case import plain_case
from ..._core.errors import shown, wrong_type
from ..._core.tensor.base import Tensor, wrap
from ..._core.types import dtypes
from ..._core.types.sizes import check_room
from ..._kernels import direct_function, order as kernels, positions
from .. import return_types
from ..create.factory import read_number
from ..dtype_checks import check_ordered, checked_number, refuse
from ..linalg.products import c_name, type_name
from ..shapes.view_shape import unsafe_view

HISTOGRAM = (
    "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {wanted_type} and hist "
    "{found_type}"
)


def check_count(name: str, bins: Any, dim: int) -> None:
    """Refuse a histogram without bins, or with more than memory holds.

    Raises:
        RuntimeError: if the number of bins is refused.
    """
    if bins <= 0:
        raise RuntimeError(f"torch.{name}(): bins must be > 0, but got {bins} for dimension {dim}")
    check_room(name, (bins + 1,))


def even_edges(low: Any, high: Any, bins: int) -> Any:
    """Return rows of `bins` + 1 edges from `low` to `high`, counted from both ends, as `linspace`."""
    at = positions.arange(bins + 1).astype(low.dtype)
    pace = (high - low)[:, None] / low.dtype.type(bins)
    from_end = high[:, None] - pace * (bins - at)
    return np.where(positions.arange(bins + 1) < (bins + 1) // 2, low[:, None] + pace * at, from_end)


def extent(rows: Any, low: Any, high: Any, distance: float) -> tuple[Any, Any]:
    """Return the bounds of histograms of rows: the given ones, or, if these are equal, the extremes.

    Args:
        distance: distance of the bounds from a single value.
    """
    first, last = np.full(len(rows), low, rows.dtype), np.full(len(rows), high, rows.dtype)
    if low == high and rows.shape[1]:
        first, last = rows.min(1), rows.max(1)
    alike = first == last
    step = rows.dtype.type(distance)
    return np.where(alike, first - step, first), np.where(alike, last + step, last)


@op(dtypes=REALS, why="counts", name="_histc", public="neither", takes_halves=True)
def counts_of_rows(rows: Index, bins: int, min: float, max: float) -> Any:
    """Count the elements of each row in bins of equal width."""
    if rows.dtype.kind not in "fV":
        refuse("histc", "histogram_cpu", rows)
    low, high = extent(rows, min, max, 1.0)
    for first, last in zip(low, high):
        if not (np.isfinite(first) and np.isfinite(last)):
            raise RuntimeError(f"torch.histc: range of [{float(first):g}, {float(last):g}] is not finite")
    first, last = low[:, None], high[:, None]
    inside = (rows >= first) & (rows <= last)
    wide = last > first  # for large numbers a step to either side may have no effect
    steps = np.where(inside & wide, (rows - first) * rows.dtype.type(bins) / np.where(wide, last - first, 1), 1)
    places = np.minimum(steps.astype(np.int64), bins - 1) + bins * positions.arange(len(rows))[:, None]
    return positions.bincount(places[inside], bins * len(rows)).reshape(len(rows), bins).astype(rows.dtype)


@counts_of_rows.batched
def counts_of_rows_batched(rows: Any, bins: int, min: float, max: float) -> Any:
    size, count, length = rows.shape
    return counts_of_rows.call((rows.reshape((size * count, length)), bins, min, max)).reshape((size, count, bins))


@counts_of_rows.samples
def counts_of_rows_samples(make: Any) -> Any:
    yield Sample(make(2, 5), 3, 0.0, 0.0)


@composite()
def histc(input: Any, bins: int = 100, min: Number = 0, max: Number = 0, *, out: Any = None) -> Any:
    """Count the elements in bins of equal width; NaN and elements out of range are in none.

    Args:
        input: floating tensor.
        bins: number of bins.
        min, max: start of the first bin and end of the last one; if they are equal, the extremes of `input`.
        out: a tensor to write into.

    Returns:
        A new tensor of shape (bins,) and the dtype of `input`.

    Raises:
        RuntimeError: if there are no bins, or the range is not finite or empty.

    Examples:
        >>> import wengert as wg
        >>> wg.histc(wg.tensor([1., 2., 1.]), 4, 0, 3)
        tensor([0., 2., 1., 0.])
    """
    check_ordered("histc", "aminmax_cpu", input._array_)
    check_count("histogram", bins, 0)
    min, max = (read_number("histc", *bound) for bound in (("min", 3, min), ("max", 4, max)))
    for limit in (min, max):
        checked_number(limit, dtypes.float64)
    if min > max:
        raise RuntimeError("torch.histc: max must be larger than min")
    result = counts_of_rows(input.detach().reshape((1, input._array_.size)), bins, float(min), float(max))
    return put("histc", out, unsafe_view(result, (bins,)), words=HISTOGRAM)


plain_case(histc, counts_of_rows, direct_function("histc"))


@histc.samples
def histc_samples(make: Any) -> Any:
    x = make(3, 4)
    if x.dtype not in REALS:
        yield Bad(x, raises=NotImplementedError, says="not implemented for")
        return
    yield Sample(x, 5)
    yield Sample(x, 4, -1, 1)
    yield Bad(x, 0, raises=RuntimeError, says="bins must be > 0, but got 0 for dimension 0")
    yield Bad(x, 4, 3, 1, raises=RuntimeError, says="max must be larger than min")


def limits_along(limits: Any, dim: int) -> tuple[float, float]:
    """Return the lowest and the highest edge along a dimension.

    Raises:
        RuntimeError: if the lowest is above the highest.
    """
    first, last = limits[2 * dim : 2 * dim + 2]
    if first > last:
        raise RuntimeError(
            f"torch.histogramdd: min should not exceed max, but got min {first:g} max {last:g} for dimension {dim}"
        )
    return first, last


def edges_of(points: Any, dim: int, bins: int, limits: Any) -> Any:
    """Return the edges of `bins` of equal width along one dimension of sets of points, a row for each set."""
    along = points[..., dim]
    if limits is None:
        low, high = extent(along, 0, 0 if along.shape[1] else 1, 0.5)
        refused = next(((a, b) for a, b in zip(low, high) if not (np.isfinite(a) and np.isfinite(b))), None)
    else:
        first, last = limits_along(limits, dim)
        low, high = extent(along[:, :0], first, last, 0.5)
        refused = None if math.isfinite(first) and math.isfinite(last) else (first, last)
    if refused is not None:
        raise RuntimeError(f"torch.histogramdd: dimension {dim}'s range [{refused[0]:g}, {refused[1]:g}] is not finite")
    return even_edges(low, high, bins)


@op(
    dtypes=(dtypes.float32, dtypes.float64),
    why=("counts", "aten::histogram"),
    name="_histogramdd",
    public="neither",
    outputs=...,
)
def counts_of_points(
    points: Array, edges: Arrays, bins: Any, range: Any, weight: Array = None, density: bool = False
) -> Any:
    """Count the points of each set in the cells of a grid; return the edges of the cells, too.

    Args:
        points: of shape (sets, points, dimensions).
        edges: rows of edges for each dimension; none for equal widths.
        bins, range: number of cells and bounds, for equal widths.
        weight: of shape (sets, points), or None.
        density: divide by the sum and by the size of the cells.
    """
    if points.dtype not in (np.float32, np.float64):
        raise NotImplementedError(f"\"histogramdd\" not implemented for '{type_name(points)}'")
    sets, count, ndim = points.shape
    rows = list(edges) if edges else [edges_of(points, dim, bins[dim], range) for dim in positions.arange(ndim)]
    shape = [line.shape[1] - 1 for line in rows]
    check_room("histogramdd", (sets, *shape))
    inside, cell = np.ones((sets, count), np.bool_), np.broadcast_to(positions.arange(sets)[:, None], (sets, count))
    for dim, row in enumerate(rows):
        values = np.ascontiguousarray(points[..., dim])
        inside &= (values >= row[:, :1]) & (values <= row[:, -1:])
        where = kernels.insertion_places(row[0] if sets == 1 else row, values, True) - 1
        cell = cell * shape[dim] + np.minimum(where, shape[dim] - 1)  # the last edge belongs to the last cell
    weights = None if weight is None else weight[inside]
    total = sets * math.prod(shape)
    if not total:
        filled = np.zeros(0)
    elif weights is None:
        filled = positions.bincount(cell[inside], total)
    else:
        filled = positions.weighted_bincount(cell[inside], weights, total)
    result = filled.astype(points.dtype).reshape(sets, *shape)
    if density:
        result /= result.reshape(sets, math.prod(shape)).sum(1).reshape(sets, *[1] * ndim)
        for dim, row in enumerate(rows):
            result /= np.diff(row).reshape(sets, *[length if at == dim else 1 for at, length in enumerate(shape)])
    return [result, *(np.array(row) for row in rows)]


@counts_of_points.batched
def counts_of_points_batched(points: Any, edges: Any, bins: Any, range: Any, weight: Any, density: bool) -> Any:
    size, sets = points.shape[:2]

    def merged(edge: Any) -> Any:
        return None if edge is None else edge.reshape((size * sets, *edge.shape[2:]))

    result = counts_of_points.call(
        (merged(points), [merged(edge) for edge in edges], bins, range, merged(weight), density)
    )
    return tuple([edge.reshape((size, sets, *edge.shape[1:])) for edge in result])


@counts_of_points.samples
def counts_of_points_samples(make: Any) -> Any:
    yield Sample(make(2, 5, 1), [], (3,), None, None, False)
    yield Sample(make(1, 5, 2), [], (3, 2), (-1.0, 1.0, -2.0, 2.0), make(1, 5), True)


def check_grid(input: Any, bins: Any, limits: Any, weight: Any) -> None:
    """Refuse points, edges or weights that do not fit.

    Raises:
        TypeError: if the weight is not a tensor.
        RuntimeError: if shapes or dtypes do not fit.
    """
    if weight is not None and not isinstance(weight, Tensor):
        raise TypeError(wrong_type("histogram", "weight", 0, "Tensor", weight))
    ndim, shape = input._array_.shape[-1], input._array_.shape
    if limits is not None and len(limits) != 2 * ndim:
        raise RuntimeError(
            f"torch.histogramdd: for a {ndim}-dimensional histogram range should have {2 * ndim} elements, but got "
            f"{len(limits)}"
        )
    if weight is not None:
        if weight._array_.shape != shape[:-1]:
            raise RuntimeError(
                "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor "
                f"excluding its innermost dimension, but got input with shape {shown(shape)} and weight with shape "
                f"{shown(weight._array_.shape)}"
            )
        if weight.dtype is not input.dtype:
            raise RuntimeError(
                "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same "
                f"dtype, but got input({c_name(input._array_)}), and weight({c_name(weight._array_)})"
            )
    for dim, value in enumerate(bins):
        if not isinstance(value, Tensor):
            check_count("histogram", value, dim)
        elif value.dtype is not input.dtype:
            raise RuntimeError(
                "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype "
                f"{c_name(input._array_)} and bins for dimension {dim} with dtype {c_name(value._array_)}"
            )
        elif value._array_.ndim != 1:
            raise RuntimeError(
                f"torch.histogramdd: bins tensor should have one dimension, but got {value._array_.ndim} dimensions in "
                f"the bins tensor for dimension {dim}"
            )
        elif not value._array_.size:
            raise RuntimeError(
                "torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements in the bins tensor "
                f"for dimension {dim}"
            )


def histogram_of(input: Any, bins: Any, limits: Any, weight: Any, density: bool) -> Any:
    """Return histogram and edges of points along the last dimension."""
    check_grid(input, bins, limits, weight)
    ndim, has_edges = input._array_.shape[-1], bool(bins) and isinstance(bins[0], Tensor)
    if has_edges and any(edge._array_.size == 1 for edge in bins):
        raise RuntimeError("torch.histogram(): bins must be > 0, but got 0 for dimension 0")
    count = math.prod(input._array_.shape[:-1])
    points = input.reshape((1, count, ndim))
    edges = [edge.unsqueeze(0) for edge in bins] if has_edges else []
    limits = None if limits is None else tuple(map(float, limits))
    heavy = None if weight is None else weight.reshape((1, count))
    results = counts_of_points(points, edges, None if has_edges else tuple(bins), limits, heavy, density)
    return [unsafe_view(edge, edge._array_.shape[1:]) for edge in results]


@composite()
def histogram(
    input: Any,
    bins: int | Tensor = 100,
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
    out: tuple[Tensor, Tensor] | None = None,
) -> Any:
    """Count the elements in bins; return the edges of these, too.

    Args:
        input: float32 or float64 tensor.
        bins: number of bins of equal width, or a tensor of edges.
        range: start of the first bin and end of the last one; None for the extremes of `input`.
        weight: tensor of the shape of `input`: weight of each element.
        density: divide by the sum and the width of each bin, so that the integral is 1.
        out: a tuple of two tensors to write into.

    Returns:
        A tuple (hist, bin_edges) of new tensors.

    Raises:
        RuntimeError: if there are no bins, or shapes or dtypes do not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.histogram(wg.tensor([1., 2., 1.]), 4, range=(0., 4.)).hist
        tensor([0., 2., 1., 0.])
    """
    if isinstance(bins, (bool, float)):
        kind = type(bins).__name__
        raise TypeError(f"histogram() received an invalid combination of arguments: bins must not be {kind}")
    if isinstance(bins, Tensor) and range is not None:
        raise TypeError("histogram() received an invalid combination of arguments: give range, or bins as a Tensor")
    flat = input.reshape((input._array_.size, 1))
    heavy = weight.reshape((weight._array_.size,)) if isinstance(weight, Tensor) else weight
    result = histogram_of(flat, (bins,), range, heavy, density)
    return put("histogram", out, return_types.histogram(result), words=HISTOGRAM, recorded=False)


@histogram.samples
def histogram_samples(make: Any) -> Any:
    x = make(3, 4, requires_grad=False)
    if x.dtype not in (dtypes.float32, dtypes.float64):
        yield Bad(x, raises=NotImplementedError, says='"histogramdd" not implemented for')
        return
    yield Sample(x, 5)
    yield Sample(x, 4, range=(-1, 1), weight=make(3, 4, requires_grad=False), density=True)
    yield Sample(x, wrap(np.array([-1, 0, 2], x._array_.dtype)))
    yield Bad(x, 0, raises=RuntimeError, says="bins must be > 0, but got 0 for dimension 0")
    yield Bad(x, 4, range=(3, 1), raises=RuntimeError, says="min should not exceed max, but got min 3 max 1")
    yield Bad(
        x,
        4,
        weight=make(2, requires_grad=False),
        raises=RuntimeError,
        says="weight tensor is provided it should have the same shape",
    )
    yield Bad(
        x,
        make(2, 2, requires_grad=False),
        raises=RuntimeError,
        says="bins tensor should have one dimension, but got 2 dimensions",
    )


@composite(method=False)
def histogramdd(
    input: Any,
    bins: int | Sequence[int] | Sequence[Tensor],
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> Any:
    """Count the points in the cells of a grid; return its edges, too.

    Args:
        input: float32 or float64 tensor of points along the last dimension.
        bins: number of bins of equal width along each dimension: one integer for all, or one for each; or a list of
            tensors of edges.
        range: bounds of the bins for each dimension, all in one list; None for the extremes.
        weight: tensor of the shape of `input` without the last dimension: weight of each point.
        density: divide by the sum and the size of each cell, so that the integral is 1.

    Returns:
        A tuple (hist, bin_edges): a new tensor with a dimension for each of the points', and a tuple of edges.

    Raises:
        RuntimeError: if there are no bins, or shapes or dtypes do not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.histogramdd(wg.tensor([[0., 1.], [1., 0.], [1., 1.]]), bins=[2, 2]).hist
        tensor([[0., 1.],
                [1., 1.]])
    """
    if isinstance(bins, Tensor):
        raise TypeError(wrong_type("histogramdd", "bins", 2, "int, tuple of ints or tuple of Tensors", bins))
    if input._array_.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    ndim = input._array_.shape[-1]
    each_dim = tuple(bins) if isinstance(bins, (tuple, list)) else (bins,) * ndim
    if len(each_dim) != ndim:
        if each_dim and isinstance(each_dim[0], Tensor):
            raise RuntimeError(
                f"torch.histogramdd: expected {ndim} sequences of bin edges for a {ndim}-dimensional histogram but got "
                f"{len(each_dim)}"
            )
        raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension of the input.")
    result = histogram_of(input, each_dim, range, weight, density)
    edges = each_dim if each_dim and isinstance(each_dim[0], Tensor) else tuple(result[1:])
    return return_types.histogramdd((result[0], edges))


@histogramdd.samples
def histogramdd_samples(make: Any) -> Any:
    x = make(5, 2, requires_grad=False)
    if x.dtype not in (dtypes.float32, dtypes.float64):
        yield Bad(x, 2, raises=NotImplementedError, says='"histogramdd" not implemented for')
        return
    yield Sample(x, [3, 2])
    yield Sample(x, 2, [-1, 1, -2, 2], make(5, requires_grad=False), True)
    yield Bad(x, [3], raises=RuntimeError, says="The size of bins must be equal to the innermost dimension")
    yield Bad(
        make(3, requires_grad=False), 2, raises=RuntimeError, says="input tensor should have at least 2 dimensions"
    )
