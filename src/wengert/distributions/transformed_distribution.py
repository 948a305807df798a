"""Distributions of transformed samples."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .._core.state.grad_mode import no_grad
from .._tensor import Tensor
from . import constraints
from .distribution import Distribution
from .independent import Independent
from .transform import ComposeTransform, Transform
from .transforms import AbsTransform
from .utils import _sum_rightmost, of_part

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """Distribution of f(x), where x has a base distribution and f is a transform.

    Args:
        base_distribution: the distribution of x.
        transforms: a transform, or a list in order of application.
        validate_args: see `Distribution`.

    Raises:
        ValueError: if `transforms` are not transforms, or need values with more dimensions.

    Examples:
        >>> import wengert as wg
        >>> from wengert.distributions import ExpTransform, Normal, TransformedDistribution
        >>> TransformedDistribution(Normal(0.0, 1.0), [ExpTransform()]).log_prob(wg.tensor(2.0))
        tensor(-1.8523)
    """

    arg_constraints: dict[str, Any] = {}  # noqa: RUF012 - as all families say it

    def __init__(
        self,
        base_distribution: Distribution,
        transforms: Transform | Sequence[Transform],
        validate_args: bool | None = None,
    ) -> None:
        parts = [transforms] if isinstance(transforms, Transform) else transforms
        if not isinstance(parts, list | tuple) or not all(isinstance(part, Transform) for part in parts):
            raise ValueError(f"transforms must be a Transform or a list of Transforms, but was {transforms}")
        self.transforms = list(parts)
        base_shape = base_distribution.batch_shape + base_distribution.event_shape
        event_dim = len(base_distribution.event_shape)
        transform = ComposeTransform(self.transforms)
        if len(base_shape) < transform.domain.event_dim:
            raise ValueError(
                f"base_distribution needs to have shape with size at least {transform.domain.event_dim}, "
                f"but got {base_shape}."
            )
        shape = transform.forward_shape(base_shape)
        wanted = transform.inverse_shape(shape)
        if wanted != base_shape:
            base_distribution = base_distribution.expand(wanted[: len(wanted) - event_dim])
        further = transform.domain.event_dim - event_dim
        self.base_dist = Independent(base_distribution, further) if further > 0 else base_distribution
        change = transform.codomain.event_dim - transform.domain.event_dim
        cut = len(shape) - max(transform.codomain.event_dim, event_dim + change)
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """See `Distribution.expand`."""
        new = super().expand(batch_shape, _instance)
        shape = (*new.batch_shape, *self.event_shape)
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        new.base_dist = self.base_dist.expand(shape[: len(shape) - len(self.base_dist.event_shape)])
        return new

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Return whether the distribution of x has `rsample`."""
        return self.base_dist.has_rsample

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        """Codomain of the last transform."""
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        further = len(self.event_shape) - support.event_dim
        return constraints.independent(support, further) if further > 0 else support

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Return transformed samples; see `Distribution.sample`."""
        with no_grad():
            x = self.base_dist.sample(sample_shape)
            for transform in self.transforms:
                x = transform(x)
            return x

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Return transformed samples; see `Distribution.rsample`."""
        x = self.base_dist.rsample(sample_shape)
        for transform in self.transforms:
            x = transform(x)
        return x

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the `log_prob` of x minus the log-determinant of the transforms."""
        self._checked(value)
        event_dim, total = len(self.event_shape), None
        y = value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            event_dim += transform.domain.event_dim - transform.codomain.event_dim
            grown = _sum_rightmost(transform.log_abs_det_jacobian(x, y), event_dim - transform.domain.event_dim)
            total = -grown if total is None else total - grown
            y = x
        term = _sum_rightmost(self.base_dist.log_prob(y), event_dim - len(self.base_dist.event_shape))
        return term if total is None else total + term

    def _monotonize_cdf(self, value: Tensor) -> Tensor:
        """Return 1 - value if the transforms are decreasing, otherwise the value."""
        sign = ComposeTransform(self.transforms).sign
        if isinstance(sign, int) and sign == 1:
            return value
        return sign * (value - 0.5) + 0.5

    def cdf(self, value: Tensor) -> Tensor:
        """Return the `cdf` of x at the inverse of `value`."""
        for transform in reversed(self.transforms):
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._monotonize_cdf(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        """Return the transformed `icdf` of x."""
        value = self.base_dist.icdf(self._monotonize_cdf(value))
        for transform in self.transforms:
            value = transform(value)
        return value


class OfAbsolute(TransformedDistribution):
    """Base of distributions of |x|, where the distribution of x is symmetric around 0 and has a scale."""

    arg_constraints = {"scale": constraints.positive}  # noqa: RUF012
    support = constraints.nonnegative
    has_rsample = True
    base_dist: Any

    def __init__(self, base_distribution: Any, validate_args: bool | None) -> None:
        super().__init__(base_distribution, AbsTransform(), validate_args)

    scale = of_part("base_dist.scale", "Scale of x.")

    @property
    def mode(self) -> Tensor:
        """Mode: 0."""
        return self.scale.new_zeros(self.scale.shape)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of twice the density of x, for values from 0 on."""
        self._checked(value)
        return (self.base_dist.log_prob(value) + math.log(2)).where(value >= 0, -math.inf)

    def cdf(self, value: Tensor) -> Tensor:
        """See `Distribution.cdf`."""
        self._checked(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, value: Tensor) -> Tensor:
        """See `Distribution.icdf`."""
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self) -> Tensor:
        """Entropy: that of x, minus log 2."""
        return self.base_dist.entropy() - math.log(2)
