"""The chi-squared distribution, with the functions of `scipy.stats.chi2`; densities are differentiable."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..special import loaded
from .distributions import sampling


def logpdf(x: Any, df: Any) -> Any:
    """The logarithm of the density."""
    half = df / 2
    return (half - 1) * np.log(x) - x / 2 - half * np.log(2.0) - loaded().gammaln(half)


def pdf(x: Any, df: Any) -> Any:
    """The density."""
    return np.exp(logpdf(x, df))


def cdf(x: Any, df: Any) -> Any:
    """Cumulative distribution function, differentiable with respect to `x`."""
    return loaded().gammainc(df / 2, x / 2)


__getattr__ = sampling("chi2")
