"""The beta distribution, with the functions of `scipy.stats.beta`; densities are differentiable."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..special import loaded
from .distributions import sampling


def logpdf(x: Any, a: Any, b: Any) -> Any:
    """The logarithm of the density."""
    return (a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - loaded().betaln(a, b)


def pdf(x: Any, a: Any, b: Any) -> Any:
    """The density."""
    return np.exp(logpdf(x, a, b))


__getattr__ = sampling("beta")
