"""Reductions and normalisations over the elements that a mask selects, as `torch.masked` has them.

A mask is boolean, True where an element is used, and broadcasts to the input. Every function takes

- `input`: a tensor, unless a function says otherwise;
- `dim`: a dimension, several dimensions, or None for all;
- `keepdim`: keep reduced dimensions with length 1;
- `dtype`: dtype of the result, the input's if not given (sums and products of smaller integers: int64);
- `mask`: the mask, or None to use every element.

If no element is used, the result is the identity of the operation: 0 for a sum, 1 for a product, the least value for
a maximum, NaN if there is none.
"""

from __future__ import annotations

from typing import Any

from ._start.boundary import boundary
from ._tensor import Tensor
from ._tensor.attributes import dtypes
from .ops.axes import normalise
from .ops.create.create import tensor
from .ops.create.like import ones_like
from .ops.pointwise.choose import where
from .ops.reductions.vector_norm import vector_norm

__all__ = [
    "amax",
    "amin",
    "argmax",
    "argmin",
    "cumprod",
    "cumsum",
    "log_softmax",
    "logaddexp",
    "logsumexp",
    "mean",
    "median",
    "norm",
    "normalize",
    "prod",
    "softmax",
    "softmin",
    "std",
    "sum",
    "var",
]

Dims = int | tuple[int, ...] | None

SMALL = frozenset((dtypes.uint8, dtypes.bool_, dtypes.int8, dtypes.int16, dtypes.int32))
"""Dtypes whose sums and products are int64."""


def _prepared(input: Any, mask: Any, fill: Any) -> Any:
    """Return the input with masked elements replaced by the result of `fill`."""
    if mask is None:
        return input
    return where(_broadcast(input, mask), input, tensor(fill(input), dtype=input.dtype))


def _broadcast(input: Any, mask: Any) -> Any:
    """Return the mask as a boolean tensor in the shape of the input.

    Raises:
        IndexError: if the mask has more dimensions than the input.
    """
    if mask.shape != input.shape and mask.ndim > input.ndim:
        raise IndexError("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)")
    return mask.to(dtypes.bool_).expand(input.shape)


def _dims(input: Any, dim: Dims) -> tuple[int, ...]:
    """Return the dimensions to reduce, counted from the front, in order.

    Raises:
        IndexError: if a dimension is out of range.
        RuntimeError: if a dimension appears twice.
    """
    if dim is None or dim == ():
        return tuple(range(input.ndim))
    dims: list[int] = []
    for index in (dim,) if isinstance(dim, int) else dim:
        position = int(normalise(index, input.ndim))
        if position in dims:
            raise RuntimeError(f"dim={index} appears multiple times in the list of dims")
        dims.append(position)
    return tuple(sorted(dims))


def _first(input: Any, dim: Dims) -> int:
    """Return the dimension for a function that takes one: the first of several (None: of all), as in torch."""
    return _dims(input, dim)[0]


def _zero(input: Any) -> Any:
    return 0


def _one(input: Any) -> Any:
    return 1


def _nan(input: Any) -> Any:
    return float("nan")


def _limit(input: Any, name: str, largest: bool) -> Any:
    """Return the largest or the least value of the input's dtype.

    Raises:
        NotImplementedError: if the dtype is boolean or unsigned (except uint8), as in torch.
        TypeError: if the dtype is complex.
    """
    kind = input.dtype
    if kind.is_floating_point:
        return float("inf") if largest else -float("inf")
    if not (kind.is_signed or kind is dtypes.uint8):
        raise NotImplementedError(f"identity of {name} on {kind} input")
    return dtypes.iinfo(kind).max if largest else dtypes.iinfo(kind).min


def _least(input: Any) -> Any:
    return _limit(input, "amax", largest=False)


def _largest(input: Any) -> Any:
    return _limit(input, "amin", largest=True)


def _no_exponential(input: Any) -> Any:
    """Value whose exponential is 0; the least value for integers."""
    return complex(-float("inf"), 0) if input.dtype.is_complex else _limit(input, "logsumexp", largest=False)


def _sum_dtype(input: Any, dtype: Any) -> Any:
    """Return the dtype of a sum or a product."""
    if dtype is not None:
        return dtype
    return dtypes.int64 if input.dtype in SMALL else input.dtype


def _result_dtype(input: Any, dtype: Any) -> Any:
    """Return `dtype`, or the input's dtype if it is None."""
    return input.dtype if dtype is None else dtype


@boundary
def sum(
    input: Any, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """Sum of the elements; int64 for smaller integers."""
    dims = _dims(input, dim)
    filled = _prepared(input, mask, _zero)
    return filled.sum(dims, keepdim=bool(keepdim), dtype=_sum_dtype(input, dtype))


@boundary
def prod(
    input: Any, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """Product of the elements; int64 for smaller integers."""
    dims = _dims(input, dim)
    filled = _prepared(input, mask, _one).to(_sum_dtype(input, dtype))
    for axis in reversed(dims):
        filled = filled.prod(axis, keepdim=bool(keepdim))
    return filled


@boundary
def amax(
    input: Any, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """Largest element."""
    filled = _prepared(input, mask, _least)
    return filled.amax(_dims(input, dim), bool(keepdim)).to(_result_dtype(input, dtype))


@boundary
def amin(
    input: Any, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """Smallest element."""
    filled = _prepared(input, mask, _largest)
    return filled.amin(_dims(input, dim), bool(keepdim)).to(_result_dtype(input, dtype))


def argmax(
    input: Any, dim: int | None = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """Index of the largest element, in the input's dtype, as in torch."""
    filled = _prepared(input, mask, _least)
    return filled.argmax(dim, bool(keepdim)).to(_result_dtype(input, dtype))


def argmin(
    input: Any, dim: int | None = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """Index of the smallest element, in the input's dtype, as in torch."""
    filled = _prepared(input, mask, _largest)
    return filled.argmin(dim, bool(keepdim)).to(_result_dtype(input, dtype))


@boundary
def mean(
    input: Any, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """Mean of the elements.

    Raises:
        ValueError: if `input` holds integers and `dtype` is not given.
    """
    kind = _result_dtype(input, dtype)
    if not (kind.is_floating_point or kind.is_complex):
        raise ValueError(
            f"mean(): Could not infer output dtype. {'Input' if dtype is None else 'Optional'} dtype must be either a "
            f"floating point or complex dtype. Got: {kind}"
        )
    count = _count(input, dim, keepdim, mask)
    return sum(input, dim, keepdim=keepdim, dtype=kind, mask=mask) / count


def _count(input: Any, dim: Dims, keepdim: bool, mask: Any) -> Any:
    """Return the number of unmasked elements."""
    if mask is None:
        return sum(ones_like(input, dtype=dtypes.int64, requires_grad=False), dim, keepdim=keepdim)
    return _broadcast(input, mask).sum(dim=dim, keepdim=bool(keepdim))


@boundary
def median(
    input: Any, dim: Dims = -1, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """Median; the lower of two in the middle. The result of floats has their dtype whatever `dtype` is, as in torch.

    Raises:
        ValueError: if some slice has no unmasked element, and the dtype has no NaN.
    """
    axis = _first(input, dim)
    exact = input if input.dtype.is_floating_point else input.to(dtypes.float64)
    result = _prepared(exact, mask, _nan).nanmedian(axis, keepdim).values
    if exact is input:
        return result
    if bool(result.isnan().any()):
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return result.to(_result_dtype(input, dtype))


@boundary
def logsumexp(
    input: Any, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """Logarithm of the sum of exponentials; integers for integers, as in torch."""
    dims = _dims(input, dim)
    filled = _prepared(input, mask, _no_exponential)
    return filled.logsumexp(dims, keepdim=keepdim).to(_result_dtype(input, dtype))


@boundary
def norm(
    input: Any,
    ord: float = 2.0,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: Any = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Vector norm of order `ord`."""

    def fill(input: Any) -> Any:
        return float("inf") if ord == -float("inf") else 0

    filled = _prepared(input, mask, fill)
    return vector_norm(filled, ord, _dims(input, dim), bool(keepdim), dtype=_result_dtype(input, dtype))


@boundary
def var(
    input: Any,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
    dtype: Any = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Variance: sum of squared deviations divided by the number of elements less `correction` (1; 0 if not `unbiased`).

    For complex numbers the result is complex with imaginary part 0, as in torch.

    Raises:
        AssertionError: if both `unbiased` and `correction` are given.
    """
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    less = float(correction) if correction is not None else 1.0 if unbiased is None or unbiased else 0.0
    kind, inexact = _result_dtype(input, dtype), input.dtype.is_floating_point or input.dtype.is_complex
    if dtype is None and not inexact:
        kind = dtypes.float32
    squared = kind if kind.is_floating_point or kind.is_complex else dtypes.float32
    count = _count(input, dim, True, mask)
    away: Any = input - sum(input, dim, keepdim=True, dtype=kind, mask=mask) / count
    squares: Any = sum(away * away.conj(), dim, keepdim=keepdim, dtype=squared, mask=mask)
    if not keepdim:
        count = count.reshape(squares.shape)
    if less:
        count = (count.to(squared.to_real()) - less).clamp(min=0)
    return (squares / count).to(kind)


@boundary
def std(
    input: Any,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
    dtype: Any = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Standard deviation: square root of `var`."""
    variance: Any = var(input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=dtype, mask=mask)
    return variance.sqrt()


@boundary
def softmax(input: Any, dim: Dims, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
    """Softmax along `dim`; 0 for masked elements."""
    axis = _first(input, dim)
    return _prepared(input, mask, _least).softmax(axis, dtype=_result_dtype(input, dtype))


@boundary
def log_softmax(input: Any, dim: Dims, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
    """Logarithm of `softmax`."""
    axis = _first(input, dim)
    return _prepared(input, mask, _least).log_softmax(axis, dtype=_result_dtype(input, dtype))


@boundary
def softmin(input: Any, dim: Dims, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
    """`softmax` of the negated input."""
    axis = _first(input, dim)
    return (-_prepared(input, mask, _largest)).softmax(axis, dtype=_result_dtype(input, dtype))


@boundary
def normalize(
    input: Any, ord: float, dim: int, *, eps: float = 1e-12, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """Divide the input by the maximum of its norm along `dim` and `eps`; masked elements are 0."""
    filled = _prepared(input, mask, _zero)
    length: Any = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return filled / length.maximum(length.new_full((), eps))


@boundary
def cumsum(input: Any, dim: Dims, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
    """Cumulative sum along `dim`; masked elements count as 0. Integers keep their dtype, as in torch."""
    axis = _first(input, dim)
    return _prepared(input, mask, _zero).cumsum(axis, dtype=_running("cumsum", input, dtype))


@boundary
def cumprod(input: Any, dim: Dims, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
    """Cumulative product along `dim`; masked elements count as 1. Integers keep their dtype, as in torch."""
    axis = _first(input, dim)
    return _prepared(input, mask, _one).cumprod(axis, dtype=_running("cumprod", input, dtype))


def _running(name: str, input: Any, dtype: Any) -> Any:
    """Return the dtype of cumulative sums and products.

    Raises:
        NotImplementedError: if `input` is boolean.
    """
    kind = _result_dtype(input, dtype)
    if kind is dtypes.bool_:
        raise NotImplementedError(f"\"{name}_out_cpu\" not implemented for 'Bool'")
    return kind


@boundary
def logaddexp(
    input: Any, other: Any, *, dtype: Any = None, input_mask: Tensor | None = None, other_mask: Tensor | None = None
) -> Tensor:
    """Logarithm of the sum of two exponentials, each with its own mask; in the dtype of `input`."""
    first, second = _prepared(input, input_mask, _least), _prepared(other, other_mask, _least)
    return first.logaddexp(second).to(_result_dtype(input, dtype))
