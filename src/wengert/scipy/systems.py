"""`root` and `least_squares` of SciPy with exact Jacobians."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .evaluated import Evaluated
from .minimum import first_of, opened_callback
from .solutions import fit_of, root_of
from .vectors import Vector, flat, matrix, scipy_module

if TYPE_CHECKING:
    from .results import Solution

ROOT, LEAST_SQUARES = "root", "least_squares"
WITH_JACOBIAN = ("hybr", "lm")


def root(
    fun: Callable[..., Any],
    x0: Any,
    args: Any = (),
    method: str = "hybr",
    jac: Any = None,
    tol: float | None = None,
    callback: Callable[..., Any] | None = None,
    options: dict[str, Any] | None = None,
    *,
    sparsity: Any = None,
) -> Solution:
    """Find a root of a function of tensors: `scipy.optimize.root` with an exact Jacobian.

    Args:
        fun: returns as many numbers as `x0` has elements, as tensors or containers of tensors; called with a container
            as `x0` of float64 tensors, and `args`.
        x0: initial point: tensors, arrays or numbers, as for `minimize`.
        jac: None for the exact Jacobian, for methods that use one ("hybr", "lm"). Otherwise as in SciPy; a function
            is called with containers.
        callback: `callback(x, f)`, called with the container and the flat vector of the values.
        method, tol, options: as in SciPy.
        sparsity: the pattern of the Jacobian (see `func.sparse_jacobian`), or "find" to determine it at the start: the
            Jacobian is computed from few products, and passed as the dense array that these methods need.

    Returns:
        SciPy's result; if `x0` is a container, `x` is such a container of float64 tensors, arrays and numbers. `x` has
        derivatives with respect to tensors that `fun` depends on, as for `minimize`.

    Raises:
        ImportError: if SciPy is not installed.
        TypeError: if `x0` or a result of `fun` holds values other than real numbers.
        ValueError: if `sparsity` is passed to a method that does not use it, or does not fit, or SciPy refuses an
            argument.
        RuntimeError: in `vmap`.

    >>> import wengert as wg
    >>> solution = wg.scipy.root(lambda p: [p[0] + p[1] - 3, p[0] * p[1] - 2], [wg.tensor(0.0), wg.tensor(5.0)])
    >>> [round(x.item(), 6) for x in solution.x], solution.success
    ([1.0, 2.0], True)
    """
    optimize = scipy_module(ROOT, "optimize")
    vector = Vector(ROOT, "x0", x0)
    arguments = args if isinstance(args, tuple) else (args,)
    exact = jac is None and str(method).lower() in WITH_JACOBIAN
    if sparsity is not None and not exact:
        raise ValueError(
            f"{ROOT}: sparsity is the pattern of the exact Jacobian, which method {method!r} does not use with these "
            "arguments; omit it, or use 'hybr' or 'lm'"
        )
    function = Evaluated(ROOT, "fun", fun, vector, arguments, jacobian_sparsity=sparsity)
    value, jacobian = function.value, jac
    if exact:
        jacobian = function.jacobian if sparsity is None else lambda x: function.jacobian(x).toarray()
    elif callable(jac):
        jacobian = lambda x: matrix(jac(vector.container(x), *arguments))  # noqa: E731
    elif jac:
        value = pair_of(vector, fun, arguments)
        function = Evaluated(ROOT, "fun", first_of(fun), vector, arguments)
    callback_of_vectors = opened_callback(vector, callback)
    solution: Solution = optimize.root(
        value, vector.start, method=method, jac=jacobian, tol=tol, callback=callback_of_vectors, options=options
    )
    solution.x = root_of(function, solution.x)
    return solution


def pair_of(vector: Vector, function: Any, args: tuple[Any, ...]) -> Any:
    """Convert a function that returns values and their Jacobian (`jac=True`)."""

    def pair(x: Any) -> Any:
        values, jacobian = function(vector.container(x), *args)
        return flat(ROOT, "fun", values), matrix(jacobian)

    return pair


def least_squares(
    fun: Callable[..., Any],
    x0: Any,
    jac: Any = None,
    bounds: Any = (-np.inf, np.inf),
    method: str = "trf",
    *,
    jac_sparsity: Any = None,
    args: Any = (),
    kwargs: dict[str, Any] | None = None,
    callback: Callable[..., Any] | None = None,
    **options: Any,
) -> Solution:
    """Fit by least squares: `scipy.optimize.least_squares` with an exact Jacobian.

    Args:
        fun: returns the residuals, as tensors or containers of tensors; called with a container as `x0` of float64
            tensors, `args` and `kwargs`.
        x0: initial point: tensors, arrays or numbers, as for `minimize`.
        jac: None for the exact Jacobian. Otherwise as in SciPy; a function is called with containers.
        jac_sparsity: the pattern of the Jacobian (see `func.sparse_jacobian`), or "find" to determine it at the start:
            the Jacobian is computed from few products, and passed as a sparse array.
        callback: as in SciPy; called with containers.
        bounds, method, options: as in SciPy (`ftol`, `xtol`, `gtol`, `x_scale`, `loss`, `f_scale`, `max_nfev`, ...).

    Returns:
        SciPy's result; `x` is as for `root`.

    Raises:
        ImportError: if SciPy is not installed.
        TypeError: if `x0` or a result of `fun` holds values other than real numbers.
        ValueError: if `jac_sparsity` does not fit, or SciPy refuses an argument.
        RuntimeError: if `fun` depends on tensors that require gradients and `loss` is a function, or in `vmap`.

    >>> import wengert as wg
    >>> t = wg.tensor([0.0, 1.0, 2.0], dtype=wg.float64)
    >>> line = {"slope": wg.tensor(0.0), "offset": wg.tensor(0.0)}
    >>> solution = wg.scipy.least_squares(lambda p: p["slope"] * t + p["offset"] - (3 * t + 1), line)
    >>> round(solution.x["slope"].item(), 6), round(solution.x["offset"].item(), 6)
    (3.0, 1.0)
    """
    optimize = scipy_module(LEAST_SQUARES, "optimize")
    vector = Vector(LEAST_SQUARES, "x0", x0)
    arguments = args if isinstance(args, tuple) else (args,)
    names = kwargs or {}
    residuals = (lambda p, *rest: fun(p, *rest, **names)) if names and callable(fun) else fun
    function = Evaluated(
        LEAST_SQUARES, "fun", residuals, vector, arguments, jacobian_sparsity=jac_sparsity if jac is None else None
    )
    jacobian = jac
    if jac is None:
        jacobian = function.jacobian
    elif callable(jac):
        jacobian = lambda x: matrix(jac(vector.container(x), *arguments, **names))  # noqa: E731
    if jac is not None and jac_sparsity is not None:
        options["jac_sparsity"] = jac_sparsity
    if callback is not None:
        options["callback"] = opened_callback(vector, callback)
    solution: Solution = optimize.least_squares(
        function.value, vector.start, jac=jacobian, bounds=bounds, method=method, **options
    )
    loss, scale = options.get("loss", "linear"), options.get("f_scale", 1.0)
    solution.x = fit_of(function, solution.x, solution.active_mask, loss, scale)
    return solution
