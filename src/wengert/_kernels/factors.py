"""Solutions and factors of batches of matrices (the last two axes), by the LAPACK of NumPy and SciPy.

Results are stored column by column, as in LAPACK and torch. Where one matrix of a batch cannot be factored, the
others are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._start.loading import load_scipy
from . import positions
from .results import Array


def columns(array: Array) -> Array:
    """Copy matrices to column-major storage; a column-major matrix with more than one column is returned as it is."""
    if not array.size:
        return no_columns(array.shape, array.dtype)
    if array.ndim == 2 and array.flags.f_contiguous and array.shape[1] > 1:
        return array
    return array.swapaxes(-1, -2).copy().swapaxes(-1, -2)


def no_columns(shape: tuple[int, ...], dtype: Any) -> Array:
    """Empty matrices with the strides of column-major storage, which NumPy does not set for them."""
    strides, step = [0] * len(shape), dtype.itemsize
    for axis in (len(shape) - 2, len(shape) - 1, *range(len(shape) - 3, -1, -1)):
        strides[axis] = step
        step *= max(shape[axis], 1)
    return np.ndarray(shape, dtype, np.empty(0, dtype), 0, strides)


def rows(array: Array) -> Array:
    """Copy to row-major storage: NumPy stores results in the order of the batch's strides."""
    return array if array.flags.c_contiguous else array.copy()


def infinite(a: Array) -> Array:
    """Mask of the matrices that hold infinities or NaN: LAPACK's iterations may not end on them."""
    return np.asarray(~np.isfinite(a).all((-2, -1)))


def eigenpairs(a: Array, side: Any, vectors: bool) -> Any:
    """Eigenvalues (and vectors) of Hermitian matrices; NaN where the triangle that is read is not finite."""
    triangle = np.tril if side == "L" else np.triu
    wrong = np.asarray(triangle(~np.isfinite(a)).any((-2, -1)))
    if wrong.any():
        a = np.where(wrong[..., None, None], 0, a)
    if not vectors:
        values = rows(np.linalg.eigvalsh(a, side))
        return np.where(wrong[..., None], np.nan, values).astype(values.dtype) if wrong.any() else values
    values, eigenvectors = np.linalg.eigh(a, side)
    if wrong.any():
        values[wrong], eigenvectors[wrong] = np.nan, np.nan
    return rows(values), eigenvectors


def widened(array: Array, lead: tuple[int, ...]) -> Array:
    """Broadcast matrices to a larger batch, without a copy."""
    if array.shape[:-2] == lead:
        return array
    return np.broadcast_to(array, (*lead, *array.shape[-2:]))


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
    """Call a function that raises for whole batches; NaN for the matrices that it refuses.

    Args:
        function: a function of `numpy.linalg`.
        failed: returns the step at which a matrix is refused, counted from 1.
        a: the matrices; `rest` has the same axes in front.

    Returns:
        The result, and for each matrix 0 or where it was refused (int32).
    """
    info = np.zeros(a.shape[:-2], np.int32)
    try:
        return function(a, *rest), info
    except np.linalg.LinAlgError:
        pass
    result = np.full((rest or (a,))[0].shape, np.nan, a.dtype)
    for place in np.ndindex(info.shape):
        try:
            result[place] = function(a[place], *[operand[place] for operand in rest])
        except np.linalg.LinAlgError:
            info[place] = max(failed(a[place]), 1)
    return result, info


def inverse(a: Array) -> Any:
    """The inverses of square matrices, and for each the pivot that is zero, or 0."""
    inverses, info = attempted(np.linalg.inv, lambda turned: zero_pivot(turned.T), a.swapaxes(-1, -2))
    return (rows(inverses).swapaxes(-1, -2) if inverses.size else columns(inverses)), info


def solve(a: Array, b: Array) -> Any:
    """X of A X = B, and for each matrix the pivot that is zero, or 0; leading axes broadcast."""
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2]) if a.shape[:-2] != b.shape[:-2] else a.shape[:-2]
    solutions, info = attempted(np.linalg.solve, zero_pivot, widened(a, lead), widened(b, lead))
    if not info.size:  # of the matrices there may be some
        return columns(solutions), attempted(np.linalg.solve, zero_pivot, a, a[..., :1])[1]
    codes = info[(0,) * (len(lead) - a.ndim + 2)]
    return columns(solutions), codes[tuple([slice(length) for length in a.shape[:-2]])]


def partly_factored(matrix: Array, order: int) -> Array:
    """Partial Cholesky factor, as from LAPACK, of a Hermitian matrix whose leading minor of `order` is not positive.

    The columns before it are factored, its pivot is the number without a root, and the rest is unchanged.
    """
    at = order - 1
    factor = np.tril(matrix)
    factor[at, at] = matrix[at, at].real
    if at:
        factor[:at, :at] = first = np.linalg.cholesky(matrix[:at, :at])
        factor[at:, :at] = np.linalg.solve(first, matrix[at:, :at].conj().T).conj().T
        factor[at, at] -= (np.abs(factor[at, :at]) ** 2).sum()
    return factor


def cholesky(a: Array, upper: bool) -> Any:
    """Cholesky factors of Hermitian matrices, of which one triangle is read, and the minors that fail, or 0.

    A matrix without a factor gets the one of `partly_factored`.
    """
    lower = np.conjugate(a.swapaxes(-1, -2)) if upper else a
    factors, info = attempted(np.linalg.cholesky, leading_minor, lower)
    undefined = np.isnan(factors.diagonal(0, -2, -1).real)  # some libraries go on with the root of NaN
    if undefined.any():
        info = np.where((info == 0) & undefined.any(-1), positions.argmax(undefined, -1) + 1, info).astype(np.int32)
    if info.any():
        for place in np.ndindex(info.shape):
            if info[place]:
                factors[place] = partly_factored(lower[place], int(info[place]))
    return (np.conjugate(rows(factors)).swapaxes(-1, -2) if upper and factors.size else columns(factors)), info


def triangular(a: Array, b: Array, upper: bool, left: bool, unit: bool) -> Array:
    """X of A X = B, or of X A = B, for triangular A; leading axes broadcast; zeros on the diagonal divide."""
    if not left:
        return columns(triangular(a.swapaxes(-1, -2), b.swapaxes(-1, -2), not upper, True, unit).swapaxes(-1, -2))
    if not upper:  # reversed, so that there is nothing to eliminate
        a, b = a[..., ::-1, ::-1], b[..., ::-1, :]
    size = a.shape[-1]
    steps = positions.arange(size)
    a = np.where(np.greater.outer(steps, steps), 0, a)
    diagonal = a.diagonal(0, -2, -1)
    if unit:
        a[..., range(size), range(size)] = 1
    if a.ndim > 2 or b.ndim > 2:
        b = widened(b, np.broadcast_shapes(a.shape[:-2], b.shape[:-2]))
    solutions = np.linalg.solve(a, b) if diagonal.all() and np.isfinite(a).all() else substituted(a, b)
    return columns(solutions if upper else solutions[..., ::-1, :])


def substituted(a: Array, b: Array) -> Array:
    """X of A X = B for upper triangular A, by back substitution: as torch has it where LAPACK finds no solution."""
    solutions = np.array(b)
    for row in range(a.shape[-1] - 1, -1, -1):
        solutions[..., row, :] /= a[..., row, row, None]
        solutions[..., :row, :] -= a[..., :row, row, None] * solutions[..., row, None, :]
    return solutions


def for_each_matrix(
    function: Callable[[Array], Any], a: Array, shapes: list[tuple[int, ...]], kinds: list[Any]
) -> list[Array]:
    """Call a function of LAPACK for each matrix of a batch.

    Args:
        function: returns as many results as there are shapes.
        shapes, kinds: of the results of one matrix.
    """
    lead = a.shape[:-2]
    results = [np.zeros((*lead, *shape), kind) for shape, kind in zip(shapes, kinds)]
    if a.size:
        for place in np.ndindex(lead):
            for target, value in zip(results, function(a[place])):
                target[place] = value
    return results


def lu(a: Array) -> Any:
    """The triangular factors in one matrix, the exchanged rows, and the pivots that are zero, or 0, all from 1 on."""
    rows, width = a.shape[-2:]
    getrf = load_scipy("linalg", "lu_factor").get_lapack_funcs("getrf", dtype=a.dtype)
    shapes = [(rows, width), (min(rows, width),), ()]
    factors, pivots, info = for_each_matrix(getrf, a, shapes, [a.dtype, np.int32, np.int32])
    return columns(factors), pivots + np.int32(1), info


def permutation(pivots: Array, rows: int) -> Array:
    """Original row of each row of the exchanged matrix.

    Raises:
        RuntimeError: if a pivot is out of range.
    """
    order = np.broadcast_to(positions.arange(rows), (*pivots.shape[:-1], rows)).copy()
    for at in range(pivots.shape[-1]):
        other = pivots[..., at, None].astype(np.int64) - 1
        if ((other < 0) | (other >= rows)).any():
            raise RuntimeError(
                "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive."
                "Did you properly pass the result of lu_factor?"
            )
        first, second = order[..., at, None].copy(), np.take_along_axis(order, other, -1)
        order[..., at, None] = second
        np.put_along_axis(order, other, first, -1)
    return order


def unpacked(packed: Array, pivots: Array | None) -> Any:
    """Permutation (None without pivots), lower and upper factor."""
    rows, width = packed.shape[-2:]
    count = min(rows, width)
    lower = np.tril(packed[..., :count], -1)
    lower[..., range(count), range(count)] = 1
    upper = np.triu(packed[..., :count, :])
    if pivots is None:
        return None, lower, upper
    matrix = np.zeros((*packed.shape[:-2], rows, rows), packed.dtype)
    np.put_along_axis(matrix, permutation(pivots, rows)[..., None, :], 1, -2)
    return matrix, lower, upper


def lu_solve(packed: Array, pivots: Array, b: Array, left: bool, adjoint: bool) -> Array:
    """X of A X = B (A^H X = B, X A = B, X A^H = B) of a matrix given by its factors; leading axes broadcast."""
    if not left:
        adjoint_b = np.conjugate(b.swapaxes(-1, -2))
        return np.conjugate(lu_solve(packed, pivots, adjoint_b, True, not adjoint).swapaxes(-1, -2))
    b = widened(b, np.broadcast_shapes(packed.shape[:-2], b.shape[:-2]))
    order = permutation(pivots, packed.shape[-1])[..., None]
    order = np.broadcast_to(order, (*b.shape[:-1], 1))
    if not adjoint:
        exchanged = np.take_along_axis(b, order, -2)
        return triangular(packed, triangular(packed, exchanged, False, True, True), True, True, False)
    adjoint_b = np.conjugate(packed.swapaxes(-1, -2))
    inner = triangular(adjoint_b, triangular(adjoint_b, b, False, True, False), True, True, True)
    solutions = np.empty(b.shape, b.dtype)
    np.put_along_axis(solutions, np.broadcast_to(order, b.shape), inner, -2)
    return columns(solutions)


def reflected(vectors: Array, tau: Array, start: Array, adjoint: bool) -> Array:
    """A product of reflections I - tau v v^H, or its adjoint, applied to matrices; v is stored below the diagonal."""
    products = np.array(start)
    count = tau.shape[-1]
    for at in range(count) if adjoint else range(count - 1, -1, -1):
        vector = vectors[..., at:, at].copy()
        vector[..., 0] = 1
        factor = (np.conjugate(tau[..., at]) if adjoint else tau[..., at])[..., None, None]
        inner = np.matmul(np.conjugate(vector)[..., None, :], products[..., at:, :])
        products[..., at:, :] -= factor * vector[..., None] * inner
    return columns(products)


def pseudoinverse(a: Array, atol: Array, rtol: Array, hermitian: bool) -> Array:
    """The pseudoinverses of matrices; singular values below the tolerances count as zero."""
    if not a.size:
        return np.zeros((*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype)
    if hermitian:
        values, u = eigenpairs(a, "L", True)
        vh = np.conjugate(u.swapaxes(-1, -2))
    else:
        u, values, vh = np.linalg.svd(a, full_matrices=False)
    size = np.abs(values)
    bound = np.maximum(atol[..., None], rtol[..., None] * size.max(-1, keepdims=True))
    inverse = np.where(size > bound, 1 / values, 0).astype(values.dtype)
    return np.asarray(np.matmul(np.conjugate(u * inverse[..., None, :]), vh.conj()).swapaxes(-1, -2))


def least_squares(a: Array, b: Array, rcond: float | None, driver: str) -> Any:
    """Least-squares solutions of least norm, the sums of squared residuals by columns, ranks and singular values.

    The driver "gels" has no ranks: a matrix for which `lost_rank` is 0 counts as one of full rank.
    """
    height, width = a.shape[-2:]
    lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    wrong = infinite(a)
    if wrong.any():
        a = np.where(wrong[..., None, None], 0, a)
        b = np.where(wrong[..., None, None], np.nan, widened(b, lead)).astype(b.dtype)
    u, values, vh = np.linalg.svd(a, full_matrices=False)
    part = np.finfo(a.dtype).eps * max(height, width) if rcond is None else rcond
    part = 0 if driver == "gels" else part
    bound = part * values.max(-1, keepdims=True, initial=0)
    large = values > bound
    inverse = np.where(large, 1 / np.where(large, values, 1), 0).astype(values.dtype)
    inner = np.matmul(np.conjugate(u.swapaxes(-1, -2)), b) * inverse[..., None]
    solutions = np.matmul(np.conjugate(vh.swapaxes(-1, -2)), inner)
    rank = rows(np.asarray(large.sum(-1, np.int64)))
    residuals = np.empty((0,), values.dtype)
    if height > width and driver != "gelsy" and (driver == "gels" or (rank == width).all()):
        difference = np.matmul(a, solutions) - b
        residuals = rows(np.asarray((difference * np.conjugate(difference)).real.sum(-2)))
    nothing = np.empty((0,), np.int64)
    listed = rows(values) if driver in ("gelsd", "gelss") else np.empty((0,), values.dtype)
    space = np.zeros((*lead, solutions.shape[-1], max(height, width)), a.dtype).swapaxes(-1, -2)[
        ..., :width, :
    ]  # LAPACK's
    space[...] = solutions
    return space, residuals, nothing if driver == "gels" else rank, listed


def lost_rank(a: Array) -> Array:
    """Number of the first column (row of a wide matrix), from 1, where a triangle's diagonal is zero; 0 without one.

    It is 0 for a matrix of zeros too: LAPACK's "gels" returns its solution without factoring it.
    """
    tall = a if a.shape[-2] >= a.shape[-1] else np.conjugate(a.swapaxes(-1, -2))
    ends = np.diagonal(np.linalg.qr(tall, mode="r"), axis1=-2, axis2=-1) == 0
    first = positions.argmax(ends, -1) + 1 if ends.shape[-1] else np.zeros(ends.shape[:-1], np.int64)
    return np.where(ends.any(-1) & a.any((-2, -1)), first, 0)


def ldl(a: Array, hermitian: bool) -> Any:
    """L and D of symmetric (Hermitian) matrices in one, LAPACK's exchanges, and the pivots that are zero, or 0."""
    size = a.shape[-1]
    kind = "hetrf" if hermitian and a.dtype.kind == "c" else "sytrf"
    factor = load_scipy("linalg", "ldl_factor").get_lapack_funcs(kind, dtype=a.dtype)
    factors, pivots, info = for_each_matrix(
        lambda matrix: factor(np.tril(matrix), lower=1), a, [(size, size), (size,), ()], [a.dtype, np.int32, np.int32]
    )
    return columns(np.tril(factors)), pivots, info


def check_exchanges(pivots: Array) -> None:
    """Refuse exchanges that LAPACK would follow out of the matrix.

    Raises:
        RuntimeError: if a number is not that of a row, or a block of two has one half only.
    """
    size = pivots.shape[-1]
    for numbers in pivots.reshape(-1, size).tolist() if pivots.size else ():
        at = 0
        while at < size:
            pair = numbers[at] < 0
            if not 1 <= abs(numbers[at]) <= size or (pair and numbers[at + 1 : at + 2] != [numbers[at]]):
                raise RuntimeError(
                    f"ldl_solve: pivots must be those that ldl_factor returns for {size} rows, got {numbers}"
                )
            at += 2 if pair else 1


def ldl_solve(packed: Array, pivots: Array, b: Array, hermitian: bool) -> Array:
    """X of A X = B of symmetric (Hermitian) matrices given by their factors; leading axes broadcast."""
    check_exchanges(pivots)
    kind = "hetrs" if hermitian and packed.dtype.kind == "c" else "sytrs"
    solve = load_scipy("linalg", "ldl_solve").get_lapack_funcs(kind, dtype=packed.dtype)
    lead = np.broadcast_shapes(packed.shape[:-2], b.shape[:-2])
    solutions = np.array(widened(b, lead))
    packed, pivots = widened(packed, lead), np.broadcast_to(pivots, (*lead, pivots.shape[-1]))
    if solutions.size:
        for place in np.ndindex(lead):
            solutions[place] = solve(packed[place], pivots[place].astype(np.int32), solutions[place], lower=1)[0]
    return columns(solutions)
