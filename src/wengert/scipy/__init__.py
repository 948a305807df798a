"""SciPy's solvers, integrals and interpolation with exact derivatives and differentiable results."""

from __future__ import annotations

from .bsplines import BSpline, make_interp_spline
from .casadi import casadi_function
from .fitting import curve_fit
from .integrate import solve_ivp
from .interpolation import CubicSpline, PchipInterpolator, interp1d
from .ipopt import minimize_ipopt
from .minimum import minimize
from .quadrature import fixed_quad, quad, quad_vec
from .systems import least_squares, root

__all__ = [
    "BSpline",
    "CubicSpline",
    "PchipInterpolator",
    "casadi_function",
    "curve_fit",
    "fixed_quad",
    "interp1d",
    "least_squares",
    "make_interp_spline",
    "minimize",
    "minimize_ipopt",
    "quad",
    "quad_vec",
    "root",
    "solve_ivp",
]
