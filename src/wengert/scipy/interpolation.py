"""Interpolation in one dimension: SciPy's `interp1d`, `CubicSpline` and `PchipInterpolator`, differentiable.

Results have derivatives with respect to the points at which they are evaluated, the values, and the nodes. Formulas:
C. de Boor, "A Practical Guide to Splines", 1978 (splines); F. N. Fritsch and J. Butland, "A method for constructing
local monotone piecewise cubic interpolants", 1984 (PCHIP).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .._tensor import Tensor
from ..ops.create.interchange import from_numpy
from ..ops.pointwise.choose import where
from ..ops.shapes.join import cat
from .banded import Banded
from .periodic import PERIODIC, check_period, slopes_on_circle, wrapped
from .vectors import check_single

KINDS = ("linear", "slinear", "nearest", "nearest-up", "previous", "zero", "next", "cubic")
ENDS = ("not-a-knot", "natural", "clamped", "periodic")


class Piecewise:
    """A piecewise polynomial.

    Attributes:
        x: the nodes, shape (n,), float64.
        c: the coefficients of (t - xᵢ)ᵏ, ..., 1, shape (k + 1, n - 1, ...): of the values, with the axis in front.
        axis: the axis of the results for the points.
        extrapolate: whether the outer polynomials go on beyond the nodes; otherwise results there are NaN. "periodic":
            the curve repeats itself.
    """

    def __init__(self, x: Tensor, c: Tensor, axis: int = 0, extrapolate: bool | str = True) -> None:
        self.x, self.c, self.axis, self.extrapolate = x, c, axis, extrapolate

    def __call__(self, points: Any, nu: int = 0, extrapolate: bool | str | None = None) -> Tensor:
        """Return the values, or derivatives, at points.

        Args:
            points: numbers, an array or a tensor of any shape.
            nu: the order of the derivative.
            extrapolate: replaces the attribute of this name.

        Returns:
            A float64 tensor: the shape of the values, with that of the points in place of the axis.
        """
        t, extrapolate = as_tensor(points), self.extrapolate if extrapolate is None else extrapolate
        flat = t.reshape(-1)
        if extrapolate == PERIODIC:
            flat = wrapped(flat, self.x[0], self.x[-1])
        nodes = self.x._array_
        place = np.clip(np.searchsorted(nodes, flat._array_, "right") - 1, 0, len(nodes) - 2)
        index = from_numpy(place.astype(np.int64))
        inner = (1,) * (self.c.ndim - 2)
        step = (flat - self.x[index]).reshape((-1, *inner))
        c = self.derived(nu)[:, index]
        result = c[0]
        for row in c[1:]:
            result = result * step + row
        if not extrapolate:
            outside = (flat._array_ < nodes[0]) | (flat._array_ > nodes[-1])
            result = where(from_numpy(outside.reshape((-1, *inner))), np.nan, result)
        result = result.reshape((*t.shape, *self.c.shape[2:]))
        if self.axis and t.ndim != 0:
            result = result.movedim(tuple(range(t.ndim)), tuple(range(self.axis, self.axis + t.ndim)))
        return result

    def derived(self, nu: int) -> Tensor:
        """Return the coefficients of a derivative."""
        c = self.c
        for _ in range(nu):
            degree = c.shape[0] - 1
            if not degree:
                return c * 0
            factors = np.arange(degree, 0, -1.0).reshape((-1, *(1,) * (c.ndim - 1)))
            c = c[:-1] * from_numpy(factors)
        return c

    def derivative(self, nu: int = 1) -> Piecewise:
        """Return the derivative as another piecewise polynomial."""
        return Piecewise(self.x, self.derived(nu), self.axis, self.extrapolate)


class CubicSpline(Piecewise):
    """Cubic spline, twice continuously differentiable: `scipy.interpolate.CubicSpline`.

    Args:
        x: the nodes, increasing, shape (n,) with n >= 2.
        y: the values; `axis` has n elements.
        axis: the axis of the nodes.
        bc_type: "not-a-knot", "natural", "clamped", or two pairs `(order, value)` for the ends: the first or second
            derivative there. "periodic": the curve from the first node to the last one is a period.
        extrapolate: whether the outer polynomials go on beyond the nodes; otherwise results there are NaN. "periodic":
            the curve repeats itself, the default for a periodic spline.

    Raises:
        ImportError: if SciPy is not installed.
        ValueError: if the nodes do not increase, there are fewer than two, `bc_type` is unknown, or the ends of a
            period differ.

    >>> import wengert as wg
    >>> y = wg.tensor([0.0, 1.0, 4.0, 9.0], requires_grad=True)
    >>> spline = wg.scipy.CubicSpline([0, 1, 2, 3], y)
    >>> round(spline(1.5).item(), 6), round(spline(1.5, 1).item(), 6)
    (2.25, 3.0)
    """

    def __init__(
        self, x: Any, y: Any, axis: int = 0, bc_type: Any = "not-a-knot", extrapolate: bool | str | None = None
    ) -> None:
        nodes, values, axis = read("CubicSpline", x, y, axis, 2)
        periodic = isinstance(bc_type, str) and bc_type == PERIODIC
        if periodic:
            check_period("CubicSpline", values, 1e-15)
        slopes = slopes_on_circle(nodes, values) if periodic else spline_slopes(nodes, values, bc_type)
        usual = PERIODIC if periodic else True
        super().__init__(nodes, hermite(nodes, values, slopes), axis, usual if extrapolate is None else extrapolate)


class PchipInterpolator(Piecewise):
    """Monotone cubic interpolation, once continuously differentiable: `scipy.interpolate.PchipInterpolator`.

    Args:
        x: the nodes, increasing, shape (n,) with n >= 2.
        y: the values; `axis` has n elements.
        axis: the axis of the nodes.
        extrapolate: whether the outer polynomials go on beyond the nodes; otherwise results there are NaN. "periodic":
            the curve repeats itself.

    Raises:
        ValueError: if the nodes do not increase, or there are fewer than two.

    >>> import wengert as wg
    >>> curve = wg.scipy.PchipInterpolator([0.0, 1.0, 2.0], [0.0, 1.0, 1.0])
    >>> curve([0.5, 1.5])
    tensor([0.6875, 1.0000], dtype=torch.float64)
    """

    def __init__(self, x: Any, y: Any, axis: int = 0, extrapolate: bool | str | None = None) -> None:
        nodes, values, axis = read("PchipInterpolator", x, y, axis, 2)
        slopes = monotone_slopes(nodes, values)
        super().__init__(nodes, hermite(nodes, values, slopes), axis, extrapolate is None or extrapolate)


def interp1d(
    x: Any,
    y: Any,
    kind: str = "linear",
    axis: int = -1,
    copy: bool = True,
    bounds_error: bool | None = None,
    fill_value: Any = np.nan,
    assume_sorted: bool = False,
) -> Interpolant:
    """Interpolate in one dimension: `scipy.interpolate.interp1d`, differentiable.

    Args:
        x: the nodes, shape (n,).
        y: the values; `axis` has n elements.
        kind: "linear", "slinear", "nearest", "nearest-up", "previous", "zero", "next" or "cubic".
        axis: the axis of the nodes.
        copy: has no effect.
        bounds_error: raise an error for points outside of the nodes; True by default, unless `fill_value` is
            "extrapolate".
        fill_value: the value outside, or a pair (below, above); "extrapolate" to continue the outer polynomials.
        assume_sorted: do not sort the nodes.

    Returns:
        A function of points, which returns a float64 tensor: the shape of the values, with that of the points in place
        of the axis.

    Raises:
        ValueError: if the shapes do not fit, or `kind` is unknown.

    >>> import wengert as wg
    >>> x = wg.tensor([0.0, 1.0, 3.0], requires_grad=True)
    >>> line = wg.scipy.interp1d(x, [0.0, 2.0, 4.0])
    >>> line(2.0), wg.autograd.grad(line(2.0), x)
    (tensor(3., dtype=torch.float64, grad_fn=<ViewBackward0>), (tensor([ 0.0000, -0.5000, -0.5000]),))
    """
    if kind not in KINDS:
        raise ValueError(f"interp1d: expected kind to be one of {', '.join(KINDS)}, but got {kind!r}")
    nodes, values, place = read("interp1d", x, y, axis, 4 if kind == "cubic" else 2, sort=not assume_sorted)
    if kind == "cubic":
        curve = Piecewise(nodes, hermite(nodes, values, spline_slopes(nodes, values, "not-a-knot")), place)
    elif kind in ("linear", "slinear"):
        steps = (nodes[1:] - nodes[:-1]).reshape((-1, *(1,) * (values.ndim - 1)))
        curve = Piecewise(nodes, stack_rows([(values[1:] - values[:-1]) / steps, values[:-1]]), place)
    else:
        curve = Steps(nodes, values, place, kind)
    return Interpolant(curve, bounds_error, fill_value)


class Steps(Piecewise):
    """A piecewise constant function: the value at a neighbouring node, selected by `kind`."""

    def __init__(self, x: Tensor, values: Tensor, axis: int, kind: str) -> None:
        super().__init__(x, values.unsqueeze(0), axis)
        self.kind = kind

    def __call__(self, points: Any, nu: int = 0, extrapolate: bool | str | None = None) -> Tensor:
        """Return the values at points."""
        t = as_tensor(points)
        flat, nodes = t._array_.ravel(), self.x._array_
        if self.kind in ("previous", "zero"):
            place = np.searchsorted(nodes, flat, "right") - 1
        elif self.kind == "next":
            place = np.searchsorted(nodes, flat, "left")
        else:
            middles = nodes[:-1] + np.diff(nodes) / 2
            place = np.searchsorted(middles, flat, "left" if self.kind == "nearest" else "right")
        index = from_numpy(np.clip(place, 0, len(nodes) - 1).astype(np.int64))
        result = self.c[0][index]
        if self.kind in ("previous", "next"):
            beyond = (place < 0) | (place >= len(nodes))  # there is none
            result = where(from_numpy(beyond.reshape((-1, *(1,) * (self.c.ndim - 2)))), np.nan, result)
        result = result.reshape((*t.shape, *self.c.shape[2:]))
        if self.axis and t.ndim != 0:
            result = result.movedim(tuple(range(t.ndim)), tuple(range(self.axis, self.axis + t.ndim)))
        return result


class Interpolant:
    """Result of `interp1d`.

    Attributes:
        curve: the piecewise polynomial.
        bounds_error, fill_value: as for `interp1d`.
    """

    def __init__(self, curve: Piecewise, bounds_error: bool | None, fill_value: Any) -> None:
        self.curve, self.fill_value = curve, fill_value
        self.extrapolates = isinstance(fill_value, str) and fill_value == "extrapolate"
        self.bounds_error = not self.extrapolates if bounds_error is None else bounds_error
        if self.extrapolates and bounds_error:
            raise ValueError("interp1d: fill_value='extrapolate' and bounds_error=True contradict each other")

    def __call__(self, points: Any) -> Tensor:
        """Return the values at points.

        Raises:
            ValueError: if a point is outside of the nodes, and `bounds_error` is True.
        """
        t = as_tensor(points)
        result = self.curve(t)
        nodes, places = self.curve.x._array_, t._array_
        below, above = places < nodes[0], places > nodes[-1]
        if self.extrapolates or not (below.any() or above.any()):
            return result
        if self.bounds_error:
            which, limit = ("below", nodes[0]) if below.any() else ("above", nodes[-1])
            raise ValueError(
                f"interp1d: a point is {which} the interpolation range, whose end is {limit}; pass "
                "bounds_error=False, or fill_value='extrapolate'"
            )
        low, high = self.fill_value if isinstance(self.fill_value, tuple) else (self.fill_value, self.fill_value)
        after = (1,) * (result.ndim - self.curve.axis - t.ndim)
        for outside, value in ((below, low), (above, high)):
            mask = from_numpy(outside.reshape((*outside.shape, *after)))
            result = where(mask, value.double() if isinstance(value, Tensor) else as_tensor(value), result)
        return result


def read(name: str, x: Any, y: Any, axis: int, least: int, sort: bool = False) -> tuple[Tensor, Tensor, int]:
    """Return nodes and values as float64 tensors, the axis of the nodes in front, and that axis.

    Raises:
        ValueError: if the shapes do not fit, there are too few nodes, or they do not increase.
    """
    nodes, values = as_tensor(x), as_tensor(y)
    if nodes.ndim != 1 or not -values.ndim <= axis < values.ndim:
        raise ValueError(
            f"{name}: expected 1-D nodes and values with axis {axis}, but got {nodes.ndim}-D and {values.ndim}-D"
        )
    axis %= values.ndim
    values = values.movedim(axis, 0)
    if len(nodes) != len(values) or len(nodes) < least:
        raise ValueError(
            f"{name}: expected as many values along axis {axis} as nodes, at least {least}, but got {len(values)} "
            f"values and {len(nodes)} nodes"
        )
    if sort:
        order = from_numpy(np.argsort(nodes._array_, kind="stable").astype(np.int64))
        nodes, values = nodes[order], values[order]
    if not (np.diff(nodes._array_) > 0).all():
        raise ValueError(f"{name}: expected nodes that increase")
    return nodes, values, axis


def as_tensor(value: Any) -> Tensor:
    """Return numbers, an array or a tensor as a float64 tensor, with its history."""
    if isinstance(value, Tensor):
        check_single("interpolation", "an argument", value)
        return value.double()
    return from_numpy(np.array(value, np.float64))


def stack_rows(rows: list[Tensor]) -> Tensor:
    """Return coefficients, the highest first, as one tensor."""
    result: Tensor = cat([row.unsqueeze(0) for row in rows])
    return result


def hermite(x: Tensor, y: Tensor, slopes: Tensor) -> Tensor:
    """Return the coefficients of the cubics with these values and derivatives at the nodes."""
    steps = (x[1:] - x[:-1]).reshape((-1, *(1,) * (y.ndim - 1)))
    secant = (y[1:] - y[:-1]) / steps
    bend = (slopes[:-1] + slopes[1:] - 2 * secant) / steps
    return stack_rows([bend / steps, (secant - slopes[:-1]) / steps - bend, slopes[:-1], y[:-1]])


def spline_slopes(x: Tensor, y: Tensor, bc_type: Any) -> Tensor:
    """Return the derivatives of the cubic spline at the nodes.

    Raises:
        ValueError: if `bc_type` is unknown.
    """
    n, shape = len(x), (-1, *(1,) * (y.ndim - 1))
    h = x[1:] - x[:-1]
    steps = h.reshape(shape)
    secant = (y[1:] - y[:-1]) / steps
    first, last = read_ends(bc_type, y)
    if n == 2 and first[0] == last[0] == 0:
        return cat([secant, secant])
    if n == 3 and first[0] == last[0] == 0:  # one parabola
        bend = (secant[1] - secant[0]) / (x[2] - x[0])
        return stack_rows([secant[0] - bend * h[0], secant[0] + bend * h[0], secant[1] + bend * h[1]])
    one, zero = h.new_ones(1), h.new_zeros(1)
    middle = 2 * (h[:-1] + h[1:])
    inner = 3 * (steps[1:] * secant[:-1] + steps[:-1] * secant[1:])
    low = end_row(first, h, steps, secant, one, zero)
    high = end_row(last, h.flip(0), steps.flip(0), secant.flip(0), one, zero, sign=-1)
    diagonal = cat([low[0], middle, high[0]])
    upper = cat([zero, low[1], h[:-1]])
    lower = cat([h[1:], high[1], zero])
    right = cat([low[2].unsqueeze(0), inner, high[2].unsqueeze(0)])
    bands = stack_rows([upper, diagonal, lower])
    return Banded.apply(bands, right.reshape(n, -1)).reshape(right.shape)


def end_row(end: Any, h: Tensor, steps: Tensor, secant: Tensor, one: Tensor, zero: Tensor, sign: int = 1) -> Any:
    """Return the diagonal element, its neighbour and the right side of the equation for an end.

    Args:
        end: the order of the known derivative (0 for "not a knot"), and its value.
        h, steps, secant: lengths of the intervals and slopes of the secants, beginning at this end.
        sign: -1 at the right end, where second derivatives change sign.
    """
    order, value = end
    if order == 1:
        return one, zero, secant[0] * 0 + value
    if order == 2 or len(h) == 1:
        known = value if order == 2 else 0.0
        return 2 * one, one, 3 * secant[0] - sign * known * steps[0] / 2
    both = h[0] + h[1]
    right = ((steps[0] + 2 * both) * steps[1] * secant[0] + steps[0] ** 2 * secant[1]) / both
    return h[1:2], both.reshape(1), right.reshape(secant[0].shape)


def read_ends(bc_type: Any, y: Tensor) -> list[tuple[int, Any]]:
    """Return for each end the order of the known derivative, 0 for "not a knot", and its value.

    Raises:
        ValueError: if `bc_type` is unknown.
    """
    pair = (bc_type, bc_type) if isinstance(bc_type, str) else bc_type
    named = {"not-a-knot": (0, 0.0), "clamped": (1, 0.0), "natural": (2, 0.0)}
    ends: list[tuple[int, Any]] = []
    for end in pair if isinstance(pair, (tuple, list)) and len(pair) == 2 else (None,):
        if isinstance(end, str) and end in named:
            ends.append(named[end])
        elif isinstance(end, (tuple, list)) and len(end) == 2 and end[0] in (1, 2):
            ends.append((end[0], as_tensor(end[1])))
        else:
            raise ValueError(
                f"CubicSpline: expected bc_type to be one of {', '.join(ENDS)}, or two of these or of pairs (1 or 2, "
                f"value), but got {bc_type!r}"
            )
    return ends


def monotone_slopes(x: Tensor, y: Tensor) -> Tensor:
    """Return the monotone interpolant's derivatives at the nodes: weighted harmonic means of secants' slopes."""
    shape = (-1, *(1,) * (y.ndim - 1))
    h = (x[1:] - x[:-1]).reshape(shape)
    secant = (y[1:] - y[:-1]) / h
    if len(x) == 2:
        return cat([secant, secant])
    before, after = secant[:-1], secant[1:]
    one, two = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    same = before * after > 0
    inner = where(same, (one + two) / (one / where(same, before, 1.0) + two / where(same, after, 1.0)), 0.0)
    return cat([limited(h[0], h[1], secant[0], secant[1]), inner, limited(h[-1], h[-2], secant[-1], secant[-2])])


def limited(near: Tensor, far: Tensor, slope: Tensor, other: Tensor) -> Tensor:
    """Return the derivative at an end: that of a parabola, limited so that the curve is monotone."""
    value = ((2 * near + far) * slope - near * other) / (near + far)
    value = where(value.sign() != slope.sign(), 0.0, value)
    steep = (slope.sign() != other.sign()) & (value.abs() > 3 * slope.abs())
    result: Tensor = where(steep, 3 * slope, value).unsqueeze(0)
    return result
