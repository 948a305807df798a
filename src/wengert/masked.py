"""Reductions and normalisations over the elements that a mask leaves, as `torch.masked` has them.

A mask is boolean, True where an element counts, and broadcasts to the input. Every function takes

- `input`: a tensor, or what a function says;
- `dim`: a dimension, several of them, or None for all;
- `keepdim`: keep reduced dimensions with length 1;
- `dtype`: of the computation and the result, the input's if not given;
- `mask`: or None, if every element counts.

Where no element counts, the result is what the operation starts from: 0 for a sum, 1 for a product, the least value for
a maximum, NaN where none can be said.
"""

from __future__ import annotations

from typing import Any

from .ops.create.create import tensor
from .ops.create.like import full_like, ones_like
from .ops.pointwise.choose import where
from .ops.reductions.vector_norm import vector_norm
from .tensor import Tensor, dtypes

__all__ = [
    "amax", "amin", "argmax", "argmin", "cumprod", "cumsum", "log_softmax", "logaddexp", "logsumexp", "mean", "median",
    "norm", "normalize", "prod", "softmax", "softmin", "std", "sum", "var",
]  # fmt: skip

Dims = int | tuple[int, ...] | None


def _prepared(input: Any, dtype: Any, mask: Any, fill: Any) -> Any:
    """The input in its dtype, `fill` where the mask has no element."""
    given = input if dtype is None else input.to(dtype)
    if mask is None:
        return given
    return where(_broadcast(input, mask), given, tensor(fill, dtype=given.dtype))


def _broadcast(input: Any, mask: Any) -> Any:
    if mask.ndim > input.ndim:
        raise IndexError("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)")
    return mask.to(dtypes.bool_).expand(input.shape)


def _dims(input: Any, dim: Dims) -> tuple[int, ...]:
    """The dimensions that are reduced."""
    if dim is None or dim == ():
        return tuple(range(input.ndim))
    return (int(dim),) if isinstance(dim, int) else tuple(dim)


def _first(input: Any, dim: Dims) -> int:
    """The dimension that a function works along which takes one: of several (None: of all) the first, as in torch."""
    return _dims(input, dim)[0] if input.ndim else 0


def _limit(input: Any, dtype: Any, largest: bool) -> Any:
    """The largest or the least value of a dtype."""
    kind = input.dtype if dtype is None else dtype
    if kind.is_floating_point:
        return float("inf") if largest else -float("inf")
    if kind is dtypes.bool_:
        raise NotImplementedError(f"identity of {'amin' if largest else 'amax'} on torch.bool input")
    return dtypes.iinfo(kind).max if largest else dtypes.iinfo(kind).min


def _summed(input: Any, dtype: Any) -> Any:
    """The dtype of a sum: that of integers and Booleans is int64."""
    exact = dtype is None and not (input.dtype.is_floating_point or input.dtype.is_complex)
    return dtypes.int64 if exact else dtype


def _floating(name: str, input: Any, dtype: Any) -> None:
    kind = input.dtype if dtype is None else dtype
    if not (kind.is_floating_point or kind.is_complex):
        raise ValueError(
            f"{name}(): Could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
            f"Got: {kind}"
        )


def sum(
    input: Any, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """The sum; of integers in int64."""
    dtype = _summed(input, dtype)
    return _prepared(input, dtype, mask, 0).sum(_dims(input, dim), keepdim=keepdim)  # type: ignore[no-any-return]


def prod(
    input: Any, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """The product; of integers in int64."""
    dtype = _summed(input, dtype)
    found = _prepared(input, dtype, mask, 1)
    for each in sorted((at % input.ndim for at in _dims(input, dim)), reverse=True):
        found = found.prod(each, keepdim=keepdim)
    return found  # type: ignore[no-any-return]


def amax(
    input: Any, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """The largest element."""
    found = _prepared(input, dtype, mask, _limit(input, dtype, largest=False))
    return found.amax(_dims(input, dim), keepdim)  # type: ignore[no-any-return]


def amin(
    input: Any, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """The least element."""
    found = _prepared(input, dtype, mask, _limit(input, dtype, largest=True))
    return found.amin(_dims(input, dim), keepdim)  # type: ignore[no-any-return]


def argmax(
    input: Any, dim: int | None = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """Where the largest element is, in the input's dtype, as torch gives it."""
    found = _prepared(input, dtype, mask, _limit(input, dtype, largest=False))
    return found.argmax(dim, keepdim).to(found.dtype)  # type: ignore[no-any-return]


def argmin(
    input: Any, dim: int | None = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """Where the least element is, in the input's dtype, as torch gives it."""
    found = _prepared(input, dtype, mask, _limit(input, dtype, largest=True))
    return found.argmin(dim, keepdim).to(found.dtype)  # type: ignore[no-any-return]


def mean(
    input: Any, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """The mean.

    Raises:
        ValueError: of integers, without a `dtype`.
    """
    _floating("mean", input, dtype)
    total: Any = sum(input, dim, keepdim=keepdim, dtype=dtype, mask=mask)
    return total / _count(input, dim, mask).to(total.dtype).reshape(total.shape)  # type: ignore[no-any-return]


def _count(input: Any, dim: Dims, mask: Any) -> Any:
    """How many elements count, reduced dimensions kept."""
    return sum(ones_like(input, dtype=dtypes.int64), dim, keepdim=True, mask=mask)


def median(
    input: Any, dim: Dims = -1, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """The median, of two in the middle the lower one; in the input's dtype, whatever `dtype` says, as torch gives it.

    Raises:
        ValueError: nothing counts somewhere, and the dtype has no NaN.
    """
    if input.dtype.is_floating_point:
        found = _prepared(input, None, mask, float("nan"))
        return found.nanmedian(_first(input, dim), keepdim).values  # type: ignore[no-any-return]
    if mask is not None and bool((_count(input, dim, mask) == 0).any()):
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    exact = _prepared(input, dtypes.float64, mask, float("nan"))
    return exact.nanmedian(_first(input, dim), keepdim).values.to(input.dtype)  # type: ignore[no-any-return]


def logsumexp(
    input: Any, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """The logarithm of the sum of exponentials."""
    found = _prepared(input, dtype, mask, _limit(input, dtype, largest=False))
    return found.logsumexp(_dims(input, dim), keepdim=keepdim)  # type: ignore[no-any-return]


def norm(
    input: Any, ord: float | None = 2.0, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None,
    mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The vector norm of order `ord`."""
    order = 2.0 if ord is None else float(ord)
    fill = float("inf") if order == -float("inf") else 0
    return vector_norm(_prepared(input, dtype, mask, fill), order, _dims(input, dim), keepdim)  # type: ignore[no-any-return]


def var(
    input: Any, dim: Dims = None, unbiased: bool | None = None, *, correction: float | None = None,
    keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The variance: squares away from the mean over the number of elements less `correction` (1; 0 if not `unbiased`).

    Raises:
        RuntimeError: both `unbiased` and `correction` are given.
    """
    if unbiased is not None and correction is not None:
        raise RuntimeError("Only one of correction and unbiased may be given")
    if correction is None:
        correction = 0 if unbiased is False else 1
    if dtype is None and not (input.dtype.is_floating_point or input.dtype.is_complex):
        dtype = dtypes.float32
    middle = mean(input, dim, keepdim=True, dtype=dtype, mask=mask)
    away = (input if dtype is None else input.to(dtype)) - middle
    squares: Any = sum(
        (away * away.conj()).real if away.dtype.is_complex else away * away, dim, keepdim=keepdim, mask=mask
    )
    left = (_count(input, dim, mask) - correction).clamp(min=0)
    return squares / left.to(squares.dtype).reshape(squares.shape)  # type: ignore[no-any-return]


def std(
    input: Any, dim: Dims = None, unbiased: bool | None = None, *, correction: float | None = None,
    keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The root of `var`."""
    found: Any = var(input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=dtype, mask=mask)
    return found.sqrt()  # type: ignore[no-any-return]


def softmax(input: Any, dim: Dims, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
    """Shares that add up to 1 along `dim`; those of other elements are 0."""
    found = _prepared(input, dtype, mask, _limit(input, dtype, largest=False))
    return found.softmax(_first(input, dim))  # type: ignore[no-any-return]


def log_softmax(input: Any, dim: Dims, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
    """Logarithms of `softmax`."""
    found = _prepared(input, dtype, mask, _limit(input, dtype, largest=False))
    return found.log_softmax(_first(input, dim))  # type: ignore[no-any-return]


def softmin(input: Any, dim: Dims, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
    """`softmax` of the negative."""
    found = -_prepared(input, dtype, mask, _limit(input, dtype, largest=True))
    return found.softmax(_first(input, dim))  # type: ignore[no-any-return]


def normalize(
    input: Any, ord: float, dim: int, *, eps: float = 1e-12, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """The input divided by its norm along `dim`, or by `eps` if that is larger; other elements are 0."""
    length: Any = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return _prepared(input, dtype, mask, 0) / length.maximum(full_like(length, eps))  # type: ignore[no-any-return]


def cumsum(input: Any, dim: Dims, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
    """Sums of what comes before, each element included; others add nothing. Integers keep their dtype, as in torch."""
    kept = input.dtype if dtype is None else dtype
    return _prepared(input, kept, mask, 0).cumsum(_first(input, dim), dtype=kept)  # type: ignore[no-any-return]


def cumprod(input: Any, dim: Dims, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
    """Products of what comes before, each element included; others change nothing. Integers keep their dtype, too."""
    kept = input.dtype if dtype is None else dtype
    return _prepared(input, kept, mask, 1).cumprod(_first(input, dim), dtype=kept)  # type: ignore[no-any-return]


def logaddexp(
    input: Any, other: Any, *, dtype: Any = None, input_mask: Tensor | None = None, other_mask: Tensor | None = None
) -> Tensor:
    """The logarithm of the sum of two exponentials, each with a mask of its own."""
    one = _prepared(input, dtype, input_mask, -float("inf"))
    return one.logaddexp(_prepared(other, dtype, other_mask, -float("inf")))  # type: ignore[no-any-return]
