"""Normal distribution, and distributions derived from it."""

from __future__ import annotations

import math
from typing import Any

from .._core.state.grad_mode import no_grad
from .._tensor import Tensor
from ..ops.pointwise.normal import erfinv
from ..ops.randomness.sampling import normal
from . import constraints
from .distribution import ExponentialFamily, Located
from .transformed_distribution import OfAbsolute, TransformedDistribution
from .transforms import ExpTransform, StickBreakingTransform
from .utils import of_part, standard_normal

__all__ = ["HalfNormal", "LogNormal", "LogisticNormal", "Normal"]

LOG_ROOT_TAU = 0.5 * math.log(2 * math.pi)


class Normal(Located, ExponentialFamily):
    """Normal distribution.

    Args:
        loc: the mean.
        scale: the standard deviation, above 0.
        validate_args: see `Distribution`.

    Examples:
        >>> import wengert as wg
        >>> d = wg.distributions.Normal(wg.tensor([0.0, 1.0]), 2.0)
        >>> d
        Normal(loc: torch.Size([2]), scale: torch.Size([2]))
        >>> d.log_prob(wg.tensor(1.0)), d.cdf(wg.tensor(1.0))
        (tensor([-1.7371, -1.6121]), tensor([0.6915, 0.5000]))
    """

    _mean_carrier_measure = 0

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(loc, scale, validate_args)

    mean = mode = of_part("loc", "Mean: loc.")
    stddev = of_part("scale", "Standard deviation: scale.")

    @property
    def variance(self) -> Tensor:
        """Variance: scale²."""
        return self.scale**2

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.sample`."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.rsample`."""
        return self.loc + standard_normal(self._extended_shape(sample_shape), self.loc) * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        return -((value - self.loc) ** 2) / (2 * self.scale**2) - self.scale.log() - LOG_ROOT_TAU

    def cdf(self, value: Tensor) -> Tensor:
        """See `Distribution.cdf`."""
        self._checked(value)
        return 0.5 * (1 + ((value - self.loc) / (self.scale * math.sqrt(2))).erf())

    def icdf(self, value: Tensor) -> Tensor:
        """See `Distribution.icdf`."""
        return self.loc + self.scale * erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Tensor:
        """Entropy: log scale + log(2 pi e) / 2."""
        return 0.5 + LOG_ROOT_TAU + self.scale.log()

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        precision = 1 / self.scale**2
        return self.loc * precision, -0.5 * precision

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:  # type: ignore[override]
        return -0.25 * x * x / y + 0.5 * (-math.pi / y).log()


class OfNormal(TransformedDistribution):
    """Base of transformed normal distributions, with the parameters before the transform."""

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}  # noqa: RUF012
    has_rsample = True
    base_dist: Any

    loc = of_part("base_dist.loc", "Mean before the transform.")
    scale = of_part("base_dist.scale", "Standard deviation before the transform.")


class LogNormal(OfNormal):
    """Log-normal distribution: that of exp(x), where x is normal.

    Args:
        loc: the mean of x.
        scale: the standard deviation of x.
        validate_args: see `Distribution`.
    """

    support = constraints.positive

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args)

    @property
    def mean(self) -> Tensor:
        """Mean: exp(loc + scale² / 2)."""
        return (self.loc + self.scale**2 / 2).exp()

    @property
    def mode(self) -> Tensor:
        """Mode: exp(loc - scale²)."""
        return (self.loc - self.scale**2).exp()

    @property
    def variance(self) -> Tensor:
        """Variance: (exp(scale²) - 1) mean²."""
        return (self.scale**2).expm1() * (2 * self.loc + self.scale**2).exp()

    def entropy(self) -> Tensor:
        """Entropy: that of x, plus the mean of x."""
        return self.base_dist.entropy() + self.loc


class HalfNormal(OfAbsolute):
    """Half-normal distribution: that of |x|, where x is normal with mean 0.

    Args:
        scale: the standard deviation of x.
        validate_args: see `Distribution`.
    """

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(0, scale, validate_args=False), validate_args)

    scale = of_part("base_dist.scale", "Standard deviation of x.")

    @property
    def mean(self) -> Tensor:
        """Mean: scale sqrt(2 / pi)."""
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Tensor:
        """Variance: scale² (1 - 2 / pi)."""
        return self.scale**2 * (1 - 2 / math.pi)


class LogisticNormal(TransformedDistribution):
    """Logistic-normal distribution: vectors of probabilities by stick breaking with independent normal numbers.

    Args:
        loc: (..., n) means.
        scale: (..., n) standard deviations.
        validate_args: see `Distribution`.
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}  # noqa: RUF012
    support = constraints.simplex
    has_rsample = True
    base_dist: Any

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args)

    loc = of_part("base_dist.base_dist.loc", "Means before the transform.")
    scale = of_part("base_dist.base_dist.scale", "Standard deviations before the transform.")
