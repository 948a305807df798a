"""Student's t, with the functions of `scipy.stats.t`; densities are differentiable."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..special import loaded
from .distributions import sampling


def logpdf(x: Any, df: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """The logarithm of the density."""
    sp, y = loaded(), (x - loc) / scale
    norm = sp.gammaln((df + 1) / 2) - sp.gammaln(df / 2) - 0.5 * np.log(df * np.pi) - np.log(scale)
    return norm - (df + 1) / 2 * np.log1p(y**2 / df)


def pdf(x: Any, df: Any, loc: Any = 0.0, scale: Any = 1.0) -> Any:
    """The density."""
    return np.exp(logpdf(x, df, loc, scale))


__getattr__ = sampling("t")
