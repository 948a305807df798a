"""Reductions and normalisations over the elements that a mask leaves, as `torch.masked` has them.

A mask is boolean, True where an element counts, and broadcasts to the input. Every function takes

- `input`: a tensor, or what a function says;
- `dim`: a dimension, several of them, or None for all;
- `keepdim`: keep reduced dimensions with length 1;
- `dtype`: of the result, the input's if not given (sums and products: of smaller integers int64);
- `mask`: or None, if every element counts.

Where no element counts, the result is what the operation starts from: 0 for a sum, 1 for a product, the least value for
a maximum, NaN where none can be said.
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
    "amax", "amin", "argmax", "argmin", "cumprod", "cumsum", "log_softmax", "logaddexp", "logsumexp", "mean", "median",
    "norm", "normalize", "prod", "softmax", "softmin", "std", "sum", "var",
]  # fmt: skip

Dims = int | tuple[int, ...] | None

SMALL = frozenset((dtypes.uint8, dtypes.bool_, dtypes.int8, dtypes.int16, dtypes.int32))
"""Of these, sums and products are int64."""


def _prepared(input: Any, mask: Any, fill: Any) -> Any:
    """The input, and where the mask has no element what `fill` gives for it."""
    if mask is None:
        return input
    return where(_broadcast(input, mask), input, tensor(fill(input), dtype=input.dtype))


def _broadcast(input: Any, mask: Any) -> Any:
    """The mask in the shape of the input, as Booleans.

    Raises:
        IndexError: it has more dimensions.
    """
    if mask.shape != input.shape and mask.ndim > input.ndim:
        raise IndexError("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)")
    return mask.to(dtypes.bool_).expand(input.shape)


def _dims(input: Any, dim: Dims) -> tuple[int, ...]:
    """The dimensions that are reduced, counted from the front, in order.

    Raises:
        IndexError: there is none of that number.
        RuntimeError: one is named twice.
    """
    if dim is None or dim == ():
        return tuple(range(input.ndim))
    found: list[int] = []
    for each in (dim,) if isinstance(dim, int) else dim:
        at = int(normalise(each, input.ndim))
        if at in found:
            raise RuntimeError(f"dim={each} appears multiple times in the list of dims")
        found.append(at)
    return tuple(sorted(found))


def _first(input: Any, dim: Dims) -> int:
    """The dimension that a function works along which takes one: the first of several (None: of all), as in torch."""
    return _dims(input, dim)[0]


def _zero(input: Any) -> Any:
    return 0


def _one(input: Any) -> Any:
    return 1


def _nan(input: Any) -> Any:
    return float("nan")


def _limit(input: Any, name: str, largest: bool) -> Any:
    """The largest or the least value of the input's dtype.

    Raises:
        NotImplementedError: a dtype without signs, which torch does not know it of.
        TypeError: complex numbers have none.
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
    """Of what the exponential adds nothing; the least value of integers."""
    return complex(-float("inf"), 0) if input.dtype.is_complex else _limit(input, "logsumexp", largest=False)


def _summed(input: Any, dtype: Any) -> Any:
    """The dtype of a sum or a product."""
    if dtype is not None:
        return dtype
    return dtypes.int64 if input.dtype in SMALL else input.dtype


def _kept(input: Any, dtype: Any) -> Any:
    """The dtype of a result that has the input's unless another is asked for."""
    return input.dtype if dtype is None else dtype


@boundary
def sum(
    input: Any, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """The sum; of smaller integers in int64."""
    dims = _dims(input, dim)
    found = _prepared(input, mask, _zero)
    return found.sum(dims, keepdim=bool(keepdim), dtype=_summed(input, dtype))  # type: ignore[no-any-return]


@boundary
def prod(
    input: Any, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """The product; of smaller integers in int64."""
    dims = _dims(input, dim)
    found = _prepared(input, mask, _one).to(_summed(input, dtype))
    for each in reversed(dims):
        found = found.prod(each, keepdim=bool(keepdim))
    return found  # type: ignore[no-any-return]


@boundary
def amax(
    input: Any, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """The largest element."""
    found = _prepared(input, mask, _least)
    return found.amax(_dims(input, dim), bool(keepdim)).to(_kept(input, dtype))  # type: ignore[no-any-return]


@boundary
def amin(
    input: Any, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """The least element."""
    found = _prepared(input, mask, _largest)
    return found.amin(_dims(input, dim), bool(keepdim)).to(_kept(input, dtype))  # type: ignore[no-any-return]


def argmax(
    input: Any, dim: int | None = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """Where the largest element is, in the input's dtype, as torch gives it."""
    found = _prepared(input, mask, _least)
    return found.argmax(dim, bool(keepdim)).to(_kept(input, dtype))  # type: ignore[no-any-return]


def argmin(
    input: Any, dim: int | None = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """Where the least element is, in the input's dtype, as torch gives it."""
    found = _prepared(input, mask, _largest)
    return found.argmin(dim, bool(keepdim)).to(_kept(input, dtype))  # type: ignore[no-any-return]


@boundary
def mean(
    input: Any, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """The mean.

    Raises:
        ValueError: of integers, without a `dtype`.
    """
    kind = _kept(input, dtype)
    if not (kind.is_floating_point or kind.is_complex):
        raise ValueError(
            f"mean(): Could not infer output dtype. {'Input' if dtype is None else 'Optional'} dtype must be either a "
            f"floating point or complex dtype. Got: {kind}"
        )
    count = _count(input, dim, keepdim, mask)
    return sum(input, dim, keepdim=keepdim, dtype=kind, mask=mask) / count  # type: ignore[no-any-return,operator]


def _count(input: Any, dim: Dims, keepdim: bool, mask: Any) -> Any:
    """How many elements count."""
    if mask is None:
        return sum(ones_like(input, dtype=dtypes.int64, requires_grad=False), dim, keepdim=keepdim)
    return _broadcast(input, mask).sum(dim=dim, keepdim=bool(keepdim))


@boundary
def median(
    input: Any, dim: Dims = -1, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """The median, of two in the middle the lower one; of floats in their own dtype, whatever `dtype` says, as in torch.

    Raises:
        ValueError: nothing counts somewhere, and the dtype has no NaN.
    """
    at = _first(input, dim)
    exact = input if input.dtype.is_floating_point else input.to(dtypes.float64)
    found = _prepared(exact, mask, _nan).nanmedian(at, keepdim).values
    if exact is input:
        return found  # type: ignore[no-any-return]
    if bool(found.isnan().any()):
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return found.to(_kept(input, dtype))  # type: ignore[no-any-return]


@boundary
def logsumexp(
    input: Any, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """The logarithm of the sum of exponentials; of integers as integers, as torch gives it."""
    dims = _dims(input, dim)
    found = _prepared(input, mask, _no_exponential)
    return found.logsumexp(dims, keepdim=keepdim).to(_kept(input, dtype))  # type: ignore[no-any-return]


@boundary
def norm(
    input: Any, ord: float = 2.0, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None,
    mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The vector norm of order `ord`."""

    def fill(input: Any) -> Any:
        return float("inf") if ord == -float("inf") else 0

    found = _prepared(input, mask, fill)
    return vector_norm(found, ord, _dims(input, dim), bool(keepdim), dtype=_kept(input, dtype))  # type: ignore[no-any-return]


@boundary
def var(
    input: Any, dim: Dims = None, unbiased: bool | None = None, *, correction: float | None = None,
    keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The variance: squares away from the mean over the number of elements less `correction` (1; 0 if not `unbiased`).

    That of complex numbers is complex, without an imaginary part, as torch gives it.

    Raises:
        AssertionError: both `unbiased` and `correction` are given.
    """
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    less = float(correction) if correction is not None else 1.0 if unbiased is None or unbiased else 0.0
    kind, inexact = _kept(input, dtype), input.dtype.is_floating_point or input.dtype.is_complex
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
    return (squares / count).to(kind)  # type: ignore[no-any-return]


@boundary
def std(
    input: Any, dim: Dims = None, unbiased: bool | None = None, *, correction: float | None = None,
    keepdim: bool = False, dtype: Any = None, mask: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """The root of `var`."""
    found: Any = var(input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=dtype, mask=mask)
    return found.sqrt()  # type: ignore[no-any-return]


@boundary
def softmax(input: Any, dim: Dims, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
    """Shares that add up to 1 along `dim`; those of other elements are 0."""
    at = _first(input, dim)
    return _prepared(input, mask, _least).softmax(at, dtype=_kept(input, dtype))  # type: ignore[no-any-return]


@boundary
def log_softmax(input: Any, dim: Dims, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
    """Logarithms of `softmax`."""
    at = _first(input, dim)
    return _prepared(input, mask, _least).log_softmax(at, dtype=_kept(input, dtype))  # type: ignore[no-any-return]


@boundary
def softmin(input: Any, dim: Dims, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
    """`softmax` of the negative."""
    at = _first(input, dim)
    return (-_prepared(input, mask, _largest)).softmax(at, dtype=_kept(input, dtype))  # type: ignore[no-any-return]


@boundary
def normalize(
    input: Any, ord: float, dim: int, *, eps: float = 1e-12, dtype: Any = None, mask: Tensor | None = None
) -> Tensor:
    """The input divided by its norm along `dim`, or by `eps` if that is larger; other elements are 0."""
    found = _prepared(input, mask, _zero)
    length: Any = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return found / length.maximum(length.new_full((), eps))  # type: ignore[no-any-return]


@boundary
def cumsum(input: Any, dim: Dims, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
    """Sums of what comes before, each element included; others add nothing. Integers keep their dtype, as in torch."""
    at = _first(input, dim)
    return _prepared(input, mask, _zero).cumsum(at, dtype=_running("cumsum", input, dtype))  # type: ignore[no-any-return]


@boundary
def cumprod(input: Any, dim: Dims, *, dtype: Any = None, mask: Tensor | None = None) -> Tensor:
    """Products of what comes before, each element included; others change nothing. Integers keep their dtype, too."""
    at = _first(input, dim)
    return _prepared(input, mask, _one).cumprod(at, dtype=_running("cumprod", input, dtype))  # type: ignore[no-any-return]


def _running(name: str, input: Any, dtype: Any) -> Any:
    """The dtype of running sums and products.

    Raises:
        NotImplementedError: there are none of Booleans.
    """
    kind = _kept(input, dtype)
    if kind is dtypes.bool_:
        raise NotImplementedError(f"\"{name}_out_cpu\" not implemented for 'Bool'")
    return kind


@boundary
def logaddexp(
    input: Any, other: Any, *, dtype: Any = None, input_mask: Tensor | None = None, other_mask: Tensor | None = None
) -> Tensor:
    """The logarithm of the sum of two exponentials, each with a mask of its own; in the dtype of `input`."""
    one, two = _prepared(input, input_mask, _least), _prepared(other, other_mask, _least)
    return one.logaddexp(two).to(_kept(input, dtype))  # type: ignore[no-any-return]
