"""Distributions of correlation and covariance matrices."""

from __future__ import annotations

import math
from typing import Any

from .._core.types.dtypes import finfo
from .._tensor import Tensor
from ..ops.create.ranges import arange, tril_indices
from ..ops.linalg.cholesky import linalg_cholesky
from ..ops.linalg.solve import solve_triangular
from . import constraints
from .distribution import Distribution, ExponentialFamily
from .gamma import Beta, Chi2
from .multivariate_normal import OfCovariance, half_log_det
from .utils import broadcast_all, standard_normal

__all__ = ["LKJCholesky", "Wishart"]


class LKJCholesky(Distribution):
    """LKJ distribution: Cholesky factors of correlation matrices C with density ~ det(C)^(concentration - 1).

    Args:
        dim: the size of the matrices, 2 or above.
        concentration: above 0; at 1 all matrices are equally likely, above 1 those near the identity are more likely.
        validate_args: see `Distribution`.

    Raises:
        ValueError: if `dim` is below 2.

    Source: Lewandowski, Kurowicka and Joe, Generating random correlation matrices based on vines and extended onion
    method (2009), section 3.2.
    """

    arg_constraints = {"concentration": constraints.positive}  # noqa: RUF012
    support = constraints.corr_cholesky

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        shape = self.concentration.shape
        rows = arange(dim - 1, dtype=self.concentration.dtype)
        first = rows.new_zeros(dim)
        first[1:] = rows + 0.5
        last = rows.new_zeros(dim)
        last[1:] = -0.5 * rows
        top = self.concentration.unsqueeze(-1) + 0.5 * (dim - 2)
        self._rows = Beta(first.clamp(min=0.5), top + last)
        super().__init__(shape, (dim, dim), validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """See `Distribution.expand`."""
        new = super().expand(batch_shape, _instance)
        new._rows = self._rows.expand((*new.batch_shape, self.dim))
        return new

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw rows whose lengths below the diagonal have beta distributions, in uniform directions."""
        lengths = self._rows.sample(sample_shape).unsqueeze(-1)
        directions = standard_normal(self._extended_shape(sample_shape), self.concentration).tril(-1)
        norms = (directions**2).sum(-1, True).sqrt()
        rows = (directions / norms)[..., 1:, :]
        lower = self.concentration.new_zeros(self._extended_shape(sample_shape))
        lower[..., 1:, :] = lengths[..., 1:, :].sqrt() * rows
        left = (1 - (lower**2).sum(-1)).clamp(min=finfo(lower.dtype).tiny).sqrt()
        return lower + left.diag_embed()

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        n = self.dim - 1
        orders = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - arange(2, self.dim + 1)
        density = (orders * value.diagonal(dim1=-2, dim2=-1)[..., 1:].log()).sum(-1)
        top = self.concentration + 0.5 * n
        normal = 0.5 * n * math.log(math.pi) + (top - 0.5).mvlgamma(n) - n * top.lgamma()
        return density - normal


class Wishart(OfCovariance, ExponentialFamily):
    """Wishart distribution: sums of `df` squares x x^T of normal vectors.

    Args:
        df: degrees of freedom, above n - 1.
        covariance_matrix: (..., n, n) covariance of the vectors.
        precision_matrix: (..., n, n) inverse of the covariance.
        scale_tril: (..., n, n) Cholesky factor of the covariance; give one of the three.
        validate_args: see `Distribution`.

    Raises:
        ValueError: if there are too few degrees of freedom, or not exactly one matrix is given.

    Source: Odell and Feiveson, A numerical procedure to generate a sample covariance matrix (1966); Bartlett's factors.
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        df: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        name, matrix = self._only_one(covariance_matrix, precision_matrix, scale_tril)
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        size = matrix.shape[-1]
        self.df = broadcast_all(df, matrix.new_zeros(matrix.shape[:-2]))[0].type_as(matrix)
        batch_shape = self.df.shape
        if bool((self.df <= size - 1).any()):
            raise ValueError(f"Value of df={self.df} expected to be greater than ndim - 1 = {size - 1}.")
        vars(self)[name] = matrix.expand((*batch_shape, size, size))
        super().__init__(batch_shape, (size, size), validate_args=validate_args)
        self._unbroadcasted_scale_tril = self.FACTOR_OF[name](matrix)

    @property
    def arg_constraints(self) -> dict[str, Any]:
        """Constraints of the parameters: more than n - 1 degrees of freedom."""
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self._size - 1),
        }

    @property
    def _size(self) -> int:
        """Size n of the matrices."""
        known = [name for name in ("covariance_matrix", "precision_matrix", "scale_tril") if name in vars(self)]
        return vars(self)[known[0]].shape[-1]

    @property
    def mean(self) -> Tensor:
        """Mean: df times the covariance."""
        return self.df[..., None, None] * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        """Mode: df - n - 1 times the covariance; NaN if that factor is negative."""
        factor = self.df - self._size - 1
        return factor.masked_fill(factor <= 0, math.nan)[..., None, None] * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        """Variance: df (v_ij² + v_ii v_jj)."""
        diagonal = self.covariance_matrix.diagonal(dim1=-2, dim2=-1)
        outer = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self.df[..., None, None] * (self.covariance_matrix**2 + outer)

    def rsample(self, sample_shape: Any = (), max_try_correction: Any = None) -> Tensor:
        """See `Distribution.rsample`.

        As in torch, which takes the first draw for singular even if it is not, there is a second draw; then at most
        `max_try_correction` (10) further ones while matrices are singular.
        """
        draws = self._drawn(sample_shape)
        again = self._definite(draws)
        for _ in range(10 if max_try_correction is None else max_try_correction):
            if not again.any():
                break
            drawn = self._drawn(again[again].shape)
            draws[again] = drawn
            again = again.masked_scatter(again, ~self._definite(drawn))
        return draws

    def _drawn(self, sample_shape: Any) -> Tensor:
        """Return matrices from Bartlett's decomposition, of any rank."""
        size, batch = self._size, self.df.shape
        degrees = self.df.unsqueeze(-1) - arange(size, dtype=self.df.dtype)
        lower = Chi2(degrees).rsample(sample_shape).sqrt().clamp(min=finfo(self.df.dtype).eps).diag_embed()
        row, column = tril_indices(size, size, -1)
        lower[..., row, column] = standard_normal((*sample_shape, *batch, size * (size - 1) // 2), self.df)
        factor = self._unbroadcasted_scale_tril @ lower
        return factor @ factor.mT

    def _definite(self, drawn: Tensor) -> Tensor:
        """Return whether draws are positive definite; for a batch whether any is, as in torch."""
        fits = self.support.check(drawn)
        batch = len(self.df.shape)
        return fits.amax(tuple(range(-batch, 0))) if batch else fits

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        df, size = self.df, self._size
        inner = solve_triangular(self._unbroadcasted_scale_tril, linalg_cholesky(value), upper=False)
        normal = df * (0.5 * size * math.log(2) + half_log_det(self._unbroadcasted_scale_tril))
        trace = (inner**2).sum((-2, -1))
        return (df - size - 1) * half_log_det(linalg_cholesky(value)) - 0.5 * trace - normal - (df / 2).mvlgamma(size)

    def _digammas(self) -> Tensor:
        """Return the derivative of the logarithm of the multivariate gamma function at df / 2."""
        return (self.df.unsqueeze(-1) / 2 - arange(self._size, dtype=self.df.dtype) / 2).digamma().sum(-1)

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        df, size = self.df, self._size
        result = (size + 1) * (half_log_det(self._unbroadcasted_scale_tril) + 0.5 * size * math.log(2))
        return result + (df / 2).mvlgamma(size) - 0.5 * (df - size - 1) * self._digammas() + 0.5 * df * size
