"""A function of tensors as functions of flat vectors for SciPy's solvers: values and derivatives.

The function runs and is recorded once for each point. Its value, gradient, Jacobian, Hessian and their products are
computed from this record, although solvers request them separately.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np

from .._core.tensor.tangents import is_dual
from .._tensor import Tensor
from ..autograd.variables import Scope, gradients
from ..func.sparse.derivatives import Plan, check_shape, check_symmetric, hessian_plan, jacobian_plan, read_pattern
from ..func.sparse.patterns import hessian_sparsity, jacobian_sparsity
from ..func.sparse.products import joined, pulled, pushed, split
from ..ops.shapes.join import cat
from .vectors import Vector

FIND = "find"
"""Value of a sparsity option: determine the pattern automatically."""


class Record:
    """Record of one run of a function.

    Attributes:
        point, before: the flat vector and the arguments before it.
        variables, outputs: arguments and results of the function.
        grads: gradient of a weighted sum of the outputs, recorded, and its `weights`; empty if not computed yet.
        known: computed derivatives.
        scope: the run.
    """

    def __init__(
        self, point: Any, before: tuple[Any, ...], variables: list[Tensor], outputs: list[Tensor], scope: Scope
    ) -> None:
        self.point, self.before = point, before
        self.variables, self.outputs = variables, outputs
        self.count = sum(output._array_.size for output in outputs)
        self.grads: list[Tensor] = []
        self.weights: Any = None
        self.known: dict[str, Any] = {}
        self.scope = scope

    def is_at(self, point: Any, before: tuple[Any, ...]) -> bool:
        """Return whether the record is that of a point."""
        return self.before == before and np.array_equal(self.point, point)

    def record_grads(self, weights: Any = None) -> list[Tensor]:
        """Return the gradient of the weighted sum of all outputs, recorded."""
        wanted = np.ones(self.count) if weights is None else weights
        if not self.grads or not np.array_equal(self.weights, wanted):
            self.weights = np.array(wanted)
            self.grads = gradients(self.outputs, self.variables, split(wanted, self.outputs), True, True)
            self.known.pop("hessian", None)
        return self.grads


class Evaluated:
    """A function with the records of its latest points.

    Attributes:
        caller, name: names for error messages.
        func: called with the arguments `before` the vector, the container, and `args`.
        vector: conversion between flat vectors and containers.
        patterns: sparsity patterns of the Jacobian and the Hessian for sparse results: an array, or "find".
        second: whether second derivatives will be needed, so that gradients are recorded at once.
        records: the latest runs: trust-region methods return to the previous point when they reject a step.
    """

    def __init__(
        self,
        caller: str,
        name: str,
        func: Callable[..., Any],
        vector: Vector,
        args: tuple[Any, ...] = (),
        *,
        jacobian_sparsity: Any = None,
        hessian_sparsity: Any = None,
        second: bool = False,
    ) -> None:
        if not callable(func):
            raise TypeError(f"{caller}: expected {name} to be a function, but got {type(func).__name__}")
        self.caller, self.name, self.func, self.vector, self.args = caller, name, func, vector, args
        self.patterns = {
            "jacobian": read_sparsity(caller, jacobian_sparsity),
            "hessian": read_sparsity(caller, hessian_sparsity),
        }
        self.plans: dict[str, Plan] = {}
        self.second = second
        self.records: deque[Record] = deque(maxlen=2)

    def taken(self) -> Evaluated:
        """Return a copy with the records, and forget function, arguments and records here.

        SciPy may keep its functions alive in reference cycles, which must hold no graph and no tensor.
        """
        result = copy(self)
        self.func, self.args, self.records = print, (), deque()
        return result

    def run(self, elements: list[Any], before: tuple[Any, ...] = ()) -> list[Tensor]:
        """Return the outputs of the function."""
        value = self.func(*before, self.vector.opened(elements), *self.args)
        return self.vector.outputs(self.caller, self.name, value)

    def at(self, x: Any, before: tuple[Any, ...] = ()) -> Record:
        """Return the record of the run at a point.

        Raises:
            TypeError: if the point is complex.
        """
        for record in self.records:
            if record.is_at(x, before):
                return record
        if np.iscomplexobj(x):
            raise TypeError(f"{self.caller}: {self.name} takes real numbers; omit jac='cs', its derivatives are exact")
        with Scope() as scope:
            variables = [scope.variable(element) for element in self.vector.tensors(x)]
            outputs = self.run(variables, before)
        record_of_point = Record(np.array(x, np.float64), before, variables, outputs, scope)
        self.records.appendleft(record_of_point)
        return record_of_point

    def value(self, x: Any, before: tuple[Any, ...] = ()) -> Any:
        """Return all outputs as one vector."""
        return joined(self.at(x, before).outputs).astype(np.float64)

    def flat(self, x: Tensor) -> Tensor:
        """Return all outputs as one vector of float64, by recorded operations on a flat vector."""
        outputs = [output.reshape(-1).double() for output in self.run(self.vector.elements(x))]
        result: Tensor = outputs[0] if len(outputs) == 1 else cat(outputs)
        return result

    def is_followed(self, x: Any, before: tuple[Any, ...] = ()) -> bool:
        """Return whether the solution `x` has derivatives: the outputs depend on other tensors than `x`."""
        record = self.at(np.asarray(x), before)
        return any(map(is_dual, record.outputs)) or (record.scope.recording and record.scope.outlives(record.outputs))

    def number(self, x: Any) -> Any:
        """Return the value of a function of one result; SciPy refuses several results."""
        value = self.value(x)
        return float(value[0]) if value.size == 1 else value

    def gradient(self, x: Any) -> Any:
        """Return the gradient of a function of one result."""
        record = self.at(x)
        if "gradient" not in record.known:
            if self.second:
                record.known["gradient"] = joined(record.record_grads())
            else:
                record.known["gradient"] = pulled(record.outputs, record.variables, np.ones((1, record.count)))[0]
        return record.known["gradient"].copy()

    def product(self, x: Any, along: Any, weights: Any = None) -> Any:
        """Return the Hessian of the (weighted) sum of all outputs, times a vector."""
        if self.patterns["hessian"] is not None:
            return self.hessian(x, weights) @ along
        record = self.at(x)
        return pulled(record.record_grads(weights), record.variables, np.reshape(along, (1, -1)))[0]

    def hessian(self, x: Any, weights: Any = None) -> Any:
        """Return the Hessian of the (weighted) sum of all outputs."""
        record = self.at(x)
        grads = record.record_grads(weights)
        if "hessian" not in record.known:
            plan = self.planned("hessian", record)
            sums = pulled(grads, record.variables, np.eye(record.point.size) if plan is None else plan.seeds.T)
            record.known["hessian"] = sums if plan is None else plan.matrix(sums.T)
        return record.known["hessian"].copy()

    def jacobian(self, x: Any, before: tuple[Any, ...] = ()) -> Any:
        """Return the Jacobian of all outputs: rows by reverse mode, or columns by forward mode if they are fewer."""
        record = self.at(x, before)
        if "jacobian" not in record.known:
            plan, columns = self.planned("jacobian", record), record.point.size
            by_rows = record.count <= columns if plan is None else plan.by_rows
            seeds = np.eye(record.count if by_rows else columns) if plan is None else plan.seeds
            if by_rows:
                sums = pulled(record.outputs, record.variables, seeds.T)
                sums = sums if plan is None else sums.T
            else:
                sums = pushed(lambda elements: self.run(elements, before), self.vector.tensors(x), seeds)
            record.known["jacobian"] = (sums if plan is None else plan.matrix(sums)).astype(np.float64)
        return record.known["jacobian"].copy()

    def planned(self, which: str, record: Record) -> Plan | None:
        """Return the plan by which the "jacobian" or "hessian" is computed from few products; None for a dense result.

        Raises:
            ValueError: if the pattern has another shape.
        """
        pattern = self.patterns[which]
        if pattern is None or which in self.plans:
            return self.plans.get(which)
        elements, places = self.vector.tensors(record.point), tuple(range(len(self.vector.like)))
        count = record.point.size
        if which == "jacobian":
            if isinstance(pattern, str):
                pattern = jacobian_sparsity(
                    lambda *values: self.run(list(values), record.before), *elements, argnums=places
                )
            check_shape(self.caller, pattern, (record.count, count), f"results of {self.name}, variables")
            self.plans[which] = jacobian_plan(pattern)
        else:
            if isinstance(pattern, str):
                pattern = hessian_sparsity(lambda *values: total(self.run(list(values))), *elements, argnums=places)
            check_shape(self.caller, pattern, (count, count), "variables, twice")
            check_symmetric(self.caller, pattern)
            self.plans[which] = hessian_plan(pattern)
        return self.plans[which]


def total(outputs: list[Tensor]) -> Any:
    """Return the sum of all elements of tensors."""
    return sum((output.sum() for output in outputs[1:]), outputs[0].sum())


def read_sparsity(caller: str, sparsity: Any) -> Any:
    """Read a sparsity option: a pattern, "find" or None.

    Raises:
        ValueError: if `sparsity` is another string.
    """
    if sparsity is None or (isinstance(sparsity, str) and sparsity == FIND):
        return sparsity
    if isinstance(sparsity, str):
        raise ValueError(f"{caller}: expected the sparsity to be an array, 'find' or None, but got {sparsity!r}")
    return read_pattern(caller, sparsity)
