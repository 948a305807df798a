"""Functions of tensors as functions of CasADi, with exact sparse first and second derivatives.

CasADi: J. Andersson et al., "CasADi: a software framework for nonlinear optimization and optimal control",
Mathematical Programming Computation 11, 2019.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .._start.loading import load
from .evaluated import Evaluated
from .ipopt import elements, places
from .vectors import Vector

CASADI = "casadi_function"


def casadi_function(
    func: Callable[[Any], Any],
    example: Any,
    *,
    name: str = "f",
    jacobian_sparsity: Any = "find",
    hessian_sparsity: Any = "find",
) -> Any:
    """Return a function of tensors as a `casadi.Callback`.

    It takes a column of n numbers and returns a column of m numbers; CasADi's symbols, `nlpsol`, `Opti` and integrators
    take it as any other function. Its Jacobian, and the Jacobian of that, are exact, and their structure is known to
    CasADi.

    Args:
        func: called with a container as `example` of float64 tensors; returns tensors, or containers of them.
        example: a point: tensors, arrays and numbers, as for `minimize`; patterns are determined there.
        name: the name in CasADi.
        jacobian_sparsity, hessian_sparsity: the pattern of the Jacobian, of shape (m, n), and that of the Hessian of
            the sum of the results, (n, n), as arrays; or "find" to determine them.

    Returns:
        The callback. Keep it for as long as anything that is built from it is used.

    Raises:
        ImportError: if CasADi is not installed.
        TypeError: if `example` or what `func` returns holds something other than real numbers.
    """
    try:
        casadi = load("casadi")
    except ImportError as error:
        raise ImportError(f"{CASADI} needs CasADi: pip install casadi") from error
    vector = Vector(CASADI, "example", example)
    function = Evaluated(
        CASADI, "func", func, vector, jacobian_sparsity=jacobian_sparsity, hessian_sparsity=hessian_sparsity
    )
    return levels(casadi, function, np.array(vector.start, np.float64), name)


def levels(casadi: Any, function: Evaluated, start: Any, name: str) -> Any:
    """Return the callback with its Jacobian, and the Jacobian of that."""
    n, m = start.size, function.value(start).size
    rows, columns = places(function, "jacobian", start)
    bends = places(function, "hessian", start)
    column, dense = casadi.Sparsity.dense(n, 1), casadi.Sparsity.dense(m, 1)
    first = casadi.Sparsity.triplet(m, n, rows.tolist(), columns.tolist())

    class Level(casadi.Callback):  # type: ignore[misc, name-defined]
        """A function of a point, and of results that it does not need."""

        def __init__(
            self, label: str, inputs: list[Any], outputs: list[Any], values: Any, further: Any, patterns: list[Any]
        ) -> None:
            casadi.Callback.__init__(self)
            self.inputs, self.outputs, self.values, self.further = inputs, outputs, values, further
            self.patterns = patterns
            self.made: list[Any] = []
            self.construct(label, {})

        def get_n_in(self) -> int:
            return len(self.inputs)

        def get_n_out(self) -> int:
            return len(self.outputs)

        def get_sparsity_in(self, at: int) -> Any:
            return self.inputs[at]

        def get_sparsity_out(self, at: int) -> Any:
            return self.outputs[at]

        def eval(self, arguments: Any) -> list[Any]:
            return self.values(np.array(arguments[0]).ravel())

        def has_jac_sparsity(self, result: int, argument: int) -> bool:
            return bool(self.patterns)

        def get_jac_sparsity(self, result: int, argument: int, symmetric: bool) -> Any:
            return self.patterns[argument]

        def has_jacobian(self) -> bool:
            return self.further is not None

        def get_jacobian(self, label: str, inputs: Any, outputs: Any, options: Any) -> Any:
            self.made.append(self.further(label))
            return self.made[-1]

    def values(x: Any) -> list[Any]:
        return [casadi.DM(function.value(x).reshape(-1, 1))]

    def slopes(x: Any) -> list[Any]:
        matrix = casadi.DM.triplet(rows.tolist(), columns.tolist(), elements(function.jacobian(x), rows, columns), m, n)
        return [matrix]

    second_rows, second_columns, of, at = second_places(rows, columns, bends, m)
    second = casadi.Sparsity.triplet(m * n, n, second_rows.tolist(), second_columns.tolist())
    none = casadi.Sparsity(m * n, m)

    def curvatures(x: Any) -> list[Any]:
        found = np.zeros(len(of))
        for result in range(m):
            chosen = of == result
            if chosen.any():
                weights = np.zeros(m)
                weights[result] = 1.0
                found[chosen] = elements(function.hessian(x, weights), at[0][chosen], at[1][chosen])
        return [casadi.DM.triplet(second_rows.tolist(), second_columns.tolist(), found, m * n, n), casadi.DM(none)]

    def of_slopes(label: str) -> Any:
        return Level(label, [column, casadi.Sparsity(m, 1), first], [second, none], curvatures, None, [])

    def of_values(label: str) -> Any:
        return Level(label, [column, dense], [first], slopes, of_slopes, [second, none])

    return Level(name, [column], [dense], values, of_values, [first])


def second_places(rows: Any, columns: Any, bends: tuple[Any, Any], m: int) -> tuple[Any, Any, Any, tuple[Any, Any]]:
    """Return where the derivative of the Jacobian, its elements column by column, can differ from zero.

    Returns:
        Rows and columns there; for each the result whose Hessian it is of, and its place in that.
    """
    known: dict[int, list[int]] = {}
    for row, column in zip(bends[0].tolist(), bends[1].tolist()):
        known.setdefault(row, []).append(column)
    entries = [
        (row + m * column, other, row, column)
        for row, column in zip(rows.tolist(), columns.tolist())
        for other in known.get(column, ())
    ]
    table = np.array(entries, np.int64).reshape(-1, 4).T
    return table[0], table[1], table[2], (table[3], table[1])
