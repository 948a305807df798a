"""Derivatives of determinants, of every order and of every square matrix, in NumPy.

In the basis of its singular vectors a matrix is diagonal, and the derivative of a determinant there is a polynomial
in the singular values without a division: it exists where values are zero or equal.

Source: G. W. Stewart, On the adjugate matrix, 1998, for the first derivative; the further ones by expanding the
determinant of a diagonal matrix plus several others.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from string import ascii_letters

import numpy as np

from . import positions
from .factors import columns, infinite
from .results import Array


def products_of_others(values: Array, count: int) -> Array:
    """Products of all values but `count` of them.

    Args:
        values: (..., n), at least zero.
        count: how many are left out.

    Returns:
        A new array (..., n, ..., n): element [i, j, ...] is the product of all values but those at i, j, ...; zero
        where two of these are equal. It overflows only where the product does.
    """
    size = values.shape[-1]
    lead = values.shape[:-1]
    places = np.ogrid[(slice(size),) * count]
    product = np.ones(lead + (size,) * count)
    exponent = np.zeros(product.shape, np.int64)
    for at in range(size):
        left_out = np.logical_or.reduce(np.broadcast_arrays(*[place == at for place in places]))
        factor = values[..., at].reshape(lead + (1,) * count)
        product, shift = np.frexp(np.where(left_out, product, product * factor))
        exponent += shift
    for first in range(count):
        for second in range(first):
            product = product * (places[first] != places[second])
    return np.ldexp(product, exponent)


def parity(order: Sequence[int]) -> int:
    """1 for an even permutation, -1 for an odd one."""
    swaps = sum(order[other] > order[at] for at in range(len(order)) for other in range(at))
    return -1 if swaps % 2 else 1


def of_diagonal(values: Array, directions: Sequence[Array]) -> Array:
    """`minors` of the diagonal matrix of `values`."""
    count, size = len(directions) + 1, values.shape[-1]
    others = products_of_others(values, count)
    result = np.zeros((*values.shape, size), np.result_type(values, *directions))
    on_diagonal = positions.arange(size)
    for order in permutations(range(count)):
        rows = ascii_letters[:count]
        factors = ",".join(f"...{rows[at]}{rows[order[at]]}" for at in range(1, count))
        result_axes = rows[0] if order[0] == 0 else rows[0] + rows[order[0]]
        term = np.einsum(f"...{rows}{',' if factors else ''}{factors}->...{result_axes}", others, *directions)
        if order[0] == 0:
            result[..., on_diagonal, on_diagonal] += parity(order) * term
        else:
            result += parity(order) * term
    return result


def minors(matrix: Array, directions: Sequence[Array]) -> Array:
    """The gradient of a derivative of the determinant.

    Args:
        matrix: (..., n, n), floating or complex.
        directions: matrices of the same shape and dtype.

    Returns:
        A new array (..., n, n): element [i, j] is the derivative of the determinant with respect to element [i, j]
        of `matrix`, differentiated once more along each of the directions. Without directions these are the
        cofactors. It is NaN where a matrix holds infinities or NaN.
    """
    wide = np.result_type(matrix.dtype, np.float64)
    bad = infinite(matrix)
    u, values, vh = np.linalg.svd(np.where(bad[..., None, None], 0, matrix).astype(wide))
    left, right = u.conj().swapaxes(-1, -2), vh.conj().swapaxes(-1, -2)
    inner = of_diagonal(values, [left @ direction @ right for direction in directions])
    phase = np.linalg.slogdet(u)[0] * np.linalg.slogdet(vh)[0]
    result = phase[..., None, None] * (u.conj() @ inner @ vh.conj())
    if bad.any():
        result[bad] = np.nan
    return columns(result.astype(matrix.dtype, copy=False))
