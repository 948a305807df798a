"""Fixed points, differentiated without the steps of the iteration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..extend import defvjp, primitive
from ..operators import make_vjp


@primitive
def fixed_point(f: Any, a: Any, x0: Any, distance: Callable[[Any, Any], Any], tol: float) -> Any:
    """Return the fixed point x = f(a)(x) reached from `x0`, differentiable with respect to `a`.

    Args:
        f: returns a function from points to points for parameters `a`.
        a: the parameters.
        x0: initial point.
        distance: distance of two points; the iteration ends when it is less than `tol`.
        tol: see `distance`.

    Source: the implicit function theorem: u = g + (df/dx)' u is a fixed point itself, and the gradient is (df/da)' u.
    """
    step = f(a)
    x, last = step(x0), x0
    while distance(x, last) > tol:
        x, last = step(x), x
    return x


def fixed_point_vjp(ans: Any, f: Any, a: Any, x0: Any, distance: Any, tol: float) -> Any:
    """Return the gradient with respect to the parameters."""

    def vjp(g: Any) -> Any:
        def adjoint(arguments: Any) -> Any:
            back = make_vjp(lambda x: f(arguments[0])(x))(arguments[1])[0]
            return lambda u: arguments[2] + back(u)

        u = fixed_point(adjoint, (a, ans, g), g, distance, tol)
        return make_vjp(lambda a: f(a)(ans))(a)[0](u)

    return vjp


defvjp(fixed_point, None, fixed_point_vjp, None)
