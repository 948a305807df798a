"""The shapes of what reductions give. Their dtypes, and the refusal of dimensions without elements, are those of one
element."""

from __future__ import annotations

from typing import Any

from ..._core.types.sizes import broadcast
from ..shape_rules import INT64, like_first, real, reduced, reduction, shape_of
from .distance import dist, renorm
from .hashes import hash_tensor
from .maxima import aminmax_both, max_dim, max_full, min_dim, min_full
from .moments import check_inexact, read_spread, std, std_mean, var, var_mean
from .reduce import all, any, count_nonzero, logsumexp, mean, nansum, sum
from .scan import cumprod, cumsum, cumsum_reversed, prod, recurrence
from .segments import reduce_segments
from .vector_norm import vector_norm

shape_of(sum, mean, nansum, logsumexp, prod, count_nonzero, hash_tensor)(reduction)
shape_of(cumsum, cumprod, cumsum_reversed, renorm)(like_first)


@shape_of(all, any)
def truth_shape(self: Any, dim: Any, keepdim: bool) -> Any:
    return self.shape if isinstance(dim, (tuple, list)) and not dim else reduced(self, dim, keepdim)


@shape_of(max_full, min_full)
def whole_shape(self: Any) -> Any:
    return ()


@shape_of(max_dim, min_dim, aminmax_both)
def extremes_shape(self: Any, dim: Any, keepdim: bool) -> Any:
    return [reduced(self, dim, keepdim)] * 2


def of_moment(card: Any) -> None:
    """Give the rule of a variance or standard deviation, alone or with the mean."""

    @card.shape
    def moment_shape(self: Any, *args: Any) -> Any:
        dim, _, keepdim = read_spread(card.name, *args)
        check_inexact(card.name, self)
        shape = reduced(self, dim, keepdim)
        spread = (shape, real(self.dtype))
        return [spread, (shape, self.dtype)] if card.several else spread


for moment in (var, std, var_mean, std_mean):
    of_moment(moment)


@vector_norm.shape
def norm_shape(self: Any, ord: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    return reduced(self, dim, keepdim)


@dist.shape
def dist_shape(self: Any, other: Any, p: Any) -> Any:
    broadcast(self.shape, other.shape)
    return ()


@recurrence.shape
def recurrence_shape(factor: Any, start: Any, *others: Any) -> Any:
    return start.shape


@reduce_segments.shape
def segments_shape(data: Any, offsets: Any, reduce: str, axis: int, *others: Any) -> Any:
    count = offsets.shape[-1] - 1
    return [((*data.shape[:axis], count, *data.shape[axis + 1 :]), data.dtype), (data.shape[: axis + 1], INT64)]
