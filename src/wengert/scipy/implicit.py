"""Solutions of equations as differentiable functions of the tensors that the equations depend on.

If G(x, θ) = 0 and ∂G/∂x is invertible, x is a function of θ near the solution (the implicit function theorem), and

    dx/dθ = -(∂G/∂x)⁻¹ ∂G/∂θ.

θ is every tensor that is part of the graph, or has a tangent, when G runs: arguments, tensors that a function closes
over, parameters of modules. It is read from the graph of G at the solution.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
        matrix: name of the derivative of the equation for error messages.
        equation: the function that is zero at the solution.
        solution: the solution, a vector (float64).

    Returns:
        A tensor of the values of `solution`: with a history if the equation depends on tensors that require gradients
        and recording is on; with tangents if it depends on dual tensors. Derivatives of all orders, in both modes.

    Raises:
        RuntimeError: if a derivative is computed and the derivative of the equation at the solution is singular, or
            tensors that the equation depends on have changed since.
    """
    constant = from_numpy(np.array(solution, np.float64))
    start = current().sequence
    values = equation(constant).clone()
    result = constant
    frontier = Frontier(values, start)
    if frontier.edges:
        problem = Problem(caller, matrix, equation, values, frontier)
        result = Implicit.apply(problem, constant, *map(stand_in, frontier.edges))
    return with_tangents(caller, matrix, equation, result, levels_of(values))


def with_tangents(caller: str, matrix: str, equation: Equation, at: Tensor, levels: int) -> Tensor:
    """Return a solution with its tangents, by one step of Newton's method for each level of forward mode.

    A step from a solution does not change its value, and computes its tangents, level by level from the outermost.
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


class Frontier:
    """Edges of a tensor's graph from nodes recorded since a point in time to older nodes and leaves.

    Attributes:
        edges: the edges, one for each destination.
        keys: identities of their destinations.
        nodes: the newer nodes from which they start.
    """

    def __init__(self, tensor: Tensor, start: int) -> None:
        waiting = [edge_of(tensor)] if tensor.requires_grad else []
        seen: set[Any] = set()
        known: dict[tuple[int, int], Edge] = {}
        self.nodes: list[Any] = []
        while waiting:
            node = waiting.pop().node
            if node in seen:
                continue
            seen.add(node)
            outward = False
            for edge in node.next_edges:
                if edge is None or is_finished(edge.node):
                    continue
                if isinstance(edge.node, AccumulateGrad) or edge.node.sequence_number < start:
                    known[id(edge.node), edge.nr] = edge
                    outward = True
                else:
                    waiting.append(edge)
            if outward:
                self.nodes.append(node)
        self.edges, self.keys = list(known.values()), set(known)

    def gradients(self, values: Tensor, weights: Tensor, edges: list[Edge], create: bool) -> tuple[Any, ...]:
        """Return the gradients that arrive at edges, each without contributions through another edge.

        While the pass runs, the edges lead to leaves of their own.

        Args:
            values: the tensor of which this is the frontier.
            edges: some of the edges, or all.
            create: whether the gradients are recorded.
        """
        leaves = {key_of(edge): leaf_for(edge) for edge in self.edges}
        before = [(node, node.next_edges) for node in self.nodes]
        try:
            for node, edges_before in before:
                node.next_edges = tuple(
                    edge if edge is None or key_of(edge) not in leaves else edge_of(leaves[key_of(edge)])
                    for edge in edges_before
                )
            targets = [leaves[key_of(edge)] for edge in edges]
            return gradients_of(values, targets, weights, retain_graph=True, create_graph=create, allow_unused=True)
        finally:
            for node, edges_before in before:
                node.next_edges = edges_before


@contextmanager
def revived(edges: list[Edge]) -> Iterator[None]:
    """Count leaves of arguments of a differentiation as such although it has ended, as it has in its backward pass.

    Args:
        edges: edges to the tensors that a problem depended on when it was solved.
    """
    scopes = [getattr(edge.node.variable, "_scope_", None) for edge in edges if isinstance(edge.node, AccumulateGrad)]
    ended = [scope for scope in scopes if scope is not None and not scope.alive]
    for scope in ended:
        scope.alive = True
    try:
        yield
    finally:
        for scope in ended:
            scope.alive = False


def is_finished(node: Any) -> bool:
    """Return whether a node is the leaf of an argument of a differentiation that has ended."""
    if not isinstance(node, AccumulateGrad):
        return False
    scope = getattr(node.variable, "_scope_", None)
    return scope is not None and not scope.alive


def key_of(edge: Edge) -> tuple[int, int]:
    """Return the identity of the destination of an edge."""
    return id(edge.node), edge.nr


def leaf_for(edge: Edge) -> Tensor:
    """Return a leaf of the shape and dtype of the tensor that an edge belongs to."""
    return as_leaf(from_numpy(np.zeros(edge.shape, edge.dtype)))


def as_leaf(tensor: Tensor) -> Tensor:
    """Make a new tensor require its gradient, also inside of transforms, for internal passes."""
    tensor._flags_ |= flags.REQUIRES_GRAD
    return tensor


def stand_in(edge: Edge) -> Tensor:
    """Return a tensor of zeros whose gradient is sent along the edge of another tensor."""
    result = from_numpy(np.zeros(edge.shape, edge.dtype))
    result._edge_ = edge
    result._flags_ |= flags.REQUIRES_GRAD
    return result


class Problem:
    """An equation with the tensors that its solution depends on.

    Attributes:
        caller, matrix, equation: as in `implicit`.
        values: the values of the equation at the solution, with their history.
        frontier: the edges from their graph to older nodes.
    """

    def __init__(self, caller: str, matrix: str, equation: Equation, values: Tensor, frontier: Frontier) -> None:
        self.caller, self.matrix, self.equation = caller, matrix, equation
        self.values, self.frontier = values, frontier

    def again(self, at: Tensor) -> tuple[Tensor, Frontier]:
        """Return the values of the equation, differentiable with respect to the solution, too, and their frontier.

        Raises:
            RuntimeError: if the equation depends on other tensors than before.
        """
        start = current().sequence
        with enable_grad():
            values = self.equation(at).clone()
        frontier = Frontier(values, start)
        if frontier.keys - ({key_of(edge_of(at))} if at.requires_grad else set()) != self.frontier.keys:
            raise RuntimeError(CHANGED.format(self.caller))
        return values, frontier


class Implicit(Function):
    """The solution of an equation, as a function of the tensors that the equation depends on."""

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
    def backward(ctx: Any, grad: Any) -> Any:
        """Return -(∂G/∂θ)ᵀ λ with (∂G/∂x)ᵀ λ = grad."""
        problem: Problem = ctx.problem
        edges = problem.frontier.edges
        if grad is None:
            return (None,) * (2 + len(edges))
        (x,) = ctx.saved_tensors
        caller, matrix, equation = problem.caller, problem.matrix, problem.equation
        create, levels = current().grad, levels_of(problem.values)
        at, values, frontier = x.detach(), problem.values, problem.frontier
        with revived(edges):
            if create or levels:
                at = with_tangents(caller, matrix, equation, x, levels)
                values, frontier = problem.again(at)
            weights = -solved(caller, matrix, jacrev(equation)(at).mT, grad)
            return (None, None, *frontier.gradients(values, weights, edges, create))
