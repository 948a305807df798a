"""Covariance and correlation matrices: cov, corrcoef."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import Bad, Sample, composite
from ..._core.cards.plain_case import plain_case
from ..._core.errors import wrong_type
from ..._core.graph import anomaly
from ..._core.recording.recorded import conjugate
from ..._core.tensor.base import Tensor, wrap
from ..._core.tensor.batches import is_batched
from ..._core.tensor.meta_array import is_meta
from ..._core.tensor.tracing import decided
from ..._core.types import dtypes
from ..pointwise.complex_of_reals import complex
from .products import type_name


def is_positive(weights: Any) -> bool:
    """Return whether no weight is negative or NaN."""
    return bool(weights.min() >= 0)


def has_no_room(room: Any) -> bool:
    """Return whether a number of degrees of freedom is not positive."""
    return bool(room <= 0)


def checked_weights(name: str, weights: Any, count: int, kind: int, word: str) -> Any:
    """Check the weights of observations.

    Args:
        kind: category of their dtype, which `word` names.

    Raises:
        TypeError: if the weights are not a tensor.
        RuntimeError: if shape or dtype do not fit, or a weight is negative.
    """
    if not isinstance(weights, Tensor):
        raise TypeError(wrong_type("cov", name, 0, "Tensor", weights))
    if weights._array_.ndim > 1:
        raise RuntimeError(
            f"cov(): expected {name} to have one or fewer dimensions but got {name} with {weights._array_.ndim} "
            "dimensions"
        )
    if weights.dtype.category != kind:
        raise RuntimeError(
            f"cov(): expected {name} to have {word} dtype but got {name} with {type_name(weights._array_)} dtype"
        )
    if weights._array_.size != count:
        raise RuntimeError(
            f"cov(): expected {name} to have the same numel as there are observations in the input but got "
            f"{weights._array_.size} != {count}"
        )
    if not is_batched(weights) and not is_meta(weights) and count and not decided(is_positive, (weights,)):
        raise RuntimeError(f"cov(): {name} cannot be negative")
    return weights


def check_table(name: str, input: Any) -> None:
    """Refuse anything but a table of numbers.

    Raises:
        RuntimeError: if `input` has more than two dimensions, or is of bools.
    """
    if input._array_.ndim > 2:
        raise RuntimeError(
            f"{name}(): expected input to have two or fewer dimensions but got an input with {input._array_.ndim} "
            "dimensions"
        )
    if input.dtype is dtypes.bool_:
        raise RuntimeError("cov(): bool dtype is not supported for input")


@composite()
def cov(input: Any, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None) -> Any:
    """The covariance matrix of variables, each a row of observations.

    Args:
        input: tensor of shape (variables, observations), or of one variable.
        correction: number subtracted from the number of observations, before it divides.
        fweights: integer tensor: frequency of each observation.
        aweights: floating tensor: weight of each observation.

    Returns:
        A tensor of shape (variables, variables), of one variable without dimensions.

    Raises:
        RuntimeError: if shapes or dtypes do not fit, or weights are negative or sum to zero.

    Examples:
        >>> import wengert as wg
        >>> wg.cov(wg.tensor([[1., 2., 3.], [3., 2., 1.]]))
        tensor([[ 1., -1.],
                [-1.,  1.]])
    """
    check_table("cov", input)
    table = input.view((1, input._array_.size)) if input._array_.ndim < 2 else input
    count = table._array_.shape[1]
    weights = None
    if fweights is not None:
        weights = checked_weights("fweights", fweights, count, dtypes.INTEGER, "integral")
    if aweights is not None:
        analytic = checked_weights("aweights", aweights, count, dtypes.FLOAT, "floating point")
        weights = analytic if weights is None else weights * analytic
    total = wrap(np.array(count)) if weights is None else weights.sum()
    known = not is_batched(total)
    if known and weights is not None and not decided(np.any, (total,)):
        raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    mean = (table if weights is None else table * weights).sum(1) / total
    if weights is not None and aweights is not None and correction:
        room = total - correction * (weights * aweights).sum() / total
    else:
        room = total - correction
    empty = known and decided(has_no_room, (room,))
    if empty:
        anomaly.warn(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations."
        )
    if not known or empty:
        room = room.clamp_min(0)
    centred = table - mean.unsqueeze(1)
    products = centred.mm(conjugate((centred if weights is None else centred * weights).t()))
    return products.true_divide(room).squeeze()


NATIVE = kernels.natives("sum", "divide", "subtract", "mm")


def covariances_of_array(table: Any, correction: Any, fweights: Any, aweights: Any) -> Any:
    """`cov` of real numbers without weights, if nothing is recorded."""
    if type(correction) is not int or fweights is not None or aweights is not None:
        return NotImplemented
    if table.ndim != 2 or table.dtype.kind != "f" or table.shape[1] <= correction:
        return NotImplemented
    total, divide, subtract, product = NATIVE
    count = table.shape[1]
    centred = subtract(table, divide(total(table, 1, True, None), count), 1)
    return divide(product(centred, centred.T), count - correction)


def squeezed(result: Any, args: tuple[Any, ...]) -> Any:
    """Remove dimensions of length 1 from a result, as a view."""
    return result.squeeze()


plain_case(cov, arrays=covariances_of_array, needs=NATIVE, then=(squeezed,))


@cov.samples
def cov_samples(make: Any) -> Any:
    x = make(3, 5)
    if x.dtype is dtypes.bool_:
        yield Bad(x, raises=RuntimeError, says="cov(): bool dtype is not supported for input")
        return
    yield Sample(x)
    often = wrap(np.array([1, 2, 1, 3, 1], np.int64))
    yield Sample(x, correction=0, fweights=often)
    if x.dtype.category == dtypes.FLOAT:
        yield Sample(x, fweights=often, aweights=make(5, low=0.5, high=2))
        yield Sample(x, aweights=make(5, low=0.5, high=2))
    yield Sample(make(5))
    yield Bad(make(1, 2, 3), raises=RuntimeError, says="expected input to have two or fewer dimensions")
    yield Bad(
        x, fweights=wrap(np.array([1], np.int64)), raises=RuntimeError, says="to have the same numel as there are"
    )
    yield Bad(x, aweights=wrap(-np.ones(5)), raises=RuntimeError, says="cov(): aweights cannot be negative")


@composite()
def corrcoef(input: Any) -> Any:
    """The correlation matrix of variables, each a row of observations.

    Args:
        input: tensor of shape (variables, observations), or of one variable.

    Returns:
        A tensor of shape (variables, variables), of one variable without dimensions: numbers between -1 and 1.

    Raises:
        RuntimeError: if `input` has more dimensions, or is bool.

    Examples:
        >>> import wengert as wg
        >>> wg.corrcoef(wg.tensor([[1., 2., 3.], [3., 2., 1.]]))
        tensor([[ 1., -1.],
                [-1.,  1.]])
    """
    check_table("corrcoef", input)
    table = cov(input)
    if not table._array_.ndim:
        return table / table  # NaN for 0, infinity and NaN
    variance = table.diag()
    deviation = (variance.real if variance.dtype.is_complex else variance).sqrt()
    size = deviation._array_.size
    table = table / deviation.view((size, 1))
    table = table / deviation.view((1, size))
    if not table.dtype.is_complex:
        return table.clamp(-1, 1)
    return complex(table.real.clamp(-1, 1), table.imag.clamp(-1, 1))


FURTHER = kernels.natives("sqrt", "clamp")


def correlations_of_array(array: Any) -> Any:
    """`corrcoef` of several real variables, if nothing is recorded."""
    if array.ndim != 2 or array.shape[0] < 2:
        return NotImplemented
    table = covariances_of_array(array, 1, None, None)
    divide, (root, limited) = NATIVE[1], FURTHER
    deviation = root(table.diagonal().copy())
    return limited(divide(divide(table, deviation[:, None]), deviation), -1, 1)


plain_case(corrcoef, arrays=correlations_of_array, needs=(*NATIVE, *FURTHER))


@corrcoef.samples
def corrcoef_samples(make: Any) -> Any:
    x = make(3, 5)
    if x.dtype is dtypes.bool_:
        yield Bad(x, raises=RuntimeError, says="cov(): bool dtype is not supported for input")
        return
    yield Sample(x)
    yield Bad(make(1, 2, 3), raises=RuntimeError, says="expected input to have two or fewer dimensions")
