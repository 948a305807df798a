"""`scipy.special`, whose functions also accept boxes after the first use of this module."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from ...._start.loading import load_scipy
from ..boxes import RULES, getval, has_box
from ..numpy import array
from ..numpy.pointwise import defpartials

ROOT_PI = np.sqrt(np.pi)


@cache
def loaded() -> Any:
    """Return SciPy's module; define the derivatives of its functions first.

    Raises:
        ImportError: if SciPy is not installed.
    """
    sp = load_scipy("special", "wengert.compat.hips.scipy")
    for function, partial in of_one_argument(sp).items():
        RULES[function] = defpartials(function, partial)
    for function, partial in of_an_order(sp).items():
        RULES[function] = defpartials(function, partial, argnums=(1,))
    for function, partials in of_two_arguments(sp).items():
        RULES[function] = defpartials(function, *partials)
    return sp


def of_one_argument(sp: Any) -> dict[Any, Any]:
    """Derivatives of functions of one argument."""
    return {
        sp.erf: lambda ans, x: 2 / ROOT_PI * np.exp(-(x**2)),
        sp.erfc: lambda ans, x: -2 / ROOT_PI * np.exp(-(x**2)),
        sp.erfinv: lambda ans, x: ROOT_PI / 2 * np.exp(ans**2),
        sp.erfcinv: lambda ans, x: -ROOT_PI / 2 * np.exp(ans**2),
        sp.gamma: lambda ans, x: ans * sp.psi(x),
        sp.gammaln: lambda ans, x: sp.psi(x),
        sp.rgamma: lambda ans, x: -ans * sp.psi(x),
        sp.psi: lambda ans, x: trigamma(x),
        sp.expit: lambda ans, x: ans * (1 - ans),
        sp.logit: lambda ans, x: 1 / (x * (1 - x)),
        sp.log_expit: lambda ans, x: sp.expit(-x),
        sp.ndtr: lambda ans, x: np.exp(-0.5 * x**2) / np.sqrt(2 * np.pi),
        sp.log_ndtr: lambda ans, x: np.exp(-0.5 * x**2 - ans) / np.sqrt(2 * np.pi),
        sp.j0: lambda ans, x: -sp.j1(x),
        sp.j1: lambda ans, x: sp.j0(x) - ans / x,
        sp.y0: lambda ans, x: -sp.y1(x),
        sp.y1: lambda ans, x: sp.y0(x) - ans / x,
        sp.i0: lambda ans, x: sp.i1(x),
        sp.i1: lambda ans, x: sp.i0(x) - ans / x,
    }


def of_an_order(sp: Any) -> dict[Any, Any]:
    """Derivatives of functions with an order, with respect to the argument."""
    return {
        sp.jv: lambda ans, n, x: (sp.jv(n - 1, x) - sp.jv(n + 1, x)) / 2,
        sp.yv: lambda ans, n, x: (sp.yv(n - 1, x) - sp.yv(n + 1, x)) / 2,
        sp.iv: lambda ans, n, x: (sp.iv(n - 1, x) + sp.iv(n + 1, x)) / 2,
        sp.gammainc: lambda ans, a, x: np.exp((a - 1) * np.log(x) - x - sp.gammaln(a)),
        sp.gammaincc: lambda ans, a, x: -np.exp((a - 1) * np.log(x) - x - sp.gammaln(a)),
    }


def of_two_arguments(sp: Any) -> dict[Any, Any]:
    """Derivatives of functions of two arguments."""
    return {
        sp.beta: (
            lambda ans, a, b: ans * (sp.psi(a) - sp.psi(a + b)),
            lambda ans, a, b: ans * (sp.psi(b) - sp.psi(a + b)),
        ),
        sp.betaln: (lambda ans, a, b: sp.psi(a) - sp.psi(a + b), lambda ans, a, b: sp.psi(b) - sp.psi(a + b)),
        sp.xlogy: (lambda ans, x, y: np.where(x == 0, 0.0, np.log(np.where(x == 0, 1.0, y))), lambda ans, x, y: x / y),
        sp.xlog1py: (
            lambda ans, x, y: np.where(x == 0, 0.0, np.log1p(np.where(x == 0, 0.0, y))),
            lambda ans, x, y: x / (1 + y),
        ),
    }


polygamma: Any = defpartials(lambda n, x: loaded().polygamma(n, x), lambda ans, n, x: polygamma(n + 1, x), argnums=(1,))


def trigamma(x: Any) -> Any:
    """Derivative of digamma."""
    return polygamma(1, x)


def multigammaln(a: Any, d: int) -> Any:
    """Logarithm of the multivariate gamma function."""
    sp = loaded()
    if not has_box(a):
        return sp.multigammaln(a, d)
    return d * (d - 1) / 4 * np.log(np.pi) + sum(sp.gammaln(a - j / 2) for j in range(d))


def logsumexp(x: Any, axis: Any = None, b: Any = 1.0, keepdims: bool = False, return_sign: bool = False) -> Any:
    """Logarithm of the sum of exponentials, with weights `b`.

    Raises:
        NotImplementedError: if `return_sign` is True and `x` is a box.
    """
    x = array(x) if isinstance(x, (list, tuple)) else x
    if not has_box([x, b]):
        weights = None if isinstance(b, float) and b == 1.0 else b
        return loaded().logsumexp(x, axis, weights, keepdims, return_sign)
    if return_sign:
        raise NotImplementedError("logsumexp: of boxes, return_sign has no derivative")
    largest = np.max(getval(x), axis=axis, keepdims=True)
    largest = np.where(np.isfinite(largest), largest, 0.0)
    total = np.log(np.sum(b * np.exp(x - largest), axis=axis, keepdims=True)) + largest
    return total if keepdims else np.reshape(total, np.sum(largest, axis=axis).shape)


def softmax(x: Any, axis: Any = None) -> Any:
    """Exponentials divided by their sum."""
    return np.exp(x - logsumexp(x, axis, keepdims=True))


def log_softmax(x: Any, axis: Any = None) -> Any:
    """Logarithm of `softmax`."""
    return x - logsumexp(x, axis, keepdims=True)


def __getattr__(name: str) -> Any:
    """Return the attribute of SciPy's module."""
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(loaded(), {"jn": "jv", "yn": "yv"}.get(name, name))


__all__ = ["log_softmax", "logsumexp", "multigammaln", "polygamma", "softmax"]
