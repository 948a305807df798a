"""Fixed points, differentiated without the steps that led to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..extend import defvjp, primitive
from ..operators import make_vjp


@primitive
def fixed_point(f: Any, a: Any, x0: Any, distance: Callable[[Any, Any], Any], tol: float) -> Any:
    """The point x = f(a)(x) that iteration from `x0` leads to, differentiable by `a`.

    Args:
        f: gives for parameters `a` a function from points to points.
        a: the parameters.
        x0: where the iteration begins.
        distance: of two points; the iteration ends when it is less than `tol`.
        tol: see `distance`.

    Source: the implicit function theorem: u = g + (df/dx)' u is a fixed point itself, and the gradient is (df/da)' u.
    """
    step = f(a)
    x, last = step(x0), x0
    while distance(x, last) > tol:
        x, last = step(x), x
    return x


def fixed_point_vjp(ans: Any, f: Any, a: Any, x0: Any, distance: Any, tol: float) -> Any:
    """The gradient of the parameters."""

    def vjp(g: Any) -> Any:
        def adjoint(given: Any) -> Any:
            back = make_vjp(lambda x: f(given[0])(x))(given[1])[0]
            return lambda u: given[2] + back(u)

        u = fixed_point(adjoint, (a, ans, g), g, distance, tol)
        return make_vjp(lambda a: f(a)(ans))(a)[0](u)

    return vjp


defvjp(fixed_point, None, fixed_point_vjp, None)
