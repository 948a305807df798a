"""Distances between the rows of matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import Array, Bad, Sample, composite
from ..._core.cards.plain_case import plain_case
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._core.types.sizes import broadcast
from ..._kernels import positions
from ..._kernels.lengths import power_norm
from ..axes import read_number
from ..reductions.vector_norm import relative
from .matrices import of_matrices, of_two, type_name

native = kernels.direct_function

REALS = frozenset({dtypes.float32, dtypes.float64})
MANY = 25
"""Number of rows above which distances are computed by a product of matrices, unless the program forbids it."""
MODES = {"use_mm_for_euclid_dist_if_necessary": 0, "use_mm_for_euclid_dist": 1, "donot_use_mm_for_euclid_dist": 2}
BLOCK = 1 << 22
"""Largest number of differences in memory at a time."""


def norms_of_differences(difference: Any, p: float) -> Any:
    """Norms of differences along their last axis."""
    size = np.abs(difference)
    if p == 0:
        return np.minimum(np.ceil(size), 1).sum(-1)  # NaN is not counted
    if p == 1:
        return size.sum(-1)
    if math.isinf(p):
        return size.max(-1, initial=0)
    return power_norm(size, p, -1)


def check_points(name: str, x: Any, p: float, argument: str = "X1") -> None:
    """Check that a tensor is a matrix of real numbers.

    Raises:
        RuntimeError: if it is not.
    """
    if x.dtype.kind != "f":
        raise RuntimeError(f"{name} only supports floating-point dtypes, {argument} got: {type_name(x)}")
    if x.ndim < 2:
        raise RuntimeError(f"{name} only supports at least 2D tensors, {argument} got: {x.ndim}D")


def check_pair(x1: Any, x2: Any, p: float) -> None:
    """Refuse rows that cannot be compared.

    Raises:
        RuntimeError: if shapes or dtypes do not fit, or `p` is negative.
    """
    check_points("cdist", x1, p)
    check_points("cdist", x2, p, "X2")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}")
    if not p >= 0:
        raise RuntimeError("cdist only supports non-negative p values")
    broadcast(x1.shape[:-2], x2.shape[:-2])
    if x1.dtype != x2.dtype:
        raise RuntimeError(f"cdist: expected scalar type {type_name(x1)} but found {type_name(x2)}")
    if dtypes.from_numpy(x1.dtype) not in REALS:
        raise NotImplementedError(f"\"cdist\" not implemented for '{type_name(x1)}'")


@of_two(name="_cdist_forward", node="CdistBackward0", dtypes=REALS, layout="rows", native=native("cdist"))
def between(x1: Array, x2: Array, p: float) -> Any:
    """Distances between all rows of one matrix and all rows of another."""
    p = float(p)
    check_pair(x1, x2, p)
    rows = x1.shape[-2]
    lead = np.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
    result = np.empty((*lead, rows, x2.shape[-2]), x1.dtype)
    step = max(1, BLOCK // max(1, math.prod(lead) * x2.shape[-2] * x2.shape[-1]))
    for at in range(0, rows, step):
        part = x1[..., at : at + step, None, :] - x2[..., None, :, :]
        result[..., at : at + step, :] = norms_of_differences(part, p)
    return result


def sign_keeping_nan(difference: Any) -> Any:
    """Sign of each element; NaN stays NaN."""
    return difference.sgn().where(difference == difference, difference)


def difference_grad(difference: Any, norm: Any, grad: Any, p: float) -> Any:
    """Gradient with respect to differences from that of their norms; zero if a difference is zero."""
    if p == 0:
        return difference.new_zeros(difference.shape)
    grad, norm = grad.unsqueeze(-1), norm.unsqueeze(-1)
    if p == 1:
        return grad * sign_keeping_nan(difference)
    if math.isinf(p):
        smaller = (difference.detach().abs() - norm.detach()).abs().ceil().clamp(max=1)
        return grad * sign_keeping_nan(difference) * (1 - smaller)
    share = relative(difference, norm, p, -1)
    if p == 2:
        return share.masked_fill(norm == 0, 0) * grad
    nowhere = (norm == 0).logical_or(difference == 0) if p < 2 else norm == 0
    return (sign_keeping_nan(difference) * share.abs().pow(p - 1)).masked_fill(nowhere, 0) * grad


@between.vjp("x1", "x2", native=native("cdist_rule"))
def between_vjp(grad: Any, x1: Any, x2: Any, out: Any, p: float, wanted: Any) -> Any:
    grad_difference = difference_grad(x1.unsqueeze(-2) - x2.unsqueeze(-3), out, grad, float(p))
    return grad_difference.sum(-2) if wanted[0] else None, 0 - grad_difference.sum(-3) if wanted[1] else None


@between.jvp("x1", "x2")
def between_jvp(of_x1: Any, of_x2: Any, x1: Any, x2: Any, out: Any, p: float) -> Any:
    difference = x1.unsqueeze(-2) - x2.unsqueeze(-3)
    derivative = difference_grad(difference, out, out.new_ones(out.shape), float(p))
    return (derivative * (of_x1.unsqueeze(-2) - of_x2.unsqueeze(-3))).sum(-1)


@between.samples
def between_samples(make: Any) -> Any:
    for p in (2.0, 1.0, 0.0, 3.0, 1.5, math.inf):
        yield Sample(make(3, 2), make(4, 2), p)
    yield Sample(make(2, 3, 2), make(4, 2), 2.0)
    yield Bad(make(3), make(4, 2), 2.0, raises=RuntimeError, says="cdist only supports at least 2D tensors, X1 got: 1D")
    yield Bad(make(3, 3), make(4, 2), 2.0, raises=RuntimeError, says="X1 and X2 must have the same number of columns")
    yield Bad(make(3, 2), make(4, 2), -1.0, raises=RuntimeError, says="cdist only supports non-negative p values")


@of_two(name="_euclidean_dist", dtypes=REALS, layout="rows")
def euclidean(x1: Array, x2: Array) -> Any:
    """Distances between all rows of one matrix and all rows of another, by a product of matrices."""
    check_pair(x1, x2, 2.0)
    squares = [(operand * operand).sum(-1) for operand in (x1, x2)]
    limits = np.finfo(x1.dtype)
    largest = max(operand.max(initial=0) for operand in squares)
    if not limits.tiny / limits.eps**2 <= largest <= limits.max / 4:  # squares are not normal numbers
        return between.body(x1, x2, 2.0)
    squared = squares[0][..., None] + squares[1][..., None, :] - 2 * np.matmul(x1, x2.swapaxes(-1, -2))
    return np.sqrt(np.maximum(squared, 0))


@euclidean.vjp("x1", "x2")
def euclidean_vjp(grad: Any, x1: Any, x2: Any, out: Any) -> Any:
    part = (grad / out).masked_fill(out == 0, 0)
    turned = part.transpose(-2, -1)
    return x1 * part.sum(-1, True) - part @ x2, x2 * turned.sum(-1, True) - turned @ x1


@euclidean.jvp("x1", "x2")
def euclidean_jvp(of_x1: Any, of_x2: Any, x1: Any, x2: Any, out: Any) -> Any:
    along = (x1 * of_x1).sum(-1, True) + (x2 * of_x2).sum(-1).unsqueeze(-2)
    across = of_x1 @ x2.transpose(-2, -1) + x1 @ of_x2.transpose(-2, -1)
    return ((along - across) / out).masked_fill(out == 0, 0)


@euclidean.samples
def euclidean_samples(make: Any) -> Any:
    yield Sample(make(3, 2), make(4, 2))
    yield Sample(make(2, 3, 2), make(2, 4, 2))
    yield Bad(make(3, 3), make(4, 2), raises=RuntimeError, says="X1 and X2 must have the same number of columns")


@composite(method=False)
def cdist(x1: Tensor, x2: Tensor, p: float = 2.0, compute_mode: str = "use_mm_for_euclid_dist_if_necessary") -> Any:
    """The distances between all rows of one matrix and all of another.

    Args:
        x1: (..., m, k), float32 or float64.
        x2: (..., n, k) of the same dtype; dimensions in front broadcast.
        p: the order of the norm, at least 0.
        compute_mode: whether Euclidean distances are computed by a product of matrices, which is faster and less exact:
            "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist", or, from 26 rows on,
            "use_mm_for_euclid_dist_if_necessary".

    Returns:
        A new tensor (..., m, n).

    Raises:
        RuntimeError: if shapes or dtypes do not fit, or `p` is negative.
        ValueError: if `compute_mode` is unknown.

    Derivative:
        Zero where a distance is zero.

    Examples:
        >>> import wengert as wg
        >>> wg.cdist(wg.tensor([[0.0, 0.0], [3.0, 4.0]]), wg.tensor([[0.0, 0.0]]))
        tensor([[0.],
                [5.]])
    """
    if compute_mode not in MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    mode = MODES[compute_mode]
    p = read_number("cdist", "p", 3, p)
    if p == 2 and mode < 2 and x1.ndim > 1 < x2.ndim and x1.shape[-1]:
        rows = x1.shape[-2], x2.shape[-2]
        if 0 not in (*x1.shape[:-1], *x2.shape[:-1]) and (mode == 1 or max(rows) > MANY):
            result = euclidean(x1, x2)
            return result.view(result.shape)
    return between(x1, x2, float(p))


@cdist.samples
def cdist_samples(make: Any) -> Any:
    yield Sample(make(3, 2), make(4, 2))
    yield Sample(make(3, 2), make(4, 2), compute_mode="use_mm_for_euclid_dist")
    yield Bad(make(3), make(4, 2), raises=RuntimeError, says="cdist only supports at least 2D tensors")


def rows_of_pairs(count: int) -> tuple[Any, Any]:
    """Return the indices of the rows of all pairs, each pair once."""
    places = positions.arange(count)
    first, second = positions.nonzero(np.less.outer(places, places))
    return first, second


def check_paired(self: Any) -> None:
    """Check the arguments of `pdist`.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    if self.ndim < 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {self.ndim}D")
    if dtypes.from_numpy(self.dtype) not in REALS:
        raise NotImplementedError(f"\"pdist\" not implemented for '{type_name(self)}'")


@of_matrices(name="_pdist_forward", node="PdistBackward0", dtypes=REALS, layout="rows", native=native("pdist"))
def paired(self: Array, p: float = 2.0) -> Any:
    """Distances between all pairs of rows."""
    check_paired(self)
    first, second = rows_of_pairs(self.shape[-2])
    return np.asarray(norms_of_differences(self[..., first, :] - self[..., second, :], float(p)))


def differences(matrix: Any) -> tuple[Any, Any, Any]:
    """Return the differences of all pairs of rows, and the rows' indices."""
    first, second = (matrix.new_tensor(rows, dtype=dtypes.int64) for rows in rows_of_pairs(matrix.shape[-2]))
    return matrix.index_select(-2, first) - matrix.index_select(-2, second), first, second


@paired.vjp("self", native=native("pdist_rule"))
def paired_vjp(grad: Any, self: Any, out: Any, p: float) -> Any:
    difference, first, second = differences(self)
    grad_difference = difference_grad(difference, out, grad, float(p))
    return self.new_zeros(self.shape).index_add(-2, first, grad_difference).index_add(-2, second, -grad_difference)


@paired.jvp("self")
def paired_jvp(tangent: Any, self: Any, out: Any, p: float) -> Any:
    difference = differences(self)[0]
    return (difference_grad(difference, out, out.new_ones(out.shape), float(p)) * differences(tangent)[0]).sum(-1)


@paired.samples
def paired_samples(make: Any) -> Any:
    for p in (2.0, 1.0, 0.0, 3.0, math.inf):
        yield Sample(make(4, 2), p)
    yield Sample(make(1, 2), 2.0)
    yield Bad(make(3), 2.0, raises=RuntimeError, says="pdist only supports 2D tensors, got: 1D")


@composite(method=False)
def pdist(self: Tensor, p: float = 2.0) -> Any:
    """The distances between all pairs of rows of a matrix.

    Args:
        self: (n, k), float32 or float64.
        p: the order of the norm, at least 0.

    Returns:
        A new tensor (n (n - 1) / 2,): row 0 with 1, 2, ..., then row 1 with 2, ...

    Raises:
        RuntimeError: if `self` is not a matrix of float32 or float64, or `p` is negative.

    Derivative:
        Zero where a distance is zero.

    Examples:
        >>> import wengert as wg
        >>> wg.pdist(wg.tensor([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]]))
        tensor([5.0000, 1.0000, 4.2426])
    """
    if self.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {self.ndim}D")
    if self.dtype.category != dtypes.FLOAT:
        raise RuntimeError("pdist only supports floating-point dtypes")
    if not p >= 0:
        raise RuntimeError("pdist only supports non-negative p values")
    return paired(self.contiguous(), float(p))


@pdist.samples
def pdist_samples(make: Any) -> Any:
    yield Sample(make(4, 2))
    yield Bad(make(3), raises=RuntimeError, says="pdist only supports 2D tensors, got: 1D")


pdist = plain_case(pdist, paired, native("pdist"))
