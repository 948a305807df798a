"""Derivatives of the elements of a vector with respect to numbers, by one backward pass.

Operators that work element by element compute the gradient of an operand that was broadcast before it is summed. In a
graph of such operators only, the terms of the final sum are the derivatives of the single elements.

A gradient is a tensor times a number here. Factors that are the same for all elements, as parameters of a model are,
multiply the number, which costs no pass over memory; a rule of the operator runs where that does not suffice.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

import numpy as np

from .._core.backward.passes import edge_of
from .._core.graph.facts import without
from .._core.graph.node import Edge
from .._core.leaves.accumulate import AccumulateGrad
from .._core.operators.batch_rules import is_elementwise
from .._core.recording.recorded import unpack
from .._tensor import Tensor
from ..autograd.grad_mode import no_grad
from ..ops.create.interchange import from_numpy


class Scaled:
    """A gradient: the product of a tensor and a number.

    Attributes:
        tensor: the tensor; None stands for ones.
        factor: the number.
    """

    __slots__ = ("factor", "tensor")

    def __init__(self, tensor: Any, factor: Any) -> None:
        self.tensor, self.factor = tensor, factor

    def times(self, operand: Any, factor: Any = 1.0) -> Scaled:
        """Return the product with an operand, a tensor or a number, and a further number."""
        number = number_of(operand)
        if number is not None:
            return Scaled(self.tensor, self.factor * number * factor)
        return Scaled(operand if self.tensor is None else self.tensor * operand, self.factor * factor)

    def over(self, operand: Any) -> Scaled:
        """Return the quotient by an operand, a tensor or a number."""
        number = number_of(operand)
        if number is not None:
            with np.errstate(all="ignore"):
                return Scaled(self.tensor, self.factor / np.float64(number))
        return Scaled(operand.reciprocal() if self.tensor is None else self.tensor / operand, self.factor)

    def plus(self, other: Scaled) -> Scaled:
        """Return the sum with another gradient."""
        if self.tensor is other.tensor:
            return Scaled(self.tensor, self.factor + other.factor)
        if self.tensor is None:
            self, other = other, self
        if other.tensor is None:
            return Scaled(self.tensor * self.factor + other.factor, 1.0)
        if self.factor == other.factor:
            return Scaled(self.tensor + other.tensor, self.factor)
        return Scaled((self.tensor * self.factor).add(other.tensor, alpha=other.factor), 1.0)

    def write(self, row: Any) -> None:
        """Write the values to an array."""
        if self.tensor is None:
            row[...] = self.factor
        else:
            np.multiply(self.tensor._array_, self.factor, out=row)


Parts = tuple["Scaled | None", ...]


def unsummed(output: Tensor, variables: list[Tensor], start: int = 0) -> list[Scaled | None] | None:
    """Return the derivatives of the elements of a vector with respect to numbers, by one backward pass.

    Args:
        output: a vector.
        variables: 0-D leaves.
        start: sequence number of the first node that may lead to them.

    Returns:
        For each variable the derivatives, or None for zeros. None if an operator in the graph does not work element by
        element.
    """
    if output.ndim != 1 or not output.requires_grad:
        return None if output.ndim != 1 else [None] * len(variables)
    edge = edge_of(output)
    if isinstance(edge.node, AccumulateGrad):
        return None
    grads = {edge.node: (Scaled(None, 1.0), edge)}
    waiting = [(-edge.node.sequence_number, id(edge.node), edge.node)]  # newest first
    while waiting:
        node = heappop(waiting)[2]
        op = operator_of(node)
        if op is None or not is_elementwise(op):
            return None
        edges = without(node.next_edges, type(node).hidden_slots(node))
        grad, edge = grads.pop(node)
        with no_grad():
            parts = through(node, edges, grad, edge, output.shape)
            if parts is None:
                return None
            for edge, part in zip(edges, parts):
                if edge is None or part is None:
                    continue
                target, is_leaf = edge.node, isinstance(edge.node, AccumulateGrad)
                if not is_leaf and target.sequence_number < start:
                    continue
                known = grads.get(target)
                if known is None and not is_leaf:
                    heappush(waiting, (-target.sequence_number, id(target), target))
                grads[target] = (part if known is None else known[0].plus(part), edge)
    entries = [grads.get(edge_of(variable).node) for variable in variables]
    return [None if entry is None else entry[0] for entry in entries]


def through(node: Any, edges: tuple[Any, ...], grad: Scaled, edge: Edge, shape: tuple[int, ...]) -> Parts | None:
    """Return the gradients that a node sends along its edges.

    Args:
        node: the node.
        edges: its edges; None for operands without gradient.
        grad, edge: the gradient that has arrived, and the edge that it came along.
        shape: the shape of the gradients.

    Returns:
        For each edge the gradient, or None. None if a gradient has another shape.
    """
    rule = RULES.get(operator_of(node).name)
    if rule is not None and edge.dtype.kind == "f" and all(end is None or end.dtype == edge.dtype for end in edges):
        saved = {name: unpack(value, node) for name, value in zip(node.plan.names, node.saved)}
        parts = rule(grad, edges, saved) if fit(edge.dtype, saved) else None
        if parts is not None:
            return parts
    ones = grad.tensor is None
    seed = from_numpy(np.ones(shape, edge.dtype)) if ones else grad.tensor
    results = node(seed)
    sent: list[Scaled | None] = []
    for end, result in zip(edges, results if isinstance(results, tuple) else (results,)):
        if end is None or result is None:
            sent.append(None)
            continue
        if result.shape != shape:
            return None
        if result._array_.dtype.kind == "c" and end.dtype.kind != "c":
            result = result.real
        sent.append(Scaled(None if ones and result is seed else result, grad.factor))
    return tuple(sent)


def operator_of(node: Any) -> Any:
    """Return the operator of a node, for an in-place form that of the result; None for other nodes."""
    op = getattr(node, "op", None)
    return getattr(op, "functional", op)


def number_of(operand: Any) -> float | None:
    """Return the value of an operand that has one element; None if it has several."""
    if not isinstance(operand, Tensor):
        return float(operand)
    return float(operand._array_.reshape(())) if operand._array_.size == 1 else None


def fit(dtype: Any, saved: dict[str, Any]) -> bool:
    """Return whether saved values are real numbers, or tensors of the gradient's dtype."""
    for value in saved.values():
        if isinstance(value, Tensor):
            array = value._array_
            if array.dtype != dtype and (array.size != 1 or array.dtype.kind not in "fiu"):
                return False
    return True


def add_parts(grad: Scaled, edges: Any, saved: Any) -> Parts | None:
    """Return the gradients of the operands of a sum."""
    return grad, None if edges[1] is None else grad.times(saved["alpha"])


def sub_parts(grad: Scaled, edges: Any, saved: Any) -> Parts | None:
    """Return the gradients of the operands of a difference."""
    return grad, None if edges[1] is None else grad.times(-saved["alpha"])


def rsub_parts(grad: Scaled, edges: Any, saved: Any) -> Parts | None:
    """Return the gradients of the operands of a reversed difference, of which the second may be a number."""
    return (None if edges[0] is None else grad.times(-saved["alpha"]), grad)[: len(edges)]


def mul_parts(grad: Scaled, edges: Any, saved: Any) -> Parts | None:
    """Return the gradients of the operands of a product."""
    return (
        None if edges[0] is None else grad.times(saved["other"]),
        None if edges[1] is None else grad.times(saved["self"]),
    )


def divide_parts(grad: Scaled, edges: Any, saved: Any) -> Parts | None:
    """Return the gradients of the operands of a quotient."""
    dividend = grad.over(saved["other"])
    return dividend, None if edges[1] is None else dividend.times(saved["self"], -1.0).over(saved["other"])


def negate_parts(grad: Scaled, edges: Any, saved: Any) -> Parts | None:
    """Return the gradient of the operand of a negation."""
    return (grad.times(-1.0),)


def exp_parts(grad: Scaled, edges: Any, saved: Any) -> Parts | None:
    """Return the gradient of the operand of the exponential function."""
    return (grad.times(saved["out"]),)


def square_parts(grad: Scaled, edges: Any, saved: Any) -> Parts | None:
    """Return the gradient of the operand of a square."""
    return (grad.times(saved["self"], 2.0),)


def power_parts(grad: Scaled, edges: Any, saved: Any) -> Parts | None:
    """Return the gradients of a square, or of a power to one exponent, whose base and result are normal numbers."""
    base, exponent, result = saved["self"], saved["exponent"], saved.get("out")
    if not isinstance(exponent, Tensor) and exponent == 2:
        return (grad.times(base, 2.0), None)[: len(edges)]
    if result is None or not isinstance(base, Tensor) or number_of(exponent) is None:
        return None
    if not (is_normal(base) and is_normal(result)):
        return None
    grad = grad.times(result)
    return (
        None if edges[0] is None else grad.times(exponent).over(base),
        None if edges[1] is None else grad.times(base.log()),
    )


def is_normal(tensor: Tensor) -> bool:
    """Return whether all elements are positive normal numbers."""
    least, largest = tensor.aminmax()
    limits = np.finfo(tensor._array_.dtype)
    return bool(least._array_ >= limits.smallest_normal and largest._array_ <= limits.max)


RULES: dict[str, Callable[[Scaled, Any, Any], Parts | None]] = {
    "add": add_parts,
    "sub": sub_parts,
    "rsub": rsub_parts,
    "mul": mul_parts,
    "true_divide": divide_parts,
    "neg": negate_parts,
    "exp": exp_parts,
    "square": square_parts,
    "pow": power_parts,
}
"""Gradients of operators whose factors are operands or results: functions of the gradient, the edges and the saved
values, which return None where the operator's own rule is needed."""
