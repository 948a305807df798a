"""Periodic splines: points in one period, and the cyclic systems of equations for coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._tensor import Tensor
from ..linalg import solve
from ..ops.create.interchange import from_numpy
from ..ops.shapes.join import cat
from .banded import Banded

PERIODIC = "periodic"


def check_period(caller: str, values: Tensor, tolerance: float) -> None:
    """Check that the values at the first node and at the last one are equal.

    Raises:
        ValueError: if they differ by more than rounding errors, relative to their size.
    """
    first, last = values._array_[0], values._array_[-1]
    if not np.allclose(first, last, rtol=tolerance, atol=1e-15):
        raise ValueError(
            f"{caller}: with bc_type='periodic' the last node ends the period, so the value there must be that at the "
            "first node; repeat the first value there"
        )


def periods(x: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """Return how many periods lie between `low` and each point; no derivative."""
    return from_numpy(np.asarray(np.floor((x._array_ - low._array_) / (high._array_ - low._array_))))


def wrapped(x: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """Return the points, moved by periods to the interval from `low` to `high`."""
    moved = x - periods(x, low, high) * (high - low)
    return moved.maximum(low.detach()).minimum(high.detach())  # rounding errors


def cyclic(rows: Tensor, right: Tensor) -> Tensor:
    """Solve a system of equations whose unknowns lie on a circle.

    The unknowns are divided in two parts, of which the second one is as small as the rows are wide. The matrix of the
    first part is banded, and a small dense system remains for the second.

    Args:
        rows: for equation i the 2h + 1 factors of the unknowns i - h, ..., i + h, modulo n, shape (n, 2h + 1).
        right: the right sides, shape (n, ...).

    Returns:
        The unknowns, (n, ...).
    """
    count, half = len(rows), rows.shape[1] // 2
    places = np.arange(count)[:, None] + np.arange(-half, half + 1)
    flat = right.reshape(count, -1)
    if half == 0:
        result = flat / rows
    elif count <= 4 * half + 2:
        result = solve(matrix(rows, places % count, (count, count)), flat)
    else:
        result = in_parts(rows, places, flat)
    return result.reshape(right.shape)


def in_parts(rows: Tensor, places: Any, right: Tensor) -> Tensor:
    """Solve `cyclic` for many unknowns; `places` are those of the factors, from -h to n + h - 1."""
    count, half = len(rows), rows.shape[1] // 2
    first = count - half  # number of unknowns of the first part
    inner = np.arange(first)
    bands = rows.new_zeros((2 * half + 1, count + 2 * half))
    bands = bands.index_put(  # as `solve_banded` has them: element (i, j) in row h + i - j
        (from_numpy(half + inner[:, None] - places[:first]), from_numpy(places[:first] + half)), rows[:first]
    )[:, half : half + first]
    beside = matrix(rows, places % count, (count, count), (slice(0, first), slice(first, count)))
    below = matrix(rows, places % count, (count, count), (slice(first, count), slice(0, count)))
    parts = Banded.apply(bands, cat([right[:first], beside], 1))
    known, share = parts[:, : right.shape[1]], parts[:, right.shape[1] :]
    last = solve(below[:, first:] - below[:, :first] @ share, right[first:] - below[:, :first] @ known)
    result: Tensor = cat([known - share @ last, last])
    return result


def matrix(rows: Tensor, places: Any, shape: tuple[int, int], part: tuple[slice, slice] | None = None) -> Tensor:
    """Return the matrix, or a part of it, with factors in the columns `places` of their rows."""
    lines, columns = np.arange(len(rows))[:, None] + 0 * places, places
    top, side = part or (slice(0, shape[0]), slice(0, shape[1]))
    inside = (lines >= top.start) & (lines < top.stop) & (columns >= side.start) & (columns < side.stop)
    at = (from_numpy(lines[inside] - top.start), from_numpy(columns[inside] - side.start))
    result: Tensor = rows.new_zeros((top.stop - top.start, side.stop - side.start)).index_put(
        at, rows[from_numpy(inside)], accumulate=True
    )
    return result


def slopes_on_circle(x: Tensor, y: Tensor) -> Tensor:
    """Return the derivatives of the periodic cubic spline at the nodes, of which the last one equals the first."""
    shape = (-1, *(1,) * (y.ndim - 1))
    h = x[1:] - x[:-1]
    secant = (y[1:] - y[:-1]) / h.reshape(shape)
    before, secant_before = h.roll(1), secant.roll(1, 0)
    rows = cat([part.unsqueeze(1) for part in (h, 2 * (before + h), before)], 1)
    right = 3 * (h.reshape(shape) * secant_before + before.reshape(shape) * secant)
    slopes = cyclic(rows, right) if len(h) > 1 else secant
    result: Tensor = cat([slopes, slopes[:1]])
    return result


def knots_on_circle(x: Tensor, k: int) -> Tensor:
    """Return the knots for a period: the nodes, for an even degree the middles between them, and k beyond each end."""
    if k % 2 == 0:
        x = cat([x[:1], (x[1:-1] + x[:-2]) / 2, x[-1:]])
    count, period = len(x) - 1, x[-1] - x[0]
    places = np.arange(-k, count + k + 1)
    last = places == count  # exactly the last node, in spite of rounding errors
    number = np.where(last, 0, places // count).astype(np.float64)
    return x[from_numpy(np.where(last, count, places % count))] + from_numpy(number) * period


def coefficients_on_circle(rows: Tensor, values: Tensor, k: int) -> Tensor:
    """Return the coefficients of the spline through the values of a period, of which the last k repeat the first.

    Args:
        rows: the k + 1 B-splines that are not zero at each node but the last one, (n - 1, k + 1).
        values: the values at these nodes.
        k: the degree.
    """
    half, count = k // 2, len(values)
    if k % 2:  # the last B-spline begins at the node
        rows = rows[:, :-1]
    unknowns = cyclic(rows, values)
    return unknowns[from_numpy((np.arange(count + k) - half) % count)]
