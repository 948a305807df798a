"""`minimize`: SciPy's, with exact gradients, Hessians and their products."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .constraints import opened_constraints
from .evaluated import Evaluated
from .vectors import Vector, flat, matrix, scipy_module

MINIMIZE = "minimize"
WITHOUT_GRADIENT = ("nelder-mead", "powell", "cobyla", "cobyqa")
WITH_PRODUCT = ("newton-cg", "trust-ncg", "trust-krylov", "trust-constr", "")
WITH_DENSE_HESSIAN = ("dogleg", "trust-exact")
WITH_SPARSE_HESSIAN = ("newton-cg", "trust-constr")
"""Methods by what they take; "" is one that the program brings along."""


def minimize(
    fun: Callable[..., Any],
    x0: Any,
    args: Any = (),
    method: Any = None,
    jac: Any = None,
    hess: Any = None,
    hessp: Any = None,
    bounds: Any = None,
    constraints: Any = (),
    tol: float | None = None,
    callback: Callable[..., Any] | None = None,
    options: dict[str, Any] | None = None,
    *,
    sparsity: Any = None,
) -> Any:
    """Minimise a function of tensors: `scipy.optimize.minimize` with exact derivatives.

    Methods that take them are given the gradient, and the Hessian or products of it with vectors.

    Args:
        fun: gives one number; called with `x0`'s container of float64 tensors, and `args`.
        x0: where to start: a tensor, or containers of tensors (dictionaries, lists, tuples, named tuples); or whatever
            SciPy takes, for which `fun` is given one tensor with one dimension.
        jac, hess, hessp: None for exact derivatives. Otherwise as in SciPy; functions are given containers.
        constraints: as in SciPy. Their functions are given containers; Jacobians, and for "trust-constr" Hessians, are
            exact unless they are functions or strategies of the program's own ("2-point" and `BFGS`, SciPy's defaults,
            do not count as such). `finite_diff_jac_sparsity` makes the Jacobian a sparse array.
        callback: is given containers.
        method, bounds, tol, options: as in SciPy, for flat vectors: all tensors one after the other.
        sparsity: the pattern of the Hessian (see `func.sparse_hessian`), or "find" to have it found at the start, for
            the methods that use the Hessian: it is computed from few products, and given to "Newton-CG" and
            "trust-constr" as a sparse array.

    Returns:
        SciPy's result; `x` is a container as `x0`, of tensors of float64, if that holds tensors.

    Raises:
        ImportError: SciPy is not installed.
        TypeError: `x0` or what `fun` returns holds something other than real numbers.
        ValueError: `sparsity` is given to a method that does not use it, or does not fit; or SciPy refuses something.

    >>> import wengert as wg
    >>> start = {"a": wg.zeros(2), "b": wg.tensor(1.0)}
    >>> found = wg.scipy.minimize(lambda p: ((p["a"] - 3) ** 2).sum() + (p["b"] + 1) ** 2, start, method="Newton-CG")
    >>> found.x["a"], found.x["b"], found.nfev
    (tensor([3., 3.], dtype=torch.float64), tensor(-1., dtype=torch.float64), 2)
    """
    optimize = scipy_module(MINIMIZE, "optimize")
    vector = Vector(MINIMIZE, "x0", x0)
    given = args if isinstance(args, tuple) else (args,)
    if method is not None and not isinstance(method, str) and not callable(method):
        raise TypeError(f"{MINIMIZE}: expected method to be a name or a function, but got {type(method).__name__}")
    name = "" if callable(method) else (method or "bfgs").lower()
    value, derivatives = functions_for(name, fun, vector, given, jac, hess, hessp, sparsity)
    found = optimize.minimize(
        value,
        vector.start,
        method=method,
        bounds=bounds,
        constraints=opened_constraints(MINIMIZE, vector, constraints, name),
        tol=tol,
        callback=opened_callback(vector, callback),
        options=options,
        **derivatives,
    )
    if hasattr(found, "x"):  # methods of the program may return anything
        found.x = vector.result(found.x)
    return found


def functions_for(
    method: str, fun: Any, vector: Vector, args: tuple[Any, ...], jac: Any, hess: Any, hessp: Any, sparsity: Any
) -> tuple[Any, dict[str, Any]]:
    """What SciPy is given for a function and its derivatives.

    Raises:
        ValueError: there is a pattern, but the method does not use the exact Hessian.
    """
    exact = jac is None and method not in WITHOUT_GRADIENT
    second = (exact or callable(jac)) and hess is None and hessp is None
    whole = method in WITH_DENSE_HESSIAN or (sparsity is not None and method in WITH_SPARSE_HESSIAN)
    second = second and (whole or method in WITH_PRODUCT)
    if sparsity is not None and not second:
        raise ValueError(
            f"{MINIMIZE}: sparsity is the pattern of the exact Hessian, which method {method!r} does not use with "
            "these arguments; leave it out, or take 'Newton-CG' or 'trust-constr'"
        )
    function = Evaluated(MINIMIZE, "fun", fun, vector, args, hessian_sparsity=sparsity, second=exact and second)
    given = {
        "jac": function.gradient if exact else opened(vector, jac, args, "jac"),
        "hess": opened(vector, hess, args, "hess"),
        "hessp": opened_product(vector, hessp, args),
    }
    if second and whole:
        given["hess"] = function.hessian
        if sparsity is not None and method in WITH_DENSE_HESSIAN:
            given["hess"] = lambda x: function.hessian(x).toarray()
    elif second:
        given["hessp"] = function.product
    return opened_pair(vector, fun, args) if jac is True else function.number, given


def opened(vector: Vector, function: Any, args: tuple[Any, ...], name: str) -> Any:
    """A function of the program's own as SciPy calls it; what is none stays."""
    if not callable(function):
        return function
    if name == "hess":
        return lambda x: matrix(function(vector.container(x), *args))
    return lambda x: flat(MINIMIZE, name, function(vector.container(x), *args))


def opened_pair(vector: Vector, function: Any, args: tuple[Any, ...]) -> Any:
    """A function that gives the value and the gradient (`jac=True`)."""

    def pair(x: Any) -> Any:
        value, gradient = function(vector.container(x), *args)
        return float(flat(MINIMIZE, "fun", value)[0]), flat(MINIMIZE, "fun", gradient)

    return pair


def opened_product(vector: Vector, function: Any, args: tuple[Any, ...]) -> Any:
    """A product with the Hessian of the program's own."""
    if not callable(function):
        return function
    both = vector.container
    return lambda x, along: flat(MINIMIZE, "hessp", function(both(x), both(along), *args))


def opened_callback(vector: Vector, callback: Any) -> Any:
    """A callback that is given containers, in the form that its parameters ask for."""
    if callback is None or vector.structure is None:
        return callback
    if set(inspect.signature(callback).parameters) == {"intermediate_result"}:

        def with_result(intermediate_result: Any) -> Any:
            shown = type(intermediate_result)(intermediate_result)
            shown.x = vector.result(shown.x)
            return callback(intermediate_result=shown)

        return with_result
    return lambda x, *state: callback(vector.result(x), *state)
