"""Multivariate normal distributions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

from .._tensor import Tensor
from ..ops.linalg.cholesky import linalg_cholesky
from ..ops.linalg.solve import solve_triangular
from ..ops.shapes.broadcast import broadcast_shapes
from . import constraints
from .distribution import Distribution
from .utils import lazy_property, of_part, standard_normal

__all__ = ["LowRankMultivariateNormal", "MultivariateNormal"]


def squared_length(factor: Tensor, difference: Tensor) -> Tensor:
    """Return d^T (L L^T)^-1 d.

    Args:
        factor: (..., n, n) lower triangular matrices L; their batch broadcasts with that of d.
        difference: (..., n) vectors d.
    """
    return (solve_triangular(factor, difference.unsqueeze(-1), upper=False) ** 2).sum((-2, -1))


def half_log_det(factor: Tensor) -> Tensor:
    """Return the sum of the logarithms of the diagonal of (..., n, n) matrices."""
    return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def identity_like(matrix: Tensor) -> Tensor:
    """Return the identity of the size of (..., n, n) matrices."""
    return matrix.new_ones(matrix.shape[-1]).diag_embed()


def factor_of_precision(precision: Tensor) -> Tensor:
    """Return the lower triangular L with (L L^T)^-1 = P: the inverted factor of P with reversed rows and columns."""
    reversed_factor = linalg_cholesky(precision.flip((-2, -1))).flip((-2, -1)).mT
    return solve_triangular(reversed_factor, identity_like(precision), upper=False)


# torch's names, which libraries import
_precision_to_scale_tril, _batch_mahalanobis = factor_of_precision, squared_length


def _batch_mv(bmat: Tensor, bvec: Tensor) -> Tensor:
    """Return products of (..., n, n) matrices and (..., n) vectors."""
    return (bmat @ bvec.unsqueeze(-1)).squeeze(-1)


class OfCovariance(Distribution):
    """Base of families with a covariance of vectors, given as one of three matrices."""

    _unbroadcasted_scale_tril: Tensor
    FACTOR_OF: ClassVar[dict[str, Callable[[Tensor], Tensor]]] = {
        "covariance_matrix": linalg_cholesky,
        "precision_matrix": factor_of_precision,
        "scale_tril": lambda factor: factor,
    }
    """Functions that return the Cholesky factor of the covariance, by the name of the given matrix."""

    def _only_one(self, *matrices: Any) -> tuple[str, Any]:
        """Return the name of the given matrix, and the matrix.

        Raises:
            ValueError: if not exactly one of the three is given.
        """
        named = [(name, matrix) for name, matrix in zip(self.FACTOR_OF, matrices) if matrix is not None]
        if len(named) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        return named[0]

    @lazy_property
    def scale_tril(self) -> Tensor:
        """Cholesky factor of the covariance."""
        return self._expanded(self._unbroadcasted_scale_tril, self._batch_shape, 2)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """Covariance of the vectors."""
        factor = self._unbroadcasted_scale_tril
        return self._expanded(factor @ factor.mT, self._batch_shape, 2)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """Inverse of the covariance."""
        return self._expanded(self._unbroadcasted_scale_tril.cholesky_inverse(), self._batch_shape, 2)


class MultivariateNormal(OfCovariance):
    """Multivariate normal distribution.

    Args:
        loc: (..., n) means.
        covariance_matrix: (..., n, n) positive definite matrices.
        precision_matrix: (..., n, n) inverse of the covariance.
        scale_tril: (..., n, n) Cholesky factor of the covariance; give one of the three.
        validate_args: see `Distribution`.

    Raises:
        ValueError: if not exactly one of the three is given, or a shape is wrong.

    Examples:
        >>> import wengert as wg
        >>> d = wg.distributions.MultivariateNormal(wg.zeros(2), wg.tensor([[4.0, 2.0], [2.0, 5.0]]))
        >>> d.log_prob(wg.ones(2)), d.variance
        (tensor(-3.3804), tensor([4., 5.]))
    """

    arg_constraints = {  # noqa: RUF012
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Any,
        covariance_matrix: Any = None,
        precision_matrix: Any = None,
        scale_tril: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        name, matrix = self._only_one(covariance_matrix, precision_matrix, scale_tril)
        if matrix.dim() < 2:
            raise ValueError(f"{name} must be at least two-dimensional, with optional leading batch dimensions")
        batch_shape = broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        vars(self)[name] = matrix.expand((*batch_shape, *matrix.shape[-2:]))
        self.loc = loc.expand((*batch_shape, loc.shape[-1]))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = self.FACTOR_OF[name](matrix)

    mean = mode = of_part("loc", "Mean: loc.")

    @property
    def variance(self) -> Tensor:
        """Variance: the diagonal of the covariance."""
        result = (self._unbroadcasted_scale_tril**2).sum(-1)
        return result.expand((*self._batch_shape, *self._event_shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        drawn = standard_normal(self._extended_shape(sample_shape), self.loc)
        return self.loc + (self._unbroadcasted_scale_tril @ drawn.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        factor = self._unbroadcasted_scale_tril
        squares = squared_length(factor, value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + squares) - half_log_det(factor)

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        result = 0.5 * self._event_shape[0] * (1 + math.log(2 * math.pi)) + half_log_det(self._unbroadcasted_scale_tril)
        return result.expand(self._batch_shape)


class LowRankMultivariateNormal(Distribution):
    """Multivariate normal distribution with the covariance W W^T + diag(D), where W has few columns.

    Args:
        loc: (..., n) means.
        cov_factor: (..., n, m) matrices W.
        cov_diag: (..., n) diagonals D, above 0.
        validate_args: see `Distribution`.

    Raises:
        ValueError: if a shape is wrong.

    Source: Woodbury's identity for the inverse, the matrix determinant lemma for the determinant; both need only the
    factor of the small matrix I + W^T D^-1 W.
    """

    arg_constraints = {  # noqa: RUF012
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(self, loc: Any, cov_factor: Any, cov_diag: Any, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        batch_shape = broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        self.loc, self.cov_diag = (parameter.expand((*batch_shape, *event_shape)) for parameter in (loc, cov_diag))
        self.cov_factor = self._expanded(cov_factor, batch_shape, 2)
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        small = cov_factor.mT / cov_diag.unsqueeze(-2) @ cov_factor
        self._capacitance_tril = linalg_cholesky(small + identity_like(small))
        super().__init__(batch_shape, event_shape, validate_args=validate_args)

    mean = mode = of_part("loc", "Mean: loc.")

    @lazy_property
    def variance(self) -> Tensor:
        """Variance: the diagonal of the covariance."""
        result = (self._unbroadcasted_cov_factor**2).sum(-1) + self._unbroadcasted_cov_diag
        return result.expand((*self._batch_shape, *self._event_shape))

    @lazy_property
    def scale_tril(self) -> Tensor:
        """Cholesky factor of the covariance."""
        return linalg_cholesky(self.covariance_matrix)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """Covariance of the vectors."""
        factor = self._unbroadcasted_cov_factor
        return self._expanded(factor @ factor.mT + self._unbroadcasted_cov_diag.diag_embed(), self._batch_shape, 2)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """Inverse of the covariance."""
        scaled = self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2)
        inner = solve_triangular(self._capacitance_tril, scaled, upper=False)
        result = self._unbroadcasted_cov_diag.reciprocal().diag_embed() - inner.mT @ inner
        return self._expanded(result, self._batch_shape, 2)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        shape = self._extended_shape(sample_shape)
        factor, diag = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        shared = standard_normal((*shape[:-1], factor.shape[-1]), self.loc)
        independent = standard_normal(shape, self.loc)
        return self.loc + (factor @ shared.unsqueeze(-1)).squeeze(-1) + diag.sqrt() * independent

    def _half_log_det(self) -> Tensor:
        """Return half the log-determinant of the covariance."""
        return half_log_det(self._capacitance_tril) + 0.5 * self._unbroadcasted_cov_diag.log().sum(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        difference = value - self.loc
        weighted = difference / self._unbroadcasted_cov_diag
        along = (self._unbroadcasted_cov_factor.mT @ weighted.unsqueeze(-1)).squeeze(-1)
        squares = (difference * weighted).sum(-1) - squared_length(self._capacitance_tril, along)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + squares) - self._half_log_det()

    def entropy(self) -> Tensor:
        """See `Distribution.entropy`."""
        result = 0.5 * self._event_shape[0] * (1 + math.log(2 * math.pi)) + self._half_log_det()
        return result.expand(self._batch_shape)
