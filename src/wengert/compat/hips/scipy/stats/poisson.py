"""Poisson's distribution, with the functions of `scipy.stats.poisson`; densities are differentiable."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..special import loaded
from .distributions import sampling


def logpmf(k: Any, mu: Any) -> Any:
    """The logarithm of the probability of `k`, differentiable with respect to `mu`."""
    return k * np.log(mu) - mu - loaded().gammaln(k + 1.0)


def pmf(k: Any, mu: Any) -> Any:
    """The probability of `k`."""
    return np.exp(logpmf(k, mu))


def cdf(k: Any, mu: Any) -> Any:
    """The probability of `k` or less, differentiable with respect to `mu`."""
    return loaded().gammaincc(np.floor(k) + 1.0, mu)


__getattr__ = sampling("poisson")
