"""Results of SciPy's solvers, for type checkers."""

from __future__ import annotations

from typing import Any, Protocol


class Solution(Protocol):
    """A result of SciPy's solvers (`OptimizeResult`); its fields depend on solver and method.

    Attributes:
        x: the solution, a container as the initial point.
        success, status, message: whether and why the solver stopped.
        nfev, njev, nhev, nit: numbers of evaluations and iterations.
        fun: the value of the function at the solution.
        jac, hess: its derivatives there.
    """

    x: Any
    success: bool
    status: int
    message: str
    nfev: int
    njev: int
    nhev: int
    nit: int
    fun: Any
    jac: Any
    hess: Any

    def __getitem__(self, name: str) -> Any: ...

    def __getattr__(self, name: str) -> Any: ...
