"""Quantiles: quantile, nanquantile."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.calls.out import copied
from ..._core.cards.card import Bad, Sample, composite
from ..._core.cards.plain_case import plain_case
from ..._core.errors import wrong_type
from ..._core.tensor.base import Tensor, wrap
from ..._core.tensor.batches import is_batched
from ..._core.tensor.meta_array import constant_beside, is_meta
from ..._core.tensor.tracing import decided
from ..._core.types import dtypes
from ..._core.types.devices import contiguous_format
from ..axes import read_dim

QUANTILE = "quantile() out tensor must be same dtype as the input tensor"
FEW = 4096
"""Largest number of elements for `quantile_of_array`."""
INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def are_shares(q: Any) -> bool:
    """Return whether all numbers are between 0 and 1."""
    return bool(((q >= 0) & (q <= 1)).all())


def check_quantile(name: str, input: Any, q: Any, interpolation: Any) -> Any:
    """Check the arguments of `quantile`; return the fractions as a tensor of the dtype of `input`.

    Raises:
        TypeError: if `q` is neither a number nor a tensor.
        RuntimeError: if a dtype, a shape, a fraction or the interpolation is wrong.
    """
    if not isinstance(q, (Tensor, int, float, np.number)):
        raise TypeError(wrong_type(name, "q", 2, "float or Tensor", q))
    if input.dtype not in (dtypes.float32, dtypes.float64):
        raise RuntimeError(f"{name}() input tensor must be either float or double dtype")
    if not isinstance(q, Tensor):
        if not 0 <= q <= 1:
            raise RuntimeError(f"{name}() q must be in the range [0, 1] but got {q}")
        q = constant_beside(input, wrap(np.asarray(q, input._array_.dtype)))
    if q._array_.ndim > 1:
        raise RuntimeError(f"{name}() q must be a scalar or 1D tensor")
    if q.dtype is not input.dtype:
        raise RuntimeError(f"{name}() q tensor must be same dtype as the input tensor")
    if interpolation not in INTERPOLATIONS:
        raise RuntimeError(
            f"{name}() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {interpolation}"
        )
    if 0 in input._array_.shape:
        raise RuntimeError(f"{name}() input tensor must be non-empty")
    if not is_batched(q) and not is_meta(q) and not decided(are_shares, (q,)):
        raise RuntimeError(f"{name}() q values must be in the range [0, 1]")
    return q


def ranks_of(ordered: Any, q: Any, ignore_nan: bool) -> Any:
    """Return the ranks of the quantiles among sorted elements (the last dimension), with fractions of a rank."""
    if ignore_nan:
        known = ordered.isnan().logical_not().sum(-1, True)
        return (q * (known - 1)).clamp_min(0)
    last = ordered._array_.shape[-1] - 1
    return (q * last).masked_fill(ordered.isnan().any(-1, True), last)


def interpolated(ordered: Any, ranks: Any, interpolation: str) -> Any:
    """Return the elements at ranks, or between them."""
    if interpolation in ("lower", "higher", "nearest"):
        ranks = (
            ranks.floor() if interpolation == "lower" else ranks.ceil() if interpolation == "higher" else ranks.round()
        )
    below = ranks.to(dtypes.int64)
    values = ordered.gather(-1, below)
    if interpolation not in ("linear", "midpoint"):
        return values
    weight = ranks.new_full((), 0.5) if interpolation == "midpoint" else ranks - below
    return values.lerp(ordered.gather(-1, ranks.ceil().to(dtypes.int64)), weight)


def quantile_of(name: str, input: Any, q: Any, dim: Any, keepdim: bool, interpolation: str, out: Any) -> Any:
    """Quantile over one dimension or all."""
    fractions = check_quantile(name, input, q, interpolation)
    ndim = input._array_.ndim
    axis = ndim - 1 if dim is None else read_dim(name, dim, ndim)
    if dim is None:
        ordered = input.flatten().sort()[0]
        ordered = ordered.view((*(1,) * ndim, ordered._array_.size)) if keepdim else ordered
    else:
        ordered = (input.unsqueeze(-1).transpose(axis, -1) if ndim else input.reshape((1, 1))).sort()[0]
        if not keepdim:
            ordered = ordered.squeeze(axis)
        elif not ndim:
            ordered = ordered.squeeze(0)
    if dim is None and not ndim:
        ordered = ordered.view((math.prod(ordered._array_.shape),))
    scalar = not fractions._array_.ndim
    ranks = ranks_of(ordered, fractions.unsqueeze(0) if scalar else fractions, name == "nanquantile")
    values = interpolated(ordered, ranks, interpolation)
    # In place as in torch, as its node names show: nobody else has seen these tensors.
    result = (values if scalar else values.unsqueeze_(0).transpose_(0, -1)).squeeze_(-1)
    return copied(name, out, result, words=QUANTILE)


@composite()
def quantile(
    input: Any,
    q: float | Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Any = None,
) -> Any:
    """Quantiles over a dimension: the value that a fraction `q` of the elements is below.

    Args:
        input: float32 or float64 tensor.
        q: a fraction between 0 and 1, or a 0-dim or 1-dim tensor of fractions of the same dtype.
        dim: the dimension; None for all elements.
        keepdim: leave the dimension with length 1.
        interpolation: value of a quantile between two elements: "linear", "lower", "higher", "midpoint" or
            "nearest".
        out: a tensor to write into.

    Returns:
        A new tensor, for several fractions with a dimension for them in front; NaN if an element is NaN.

    Raises:
        RuntimeError: if a dtype, a fraction or the interpolation is wrong, or there are no elements.

    Examples:
        >>> import wengert as wg
        >>> wg.quantile(wg.tensor([0., 1., 2., 4.]), 0.5)
        tensor(1.5000)
    """
    return quantile_of("quantile", input, q, dim, keepdim, interpolation, out)


NATIVE = kernels.natives("sort_along", "amax", "select", "clone", "lerp")


def quantile_of_array(array: Any, q: Any, dim: Any, keepdim: Any, interpolation: Any) -> Any:
    """`quantile` for one fraction, over the last dimension or all, if nothing is recorded and there is no NaN."""
    if type(q) is not float or not 0 <= q <= 1 or keepdim is not False or interpolation != "linear":
        return NotImplemented
    if array.dtype.char not in "fd" or not array.flags.c_contiguous or not 0 < array.size <= FEW:
        return NotImplemented
    if dim is None:
        array = array.reshape(-1)
    elif type(dim) is not int or dim not in (-1, array.ndim - 1) or not array.ndim:
        return NotImplemented
    sort, largest, select, copy, lerp = NATIVE
    ordered = sort(array, None, -1, False)[0]
    if not largest(ordered, None, False) < math.inf:  # the result may be NaN then
        return NotImplemented
    rank = array.dtype.type(q) * array.dtype.type(array.shape[-1] - 1)
    below, above = math.floor(rank), math.ceil(rank)
    low, high = (copy(select(ordered, -1, at), contiguous_format) for at in (below, above))
    return lerp(low, high, float(rank - below))


plain_case(quantile, arrays=quantile_of_array, needs=NATIVE)


@composite()
def nanquantile(
    input: Any,
    q: float | Tensor,
    dim: int | None = None,
    keepdim: bool = False,
    *,
    interpolation: str = "linear",
    out: Any = None,
) -> Any:
    """`quantile` of all elements that are not NaN; NaN if there are none.

    Args:
        input, q, dim, keepdim, interpolation, out: as for `quantile`.

    Returns:
        A new tensor, for several fractions with a dimension for them in front.

    Raises:
        RuntimeError: if a dtype, a fraction or the interpolation is wrong, or there are no elements.

    Examples:
        >>> import wengert as wg
        >>> wg.nanquantile(wg.tensor([0., float("nan"), 1.]), 0.5)
        tensor(0.5000)
    """
    return quantile_of("nanquantile", input, q, dim, keepdim, interpolation, out)


@quantile.samples
@nanquantile.samples
def quantile_samples(make: Any) -> Any:
    x = make(3, 4)
    if x.dtype not in (dtypes.float32, dtypes.float64):
        yield Bad(x, 0.5, raises=RuntimeError, says="input tensor must be either float or double dtype")
        return
    yield Sample(x, 0.3)
    yield Sample(x, 0.3, 0, True, interpolation="midpoint")
    yield Sample(x, wrap(np.array([0.1, 0.6], x._array_.dtype)), -1)
    yield Sample(x, 0.3, 1, interpolation="nearest")
    yield Bad(x, 1.5, raises=RuntimeError, says="q must be in the range [0, 1] but got 1.5")
    yield Bad(x, None, raises=TypeError, says="must be float or Tensor, not NoneType")
    yield Bad(x, 0.5, interpolation="foo", raises=RuntimeError, says="interpolation must be one of linear, lower")
    yield Bad(make(0), 0.5, raises=RuntimeError, says="input tensor must be non-empty")
