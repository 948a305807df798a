"""`curve_fit` of SciPy with exact Jacobians, and parameters that are differentiable with respect to the data."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import numpy as np

from .._core.tensor.tangents import is_dual
from .._core.types.dtypes import float64
from .._tensor import Tensor
from ..autograd.grad_mode import no_grad
from ..autograd.variables import Scope
from ..func import grad, jacfwd
from ..func.sparse.products import pushed
from ..linalg import cholesky, inv, solve_triangular
from ..ops.create.create import empty
from ..ops.create.interchange import from_numpy
from .implicit import implicit
from .solutions import at_bounds, held
from .unsummed import unsummed
from .vectors import check_single, matrix, numeric, scipy_module

FIT = "curve_fit"
ELEMENTS_AT_ONCE = 1 << 22
"""Number of elements of the Jacobian that one run in forward mode computes at most."""


def curve_fit(
    f: Callable[..., Any],
    xdata: Any,
    ydata: Any,
    p0: Any = None,
    sigma: Any = None,
    absolute_sigma: bool = False,
    check_finite: bool | None = None,
    bounds: Any = (-np.inf, np.inf),
    method: str | None = None,
    jac: Any = None,
    *,
    full_output: bool = False,
    nan_policy: str | None = None,
    **kwargs: Any,
) -> tuple[Any, ...]:
    """Fit a function to data by least squares: `scipy.optimize.curve_fit` with an exact Jacobian.

    Args:
        f: the model, `f(xdata, *parameters)`: a function of tensors that returns one number for each of M observations,
            in the unit of `ydata`. Each parameter is a 0-D float64 tensor.
        xdata: the independent variable: an array or tensor, usually of shape (M,) or (k, M), passed to `f` as a float64
            tensor; other objects are passed unchanged.
        ydata: the observations, an array or tensor of shape (M,).
        p0: initial values of the n parameters; all ones by default, or within the bounds. Needed if `f` takes a
            variable number of arguments.
        sigma: standard deviations of `ydata`, a number or of shape (M,), or its covariance matrix of shape (M, M).
        absolute_sigma: if False, only the ratios of `sigma` matter: the covariance is scaled so that the reduced
            sum of squares is 1.
        check_finite: raise an error if data are not finite; True by default, without `nan_policy`.
        bounds: two numbers or arrays, or `scipy.optimize.Bounds`, for the parameters.
        method: "lm" (the default without bounds), "trf" or "dogbox".
        jac: None for the exact Jacobian, by forward mode. Otherwise as in SciPy; a function is called with tensors.
        full_output: return also `infodict`, `mesg` and `ier` of SciPy.
        nan_policy: "raise" or "omit", for NaN in the data.
        kwargs: as in SciPy, for `leastsq` ("lm") or `least_squares`.

    Returns:
        `(popt, pcov)`: the parameters, shape (n,), and their covariance, shape (n, n), the inverse of JᵀJ; with
        `full_output` more. They are NumPy arrays; or float64 tensors with derivatives, by the implicit function
        theorem, if `xdata`, `ydata`, `sigma` or anything that `f` uses requires a gradient. `infodict` has none.

    Raises:
        ImportError: if SciPy is not installed.
        ValueError: if data are not finite, or SciPy refuses an argument.
        TypeError: if what `f` returns is neither tensor, array nor number, or is complex.
        RuntimeError: if the fit fails, or in `vmap`.

    >>> import numpy as np
    >>> import wengert as wg
    >>> x = np.linspace(0, 4, 50)
    >>> y = 2.5 * np.exp(-1.3 * x) + 0.5 + 0.01 * np.sin(50 * x)
    >>> popt, pcov = wg.scipy.curve_fit(lambda x, a, b, c: a * (-b * x).exp() + c, x, y)
    >>> popt.round(2), np.sqrt(np.diag(pcov)).round(3)
    (array([2.5, 1.3, 0.5]), array([0.004, 0.005, 0.002]))
    """
    optimize = scipy_module(FIT, "optimize")
    if not callable(f):
        raise TypeError(f"{FIT}: expected f to be a function, but got {type(f).__name__}")
    lm = is_lm(method, bounds)
    by_rows = jac is None and sigma is None and lm
    model = Model(f, jac if callable(jac) else None, by_rows, lm and not by_rows)
    arrays = {name: as_array(name, value) for name, value in (("xdata", xdata), ("ydata", ydata), ("sigma", sigma))}
    if arrays["sigma"] is not None and np.size(arrays["sigma"]) == 1:  # SciPy takes no number beside a Jacobian
        arrays["sigma"] = np.full(np.shape(arrays["ydata"]), arrays["sigma"])
    start = None if p0 is None else as_array("p0", p0)
    settings = {"absolute_sigma": absolute_sigma, "check_finite": check_finite, "bounds": bounds, "method": method}
    settings |= {"jac": model.jacobian if jac is None or callable(jac) else jac, "nan_policy": nan_policy, **kwargs}
    if by_rows:
        settings["col_deriv"] = True
    popt, pcov, *further = optimize.curve_fit(model.with_signature(), **arrays, p0=start, full_output=True, **settings)
    followed = model.is_followed()
    model.release()
    if followed or any(map(is_differentiable, (xdata, ydata, sigma))):
        omitted = nan_policy == "omit" and not check_finite
        kept = observed(arrays["xdata"], arrays["ydata"]) if omitted else None
        residuals = Residuals(f, xdata, ydata, sigma, kept)
        popt, pcov = residuals.derived(popt, pcov, bounds, absolute_sigma)
    return (popt, pcov, *further) if full_output else (popt, pcov)


class Model:
    """The model as functions of arrays.

    If its graph shows that it works element by element, one backward pass computes the Jacobian for any number of
    parameters (see `unsummed`); otherwise forward mode does.

    Attributes:
        f: the model as a function of tensors.
        jac: its Jacobian as a function of tensors; None for the exact one.
        by_rows: whether the Jacobian is returned with a row for each parameter, the memory order that "lm" needs.
        row_major: whether a Jacobian with a row for each observation is row-major: "lm" with weights, which copies it
            in this order. The decompositions of "trf" and "dogbox" need columns.
        pointwise: whether the model may work element by element; False once it has not.
        data: the latest independent variable, and the argument of `f` for it.
        latest: the latest parameters, the variables for them, and the output.
        rows: memory of the latest Jacobian by rows.
        scope: the latest run, if it was recorded.
    """

    def __init__(self, f: Callable[..., Any], jac: Any, by_rows: bool, row_major: bool = False) -> None:
        self.f, self.jac, self.by_rows, self.row_major = f, jac, by_rows, row_major
        self.pointwise = jac is None
        self.data: tuple[Any, Any] = (None, None)
        self.latest: tuple[Any, list[Tensor], Any] = (None, [], None)
        self.rows: Any = None
        self.scope: Any = None

    def with_signature(self) -> Callable[..., Any]:
        """Return `value` with the signature of the model, which tells the number of parameters."""

        def value(xdata: Any, *parameters: Any) -> Any:
            return self.value(xdata, *parameters)

        with suppress(TypeError, ValueError):
            value.__signature__ = inspect.signature(self.f)  # type: ignore[attr-defined]
        return value

    def value(self, xdata: Any, *parameters: Any) -> Any:
        """Return the values of the model."""
        data = self.read(xdata)
        self.latest, self.scope = (None, [], None), None  # its memory serves the next run
        with Scope() if self.pointwise else no_grad() as scope:
            variables = scalars(parameters)
            if self.pointwise:
                variables = [scope.variable(variable) for variable in variables]
            output = numeric(FIT, "f", self.f(data, *variables))[0]
        self.latest, self.scope = (parameters, variables, output), scope if self.pointwise else None
        return output._array_.astype(np.float64, copy=False)

    def is_followed(self) -> bool:
        """Return whether the values may depend on tensors other than the parameters that require gradients."""
        output = self.latest[2]
        if self.scope is None or is_dual(output):
            return True
        follows: bool = self.scope.recording and self.scope.outlives([output])
        return follows

    def release(self) -> None:
        """Free the memory of the latest run: SciPy's wrappers of a fit refer to each other, and so to the model."""
        self.latest, self.scope, self.rows, self.data = (None, [], None), None, None, (None, None)

    def jacobian(self, xdata: Any, *parameters: Any) -> Any:
        """Return the Jacobian, of shape (M, n); (n, M) if it is returned by rows."""
        data = self.read(xdata)
        if self.jac is not None:
            return matrix(self.jac(data, *scalars(parameters)))
        if self.latest[0] is None or not np.array_equal(self.latest[0], parameters):
            self.value(xdata, *parameters)
        rows = self.at_once() if self.pointwise else None
        if rows is None:
            self.pointwise = False
            rows = self.by_parameter(data, parameters)
        return rows if self.by_rows else rows.T

    def at_once(self) -> Any:
        """Return the Jacobian at the latest parameters, a row for each parameter; None if it needs forward mode."""
        _, variables, output = self.latest
        grads = unsummed(output, variables, self.scope.start)
        if grads is None:
            return None
        if self.rows is None or not (self.by_rows or self.row_major):  # "lm" copies them
            shape = (len(grads), output.numel())
            self.rows = block(shape[::-1]).T if self.row_major else block(shape)
        for row, gradient in zip(self.rows, grads):
            if gradient is None:
                row[...] = 0
            else:
                gradient.write(row)
        return self.rows

    def by_parameter(self, data: Any, parameters: tuple[Any, ...]) -> Any:
        """Return the Jacobian, a row for each parameter, by forward mode."""
        count = len(parameters)
        step = max(ELEMENTS_AT_ONCE // max(self.latest[2].numel(), 1), 1)
        parts = [
            pushed(lambda values: numeric(FIT, "f", self.f(data, *values)), scalars(parameters), seeds).T
            for seeds in np.split(np.eye(count), range(step, count, step), 1)
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def read(self, xdata: Any) -> Any:
        """Return the argument of `f` for the independent variable: a tensor for an array."""
        if not isinstance(xdata, np.ndarray):
            return xdata
        if self.data[0] is not xdata:
            self.data = (xdata, from_numpy(np.ascontiguousarray(xdata, np.float64)))
        return self.data[1]


class Residuals:
    """The weighted residuals as a function of the parameters, recorded with respect to data and weights.

    Attributes:
        f: the model.
        xdata, ydata, sigma: data as they were passed; arrays are tensors.
        kept: mask of the observations that are used; None for all.
    """

    def __init__(self, f: Callable[..., Any], xdata: Any, ydata: Any, sigma: Any, kept: Any) -> None:
        self.f = f
        xdata = as_tensor(xdata) if isinstance(xdata, (list, tuple, np.ndarray, Tensor)) else xdata
        ydata = as_tensor(ydata)
        sigma = None if sigma is None else as_tensor(sigma)
        if kept is not None and not kept.all():
            mask = from_numpy(kept)
            xdata, ydata = xdata[..., mask], ydata[mask]
            if sigma is not None and sigma.ndim:
                sigma = sigma[mask] if sigma.ndim == 1 else sigma[mask][:, mask]
        self.xdata, self.ydata, self.sigma = xdata, ydata, sigma

    def __call__(self, parameters: Tensor) -> Tensor:
        """Return the residuals for a vector of parameters, in units of their standard deviations."""
        values = numeric(FIT, "f", self.f(self.xdata, *parameters.unbind()))
        result: Tensor = values[0].double() - self.ydata
        if self.sigma is None:
            return result
        if self.sigma.ndim < 2:
            result = result / self.sigma
            return result
        result = solve_triangular(cholesky(self.sigma), result.unsqueeze(1), upper=False).squeeze(1)
        return result

    def is_followed(self, parameters: Any) -> bool:
        """Return whether the fit has derivatives: the residuals depend on other tensors than the parameters."""
        values = self(from_numpy(np.array(parameters, np.float64)))
        return values.requires_grad or is_dual(values)

    def derived(self, popt: Any, pcov: Any, bounds: Any, absolute_sigma: bool) -> tuple[Any, Any]:
        """Return parameters and covariance as differentiable functions of the tensors that the residuals depend on."""
        if not self.is_followed(popt):
            return popt, pcov
        equation = grad(lambda parameters: 0.5 * (self(parameters) ** 2).sum())
        lower, upper = (bounds.lb, bounds.ub) if hasattr(bounds, "lb") else bounds
        limits = SimpleNamespace(lb=np.asarray(lower, np.float64), ub=np.asarray(upper, np.float64))
        active = at_bounds(popt, limits, equation(from_numpy(np.array(popt)))._array_)
        parameters = implicit(FIT, "Hessian of the sum of squares", held(equation, popt, active), popt)
        if np.isinf(pcov).all():
            return parameters, from_numpy(pcov)
        jacobian = jacfwd(self)(parameters)
        covariance = inv(jacobian.mT @ jacobian)
        if not absolute_sigma:
            values = self(parameters)
            covariance = covariance * ((values**2).sum() / (values.numel() - popt.size))
        return parameters, covariance


def block(shape: tuple[int, ...]) -> Any:
    """Return a float64 array, in memory that earlier fits have used where there is such."""
    return empty(shape, dtype=float64)._array_


def is_lm(method: Any, bounds: Any) -> bool:
    """Return whether the method is "lm", the default without bounds."""
    lower, upper = (bounds.lb, bounds.ub) if hasattr(bounds, "lb") else bounds
    return method == "lm" or (method is None and not (np.any(np.isfinite(lower)) or np.any(np.isfinite(upper))))


def is_differentiable(value: Any) -> bool:
    """Return whether a value is a tensor that requires a gradient or has a tangent."""
    return isinstance(value, Tensor) and (value.requires_grad or is_dual(value))


def observed(xdata: Any, ydata: Any) -> Any:
    """Return a mask of the observations that hold no NaN."""
    missing = np.isnan(np.asarray(xdata, np.float64))
    return ~(missing.any(axis=tuple(range(missing.ndim - 1))) | np.isnan(np.asarray(ydata, np.float64)))


def scalars(parameters: tuple[Any, ...]) -> list[Tensor]:
    """Return the parameters as 0-D tensors."""
    return [from_numpy(np.array(parameter, np.float64)) for parameter in parameters]


def as_array(name: str, value: Any) -> Any:
    """Return the values of a tensor as an array; other values unchanged."""
    if not isinstance(value, Tensor):
        return value
    check_single(FIT, name, value)
    return value.detach().numpy()


def as_tensor(value: Any) -> Tensor:
    """Return an array or a tensor as a float64 tensor, with its history."""
    return value.double() if isinstance(value, Tensor) else from_numpy(np.array(value, np.float64))
