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
    take it as any other function. Its Jacobian and the Jacobian's Jacobian are exact, and CasADi knows their structure.

    Args:
        func: called with a container as `example` of float64 tensors; returns tensors, or containers of them.
        example: a point: tensors, arrays and numbers, as for `minimize`; patterns are determined there.
        name: the name in CasADi.
        jacobian_sparsity, hessian_sparsity: the pattern of the Jacobian, of shape (m, n), and that of the Hessian of
            the sum of the results, (n, n), as arrays; or "find" to determine them.

    Returns:
        The callback. Keep a reference to it as long as objects built from it are used.

    Raises:
        ImportError: if CasADi is not installed.
        TypeError: if `example` or a result of `func` holds values other than real numbers.
    """
    try:
        casadi = load("casadi")
    except ImportError as error:
        raise ImportError(f"{CASADI} needs CasADi: pip install casadi") from error
    vector = Vector(CASADI, "example", example)
    function = Evaluated(
        CASADI, "func", func, vector, jacobian_sparsity=jacobian_sparsity, hessian_sparsity=hessian_sparsity
    )
    return Derivatives(casadi, function, np.array(vector.start, np.float64)).callback(name)


class Derivatives:
    """The values of a function and its first two derivatives in CasADi's form.

    Attributes:
        casadi: the package; `level`: the class of callbacks.
        function: the function.
        n, m: numbers of variables and results.
        rows, columns: positions of the elements of the Jacobian that can differ from zero.
        second: the same for the Jacobian of the Jacobian: rows, columns, results, positions in their Hessians.
        kept: callbacks that CasADi has requested.
    """

    def __init__(self, casadi: Any, function: Evaluated, start: Any) -> None:
        self.casadi, self.function, self.level = casadi, function, level_class(casadi)
        self.n, self.m = start.size, function.value(start).size
        self.rows, self.columns = places(function, "jacobian", start)
        self.second = second_places(self.rows, self.columns, places(function, "hessian", start), self.m)
        sparsity = casadi.Sparsity
        self.column, self.dense = sparsity.dense(self.n, 1), sparsity.dense(self.m, 1)
        self.first = sparsity.triplet(self.m, self.n, self.rows.tolist(), self.columns.tolist())
        self.bends = sparsity.triplet(self.m * self.n, self.n, self.second[0].tolist(), self.second[1].tolist())
        self.none = sparsity(self.m * self.n, self.m)
        self.kept: list[Any] = []

    def callback(self, name: str) -> Any:
        """Return the function itself."""
        return self.level(name, [self.column], [self.dense], self.values, self.jacobian, [self.first])

    def jacobian(self, name: str) -> Any:
        """Return the Jacobian, a function of the point and the results."""
        inputs, patterns = [self.column, self.dense], [self.bends, self.none]
        self.kept.append(
            self.level(name, inputs, [self.first], self.jacobian_values, self.jacobian_of_jacobian, patterns)
        )
        return self.kept[-1]

    def jacobian_of_jacobian(self, name: str) -> Any:
        """Return the Jacobian of the Jacobian, a function of the point, the results and the Jacobian."""
        inputs = [self.column, self.casadi.Sparsity(self.m, 1), self.first]
        self.kept.append(self.level(name, inputs, [self.bends, self.none], self.curvatures, None, []))
        return self.kept[-1]

    def values(self, x: Any) -> list[Any]:
        """Return the results."""
        return [self.casadi.DM(self.function.value(x).reshape(-1, 1))]

    def jacobian_values(self, x: Any) -> list[Any]:
        """Return the Jacobian."""
        numbers = elements(self.function.jacobian(x), self.rows, self.columns)
        return [self.casadi.DM.triplet(self.rows.tolist(), self.columns.tolist(), numbers, self.m, self.n)]

    def curvatures(self, x: Any) -> list[Any]:
        """Return the derivative of the Jacobian with respect to the point, and with respect to the results."""
        rows, columns, results, inside = self.second
        numbers = np.zeros(len(rows))
        for result in range(self.m):
            chosen = results == result
            if chosen.any():
                hessian = self.function.hessian(x, np.eye(self.m)[result])
                numbers[chosen] = elements(hessian, inside[chosen], columns[chosen])
        shape = (self.m * self.n, self.n)
        matrix = self.casadi.DM.triplet(rows.tolist(), columns.tolist(), numbers, *shape)
        return [matrix, self.casadi.DM(self.none)]


def level_class(casadi: Any) -> Any:
    """Return the class of callbacks: functions of a point, whose values and Jacobian other functions compute."""

    class Level(casadi.Callback):  # type: ignore[misc, name-defined]
        """A function of a point, and of further arguments that it does not use."""

        def __init__(self, name: str, inputs: Any, outputs: Any, values: Any, further: Any, patterns: Any) -> None:
            casadi.Callback.__init__(self)
            self.inputs, self.outputs, self.values = inputs, outputs, values
            self.further, self.patterns = further, patterns
            self.construct(name, {})

        get_n_in = lambda self: len(self.inputs)  # noqa: E731
        get_n_out = lambda self: len(self.outputs)  # noqa: E731
        get_sparsity_in = lambda self, at: self.inputs[at]  # noqa: E731
        get_sparsity_out = lambda self, at: self.outputs[at]  # noqa: E731
        has_jac_sparsity = lambda self, result, argument: bool(self.patterns)  # noqa: E731
        get_jac_sparsity = lambda self, result, argument, symmetric: self.patterns[argument]  # noqa: E731
        has_jacobian = lambda self: self.further is not None  # noqa: E731
        get_jacobian = lambda self, name, inputs, outputs, options: self.further(name)  # noqa: E731
        eval = lambda self, arguments: self.values(np.array(arguments[0]).ravel())  # noqa: E731

    return Level


def second_places(rows: Any, columns: Any, bends: tuple[Any, Any], m: int) -> tuple[Any, Any, Any, Any]:
    """Return the positions where the derivative of the Jacobian, flattened by columns, can differ from zero.

    Returns:
        Rows and columns; for each the index of the result whose Hessian it belongs to, and its row in this Hessian.
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
    return table[0], table[1], table[2], table[3]
