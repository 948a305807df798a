"""Explicit Runge-Kutta methods whose steps are recorded: solutions are differentiated through the steps.

The methods, with their dense output, are those of SciPy (RK23: Bogacki and Shampine, 1989; RK45: Dormand and Prince,
1980; DOP853: Hairer, Nørsett and Wanner, "Solving Ordinary Differential Equations I", 1993, whose section II.4 is also
the source of the choice of steps). The lengths of the steps are constants in derivatives, except for the first and the
last step, which depend on the ends of the interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .._tensor import Tensor
from ..autograd.grad_mode import enable_grad
from ..ops.create.interchange import from_numpy
from ..ops.shapes.join import stack

SAFETY, SMALLEST, LARGEST = 0.9, 0.2, 10.0
"""Factor of safety of a new step's length, and bounds of its ratio to the last one."""
EXPLICIT = ("RK23", "RK45", "DOP853")

Field = Callable[[Any, Tensor], Tensor]
"""The derivative of a flat state: a function of the time, a number or a 0-D tensor, and the state."""


class Method:
    """An explicit Runge-Kutta method, read from SciPy's class.

    Attributes:
        rows: for each stage except the first, the coefficients of the stages before; the last row is that of the new
            state, whose derivative is the last stage.
        nodes: the positions of the stages, as fractions of the step.
        order: the order of the error estimate.
        dense: coefficients of x, x², ... by stage: the state after the fraction x of a step.
        extra: number of further stages for dense output; their rows and nodes come last.
    """

    def __init__(self, solver: Any) -> None:
        count = solver.n_stages
        table = np.zeros((count + 1, count))
        table[:count, : solver.A.shape[1]] = solver.A[:count, :count]
        table[count, : len(solver.B)] = solver.B
        self.rows: list[list[float]] = [table[at, :at].tolist() for at in range(1, count + 1)]
        self.nodes: list[float] = [*solver.C[1:count].tolist(), 1.0]
        self.order: int = solver.error_estimator_order
        self.errors = (solver.E3, solver.E5) if hasattr(solver, "E5") else (solver.E,)
        self.extra = 0
        if not hasattr(solver, "A_EXTRA"):
            self.dense = np.asarray(solver.P)
            return
        further = solver.A_EXTRA
        self.extra = len(further)
        self.rows += [further[at, : count + 1 + at].tolist() for at in range(self.extra)]
        self.nodes += solver.C_EXTRA.tolist()
        self.dense = nested_to_powers(solver, count)

    def error(self, stages: Any, h: float, scale: Any) -> float:
        """Return the norm of the estimated error of a step, 1 at the tolerance."""
        if len(self.errors) == 1:
            return norm(h * (self.errors[0] @ stages) / scale)
        third, fifth = (float(np.sum((error @ stages / scale) ** 2)) for error in self.errors)
        if third == fifth == 0:
            return 0.0
        return abs(h) * fifth / math.sqrt((fifth + 0.01 * third) * scale.size)


def nested_to_powers(solver: Any, count: int) -> Any:
    """Return the dense output of DOP853 as polynomials: coefficients of x, x², ..., by stage.

    The method states it as F₀x + F₁x(1-x) + F₂x²(1-x) + F₃x²(1-x)² + ... with combinations F of the stages.
    """
    stages = count + 1 + len(solver.A_EXTRA)
    new, first, last = np.zeros(stages), np.zeros(stages), np.zeros(stages)
    new[:count], first[0], last[count] = solver.B, 1, 1
    parts = [new, first - new, 2 * new - (last + first), *solver.D]
    result, basis = np.zeros((stages, len(parts))), np.array([1.0])
    for at, part in enumerate(parts):
        basis = np.convolve(basis, [0, 1] if at % 2 == 0 else [1, -1])
        result[:, : len(basis) - 1] += np.outer(part, basis[1:])
    return result


def norm(values: Any) -> float:
    """Return the root of the mean square."""
    return float(np.linalg.norm(values)) / math.sqrt(max(values.size, 1))


def combined(y: Tensor, h: Any, weights: list[float], stages: list[Tensor]) -> Tensor:
    """Return y + h Σ wᵢ kᵢ."""
    terms = [(weight, stage) for weight, stage in zip(weights, stages) if weight]
    if isinstance(h, Tensor) and terms:
        total = terms[0][1] * terms[0][0]
        for weight, stage in terms[1:]:
            total = total.add(stage, alpha=weight)
        return y + h * total
    for weight, stage in terms:
        y = y.add(stage, alpha=h * weight)
    return y


def plain(value: Any) -> float:
    """Return a number or a 0-D tensor as a float."""
    return float(value._array_) if isinstance(value, Tensor) else float(value)


class Step:
    """A step of a method.

    Attributes:
        t, h: beginning and length: numbers, or tensors if the step begins or ends at an end of the interval that is a
            tensor.
        end: the time of its end.
        y, new: the states at its beginning and end.
        stages: the derivatives of its stages.
    """

    def __init__(self, method: Method, field: Field, t: Any, h: Any, end: Any, y: Tensor, first: Tensor) -> None:
        self.method, self.field, self.t, self.h, self.end, self.y = method, field, t, h, end, y
        self.stages = [first]
        count = len(method.rows) - method.extra
        for row, node in zip(method.rows[: count - 1], method.nodes):
            self.stages.append(field(t + node * h, combined(y, h, row, self.stages)))
        self.new = combined(y, h, method.rows[count - 1], self.stages)
        self.stages.append(field(end, self.new))

    def error(self, rtol: Any, atol: Any) -> float:
        """Return the norm of the estimated error, 1 at the tolerance."""
        scale = atol + np.maximum(np.abs(self.y._array_), np.abs(self.new._array_)) * rtol
        return self.method.error(np.stack([stage._array_ for stage in self.stages]), plain(self.h), scale)

    def finish(self) -> None:
        """Compute the further stages for dense output."""
        count = len(self.method.rows) - self.method.extra
        for at in range(len(self.stages) - 1, len(self.method.rows)):
            with enable_grad():  # the search for an event, which comes first, needs no history, but what follows does
                state = combined(self.y, self.h, self.method.rows[at], self.stages)
                self.stages.append(self.field(self.t + self.method.nodes[at] * self.h, state))
        assert len(self.stages) == count + 1 + self.method.extra

    def at(self, t: Any) -> Tensor:
        """Return the state at a time within the step, by dense output; at a vector of m times, of shape (n, m)."""
        self.finish()
        x = (t - self.t) / self.h
        powers = range(1, self.method.dense.shape[1] + 1)
        if isinstance(x, Tensor):
            weights = from_numpy(self.method.dense) @ stack([x**power for power in powers])
        else:
            weights = from_numpy(np.asarray(self.method.dense @ np.stack([np.asarray(x) ** power for power in powers])))
        moved = stack(self.stages, 1) @ weights
        result: Tensor = (self.y.unsqueeze(1) if moved.ndim == 2 else self.y) + self.h * moved
        return result


class Integrator:
    """The steps from a state over an interval.

    Attributes:
        field: the derivative of the state.
        t0, t1: the ends of the interval, numbers or 0-D tensors.
        rtol, atol: tolerances; `first_step`, `max_step`: lengths.
        evaluations: the number of calls of the field.
        failed: whether the steps became too small.
    """

    def __init__(self, solver: Any, field: Field, t0: Any, t1: Any, y: Tensor, options: dict[str, Any]) -> None:
        self.method = Method(solver)
        self.t0, self.t1, self.y = t0, t1, y
        self.rtol = np.maximum(options.get("rtol", 1e-3), 100 * np.finfo(float).eps)
        self.atol = options.get("atol", 1e-6)
        self.max_step = options.get("max_step", math.inf)
        self.first_step = options.get("first_step")
        self.start, self.end = plain(t0), plain(t1)
        self.direction = 1.0 if self.end >= self.start else -1.0
        self.evaluations, self.failed = 0, False
        self.inner = field

    def field(self, t: Any, y: Tensor) -> Tensor:
        """Return the derivative of the state."""
        self.evaluations += 1
        return self.inner(t, y)

    def initial(self, first: Any) -> float:
        """Return the length of the first step, for which a step of Euler's method would meet the tolerance."""
        interval = abs(self.end - self.start)
        if self.first_step is not None:
            return float(self.first_step)
        y, derivative = self.y._array_, first._array_
        scale = self.atol + np.abs(y) * self.rtol
        size, slope = norm(y / scale), norm(derivative / scale)
        h = min(1e-6 if size < 1e-5 or slope < 1e-5 else 0.01 * size / slope, interval)
        moved = self.field(self.start + self.direction * h, from_numpy(y + self.direction * h * derivative))._array_
        bend = norm((moved - derivative) / scale) / h
        power = 1 / (self.method.order + 1)
        longer = max(1e-6, h * 1e-3) if max(slope, bend) <= 1e-15 else (0.01 / max(slope, bend)) ** power
        return min(100 * h, longer, interval, self.max_step)

    def steps(self) -> Iterator[Step]:
        """Yield the accepted steps."""
        if self.start == self.end:
            return
        t, y = self.t0, self.y
        first = self.field(t, y)
        h = self.initial(first)
        while True:
            step = self.accepted(t, y, first, h)
            if step is None:
                self.failed = True
                return
            step, h = step
            yield step
            if step.end is self.t1:
                return
            t, y, first = step.end, step.new, step.stages[len(self.method.rows) - self.method.extra]

    def accepted(self, t: Any, y: Tensor, first: Tensor, h: float) -> Any:
        """Return a step within the tolerance and the proposed length of the next; None if steps get too small."""
        now, rejected, exponent = plain(t), False, -1 / (self.method.order + 1)
        smallest = 10 * abs(math.nextafter(now, self.direction * math.inf) - now)
        h = min(max(h, smallest), self.max_step)
        while h >= smallest:
            end: Any = now + self.direction * h
            if self.direction * (end - self.end) >= 0:
                end = self.t1
            step = Step(self.method, self.field, t, end - t, end, y, first)
            h = abs(plain(end) - now)
            error = step.error(self.rtol, self.atol)
            if error < 1:
                factor = LARGEST if error == 0 else min(LARGEST, SAFETY * error**exponent)
                return step, h * (min(1.0, factor) if rejected else factor)
            h *= max(SMALLEST, SAFETY * error**exponent) if math.isfinite(error) else SMALLEST
            rejected = True
        return None
