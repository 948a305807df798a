"""Dirichlet's distribution, with the functions of `scipy.stats.dirichlet`; densities are differentiable."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..special import loaded
from .distributions import sampling


def logpdf(x: Any, alpha: Any) -> Any:
    """The logarithm of the density; the last element of `x` may be omitted, as in SciPy."""
    if np.shape(x)[0] == np.shape(alpha)[0] - 1:
        x = np.append(x, 1 - np.sum(x))
    gammaln = loaded().gammaln
    return gammaln(np.sum(alpha)) - np.sum(gammaln(alpha)) + np.sum(((alpha - 1) * np.log(x).T).T, axis=0)


def pdf(x: Any, alpha: Any) -> Any:
    """The density."""
    return np.exp(logpdf(x, alpha))


__getattr__ = sampling("dirichlet")
