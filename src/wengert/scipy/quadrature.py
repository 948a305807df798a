"""`quad`, `quad_vec` and `fixed_quad` of SciPy, differentiable with respect to parameters and limits.

The derivative of an integral (Leibniz' rule) is ∫ ∂f/∂θ dx + f(b) db/dθ - f(a) da/dθ. SciPy integrates, and returns the
subintervals. On each of them the integral of ∂f/∂θ is computed by Gauss's rule with 16 points.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from .._core.tensor.tangents import is_dual
from .._tensor import Tensor
from ..ops.create.interchange import from_numpy
from ..ops.shapes.join import stack
from .runge_kutta import plain
from .vectors import check_single, scipy_module

POINTS, WEIGHTS = np.polynomial.legendre.leggauss(16)
AT_LIMIT = np.polynomial.legendre.leggauss(8)
"""Gauss's rule for the empty interval at a limit: derivatives with respect to it are exact up to the 16th order."""

NEAR, GRADING, LEVELS = 1e-7, 0.15, 16
"""Relative difference from SciPy's integral above which pieces at the limits are divided; how, and how often."""


def quad(
    func: Callable[..., Any], a: Any, b: Any, args: Any = (), full_output: Any = 0, **options: Any
) -> tuple[Any, ...]:
    """Compute a definite integral: `scipy.integrate.quad`, differentiable.

    Args:
        func: the integrand, `func(x, *args)`: a function of a 0-D float64 tensor that returns one number.
        a, b: the limits, numbers or 0-D tensors; may be infinite.
        args, full_output, options: as in SciPy (`epsabs`, `epsrel`, `limit`, `points`, `weight`, ...).

    Returns:
        As SciPy: the integral, an estimate of its absolute error, and more with `full_output`. The integral is a
        number; if a limit or a tensor that `func` uses requires a gradient, a 0-D float64 tensor with derivatives of
        every order, in both modes.

    Raises:
        ImportError: if SciPy is not installed.
        TypeError: if `func` does not return one real number.
        RuntimeError: in `vmap`; if derivatives are needed with `weight` or `complex_func`.

    Derivatives are as accurate as Gauss's rule on SciPy's subintervals: less accurate than the integral if the
    derivative of the integrand has a kink or a singularity inside one; pass its position in `points`.

    >>> import wengert as wg
    >>> rate = wg.tensor(2.0, requires_grad=True)
    >>> value, error = wg.scipy.quad(lambda x: (-rate * x).exp(), 0, float("inf"))
    >>> round(value.item(), 6), wg.autograd.grad(value, rate)
    (0.5, (tensor(-0.2500),))
    """
    integrate = scipy_module("quad", "integrate")
    integrand = Integrand("quad", func, args if isinstance(args, tuple) else (args,), a, b)
    value, *rest = integrate.quad(integrand.number, integrand.a, integrand.b, full_output=1, **options)
    if integrand.is_followed():
        if options.get("weight") is not None or options.get("complex_func"):
            raise RuntimeError(
                "quad: func or a limit requires gradients, but with weight= or complex_func= the integral is not "
                "differentiable; put the weight into func, or detach() the tensors"
            )
        count = rest[1]["last"]
        value = integrand.derived(value, rest[1]["alist"][:count], rest[1]["blist"][:count], False)
    if full_output:
        return value, *rest
    if len(rest) > 2:
        warnings.warn(rest[2], integrate.IntegrationWarning, stacklevel=2)
    return value, rest[0]


def quad_vec(
    f: Callable[..., Any], a: Any, b: Any, *, args: Any = (), full_output: bool = False, **options: Any
) -> tuple[Any, ...]:
    """Compute the integral of a function with many results: `scipy.integrate.quad_vec`, differentiable.

    Args:
        f: the integrand, `f(x, *args)`: a function of a 0-D float64 tensor that returns a tensor of any shape.
        a, b: the limits, numbers or 0-D tensors; may be infinite.
        args, full_output, options: as in SciPy (`epsabs`, `epsrel`, `norm`, `limit`, `points`, `quadrature`, ...).

    Returns:
        As SciPy: the integral, of the shape of the results of `f`, an estimate of its error, and `info` with
        `full_output`. The integral is an array; if a limit or a tensor that `f` uses requires a gradient, a tensor with
        derivatives of every order, in both modes.

    Raises:
        ImportError: if SciPy is not installed.
        RuntimeError: in `vmap`.

    >>> import wengert as wg
    >>> powers = wg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    >>> value, error = wg.scipy.quad_vec(lambda x: x**powers, 0, 1)
    >>> wg.autograd.grad(value.sum(), powers)  # -1 / (power + 1)²
    (tensor([-0.2500, -0.1111, -0.0625]),)
    """
    integrate = scipy_module("quad_vec", "integrate")
    integrand = Integrand("quad_vec", f, args if isinstance(args, tuple) else (args,), a, b)
    value, error, info = integrate.quad_vec(integrand.array, integrand.a, integrand.b, full_output=True, **options)
    if integrand.is_followed():
        value = integrand.derived(value, info.intervals[:, 0], info.intervals[:, 1], True)
    return (value, error, info) if full_output else (value, error)


def fixed_quad(func: Callable[..., Any], a: Any, b: Any, args: Any = (), n: int = 5) -> tuple[Tensor, None]:
    """Compute a definite integral by Gauss's rule with a fixed number of points: `scipy.integrate.fixed_quad`.

    Args:
        func: the integrand, `func(x, *args)`: a function of a 1-D float64 tensor of n points that returns a tensor
            with the points along the last dimension.
        a, b: the limits, finite numbers or 0-D tensors.
        n: the number of points; polynomials up to the degree 2n - 1 are integrated exactly.

    Returns:
        The integral, a tensor with a history if gradients are required, and None.

    Raises:
        ValueError: if a limit is infinite.

    >>> import wengert as wg
    >>> wg.scipy.fixed_quad(lambda x: x**2, 0, 3, n=2)
    (tensor(9.0000, dtype=torch.float64), None)
    """
    if not (np.isfinite(plain(a)) and np.isfinite(plain(b))):
        raise ValueError(f"fixed_quad: expected finite limits, but got {plain(a)} and {plain(b)}; use quad")
    points, weights = np.polynomial.legendre.leggauss(n)
    half = (b - a) / 2
    values = func(from_numpy(points + 1) * half + a, *(args if isinstance(args, tuple) else (args,)))
    return (values * from_numpy(weights)).sum(-1) * half, None


class Integrand:
    """An integrand as a function of numbers, and the state of its calls.

    Attributes:
        a, b: the limits as numbers; `lower`, `upper`: as they were passed.
        seen: whether a call returned a tensor that requires a gradient or has a tangent.
    """

    def __init__(self, caller: str, func: Callable[..., Any], args: tuple[Any, ...], a: Any, b: Any) -> None:
        if not callable(func):
            raise TypeError(f"{caller}: expected the integrand to be a function, but got {type(func).__name__}")
        self.caller, self.func, self.args = caller, func, args
        for limit in (a, b):
            if isinstance(limit, Tensor):
                check_single(caller, "a limit", limit)
        self.lower, self.upper = a, b
        self.a, self.b = plain(a), plain(b)
        self.seen = False

    def at(self, x: Any) -> Tensor:
        """Return the value at a number or a 0-D tensor."""
        value = self.func(x if isinstance(x, Tensor) else from_numpy(np.array(x, np.float64)), *self.args)
        if not isinstance(value, Tensor):
            return from_numpy(np.asarray(value))
        check_single(self.caller, "a result of the integrand", value)
        self.seen = self.seen or value.requires_grad or is_dual(value)
        return value

    def array(self, x: float) -> Any:
        """Return the values at a number as an array."""
        return self.at(x)._array_

    def number(self, x: float) -> Any:
        """Return the value at a number as a number.

        Raises:
            TypeError: if the value is not one number.
        """
        value = self.array(x)
        if value.size != 1 or value.dtype.kind not in "fiubc":
            raise TypeError(
                f"{self.caller}: expected the integrand to return one number, but got {value.dtype} of shape "
                f"{value.shape}; quad_vec takes functions with many results"
            )
        return value.item()

    def is_followed(self) -> bool:
        """Return whether the integral has derivatives."""
        limits = [limit for limit in (self.lower, self.upper) if isinstance(limit, Tensor)]
        return self.seen or any(limit.requires_grad or is_dual(limit) for limit in limits)

    def derived(self, value: Any, begins: Any, ends: Any, symmetric: bool) -> Tensor:
        """Return the integral with its derivatives.

        Args:
            value: the integral.
            begins, ends: the ends of SciPy's subintervals; of an infinite interval, those of t from 0 to 1 with
                x = a + (1 - t) / t.
            symmetric: whether t goes from -1 to 1 for the whole line; otherwise both halves have the same pieces.
        """
        if not len(begins):
            begins, ends = np.array([self.a]), np.array([self.b])
        total = self.over(begins, ends, symmetric)
        if not np.allclose(total._array_, value, NEAR, 0):  # a limit where the integrand is singular
            total = self.over(*graded(begins, ends), symmetric)
        for limit, sign in ((self.upper, 1), (self.lower, -1)):
            if isinstance(limit, Tensor) and (limit.requires_grad or is_dual(limit)):
                moved = limit.double() - plain(limit)  # zero, but not in derivatives
                places, shares = (AT_LIMIT[0] + 1) / 2, AT_LIMIT[1] / 2
                around = summed([self.at(plain(limit) + moved * place) for place in places.tolist()], shares)
                total = total + sign * moved * around
        result: Tensor = total + from_numpy(np.asarray(value - total._array_))
        return result

    def over(self, begins: Any, ends: Any, symmetric: bool) -> Tensor:
        """Return the integral over pieces, recorded."""
        half = (ends - begins) / 2
        t = ((ends + begins) / 2)[:, None] + half[:, None] * POINTS
        x, weights = self.placed(t.ravel(), (half[:, None] * WEIGHTS).ravel(), symmetric)
        return summed([self.at(point) for point in x.tolist()], weights)

    def placed(self, t: Any, weights: Any, symmetric: bool) -> tuple[Any, Any]:
        """Return points and weights on the interval of x for those of t."""
        low, high, sign = (self.a, self.b, 1.0) if self.a <= self.b else (self.b, self.a, -1.0)
        if np.isfinite(low) and np.isfinite(high):
            return t, weights * (np.sign(self.b - self.a) * np.sign(weights.sum()))
        scaled = sign * weights / t**2
        if np.isfinite(low):
            return low + (1 - t) / t, scaled
        if np.isfinite(high):
            return high - (1 - t) / t, scaled
        if symmetric:
            return (1 - np.abs(t)) / t, scaled
        x = (1 - t) / t
        return np.concatenate([x, -x]), np.concatenate([scaled, scaled])


def graded(begins: Any, ends: Any) -> tuple[Any, Any]:
    """Return pieces of which the first and the last are subdivided ever more finely towards the limits."""
    order = np.argsort(begins)
    edges = np.append(np.minimum(begins, ends)[order], max(begins.max(), ends.max()))
    shrink = GRADING ** np.arange(1, LEVELS)
    first = edges[0] + (edges[1] - edges[0]) * shrink[::-1] / (2 if len(edges) == 2 else 1)
    last = edges[-1] - (edges[-1] - edges[-2]) * shrink / (2 if len(edges) == 2 else 1)
    edges = np.unique(np.concatenate([edges[:1], first, edges[1:-1], last, edges[-1:]]))
    return edges[:-1], edges[1:]


def summed(values: list[Tensor], weights: Any) -> Tensor:
    """Return the weighted sum of tensors of one shape."""
    whole = stack(values)
    shape = (len(values), *(1,) * (whole.ndim - 1))
    result: Tensor = (whole * from_numpy(weights.reshape(shape))).sum(0)
    return result
