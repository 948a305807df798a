"""Exponentials of batches of small matrices, and their derivatives in a direction, by products alone.

A matrix is halved until a Taylor polynomial suffices, and the polynomial squared as often. Its degree follows the norm,
and it takes fewer products than it has powers.

The derivative along E is a corner of the exponential of [[A, E], [0, A]]. Of such matrices only the upper blocks are
kept, side by side: (n, 2n) where there is a direction, else (n, n).

Source: P. Bader, S. Blanes, F. Casas, Computing the matrix exponential with an optimized Taylor polynomial
approximation, Mathematics 7, 2019; which norms decide how often to halve: A. Al-Mohy, N. Higham, A new scaling and
squaring algorithm for the matrix exponential, SIAM J. Matrix Anal. Appl. 31, 2009.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from . import positions
from .factors import infinite
from .results import Array, wide_dtype

DEGREES = (1, 2, 4, 8, 12, 18)
LIMITS = {
    4: (1.1920929e-07, 5.978859e-04, 5.116619e-02, 5.800525e-01, 1.461662, 3.010066),
    8: (2.220446e-16, 2.580957e-08, 3.397169e-04, 4.991229e-02, 2.996159e-01, 1.090864),
}
"""Largest norms for which a polynomial of each degree is the exponential of a matrix that differs by at most half a
unit in the last place, by the size of a real number."""
FEW = 4096
"""Number of elements up to which a batch is not split to use cheaper polynomials."""
PIECE = 16384
"""Number of elements that are computed at once, so that the temporaries of a polynomial stay in the cache."""
ROOT = math.sqrt(177)


class Mixture:
    """Sums of powers, by coefficients kept for each dtype."""

    def __init__(self, lines: list[list[float]], constants: list[float]) -> None:
        self.lines = {dtype: np.array(lines, dtype) for dtype in (np.dtype(np.float32), np.dtype(np.float64))}
        self.constants = [(at, factor) for at, factor in enumerate(constants) if factor]

    def __call__(self, powers: Array) -> Array:
        """One sum for each line, plus its multiple of the identity."""
        lines = self.lines[powers.real.dtype]
        flat = powers.view(lines.dtype).reshape(len(powers), -1)
        result = (lines @ flat).view(powers.dtype).reshape(-1, *powers.shape[1:])
        for at, factor in self.constants:
            add_identity(result[at], factor)
        return result


OF_FOURTH = Mixture([[1 / 6, 1 / 24]], [0.5])
INNER = Mixture([[(1 + ROOT) / 132, (1 + ROOT) / 528]], [0])
OF_EIGHTH = Mixture(
    [[0, 2 / 3, 1], [11 * (ROOT - 1) / 840, 11 * (ROOT - 9) / 3360, (89 - ROOT) / 2240]],
    [0, (29 * ROOT - 271) / 210],
)
SQUARE = (857 - 58 * ROOT) / 630
OF_TWELFTH = Mixture(
    [
        [-0.005007023225733177, -0.5734201229605222, -0.13339969394389206],
        [0.9928751035384868, -0.13244556105279964, 0.0017299],
        [0.15822438471572672, 0.1656351694367274, 0.010786277931579243],
        [-0.13181061013830184, -0.02027855540589259, -0.006759518468630863],
    ],
    [-0.018602320514620553, 4.6, 0.21169311829980944, 0],
)
OF_EIGHTEENTH = Mixture(
    [
        [-0.10036558103014463, -0.00802924648241157, -0.00089213849804573, 0],
        [0.3978497494996451, 1.3678377846041172, 0.49828962252538267, -0.0006378981945947233],
        [1.680158138789062, 0.05717798464788655, -0.0069821012248805206, 3.3497501708607054e-05],
        [-0.06764045190713819, 0.06759613017704597, 0.029555257042931552, -1.391802575160607e-05],
        [0, -0.09233646193671186, -0.01693649390020817, -1.4008679818203615e-05],
    ],
    [0, 0, -10.967639605296206, -0.09043168323908106, 0],
)


def product(a: Array, b: Array, out: Array | None = None) -> Array:
    """Product of matrices; for matrices with a direction, the upper blocks of the product of the block matrices."""
    size = a.shape[-2]
    if a.shape[-1] == size:
        return np.matmul(a, b, out=out)
    result = np.matmul(a[..., :size], b, out=out)
    result[..., size:] += np.matmul(a[..., size:], b[..., :size])
    return result


def add_identity(a: Array, factor: float) -> None:
    """Add a multiple of the identity to each matrix, in place; they are contiguous."""
    rows, columns = a.shape[-2:]
    a.reshape(-1, rows * columns)[:, :: columns + 1][:, :rows] += factor


def powers_of(a: Array, room: int, count: int) -> Array:
    """The first `count` of A, A^2, A^3, A^6, and room for more powers."""
    result = np.empty((room, *a.shape), a.dtype)
    result[0] = a
    for at in range(1, count):
        product(result[at - 1], result[0 if at < 3 else at - 1], result[at])
    return result


def first(a: Array) -> Array:
    """I + A."""
    result = a.copy()
    add_identity(result, 1)
    return result


def second(a: Array) -> Array:
    """I + A + A^2 / 2."""
    result = product(a, a)
    result *= 0.5
    result += a
    add_identity(result, 1)
    return result


def fourth(a: Array) -> Array:
    """The polynomial of degree 4, by two products."""
    powers = powers_of(a, 2, 2)
    result = product(powers[1], OF_FOURTH(powers)[0])
    result += a
    add_identity(result, 1)
    return result


def eighth(a: Array) -> Array:
    """The polynomial of degree 8, by three products."""
    powers = powers_of(a, 3, 2)
    product(powers[1], INNER(powers[:2])[0], powers[2])
    result = product(*OF_EIGHTH(powers))
    result += a
    result += np.multiply(powers[1], SQUARE, out=powers[1])
    add_identity(result, 1)
    return result


def joined(start: Array, middle: Array, added: Array, upper: Array) -> Array:
    """Return (middle + upper) upper + start, with `added` added to `upper` first; writes to `upper` and `middle`."""
    upper += added
    middle += upper
    result = product(middle, upper)
    result += start
    return result


def twelfth(a: Array) -> Array:
    """The polynomial of degree 12, by four products."""
    start, middle, added, root = OF_TWELFTH(powers_of(a, 3, 3))
    return joined(start, middle, added, product(root, root))


def eighteenth(a: Array) -> Array:
    """The polynomial of degree 18, by five products."""
    first, start, middle, added, second = OF_EIGHTEENTH(powers_of(a, 4, 4))
    return joined(start, middle, added, product(first, second))


POLYNOMIALS: tuple[Callable[[Array], Array], ...] = (first, second, fourth, eighth, twelfth, eighteenth)


def row_sums(sizes: Array, vectors: Array) -> tuple[Array, Array]:
    """Products of non-negative matrices with a vector each, and the largest element of each product."""
    result = np.matmul(sizes, vectors)
    return result, np.ascontiguousarray(result[..., 0].T).max(0)


def halvings(sizes: Array, vectors: Array, norms: Array, limit: Any) -> Array:
    """Number of halvings of each matrix until its norm, or the roots of those of its 4th and 5th power, are small.

    Args:
        sizes: absolute values of the elements.
        vectors: the sums of the rows of `sizes`.
        norms: the largest sum of each matrix.
        limit: the norm to reach.
    """
    for _ in range(2):
        vectors = np.matmul(sizes, vectors)
    vectors, fourths = row_sums(sizes, vectors)
    fifths = row_sums(sizes, vectors)[1]
    least = np.fmin(norms, np.maximum(fourths**0.25, fifths**0.2))
    return np.maximum(np.frexp(np.where(np.isfinite(least), least, 0) / limit)[1], 0)


def in_pieces(function: Callable[[Array], Array], a: Array, steps: Array | None = None) -> Array:
    """A polynomial of each matrix, squared `steps` times; `steps` is in descending order."""
    length = max(PIECE // (a.shape[1] * a.shape[2]), 1)
    if len(a) > length:
        result = np.empty_like(a)
        for start in range(0, len(a), length):
            piece = slice(start, start + length)
            result[piece] = in_pieces(function, a[piece], None if steps is None else steps[piece])
        return result
    result = function(a)
    if steps is not None:
        for _ in range(steps[-1]):
            result = product(result, result)
        for step in range(steps[-1], steps[0]):
            count = np.count_nonzero(steps > step)
            result[:count] = product(result[:count], result[:count])
    return result


def halved(a: Array, steps: Array) -> Array:
    """The exponentials of matrices that are halved, and squared as often, by the polynomial of degree 18."""
    if not steps.any():
        return in_pieces(eighteenth, a)
    real = a.real.dtype.type
    if len(a) == 1:
        return in_pieces(eighteenth, a * math.ldexp(1.0, -int(steps[0])), steps)
    order = positions.argsort(-steps)
    steps = steps[order]
    result = np.empty_like(a)
    result[order] = in_pieces(eighteenth, a[order] * np.ldexp(real(1), -steps)[:, None, None], steps)
    return result


@functools.cache
def limits_for(real: np.dtype[Any], directed: bool) -> Array:
    """`LIMITS`; smaller for derivatives, since the degree is a factor of their error."""
    limits = np.array(LIMITS[real.itemsize], real)
    if directed:
        limits /= np.array([(1 + degree) ** (1 / degree) for degree in DEGREES], real)
    return limits


def exponentials(a: Array) -> Array:
    """The exponentials of matrices (count, n, n), or of those with a direction (count, n, 2n); contiguous."""
    size, real = a.shape[1], a.real.dtype
    limits = limits_for(real, a.shape[2] > size)
    sizes = np.abs(a[..., :size])
    vectors, norms = row_sums(sizes, np.ones((size, 1), real))
    largest = norms.max()
    if a.size <= FEW and (largest <= limits[2] or norms.min() > limits[2]):
        if largest <= limits[-1]:
            return (fourth if largest <= limits[2] else eighteenth)(a)
        return halved(a, halvings(sizes, vectors, norms, limits[-1]))
    kinds = positions.searchsorted(limits, norms)
    counts = positions.bincount(kinds, minlength=7)
    result = np.empty_like(a)
    for kind in counts.nonzero()[0].tolist():
        where: Any = slice(None) if counts[kind] == len(a) else (kinds == kind).nonzero()[0]
        if kind < 6:
            result[where] = in_pieces(POLYNOMIALS[kind], a[where])
        else:
            result[where] = halved(a[where], halvings(sizes[where], vectors[where], norms[where], limits[-1]))
    return result


def exponential(a: Array) -> Array:
    """Exponentials of square matrices, in row-major storage."""
    wide = a.astype(wide_dtype(a.dtype), copy=False)
    size = a.shape[-1]
    if not a.size or size == 1:
        return np.exp(wide).astype(a.dtype)
    result = exponentials(np.ascontiguousarray(wide).reshape(-1, size, size)).reshape(a.shape)
    if not np.isfinite(result).all():
        result[infinite(a)] = np.nan
    return result.astype(a.dtype, copy=False)


def derivative(a: Array, direction: Array) -> Array:
    """Derivatives of the exponentials of square matrices, each in a direction, as corners of larger matrices."""
    size = a.shape[-1]
    result = np.empty((*a.shape[:-2], 2 * size, 2 * size), a.dtype)[..., :size, size:]
    both = np.concatenate([a, direction], -1, dtype=wide_dtype(a.dtype))
    if size == 1:
        np.multiply(np.exp(both[..., :1]), both[..., 1:], out=result, casting="unsafe")
    elif a.size:
        result[...] = exponentials(both.reshape(-1, size, 2 * size))[..., size:].reshape(a.shape)
        if not np.isfinite(result).all():
            result[infinite(both)] = np.nan
    return result
