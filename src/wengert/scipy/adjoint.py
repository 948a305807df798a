"""The adjoint method: gradients of solutions of initial value problems, by an equation integrated backwards.

For y' = f(t, y, θ) and a loss that depends on states y(tᵢ), λ = dL/dy(t) satisfies λ' = -(∂f/∂y)ᵀ λ between the tᵢ and
jumps by ∂L/∂y(tᵢ) at each; dL/dy₀ = λ(t₀), dL/dθ = ∫ (∂f/∂θ)ᵀ λ dt, dL/dtᵢ = ∂L/∂y(tᵢ)·f, dL/dt₀ = -λ(t₀)·f
(L. S. Pontryagin et al., "The Mathematical Theory of Optimal Processes", 1962). The states are those of the solution's
dense output, so no unstable equation is integrated backwards. The integral over θ uses Gauss's rule in each step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._core import flags
from .._core.graph.node import Edge
from .._core.leaves.accumulate import AccumulateGrad
from .._core.state.modes import current
from .._tensor import Tensor
from ..autograd import grad as gradients_of
from ..autograd.function import Function
from ..autograd.grad_mode import enable_grad, no_grad
from ..ops.create.interchange import from_numpy
from .implicit import CHANGED, Frontier, as_leaf, key_of, revived
from .runge_kutta import Field

FIRST_ONLY = (
    "{}: gradient='adjoint' computes first derivatives in reverse mode, one gradient at a time; use gradient='direct' "
    "(RK23, RK45, DOP853) for higher derivatives, forward mode and batches of gradients"
)
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(4)
"""Gauss's rule for the integral within a step."""


class Problem:
    """A solved problem.

    Attributes:
        caller: name for error messages.
        field: the derivative of the flat state.
        solve: SciPy's solver with method and tolerances: called with a function of time and flat state, its Jacobian,
            the interval and the initial state, it returns a solution with dense output.
        jacobian: the Jacobian of the field at a time and a flat state.
        states: the states as a function of the time (arrays).
        start: the initial time.
        edges: the edges to the tensors that the field depends on.
    """

    def __init__(
        self,
        caller: str,
        field: Field,
        solve: Callable[..., Any],
        jacobian: Callable[..., Any],
        states: Callable[..., Any],
        times: list[float],
    ) -> None:
        self.caller, self.field, self.solve, self.jacobian, self.states = caller, field, solve, jacobian, states
        self.start = times[0]
        known: dict[tuple[int, int], Edge] = {}
        for t in {times[0], times[len(times) // 2], times[-1]}:
            known.update((key_of(edge), edge) for edge in self.run(t, self.constant(t))[1].edges)
        self.edges = list(known.values())
        self.keys = set(known)
        self.versions = self.read_versions()

    def constant(self, t: float) -> Tensor:
        """Return the state at a time."""
        return from_numpy(np.array(self.states(t), np.float64))

    def run(self, t: float, y: Tensor) -> tuple[Tensor, Frontier]:
        """Return the derivative of a state, recorded, and the frontier of its graph."""
        with enable_grad():
            start = current().sequence
            output = self.field(t, y).clone()
        return output, Frontier(output, start)

    def read_versions(self) -> list[int]:
        """Return the number of writes to each leaf among the tensors."""
        return [edge.node.variable._version for edge in self.edges if isinstance(edge.node, AccumulateGrad)]

    def check(self, t: float) -> None:
        """Refuse to lose the gradient of a tensor.

        Raises:
            RuntimeError: if the field depends on a tensor that it did not depend on before, or that was written to.
        """
        keys = self.run(t, self.constant(t))[1].keys
        if not keys <= self.keys or self.versions != self.read_versions():
            raise RuntimeError(CHANGED.format(self.caller))

    def pulled(self, t: float, weights: Any, by_state: bool) -> list[Any]:
        """Return (∂f/∂y)ᵀ λ if `by_state`, otherwise (∂f/∂θ)ᵀ λ for all tensors."""
        y, vector = self.constant(t), from_numpy(np.array(weights))
        if by_state:
            y = as_leaf(y)
            with enable_grad():
                output = self.field(t, y)
            grads = gradients_of(output, [y], vector, allow_unused=True) if output.requires_grad else (None,)
        else:
            output, frontier = self.run(t, y)
            edges = [edge for edge in self.edges if key_of(edge) in frontier.keys]
            arrived = dict(zip(map(key_of, edges), frontier.gradients(output, vector, edges, False) if edges else ()))
            grads = tuple(arrived.get(key_of(edge)) for edge in self.edges)
        return [None if grad is None else grad._array_ for grad in grads]

    def gradients(self, times: Any, seeds: Any, wanted: Any) -> tuple[Any, Any, Any, list[Any]]:
        """Return the gradients of a loss with respect to initial state, initial time, times and tensors.

        Args:
            times: times of the output, shape (m,).
            seeds: the gradients with respect to the states at these times, shape (n, m).
            wanted: whether gradients with respect to the times are needed.
        """
        by_time = np.zeros(len(times))
        totals: list[Any] = [None] * len(self.edges)
        adjoint, now = np.zeros(len(seeds)), None
        order = np.argsort(-np.abs(times - self.start), kind="stable")
        for at in order:
            t = float(times[at])
            if now is not None and now != t:
                adjoint = self.back(now, t, adjoint, totals)
            now = t
            adjoint = adjoint + seeds[:, at]
            self.check(t)
            if wanted:
                by_time[at] = seeds[:, at] @ self.value(t)
        if now is not None and now != self.start:
            adjoint = self.back(now, self.start, adjoint, totals)
        by_start = -adjoint @ self.value(self.start) if wanted else 0.0
        return adjoint, np.array(by_start), by_time, totals

    def value(self, t: float) -> Any:
        """Return the derivative of the state at a time."""
        with no_grad():
            return self.field(t, self.constant(t))._array_

    def back(self, late: float, early: float, adjoint: Any, totals: list[Any]) -> Any:
        """Integrate from one time back to another; add the integral over the tensors to `totals`."""
        if not adjoint.any():
            return adjoint

        problem: list[Problem] = [self]  # SciPy's solvers keep what they call in cycles

        def derivative(t: float, weights: Any) -> Any:
            part = problem[0].pulled(t, weights, True)[0]
            return np.zeros_like(weights) if part is None else -part

        def jacobian(t: float, weights: Any) -> Any:
            return -problem[0].jacobian(problem[0].states(t), (t,)).T

        try:
            solution = self.solve(derivative, jacobian, (late, early), adjoint)
        finally:
            problem.clear()
        if not solution.success:
            raise RuntimeError(f"{self.caller}: the adjoint equation could not be integrated: {solution.message}")
        for begin, end in zip(solution.t[:-1], solution.t[1:]) if self.edges else ():
            half = (begin - end) / 2
            for point, weight in zip(POINTS, WEIGHTS):
                t = float((begin + end) / 2 + half * point)
                for at, part in enumerate(self.pulled(t, solution.sol(t), False)):
                    if part is not None:
                        part = weight * half * part
                        totals[at] = part if totals[at] is None else totals[at] + part
        return solution.y[:, -1]


class Adjoint(Function):
    """States at times, as a function of initial state, initial time, times, and the field's tensors."""

    @staticmethod
    def forward(problem: Problem, y: Tensor, start: Tensor, times: Tensor, *stand_ins: Tensor) -> Tensor:
        """Return the states as columns, shape (n, m)."""
        states = [np.asarray(problem.states(t)) for t in times._array_.tolist()]
        return from_numpy(np.stack(states, 1) if states else np.zeros((y.numel(), 0)))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        """Keep the problem and the times."""
        ctx.problem = inputs[0]
        ctx.times = inputs[3]._array_
        ctx.wanted = inputs[2].requires_grad or inputs[3].requires_grad
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        """Return the gradients of initial state, initial time, times and tensors."""
        problem: Problem = ctx.problem
        if grad is None:
            return (None,) * (4 + len(problem.edges))
        if current().grad or grad._flags_ & flags.BATCHED:
            raise RuntimeError(FIRST_ONLY.format(problem.caller))
        with revived(problem.edges):
            by_state, by_start, by_times, totals = problem.gradients(ctx.times, grad._array_, ctx.wanted)
        return (None, *map(as_tensor, (by_state, by_start, by_times, *totals)))

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        """Refuse forward mode."""
        raise RuntimeError(FIRST_ONLY.format(ctx.problem.caller))


def as_tensor(value: Any) -> Any:
    """Convert an array to a tensor; None stays None."""
    return None if value is None else from_numpy(np.array(value))
