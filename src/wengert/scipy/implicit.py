"""Solutions of equations as differentiable functions of everything that the equations depend on.

If G(x, θ) = 0 and ∂G/∂x is invertible, x is a function of θ near the solution (the implicit function theorem), and

    dx/dθ = -(∂G/∂x)⁻¹ ∂G/∂θ.

θ is whatever is part of the graph, or has a tangent, when G runs: arguments, tensors that a function closes over,
parameters of modules. It is found in the graph of G at the solution.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._core import flags
from .._core.backward.passes import edge_of
from .._core.graph.node import Edge
from .._core.leaves.accumulate import AccumulateGrad
from .._core.state.modes import current
from .._core.tensor.tangents import first_of
from .._tensor import Tensor
from ..autograd import grad as gradients_of
from ..autograd.function import Function
from ..autograd.grad_mode import enable_grad
from ..func import jacrev
from ..linalg import solve
from ..ops.create.interchange import from_numpy

Equation = Callable[[Tensor], Tensor]
"""A function from a vector to a vector of the same size, which is zero at the solution."""

CHANGED = (
    "{}: cannot differentiate the solution: the function now depends on other tensors than when it was solved; tensors "
    "that it uses must stay as they are until the backward pass has run"
)
SINGULAR = (
    "{}: cannot differentiate the solution: the {} at the solution is singular, so the solution is not a smooth "
    "function of the parameters; detach() it, or make the solution unique (for example by a regularising term)"
)


def implicit(caller: str, matrix: str, equation: Equation, solution: Any) -> Tensor:
    """Return a solution of an equation as a differentiable function of the tensors that the equation depends on.

    Args:
        caller: name for error messages.
        matrix: what the derivative of the equation is called in error messages.
        equation: the function that is zero at the solution.
        solution: the solution, a vector (float64).

    Returns:
        A tensor of the values of `solution`: with a history if the equation depends on tensors that require gradients
        and recording is on; with tangents if it depends on dual tensors. Derivatives of all orders, in both modes.

    Raises:
        RuntimeError: if a derivative is asked for and the derivative of the equation at the solution is singular, or
            tensors that the equation depends on have changed since.
    """
    constant = from_numpy(np.array(solution, np.float64))
    start = current().sequence
    values = equation(constant)
    result = constant
    edges = sources([values], start) if current().grad else []
    if edges:
        problem = Problem(caller, matrix, equation, edges, values)
        result = Implicit.apply(problem, constant, *map(stand_in, edges))
    return with_tangents(caller, matrix, equation, result, levels_of(values))


def with_tangents(caller: str, matrix: str, equation: Equation, at: Tensor, levels: int) -> Tensor:
    """Return a solution with its tangents, by one step of Newton's method for each level of forward mode.

    A step from a solution does not move it. Its tangents become right, level by level from the outermost.
    """
    for _ in range(levels):
        at = at - solved(caller, matrix, jacrev(equation)(at), equation(at))
    return at


def solved(caller: str, matrix: str, derivative: Tensor, right: Tensor) -> Tensor:
    """Solve a linear system.

    Raises:
        RuntimeError: if the matrix is singular.
    """
    try:
        result: Tensor = solve(derivative, right)
    except RuntimeError as error:  # LinAlgError is one
        if "singular" not in str(error):
            raise
        raise RuntimeError(SINGULAR.format(caller, matrix)) from error
    return result


def levels_of(tensor: Tensor) -> int:
    """Return the number of levels of forward mode at which a tensor is dual."""
    count, tangent = 0, first_of(tensor)
    while tangent is not None:
        count += tangent.tensor is not None
        tangent = tangent.outer
    return count


def sources(tensors: list[Tensor], start: int) -> list[Edge]:
    """Return the edges by which the graph of tensors leaves the part made since `start`: to older nodes and leaves.

    Args:
        start: the sequence number of the first node of that part.
    """
    waiting = [edge_of(tensor) for tensor in tensors if tensor.requires_grad]
    seen: set[Any] = set()
    known: dict[tuple[int, int], Edge] = {}
    while waiting:
        edge = waiting.pop()
        if edge is None:
            continue
        node = edge.node
        if isinstance(node, AccumulateGrad):
            scope = getattr(node.variable, "_scope_", None)
            if scope is None or scope.alive:  # otherwise an argument of a differentiation that has ended
                known[id(node), edge.nr] = edge
        elif node.sequence_number < start:
            known[id(node), edge.nr] = edge
        elif node not in seen:
            seen.add(node)
            waiting += node.next_edges
    return list(known.values())


def keys_of(edges: list[Edge]) -> set[tuple[int, int]]:
    """Return what identifies edges."""
    return {(id(edge.node), edge.nr) for edge in edges}


def stand_in(edge: Edge) -> Tensor:
    """Return a tensor of zeros whose gradient goes where that of another tensor goes."""
    result = from_numpy(np.zeros(edge.shape, edge.dtype))
    result._edge_ = edge
    result._flags_ |= flags.REQUIRES_GRAD
    return result


class Problem:
    """An equation with what its solution depends on.

    Attributes:
        caller, matrix, equation: as in `implicit`.
        edges: the edges to what the equation depends on.
        values: the values of the equation at the solution, with their history.
    """

    def __init__(self, caller: str, matrix: str, equation: Equation, edges: list[Edge], values: Tensor) -> None:
        self.caller, self.matrix, self.equation, self.edges, self.values = caller, matrix, equation, edges, values
        self.keys = keys_of(edges)

    def again(self, at: Tensor) -> Tensor:
        """Return the values of the equation, differentiable with respect to the solution, too.

        Raises:
            RuntimeError: if the equation depends on other tensors than before.
        """
        start = current().sequence
        with enable_grad():
            values = self.equation(at)
        if keys_of(sources([values], start)) - keys_of([edge_of(at)] if at.requires_grad else []) != self.keys:
            raise RuntimeError(CHANGED.format(self.caller))
        return values


class Implicit(Function):
    """The solution of an equation, as a function of what the equation depends on."""

    @staticmethod
    def forward(problem: Problem, solution: Tensor, *stand_ins: Tensor) -> Tensor:
        """Return the solution."""
        return solution.clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        """Keep the problem and the solution."""
        ctx.problem = inputs[0]
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        """Return -(∂G/∂θ)ᵀ λ with (∂G/∂x)ᵀ λ = grad."""
        problem: Problem = ctx.problem
        if grad is None:
            return (None,) * (2 + len(problem.edges))
        (x,) = ctx.saved_tensors
        caller, matrix, equation = problem.caller, problem.matrix, problem.equation
        create, gate, levels = current().grad, Gate(), levels_of(problem.values)
        at, values = x.detach(), problem.values
        if create or levels:
            at = Passage.apply(with_tangents(caller, matrix, equation, x, levels), gate)
            values = problem.again(at)
        weights = -solved(caller, matrix, jacrev(equation)(at).mT, grad)
        targets = [stand_in(edge) for edge in problem.edges]
        gate.open = False
        grads = gradients_of(values, targets, weights, retain_graph=True, create_graph=create, allow_unused=True)
        gate.open = True
        return (None, None, *grads)


class Gate:
    """Whether gradients pass to the solution.

    While the gradients with respect to what the equation depends on are computed, the solution is held fixed. Their own
    derivatives with respect to the solution do pass.
    """

    open = True


class Passage(Function):
    """Identity whose gradient passes only while its gate is open."""

    @staticmethod
    def forward(x: Tensor, gate: Gate) -> Tensor:
        """Return the values of `x`."""
        return x.clone()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        """Keep the gate."""
        ctx.gate = inputs[1]
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        """Return the gradient, or None while the gate is closed."""
        return (grad if ctx.gate.open else None), None

    @staticmethod
    def jvp(ctx: Any, tangent: Any, gate: Any) -> Any:
        """Return the tangent."""
        return None if tangent is None else tangent.view_as(tangent)
