"""Distributions of ratios: Student's t and F."""

from __future__ import annotations

import math
from typing import Any

from .._core.types.dtypes import finfo
from .._tensor import Tensor
from . import constraints
from .distribution import Distribution
from .gamma import Chi2, Gamma
from .utils import broadcast_all, standard_normal

__all__ = ["FisherSnedecor", "StudentT"]


class StudentT(Distribution):
    """Student's t-distribution.

    Args:
        df: degrees of freedom, above 0.
        loc: the location of the peak.
        scale: the width, above 0.
        validate_args: see `Distribution`.
    """

    arg_constraints = {  # noqa: RUF012
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real
    has_rsample = True
    _parts = ("_chi2",)

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """Mean: loc; NaN up to one degree of freedom."""
        return self.loc.masked_fill(self.df <= 1, math.nan)

    @property
    def mode(self) -> Tensor:
        """Mode: loc."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """Variance: scale² df / (df - 2); infinite up to two degrees of freedom, NaN up to one."""
        result = (self.scale**2 * self.df / (self.df - 2)).masked_fill(self.df <= 2, math.inf)
        return result.masked_fill(self.df <= 1, math.nan)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw normal numbers divided by root mean squares."""
        x = standard_normal(self._extended_shape(sample_shape), self.df)
        return self.loc + self.scale * (x * (self._chi2.rsample(sample_shape) / self.df).rsqrt())

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        squares = ((value - self.loc) / self.scale) ** 2
        normal = self.scale.log() + 0.5 * (self.df * math.pi).log() + (0.5 * self.df).lgamma()
        return -0.5 * (self.df + 1) * (squares / self.df).log1p() - normal + (0.5 * (self.df + 1)).lgamma()

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        half, more = 0.5 * self.df, 0.5 * (self.df + 1)
        beta = half.lgamma() + math.lgamma(0.5) - more.lgamma()
        return self.scale.log() + more * (more.digamma() - half.digamma()) + 0.5 * self.df.log() + beta


class FisherSnedecor(Distribution):
    """F-distribution: ratios of mean squares of normal numbers.

    Args:
        df1: degrees of freedom of the numerator.
        df2: degrees of freedom of the denominator.
        validate_args: see `Distribution`.
    """

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}  # noqa: RUF012
    support = constraints.positive
    has_rsample = True
    _parts = ("_gamma1", "_gamma2")

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)
        super().__init__(self.df1.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """Mean: df2 / (df2 - 2); NaN up to df2 = 2."""
        return (self.df2 / (self.df2 - 2)).masked_fill(self.df2 <= 2, math.nan)

    @property
    def mode(self) -> Tensor:
        """Mode: (df1 - 2) / df1 · df2 / (df2 + 2); NaN up to df1 = 2."""
        return ((self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)).masked_fill(self.df1 <= 2, math.nan)

    @property
    def variance(self) -> Tensor:
        """Variance; NaN up to df2 = 4."""
        a, b = self.df1, self.df2
        return (2 * b**2 * (a + b - 2) / (a * (b - 2) ** 2 * (b - 4))).masked_fill(b <= 4, math.nan)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        above, below = self._gamma1.rsample(sample_shape), self._gamma2.rsample(sample_shape)
        tiny = finfo(below.dtype).tiny
        return (above / below.clamp(min=tiny)).clamp(min=tiny)

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        a, b, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        powers = a * ratio.log() + (a - 1) * value.log() - (a + b) * (ratio * value).log1p()
        return (a + b).lgamma() - a.lgamma() - b.lgamma() + powers
