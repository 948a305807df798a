"""`minimize` of SciPy with exact gradients, Hessians and their products."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .constraints import opened_constraints
from .evaluated import Evaluated
from .kkt import minimum_under
from .vectors import Vector, flat, matrix, scipy_module

if TYPE_CHECKING:
    from .results import Solution

MINIMIZE = "minimize"
WITHOUT_GRADIENT = ("nelder-mead", "powell", "cobyla", "cobyqa")
WITH_PRODUCT = ("newton-cg", "trust-ncg", "trust-krylov", "trust-constr", "")
WITH_DENSE_HESSIAN = ("dogleg", "trust-exact")
WITH_SPARSE_HESSIAN = ("newton-cg", "trust-constr")
"""Methods by the derivatives that they use; "" is a user-defined method."""


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
) -> Solution:
    """Minimise a function of tensors: `scipy.optimize.minimize` with exact derivatives.

    Methods that use derivatives get the gradient, and the Hessian or its products with vectors.

    Args:
        fun: returns one number; called with a container as `x0` of float64 tensors, and `args`.
        x0: initial point: a tensor, or containers (dictionaries, lists, tuples, named tuples) of tensors, arrays and
            numbers; or an array or list of numbers, for which `fun` is called with one 1-D tensor.
        jac, hess, hessp: None for exact derivatives. Otherwise as in SciPy; functions are called with containers.
        constraints: as in SciPy; their functions are called with containers. Jacobians, and for "trust-constr"
            Hessians, are exact, unless functions or strategies other than SciPy's defaults ("2-point" and `BFGS`) are
            passed. `finite_diff_jac_sparsity` makes the Jacobian a sparse array.
        callback: called with containers.
        method, bounds, tol, options: as in SciPy, for flat vectors: all tensors concatenated.
        sparsity: the pattern of the Hessian (see `func.sparse_hessian`), or "find" to determine it at the start, for
            methods that use the Hessian: it is computed from few products, and passed to "Newton-CG" and
            "trust-constr" as a sparse array.

    Returns:
        SciPy's result; if `x0` is a container, `x` is such a container of float64 tensors, arrays and numbers. If
        `fun` or a constraint depends on tensors that require gradients (in `args`, closed over, parameters of modules),
        `x` holds tensors with their derivatives, by the implicit function theorem: of the gradient, or of the
        conditions of Karush, Kuhn and Tucker if there are constraints. Elements at active bounds have none.

    Raises:
        ImportError: if SciPy is not installed.
        TypeError: if `x0` or a result of `fun` holds values other than real numbers.
        ValueError: if `sparsity` is passed to a method that does not use it, or does not fit, or SciPy refuses an
            argument.
        RuntimeError: if `x` has no derivatives although a tensor requires a gradient: the active constraints are
            linearly dependent, the multiplier of one that holds with equality is zero, or `x` is not a minimum; or in
            `vmap`.

    >>> import wengert as wg
    >>> start = {"a": wg.zeros(2), "b": wg.tensor(1.0)}
    >>> f = lambda p: ((p["a"] - 3) ** 2).sum() + (p["b"] + 1) ** 2
    >>> solution = wg.scipy.minimize(f, start, method="Newton-CG")
    >>> solution.x["a"], solution.x["b"], solution.nfev
    (tensor([3., 3.], dtype=torch.float64), tensor(-1., dtype=torch.float64), 2)
    """
    optimize = scipy_module(MINIMIZE, "optimize")
    vector = Vector(MINIMIZE, "x0", x0)
    arguments = args if isinstance(args, tuple) else (args,)
    if method is not None and not isinstance(method, str) and not callable(method):
        raise TypeError(f"{MINIMIZE}: expected method to be a name or a function, but got {type(method).__name__}")
    name = "" if callable(method) else (method or "bfgs").lower()
    function, value, derivatives = functions_for(name, fun, vector, arguments, jac, hess, hessp, sparsity)
    solution: Solution = optimize.minimize(
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
    if hasattr(solution, "x"):  # methods that are functions may return anything
        solution.x = minimum_under(function, solution.x, bounds, constraints)
    return solution


def functions_for(
    method: str, fun: Any, vector: Vector, args: tuple[Any, ...], jac: Any, hess: Any, hessp: Any, sparsity: Any
) -> tuple[Evaluated, Any, dict[str, Any]]:
    """Return the function to minimise, and the function and derivatives for SciPy.

    Raises:
        ValueError: if there is a pattern, but the method does not use the exact Hessian.
    """
    exact = jac is None and method not in WITHOUT_GRADIENT
    second = (exact or callable(jac)) and hess is None and hessp is None
    whole = method in WITH_DENSE_HESSIAN or (sparsity is not None and method in WITH_SPARSE_HESSIAN)
    second = second and (whole or method in WITH_PRODUCT)
    if sparsity is not None and not second:
        raise ValueError(
            f"{MINIMIZE}: sparsity is the pattern of the exact Hessian, which method {method!r} does not use with "
            "these arguments; omit it, or use 'Newton-CG' or 'trust-constr'"
        )
    number = first_of(fun) if jac is True else fun
    function = Evaluated(MINIMIZE, "fun", number, vector, args, hessian_sparsity=sparsity, second=exact and second)
    derivatives = {
        "jac": function.gradient if exact else opened(vector, jac, args, "jac"),
        "hess": opened(vector, hess, args, "hess"),
        "hessp": opened_product(vector, hessp, args),
    }
    if second and whole:
        derivatives["hess"] = function.hessian
        if sparsity is not None and method in WITH_DENSE_HESSIAN:
            derivatives["hess"] = lambda x: function.hessian(x).toarray()
    elif second:
        derivatives["hessp"] = function.product
    return function, opened_pair(vector, fun, args) if jac is True else function.number, derivatives


def opened(vector: Vector, function: Any, args: tuple[Any, ...], name: str) -> Any:
    """Convert a user's function to a function of flat vectors; other values stay unchanged."""
    if not callable(function):
        return function
    if name == "hess":
        return lambda x: matrix(function(vector.container(x), *args))
    return lambda x: flat(MINIMIZE, name, vector.ordered(MINIMIZE, name, function(vector.container(x), *args)))


def first_of(function: Any) -> Any:
    """Return the function of the values only, for a function that returns values and their derivative (`jac=True`)."""
    return lambda *args: function(*args)[0]


def opened_pair(vector: Vector, function: Any, args: tuple[Any, ...]) -> Any:
    """Convert a function that returns value and gradient (`jac=True`)."""

    def pair(x: Any) -> Any:
        value, gradient = function(vector.container(x), *args)
        gradient = vector.ordered(MINIMIZE, "fun", gradient)
        return float(flat(MINIMIZE, "fun", value)[0]), flat(MINIMIZE, "fun", gradient)

    return pair


def opened_product(vector: Vector, function: Any, args: tuple[Any, ...]) -> Any:
    """Convert a user's product with the Hessian."""
    if not callable(function):
        return function
    both, ordered = vector.container, vector.ordered
    return lambda x, along: flat(MINIMIZE, "hessp", ordered(MINIMIZE, "hessp", function(both(x), both(along), *args)))


def opened_callback(vector: Vector, callback: Any) -> Any:
    """Convert a callback of containers, in the form that its parameters require."""
    if callback is None or vector.structure is None:
        return callback
    if set(inspect.signature(callback).parameters) == {"intermediate_result"}:

        def with_result(intermediate_result: Any) -> Any:
            shown = type(intermediate_result)(intermediate_result)
            shown.x = vector.result(shown.x)
            return callback(intermediate_result=shown)

        return with_result
    return lambda x, *state: callback(vector.result(x), *state)
