"""SciPy's solvers with exact derivatives: `minimize`, `root`, `least_squares`, `solve_ivp` of functions of tensors."""

from __future__ import annotations

from .fitting import curve_fit
from .integrate import solve_ivp
from .minimum import minimize
from .quadrature import fixed_quad, quad, quad_vec
from .systems import least_squares, root

__all__ = [
    "curve_fit",
    "fixed_quad",
    "least_squares",
    "minimize",
    "quad",
    "quad_vec",
    "root",
    "solve_ivp",
]
