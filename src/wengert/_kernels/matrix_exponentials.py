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
from .results import Array, wide_dtype

DEGREES = (1, 2, 4, 8, 12, 18)
LIMITS = {
    4: (1.1920929e-07, 5.978859e-04, 5.116619e-02, 5.800525e-01, 1.461662, 3.010066),
    8: (2.220446e-16, 2.580957e-08, 3.397169e-04, 4.991229e-02, 2.996159e-01, 1.090864),
}
"""Up to which norm a polynomial of each degree is the exponential of a matrix that differs by half a unit in the last
place or less, by the size of a real number."""
FEW = 4096
"""Up to how many numbers a batch is not taken apart for the sake of cheaper polynomials."""
PIECE = 16384
"""How many numbers are treated at once: what a polynomial needs beside them stays in the cache."""
ROOT = math.sqrt(177)


class Mixture:
    """Sums of powers, by coefficients kept for each dtype."""

    def __init__(self, lines: list[list[float]], constants: list[float]) -> None:
        self.lines = {each: np.array(lines, each) for each in (np.dtype(np.float32), np.dtype(np.float64))}
        self.constants = [(at, factor) for at, factor in enumerate(constants) if factor]

    def __call__(self, powers: Array) -> Array:
        """One sum for each line, and of the identity what it has."""
        lines = self.lines[powers.real.dtype]
        flat = powers.view(lines.dtype).reshape(len(powers), -1)
        made = (lines @ flat).view(powers.dtype).reshape(-1, *powers.shape[1:])
        for at, factor in self.constants:
            add_identity(made[at], factor)
        return made


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
    """A product of matrices; of those with a direction the upper blocks of the product of all four."""
    size = a.shape[-2]
    if a.shape[-1] == size:
        return np.matmul(a, b, out=out)
    made = np.matmul(a[..., :size], b, out=out)
    made[..., size:] += np.matmul(a[..., size:], b[..., :size])
    return made


def add_identity(a: Array, factor: float) -> None:
    """Add a multiple of the identity to each matrix, in place; they lie without gaps."""
    rows, columns = a.shape[-2:]
    a.reshape(-1, rows * columns)[:, :: columns + 1][:, :rows] += factor


def powers_of(a: Array, room: int, count: int) -> Array:
    """A, its square, its cube, and the square of that: as many as are wanted, and room for more."""
    made = np.empty((room, *a.shape), a.dtype)
    made[0] = a
    for at in range(1, count):
        product(made[at - 1], made[0 if at < 3 else at - 1], made[at])
    return made


def first(a: Array) -> Array:
    """I + A."""
    made = a.copy()
    add_identity(made, 1)
    return made


def second(a: Array) -> Array:
    """I + A + A^2 / 2."""
    made = product(a, a)
    made *= 0.5
    made += a
    add_identity(made, 1)
    return made


def fourth(a: Array) -> Array:
    """The polynomial of degree 4, by two products."""
    powers = powers_of(a, 2, 2)
    made = product(powers[1], OF_FOURTH(powers)[0])
    made += a
    add_identity(made, 1)
    return made


def eighth(a: Array) -> Array:
    """The polynomial of degree 8, by three products."""
    powers = powers_of(a, 3, 2)
    product(powers[1], INNER(powers[:2])[0], powers[2])
    made = product(*OF_EIGHTH(powers))
    made += a
    made += np.multiply(powers[1], SQUARE, out=powers[1])
    add_identity(made, 1)
    return made


def twelfth(a: Array) -> Array:
    """The polynomial of degree 12, by four products."""
    start, middle, added, root = OF_TWELFTH(powers_of(a, 3, 3))
    sixth = product(root, root)
    sixth += added
    middle += sixth
    made = product(middle, sixth)
    made += start
    return made


def eighteenth(a: Array) -> Array:
    """The polynomial of degree 18, by five products."""
    one, start, middle, added, other = OF_EIGHTEENTH(powers_of(a, 4, 4))
    ninth = product(one, other)
    ninth += added
    middle += ninth
    made = product(middle, ninth)
    made += start
    return made


POLYNOMIALS: tuple[Callable[[Array], Array], ...] = (first, second, fourth, eighth, twelfth, eighteenth)


def row_sums(sizes: Array, vectors: Array) -> tuple[Array, Array]:
    """The products of matrices that are not negative with a vector each, and the largest element of each."""
    made = np.matmul(sizes, vectors)
    return made, np.ascontiguousarray(made[..., 0].T).max(0)


def halvings(sizes: Array, vectors: Array, norms: Array, limit: Any) -> Array:
    """How often to halve matrices: until the norm, or the roots of those of the fourth and fifth power, are small.

    Args:
        sizes: the sizes of their elements.
        vectors: the sums of the rows of that.
        norms: the largest of each.
        limit: how small they should be.
    """
    for _ in range(2):
        vectors = np.matmul(sizes, vectors)
    vectors, fourths = row_sums(sizes, vectors)
    fifths = row_sums(sizes, vectors)[1]
    least = np.fmin(norms, np.maximum(fourths**0.25, fifths**0.2))
    return np.maximum(np.frexp(np.where(np.isfinite(least), least, 0) / limit)[1], 0)


def in_pieces(function: Callable[[Array], Array], a: Array, steps: Array | None = None) -> Array:
    """A polynomial of each matrix, squared as often as it was halved; those numbers do not grow."""
    length = max(PIECE // (a.shape[1] * a.shape[2]), 1)
    if len(a) > length:
        made = np.empty_like(a)
        for start in range(0, len(a), length):
            some = slice(start, start + length)
            made[some] = in_pieces(function, a[some], None if steps is None else steps[some])
        return made
    made = function(a)
    if steps is not None:
        for _ in range(steps[-1]):
            made = product(made, made)
        for step in range(steps[-1], steps[0]):
            count = np.count_nonzero(steps > step)
            made[:count] = product(made[:count], made[:count])
    return made


def halved(a: Array, steps: Array) -> Array:
    """The exponentials of matrices that are halved, and squared as often, by the polynomial of degree 18."""
    if not steps.any():
        return in_pieces(eighteenth, a)
    real = a.real.dtype.type
    if len(a) == 1:
        return in_pieces(eighteenth, a * math.ldexp(1.0, -int(steps[0])), steps)
    order = positions.argsort(-steps)
    steps = steps[order]
    made = np.empty_like(a)
    made[order] = in_pieces(eighteenth, a[order] * np.ldexp(real(1), -steps)[:, None, None], steps)
    return made


@functools.cache
def limits_for(real: np.dtype[Any], directed: bool) -> Array:
    """`LIMITS`, for derivatives smaller, since the degree is a factor of their error."""
    limits = np.array(LIMITS[real.itemsize], real)
    if directed:
        limits /= np.array([(1 + each) ** (1 / each) for each in DEGREES], real)
    return limits


def exponentials(a: Array) -> Array:
    """The exponentials of matrices (count, n, n), or of those with a direction (count, n, 2n), without gaps."""
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
    made = np.empty_like(a)
    for kind in counts.nonzero()[0].tolist():
        where: Any = slice(None) if counts[kind] == len(a) else (kinds == kind).nonzero()[0]
        if kind < 6:
            made[where] = in_pieces(POLYNOMIALS[kind], a[where])
        else:
            made[where] = halved(a[where], halvings(sizes[where], vectors[where], norms[where], limits[-1]))
    return made


def spoilt(a: Array) -> Array:
    """Which matrices of a batch hold infinities or NaN: nothing is known of their exponentials."""
    return np.asarray(~np.isfinite(a).all((-2, -1)))


def exponential(a: Array) -> Array:
    """The exponentials of square matrices, in rows."""
    wide = a.astype(wide_dtype(a.dtype), copy=False)
    size = a.shape[-1]
    if not a.size or size == 1:
        return np.exp(wide).astype(a.dtype)
    made = exponentials(np.ascontiguousarray(wide).reshape(-1, size, size)).reshape(a.shape)
    if not np.isfinite(made).all():
        made[spoilt(a)] = np.nan
    return made.astype(a.dtype, copy=False)


def derivative(a: Array, direction: Array) -> Array:
    """The derivatives of the exponentials of square matrices in a direction each, as corners of larger matrices."""
    size = a.shape[-1]
    made = np.empty((*a.shape[:-2], 2 * size, 2 * size), a.dtype)[..., :size, size:]
    both = np.concatenate([a, direction], -1, dtype=wide_dtype(a.dtype))
    if size == 1:
        np.multiply(np.exp(both[..., :1]), both[..., 1:], out=made, casting="unsafe")
    elif a.size:
        made[...] = exponentials(both.reshape(-1, size, 2 * size))[..., size:].reshape(a.shape)
        if not np.isfinite(made).all():
            made[spoilt(both)] = np.nan
    return made
