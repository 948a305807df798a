"""Splines in the basis of B-splines: SciPy's `BSpline` and `make_interp_spline`, differentiable.

Results have derivatives with respect to the points at which they are evaluated, the values or coefficients, and the
nodes and knots. Formulas: C. de Boor, "A Practical Guide to Splines", 1978.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..ops.create.interchange import from_numpy
from ..ops.pointwise.choose import where
from ..ops.shapes.join import cat, stack
from .banded import Banded
from .interpolation import as_tensor, read
from .periodic import PERIODIC, check_period, coefficients_on_circle, knots_on_circle, periods, wrapped

MAKE = "make_interp_spline"
SINGULAR = (
    MAKE + ": the knots determine no spline through the points; expected t[i] < x[i] < t[i + k + 1] for each node (the "
    "Schoenberg-Whitney conditions); omit t for knots that fit"
)


class BSpline:
    """A spline as a sum of B-splines: `scipy.interpolate.BSpline`.

    Attributes:
        t: the knots, which do not decrease, shape (n + k + 1,), float64.
        c: the coefficients, shape (n, ...): the axis of the knots is in front.
        k: the degree.
        extrapolate: whether the outer polynomials go on beyond the knots t[k] and t[n]; otherwise results there are
            NaN. "periodic": the spline between t[k] and t[n] repeats itself.
        axis: the axis of the results for the points.

    >>> import wengert as wg
    >>> hat = wg.scipy.BSpline([0.0, 0.0, 1.0, 2.0, 2.0], [0.0, 1.0, 0.0], 1)
    >>> hat([0.5, 1.0, 1.75])
    tensor([0.5000, 1.0000, 0.2500], dtype=torch.float64)
    """

    def __init__(self, t: Any, c: Any, k: int, extrapolate: bool | str = True, axis: int = 0) -> None:
        """Create a spline.

        Args:
            t: the knots.
            c: the coefficients; `axis` has n elements, or more, of which the last ones are not used.
            k: the degree.
            extrapolate: whether the outer polynomials go on, or "periodic".
            axis: the axis of the coefficients.

        Raises:
            ValueError: if the knots decrease, their number does not fit, or `axis` is out of range.
        """
        knots, coefficients, degree = as_tensor(t), as_tensor(c), operator.index(k)
        if not -coefficients.ndim <= axis < coefficients.ndim:
            raise ValueError(f"BSpline: axis {axis} is out of range for {coefficients.ndim}-D coefficients")
        self.axis = axis % coefficients.ndim
        coefficients = coefficients.movedim(self.axis, 0)
        check_knots("BSpline", knots, degree)
        count = len(knots) - degree - 1
        if count < degree + 1 or len(coefficients) < count:
            raise ValueError(
                f"BSpline: expected at least {2 * degree + 2} knots for degree {degree}, and {max(count, 0)} "
                f"coefficients for {len(knots)} knots, but got {len(coefficients)}"
            )
        self.t, self.c, self.k, self.extrapolate = knots, coefficients[:count], degree, extrapolate

    def __call__(self, points: Any, nu: int = 0, extrapolate: bool | str | None = None) -> Tensor:
        """Return the values, or derivatives, at points.

        Args:
            points, nu, extrapolate: as of `CubicSpline`.

        Returns:
            A float64 tensor: the shape of the coefficients, with that of the points in place of the axis.
        """
        extrapolate = self.extrapolate if extrapolate is None else extrapolate
        if nu:
            return self.derivative(nu)(points, extrapolate=extrapolate)
        x = as_tensor(points)
        flat, inner = x.reshape(-1), (1,) * (self.c.ndim - 1)
        if extrapolate == PERIODIC:
            flat = wrapped(flat, self.t[self.k], self.t[len(self.c)])
        result = summed(self.t, self.c, self.k, flat)
        if not extrapolate:
            low, high = self.t._array_[self.k], self.t._array_[len(self.c)]
            outside = (flat._array_ < low) | (flat._array_ > high)
            result = where(from_numpy(outside.reshape((-1, *inner))), np.nan, result)
        result = result.reshape((*x.shape, *self.c.shape[1:]))
        if self.axis and x.ndim != 0:
            result = result.movedim(tuple(range(x.ndim)), tuple(range(self.axis, self.axis + x.ndim)))
        return result

    def derivative(self, nu: int = 1) -> BSpline:
        """Return the derivative as another spline, of the degree k - nu."""
        t, c, k = self.t, self.c, self.k
        for _ in range(nu):
            if not k:
                c = c * 0
                continue
            width = t[k + 1 : -1] - t[1 : -k - 1]
            apart = from_numpy(width._array_ > 0)
            factor = where(apart, k / where(apart, width, 1.0), 0.0)
            c = (c[1:] - c[:-1]) * factor.reshape((-1, *(1,) * (c.ndim - 1)))
            t, k = t[1:-1], k - 1
        return self.like(t, c, k)

    def antiderivative(self, nu: int = 1) -> BSpline:
        """Return the antiderivative that is zero at the first knot, as another spline, of the degree k + nu.

        That of a periodic spline is not periodic: beyond the knots it is NaN.
        """
        t, c, k = self.t, self.c, self.k
        for _ in range(nu):
            k += 1
            width = (t[k:] - t[:-k]).reshape((-1, *(1,) * (c.ndim - 1)))
            c = cat([c[:1] * 0, (c * width / k).cumsum(0)])
            t = cat([t[:1], t, t[-1:]])
        result = self.like(t, c, k)
        if nu and self.extrapolate == PERIODIC:
            result.extrapolate = False
        return result

    def integrate(self, a: Any, b: Any) -> Tensor:
        """Return the integral from a to b; beyond the outer knots of zeros, unless the polynomials go on."""
        ends = [as_tensor(a), as_tensor(b)]
        low, high = self.t[self.k], self.t[len(self.c)]
        if not self.extrapolate:
            ends = [end.maximum(low).minimum(high) for end in ends]
        whole = self.like(*(getattr(self.antiderivative(), name) for name in "tck"))
        whole.extrapolate, whole.axis = True, 0
        if self.extrapolate == PERIODIC:
            above, below = (whole(wrapped(end, low, high)) for end in reversed(ends))
            count = periods(ends[1], low, high) - periods(ends[0], low, high)
            return above - below + count * (whole(high) - whole(low))
        return whole(ends[1]) - whole(ends[0])

    def like(self, t: Tensor, c: Tensor, k: int) -> BSpline:
        """Return a spline with other knots and coefficients, and the options of this one."""
        result = BSpline(t, c, k, self.extrapolate)
        result.axis = self.axis
        return result


def make_interp_spline(
    x: Any, y: Any, k: int = 3, t: Any = None, bc_type: Any = None, axis: int = 0, check_finite: bool = True
) -> BSpline:
    """Return the spline of a degree through points: `scipy.interpolate.make_interp_spline`, differentiable.

    Args:
        x: the nodes, increasing, shape (n,).
        y: the values; `axis` has n elements.
        k: the degree.
        t: the knots; by default chosen for the nodes and the conditions at the ends.
        bc_type: conditions at the ends: None or "not-a-knot", "natural", "clamped", or two of these or of lists of
            pairs `(order, value)`: derivatives that are known at the first node and at the last one. "periodic": the
            spline from the first node to the last one is a period, and repeats itself.
        axis: the axis of the nodes.
        check_finite: raise an error if nodes or values are not finite.

    Raises:
        ImportError: if SciPy is not installed.
        ValueError: if nodes, values, knots and conditions do not fit together, or `bc_type` is unknown.

    >>> import wengert as wg
    >>> y = wg.tensor([0.0, 1.0, 4.0, 9.0, 16.0], dtype=wg.float64, requires_grad=True)
    >>> spline = wg.scipy.make_interp_spline([0, 1, 2, 3, 4], y, k=2)
    >>> wg.autograd.grad(spline(1.5), y)[0].numpy().round(4)
    array([-0.0607,  0.5464,  0.6   , -0.0964,  0.0107])
    """
    degree = operator.index(k)
    if degree < 0:
        raise ValueError(f"{MAKE}: expected k to be a degree of at least 0, but got {degree}")
    nodes, values, place = read(MAKE, x, y, axis, 1)
    if check_finite and not (np.isfinite(nodes._array_).all() and np.isfinite(values._array_).all()):
        raise ValueError(f"{MAKE}: expected finite nodes and values; pass check_finite=False for others")
    if isinstance(bc_type, str) and bc_type == PERIODIC:
        check_period(MAKE, values, 1e-5)
        if t is not None:
            raise ValueError(f"{MAKE}: the knots of a periodic spline follow from the nodes; omit t")
        if degree > 1:
            return periodic_spline(nodes, values, degree, place)
        bc_type = None
    first, last = (read_end(bc_type, side, values, degree) for side in (0, 1))
    knots = knots_for(nodes, degree, not first and not last) if t is None else as_tensor(t)
    check_knots(MAKE, knots, degree)
    count, known = len(knots) - degree - 1, len(nodes) + len(first) + len(last)
    if count != known or count <= degree:
        raise ValueError(
            f"{MAKE}: {len(knots)} knots of degree {degree} have {count} coefficients, but there are {len(nodes)} "
            f"nodes and {len(first) + len(last)} conditions at the ends; expected as many, and more than the degree"
        )
    if nodes._array_[0] < knots._array_[degree] or nodes._array_[-1] > knots._array_[count]:
        raise ValueError(f"{MAKE}: expected nodes between the knots t[k] and t[-k - 1]")
    rows = [basis_at_end(knots, degree, nodes[0], order, 0) for order, _ in first]
    rows += list(basis(knots, degree, nodes).unbind())
    rows += [basis_at_end(knots, degree, nodes[-1], order, -1) for order, _ in last]
    starts = [0] * len(first) + list(places(knots, degree, nodes) - degree) + [count - degree - 1] * len(last)
    right = cat([*(value.unsqueeze(0) for _, value in first), values, *(value.unsqueeze(0) for _, value in last)])
    result = BSpline(knots, solved(stack(rows), np.array(starts), right), degree)
    result.axis = place
    return result


def periodic_spline(nodes: Tensor, values: Tensor, k: int, axis: int) -> BSpline:
    """Return the spline whose period begins at the first node and ends at the last one."""
    knots = knots_on_circle(nodes, k)
    coefficients = coefficients_on_circle(basis(knots, k, nodes[:-1]), values[:-1], k)
    result = BSpline(knots, coefficients, k, PERIODIC)
    result.axis = axis
    return result


def solved(rows: Tensor, starts: Any, right: Tensor) -> Tensor:
    """Solve the equations for the coefficients.

    Args:
        rows: for each equation the k + 1 factors that are not zero.
        starts: the first coefficient that they belong to.
        right: the right sides.

    Raises:
        ValueError: if the system is singular.
    """
    count, width = len(rows), rows.shape[1] - 1
    columns = starts[:, None] + np.arange(width + 1)
    bands = np.arange(count)[:, None] - columns + width
    if (bands < 0).any() or (bands > 2 * width).any():
        raise ValueError(SINGULAR)
    matrix = rows.new_zeros((2 * width + 1, count)).index_put((from_numpy(bands), from_numpy(columns)), rows)
    try:
        result: Tensor = Banded.apply(matrix, right.reshape(count, -1)).reshape(right.shape)
    except np.linalg.LinAlgError as error:
        raise ValueError(SINGULAR) from error
    return result


def places(t: Tensor, k: int, x: Tensor) -> Any:
    """Return for each point the number of the last knot before it, between t[k] and t[n]."""
    knots, count = t._array_, len(t) - k - 1
    if k == 0:
        return np.clip(np.searchsorted(knots, x._array_, "right") - 1, 0, count - 1)
    first = np.searchsorted(knots, knots[k], "right") - 1  # the intervals there are not empty
    last = np.searchsorted(knots, knots[count], "left") - 1
    return np.clip(np.searchsorted(knots, x._array_, "right") - 1, first, max(first, last))


def summed(t: Tensor, c: Tensor, k: int, x: Tensor) -> Tensor:
    """Return a spline at points, a vector, by de Boor's algorithm."""
    place = places(t, k, x)
    inner = (1,) * (c.ndim - 1)
    parts = [c[from_numpy(place - k + at)] for at in range(k + 1)]
    for step in range(1, k + 1):
        for at in range(k, step - 1, -1):
            low, high = t[from_numpy(place - k + at)], t[from_numpy(place + 1 + at - step)]
            share = ((x - low) / (high - low)).reshape((-1, *inner))
            parts[at] = parts[at - 1] + share * (parts[at] - parts[at - 1])
    return parts[k]


def basis(t: Tensor, k: int, x: Tensor) -> Tensor:
    """Return the values of the k + 1 B-splines that are not zero at points, shape (m, k + 1)."""
    place = places(t, k, x)
    values = [x * 0 + 1]
    for step in range(1, k + 1):
        carried, following = x * 0, []
        for at, value in enumerate(values):
            low, high = t[from_numpy(place + 1 + at - step)], t[from_numpy(place + 1 + at)]
            share = value / (high - low)
            following.append(carried + (high - x) * share)
            carried = (x - low) * share
        values = [*following, carried]
    return stack(values, 1)


def basis_at_end(t: Tensor, k: int, x: Tensor, order: int, end: int) -> Tensor:
    """Return a derivative of the first (`end` 0) or last (-1) k + 1 B-splines at a point, shape (k + 1,)."""
    outer = t[: 2 * k + 2] if end == 0 else t[-2 * k - 2 :]
    return BSpline(outer, np.eye(k + 1), k)(x, order)


def knots_for(x: Tensor, k: int, without_conditions: bool) -> Tensor:
    """Return knots for nodes: without conditions as many as there are nodes, otherwise all nodes are knots."""
    if k == 0:
        return cat([x, x[-1:]])
    inner = x[1:-1]
    if without_conditions and k > 1:
        points, cut = (x, (k + 1) // 2) if k % 2 else ((x[1:] + x[:-1]) / 2, k // 2)
        inner = points[cut : len(points) - cut]
    return cat([x[:1].expand(k + 1), inner, x[-1:].expand(k + 1)])


def check_knots(caller: str, t: Tensor, k: int) -> None:
    """Check knots.

    Raises:
        ValueError: if they are not one-dimensional, or decrease, or the degree is negative.
    """
    if k < 0:
        raise ValueError(f"{caller}: expected k to be a degree of at least 0, but got {k}")
    if t.ndim != 1 or (np.diff(t._array_) < 0).any():
        kind = "some that do" if t.ndim == 1 else f"{t.ndim}-D knots"
        raise ValueError(f"{caller}: expected 1-D knots that do not decrease, but got {kind}")


def read_end(bc_type: Any, side: int, y: Tensor, k: int) -> list[tuple[int, Tensor]]:
    """Return the known derivatives at an end: their orders and values.

    Raises:
        ValueError: if `bc_type` is unknown, or an order is not between 0 and the degree.
    """
    named = {"not-a-knot": [], "clamped": [(1, 0.0)], "natural": [(2, 0.0)]}
    pair = isinstance(bc_type, (tuple, list)) and len(bc_type) == 2
    end = bc_type[side] if pair else bc_type
    if end is None:
        return []
    known = named.get(end) if isinstance(end, str) else end
    lists = (tuple, list)
    if not isinstance(known, lists) or not all(isinstance(entry, lists) and len(entry) == 2 for entry in known):
        raise ValueError(
            f"{MAKE}: expected bc_type to be None, one of {', '.join(named)}, or two of these or of lists of pairs "
            f"(order, value), but got {bc_type!r}"
        )
    conditions = [(operator.index(order), as_tensor(value)) for order, value in known]
    if any(not 0 <= order <= k for order, _ in conditions):
        raise ValueError(
            f"{MAKE}: expected the orders of derivatives at an end to be from 0 to k = {k}, but got {end!r}"
        )
    return [(order, value.expand(y.shape[1:])) for order, value in conditions]
