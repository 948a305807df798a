"""The gamma distribution, with the functions of `scipy.stats.gamma`; densities are differentiable."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..special import loaded
from .distributions import sampling


def logpdf(x: Any, a: Any) -> Any:
    """The logarithm of the density."""
    return (a - 1) * np.log(x) - x - loaded().gammaln(a)


def pdf(x: Any, a: Any) -> Any:
    """The density."""
    return np.exp(logpdf(x, a))


def cdf(x: Any, a: Any) -> Any:
    """Cumulative distribution function, differentiable with respect to `x`."""
    return loaded().gammainc(a, x)


__getattr__ = sampling("gamma")
