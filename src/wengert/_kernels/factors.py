"""Matrices solved and factored by LAPACK, as NumPy and SciPy carry it: batches of them, the last two axes each.

Results lie column by column, as LAPACK and torch have them. Where one matrix of a batch cannot be treated, the others are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .results import Array


def columns(array: Array) -> Array:
    """The same matrices, each column by column in memory."""
    return np.ascontiguousarray(array.swapaxes(-1, -2)).swapaxes(-1, -2)


def widened(array: Array, lead: tuple[int, ...]) -> Array:
    """The same matrices for all of a larger batch, without a copy."""
    return np.broadcast_to(array, (*lead, *array.shape[-2:]))


def scipy_linalg(caller: str) -> Any:
    """SciPy's linear algebra.

    Raises:
        ImportError: SciPy is not installed.
    """
    try:
        import scipy.linalg
    except ImportError as error:
        raise ImportError(f"{caller} needs SciPy: pip install 'wengert[full]'") from error
    return scipy.linalg


def exponential(a: Array) -> Array:
    """The exponentials of square matrices."""
    return np.asarray(scipy_linalg("matrix_exp").expm(a)) if a.size else a.copy()


def zero_pivot(matrix: Array) -> int:
    """The first pivot that is zero in the elimination of a square matrix, counted from 1; 0 if there is none."""
    rest = matrix.copy()
    for at in range(len(rest)):
        best = at + int(np.argmax(np.abs(rest[at:, at])))
        if rest[best, at] == 0:
            return at + 1
        rest[[at, best]] = rest[[best, at]]
        rest[at + 1 :, at:] -= np.outer(rest[at + 1 :, at] / rest[at, at], rest[at, at:])
    return 0


def leading_minor(matrix: Array) -> int:
    """The order of the first leading minor of a Hermitian matrix that is not positive definite; 0 if all are."""
    low, high = 0, len(matrix) + 1
    while high - low > 1:
        order = (low + high) // 2
        try:
            np.linalg.cholesky(matrix[:order, :order])
            low = order
        except np.linalg.LinAlgError:
            high = order
    return high if high <= len(matrix) else 0


def attempted(function: Callable[..., Array], failed: Callable[[Array], int], a: Array, *rest: Array) -> Any:
    """The results of a function that refuses whole batches, with NaN for the matrices that it refuses.

    Args:
        function: of NumPy.
        failed: says of a matrix at which step it is refused, counted from 1.
        a: the matrices; `rest` has the same axes in front.

    Returns:
        The result, and for each matrix 0 or where it was refused (int32).
    """
    info = np.zeros(a.shape[:-2], np.int32)
    try:
        return function(a, *rest), info
    except np.linalg.LinAlgError:
        pass
    whole = np.full((rest or (a,))[0].shape, np.nan, a.dtype)
    for place in np.ndindex(info.shape):
        try:
            whole[place] = function(a[place], *[each[place] for each in rest])
        except np.linalg.LinAlgError:
            info[place] = max(failed(a[place]), 1)
    return whole, info


def inverse(a: Array) -> Any:
    """The inverses of square matrices, and for each the pivot that is zero, or 0."""
    found, info = attempted(np.linalg.inv, zero_pivot, a.swapaxes(-1, -2))
    return found.swapaxes(-1, -2), info


def solve(a: Array, b: Array) -> Any:
    """X of A X = B, and for each matrix the pivot that is zero, or 0; leading axes broadcast."""
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    found, info = attempted(np.linalg.solve, zero_pivot, widened(a, lead), widened(b, lead))
    own = info[(0,) * (len(lead) - a.ndim + 2)]
    return columns(found), own[tuple([slice(length) for length in a.shape[:-2]])]


def cholesky(a: Array, upper: bool) -> Any:
    """The triangular factors of Hermitian matrices, of which one triangle is read, and the first minor that fails, or 0."""
    lower = np.conjugate(a.swapaxes(-1, -2)) if upper else a
    found, info = attempted(np.linalg.cholesky, leading_minor, lower)
    return (np.conjugate(found.swapaxes(-1, -2)) if upper else columns(found)), info


def triangular(a: Array, b: Array, upper: bool, left: bool, unit: bool) -> Array:
    """X of A X = B, or of X A = B, for triangular A; leading axes broadcast, and zeros on the diagonal divide."""
    if not left:
        return columns(triangular(a.swapaxes(-1, -2), b.swapaxes(-1, -2), not upper, True, unit).swapaxes(-1, -2))
    size = a.shape[-1]
    a = np.triu(a) if upper else np.tril(a)
    if unit:
        a[..., range(size), range(size)] = 1
    if not upper:  # turned about, so that elimination finds nothing to do
        a, b = a[..., ::-1, ::-1], b[..., ::-1, :]
    b = widened(b, np.broadcast_shapes(a.shape[:-2], b.shape[:-2]))
    diagonal = np.einsum("...ii->...i", a)
    found = substituted(a, b) if (diagonal == 0).any() else np.linalg.solve(a, b)
    return columns(found if upper else found[..., ::-1, :])


def substituted(a: Array, b: Array) -> Array:
    """X of A X = B for upper triangular A, from the last row on: infinities and NaN where the diagonal is zero."""
    found = np.array(b)
    for row in range(a.shape[-1] - 1, -1, -1):
        found[..., row, :] /= a[..., row, row, None]
        found[..., :row, :] -= a[..., :row, row, None] * found[..., row, None, :]
    return found
