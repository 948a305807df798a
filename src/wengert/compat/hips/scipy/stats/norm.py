"""The normal distribution, with the functions of `scipy.stats.norm`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..special import loaded
from .distributions import sampling


def standard(x: Any, loc: Any, scale: Any) -> Any:
    """Standardised value: distance from the mean in standard deviations."""
    return (x - loc) / scale


def logpdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """The logarithm of the density."""
    return -0.5 * standard(x, loc, scale) ** 2 - np.log(scale) - 0.5 * np.log(2 * np.pi)


def pdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """The density."""
    return np.exp(logpdf(x, loc, scale))


def cdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Cumulative distribution function."""
    return loaded().ndtr(standard(x, loc, scale))


def logcdf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """The logarithm of `cdf`."""
    return loaded().log_ndtr(standard(x, loc, scale))


def sf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """Survival function, `1 - cdf`."""
    return loaded().ndtr(-standard(x, loc, scale))


def logsf(x: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """The logarithm of `sf`."""
    return loaded().log_ndtr(-standard(x, loc, scale))


__getattr__ = sampling("norm")
