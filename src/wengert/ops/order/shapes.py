"""The shapes of what is ordered, ranked, counted and searched for."""

from __future__ import annotations

import builtins
from typing import Any

from ..axes import read_dim
from ..shape_rules import BOOL, INT32, INT64, by_values, like_first, reduced, shape_of
from .bincount import bincount
from .histogram import counts_of_points, counts_of_rows, limits_along
from .ranks import checked_rank, kthvalue_along, median_along, median_full, mode_along, nanmedian_along, nanmedian_full
from .running import cummax_along, cummin_along, logcumsumexp, logcumsumexp_backward, logcumsumexp_forward
from .search import membership, sorted_positions
from .sort import sort_along, top_shape, topk_along
from .unique import distinct

shape_of(logcumsumexp, logcumsumexp_backward, logcumsumexp_forward)(like_first)
by_values("the largest number tells how many bins there are", bincount)
by_values("there are as many elements as differ", distinct)


@shape_of(sort_along, cummax_along, cummin_along)
def pair_shape(self: Any, *others: Any) -> Any:
    return [self.shape] * 2


@topk_along.shape
def topk_shape(self: Any, k: Any, dim: int, *others: Any) -> Any:
    shape, _ = top_shape(self.shape, k, read_dim("topk", dim, self.ndim))
    return [(shape, self.dtype), (shape, INT64)]


@kthvalue_along.shape
def kthvalue_shape(self: Any, k: Any, dim: int, keepdim: bool) -> Any:
    checked_rank(self.shape, k, read_dim("kthvalue", dim, self.ndim))
    return [(reduced(self, dim, keepdim), self.dtype), (reduced(self, dim, keepdim), INT64)]


@shape_of(median_along, nanmedian_along, mode_along)
def rank_shape(self: Any, dim: int, keepdim: bool) -> Any:
    return [reduced(self, dim, keepdim)] * 2


@shape_of(median_full, nanmedian_full)
def whole_shape(self: Any) -> Any:
    return ()


@sorted_positions.shape
def places_shape(sorted_sequence: Any, input: Any, right: bool, out_int32: bool) -> Any:
    return input.shape, INT32 if out_int32 else INT64


@membership.shape
def membership_shape(elements: Any, *others: Any) -> Any:
    return elements.shape, BOOL


@counts_of_rows.shape
def counts_shape(rows: Any, bins: int, *others: Any) -> Any:
    return (rows.shape[0], bins), rows.dtype


@counts_of_points.shape
def counts_of_points_shape(points: Any, edges: Any, bins: Any, range: Any, weight: Any, density: bool) -> Any:
    sets, _, ndim = points.shape
    if range is not None and not edges:
        for dim in builtins.range(ndim):
            limits_along(range, dim)
    lengths = [row.shape[1] for row in edges] if edges else [bins[dim] + 1 for dim in builtins.range(ndim)]
    shape = (sets, *[length - 1 for length in lengths])
    return [(shape, points.dtype), *[((sets, length), points.dtype) for length in lengths]]
