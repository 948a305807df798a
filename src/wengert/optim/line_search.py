"""Line search for the strong Wolfe conditions, by cubic interpolation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from .._tensor import Tensor

ENOUGH_DECREASE = 1e-4
ENOUGH_FLATTENING = 0.9


class Point(NamedTuple):
    """Point at a distance along the line: the loss, the gradient, and the derivative along the line."""

    t: Any
    loss: float
    grad: Any
    derivative: Any


class SearchResult(NamedTuple):
    """Result of a search: the point, and the number of evaluations."""

    point: Point
    evaluations: int


class StrongWolfe:
    """A line search.

    Args:
        at: function that returns loss and flat gradient at a distance along the direction.
        direction: the flat direction.
        start: the point at distance 0.
        tolerance_change: intervals whose length times the largest element of the direction is smaller are not divided.
        most: largest number of evaluations after the first.

    Source: Nocedal and Wright, Numerical Optimization, 2006, algorithms 3.5, 3.6, cubic interpolation, equation 3.59;
        bounds of the interpolation as in Schmidt's minFunc.
    """

    def __init__(
        self,
        at: Callable[[Any], tuple[float, Tensor]],
        direction: Tensor,
        start: Point,
        tolerance_change: float,
        most: int,
    ) -> None:
        self.at = at
        self.direction: Any = direction
        self.start = start
        self.shortest = tolerance_change
        self.most = most
        self.evaluations = 0
        self.iterations = 0

    def search(self, t: Any) -> SearchResult:
        """Search from the start, with `t` as the first distance."""
        ends, done = self._bracket(t)
        if not done:
            ends = self._narrow(ends)
        return SearchResult(min(ends, key=lambda point: point.loss), self.evaluations)

    def _look(self, t: Any) -> Point:
        loss, grad = self.at(t)
        self.evaluations += 1
        flat_grad: Any = grad
        return Point(t, loss, flat_grad, flat_grad.dot(self.direction))

    def _too_high(self, point: Point) -> bool:
        return bool(point.loss > self.start.loss + ENOUGH_DECREASE * point.t * self.start.derivative)

    def _flat_enough(self, point: Point) -> bool:
        return bool(abs(point.derivative) <= -ENOUGH_FLATTENING * self.start.derivative)

    def _bracket(self, t: Any) -> tuple[list[Point], bool]:
        """Return two points that bracket an acceptable one, or a single acceptable point."""
        before, point = self.start, self._look(t)
        while self.iterations < self.most:
            if self._too_high(point) or (self.iterations > 1 and point.loss >= before.loss):
                return [before, point], False
            if self._flat_enough(point):
                return [point], True
            if point.derivative >= 0:
                return [before, point], False
            bounds = (point.t + 0.01 * (point.t - before.t), point.t * 10)
            before, point = point, self._look(interpolated(before, point, bounds))
            self.iterations += 1
        return [self.start, point], False

    def _narrow(self, ends: list[Point]) -> list[Point]:
        """Divide the interval until a point in it is acceptable, or it is short."""
        stuck = False
        low, high = (0, 1) if ends[0].loss <= ends[-1].loss else (1, 0)
        widest = self.direction.abs().max()
        while self.iterations < self.most and abs(ends[1].t - ends[0].t) * widest >= self.shortest:
            t, stuck = self._inside(ends, stuck)
            point = self._look(t)
            self.iterations += 1
            if self._too_high(point) or point.loss >= ends[low].loss:
                ends[high] = point
                low, high = (0, 1) if ends[0].loss <= ends[1].loss else (1, 0)
                continue
            good = self._flat_enough(point)
            if not good and point.derivative * (ends[high].t - ends[low].t) >= 0:
                ends[high] = ends[low]
            ends[low] = point
            if good:
                break
        return [ends[low], ends[high]]

    @staticmethod
    def _inside(ends: list[Point], stuck: bool) -> tuple[Any, bool]:
        """Return a distance between two points, not twice in a row near an end; `stuck` is set if it was near one."""
        t = interpolated(ends[0], ends[1], None)
        least, most = min(ends[0].t, ends[1].t), max(ends[0].t, ends[1].t)
        margin = 0.1 * (most - least)
        if min(most - t, t - least) >= margin:
            return t, False
        if not (stuck or t >= most or t <= least):
            return t, True
        return (most - margin if abs(t - most) < abs(t - least) else least + margin), False


def interpolated(first: Point, other: Point, bounds: tuple[Any, Any] | None) -> Any:
    """Return the minimum of the cubic through two points with their derivatives, in `bounds` or between the points."""
    left, right = (first, other) if first.t <= other.t else (other, first)
    least, most = bounds or (left.t, right.t)
    mean = first.derivative + other.derivative - 3 * (first.loss - other.loss) / (first.t - other.t)
    square = mean**2 - first.derivative * other.derivative
    if not square >= 0:
        return (least + most) / 2.0
    root = square.sqrt()
    part = (right.derivative + root - mean) / (right.derivative - left.derivative + 2 * root)
    return min(max(right.t - (right.t - left.t) * part, least), most)
