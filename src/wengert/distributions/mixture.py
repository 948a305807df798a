"""Mixtures of distributions of one family."""

from __future__ import annotations

from typing import Any

from .._core.state.grad_mode import no_grad
from .._tensor import Tensor
from . import constraints
from .categorical import Categorical
from .distribution import Distribution
from .utils import of_part

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """Mixture of the distributions along the last dimension of a batch.

    Args:
        mixture_distribution: a `Categorical` with the batch shape without that dimension: the weights.
        component_distribution: the batch of components.
        validate_args: see `Distribution`.

    Raises:
        ValueError: if an argument has another type, or the batches do not fit.

    Examples:
        >>> import wengert as wg
        >>> from wengert.distributions import Categorical, MixtureSameFamily, Normal
        >>> d = MixtureSameFamily(Categorical(wg.ones(2)), Normal(wg.tensor([-1.0, 1.0]), 0.5))
        >>> d.mean, d.variance
        (tensor(0.), tensor(1.2500))
    """

    arg_constraints: dict[str, Any] = {}  # noqa: RUF012

    def __init__(
        self, mixture_distribution: Any, component_distribution: Any, validate_args: bool | None = None
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution need to be an instance of torch.distributions.Distribution")
        batch = component_distribution.batch_shape[:-1]
        for length, other in zip(reversed(mixture_distribution.batch_shape), reversed(batch)):
            if length != 1 and other != 1 and length != other:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({mixture_distribution.batch_shape}) is not compatible with "
                    f"`component_distribution.batch_shape`({batch})"
                )
        count = mixture_distribution.logits.shape[-1]
        if count != component_distribution.batch_shape[-1]:
            raise ValueError(
                f"`mixture_distribution component` ({count}) does not equal `component_distribution.batch_shape[-1]` "
                f"({component_distribution.batch_shape[-1]})"
            )
        self._mixture_distribution, self._component_distribution = mixture_distribution, component_distribution
        self._num_component = count
        super().__init__(batch, component_distribution.event_shape, validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """See `Distribution.expand`."""
        new = super().expand(batch_shape, _instance)
        new._mixture_distribution = self.mixture_distribution.expand(new.batch_shape)
        new._component_distribution = self.component_distribution.expand((*new.batch_shape, self._num_component))
        return new

    mixture_distribution = of_part("_mixture_distribution", "Distribution of the component of a sample.")
    component_distribution = of_part("_component_distribution", "Batch of components.")

    @constraints.dependent_property
    def support(self) -> Any:
        """Support of the components."""
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    def _weights(self) -> Tensor:
        """Return the probabilities, with the dimensions of a sample."""
        probs = self._mixture_distribution.probs
        return probs.reshape((*probs.shape, *[1] * len(self._event_shape)))

    @property
    def mean(self) -> Tensor:
        """Mean: the weighted mean of the components' means."""
        return (self._weights() * self._component_distribution.mean).sum(-1 - len(self._event_shape))

    @property
    def variance(self) -> Tensor:
        """Variance: the weighted mean of the variances, plus the variance of the means."""
        dim, weights, parts = -1 - len(self._event_shape), self._weights(), self._component_distribution
        spread = (parts.mean - self.mean.unsqueeze(dim)) ** 2
        return (weights * (parts.variance + spread)).sum(dim)

    def cdf(self, value: Tensor) -> Tensor:
        """Return the weighted mean of the components' `cdf`."""
        values = self._component_distribution.cdf(value.unsqueeze(-1 - len(self._event_shape)))
        return (values * self._mixture_distribution.probs).sum(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        """See `Distribution.log_prob`."""
        self._checked(value)
        log_probs = self._component_distribution.log_prob(value.unsqueeze(-1 - len(self._event_shape)))
        return (log_probs + self._mixture_distribution.logits).logsumexp(-1)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """See `Distribution.sample`."""
        with no_grad():
            chosen = self._mixture_distribution.sample(sample_shape)
            drawn = self._component_distribution.sample(sample_shape)
            event_dim = len(self._event_shape)
            places = chosen.reshape((*chosen.shape, 1, *[1] * event_dim))
            places = places.expand((*drawn.shape[: drawn.dim() - event_dim - 1], 1, *self._event_shape))
            return drawn.gather(-1 - event_dim, places).squeeze(-1 - event_dim)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(\n  {self._mixture_distribution!r},\n  {self._component_distribution!r})"
