"""Sobol' sequences: direction numbers, scrambling, points.

The primitive polynomials and the first direction numbers of 21201 dimensions, `sobol.npz`, are the public data of Joe
and Kuo, Constructing Sobol' sequences with better two-dimensional projections, 2008 (their file new-joe-kuo-6.21201,
packed by `tools/pack_sobol.py`). Their licence is beside it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from . import positions

Array = np.ndarray[Any, Any]

BITS = 30
DIMENSIONS = 21201
_PLACES = positions.arange(BITS - 1, -1, -1)


def table(dimension: int) -> tuple[Array, Array, Array]:
    """Polynomials of the first dimensions, their degrees, and the first direction numbers of each, one after another.

    A polynomial's bits are its coefficients; it has as many first numbers as its degree. Number `i` (counted from 1) is
    odd and less than 2**i. So the file holds `i - 1` bits of it: first those of all second numbers, then of all third
    ones, and so on; and half of each polynomial's distance from the one before it.

    Returns:
        int64: (dimension,), (dimension,), (the sum of the degrees,).
    """
    with np.load(Path(__file__).with_name("sobol.npz")) as data:
        polynomials = 1 + 2 * positions.cumsum(np.concatenate([[0], data["distances"].astype(np.int64)]))
        bits = np.unpackbits(data["bits"])
    degrees = np.frexp(polynomials.astype(np.float64))[1].astype(np.int64) - 1
    degrees[0] = 0  # the first dimension is van der Corput's sequence
    chosen = degrees[:dimension]
    starts = positions.cumsum(chosen) - chosen
    numbers = np.ones(chosen.sum(), np.int64)
    begin = 0
    for place in range(1, int(chosen.max(initial=0))):
        where = starts[chosen > place] + place
        digits = bits[begin : begin + place * len(where)].reshape(-1, place).astype(np.int64)
        numbers[where] += 2 * (digits << positions.arange(place - 1, -1, -1)).sum(1)
        begin += place * int((degrees > place).sum())
    return polynomials[:dimension], chosen, numbers


def directions(dimension: int) -> Array:
    """Direction numbers of the first dimensions: int64, (dimension, BITS), as multiples of 2**-BITS.

    Source: Bratley and Fox, Algorithm 659, 1988, for the recurrence.
    """
    polynomials, degrees, first = table(dimension)
    starts = positions.cumsum(degrees) - degrees
    numbers = np.ones((dimension, BITS), np.int64)
    for degree in range(1, int(degrees.max(initial=0)) + 1):
        rows = positions.flatnonzero(degrees == degree)
        rows_of_degree = numbers[rows]
        rows_of_degree[:, :degree] = first[starts[rows, None] + positions.arange(degree)]
        for at in range(degree, BITS):
            new = rows_of_degree[:, at - degree].copy()
            for back in range(1, degree + 1):
                used = (polynomials[rows] >> (degree - back)) & 1
                new ^= np.where(used, rows_of_degree[:, at - back] << back, 0)
            rows_of_degree[:, at] = new
        numbers[rows] = rows_of_degree
    return numbers << _PLACES


def scrambled(numbers: Array, triangles: Array) -> Array:
    """Direction numbers, their digits multiplied by lower triangular matrices of 0 and 1 with ones on the diagonal.

    Args:
        numbers: int64, (dimension, BITS).
        triangles: (dimension, BITS, BITS), of which the lower triangles count.

    Source: Matousek, On the L2-discrepancy for anchored boxes, 1998.
    """
    matrices = np.tril(triangles.astype(np.int64))
    matrices[:, positions.arange(BITS), positions.arange(BITS)] = 1
    digits = (numbers[:, :, None] >> _PLACES) & 1
    return np.sum((digits @ matrices.transpose(0, 2, 1) % 2) << _PLACES, axis=-1)


def points(numbers: Array, shift: Array, first: int, count: int) -> Array:
    """Points `first`, ... of the sequence in Gray-code order: int64, (count, dimension), as multiples of 2**-BITS.

    Source: Antonov and Saleev, An economic method of computing LP-tau sequences, 1979.
    """
    order = positions.arange(first, first + count)
    order ^= order >> 1
    result = np.broadcast_to(shift, (count, len(shift))).copy()
    for bit in range(BITS):
        result ^= np.where((order >> bit) & 1, 1, 0)[:, None] * numbers[:, bit]
    return result
