"""Joint distribution of a batch of independent distributions."""

from __future__ import annotations

from typing import Any

from .._tensor import Tensor
from . import constraints
from .distribution import Distribution
from .utils import _sum_rightmost, of_part

__all__ = ["Independent"]


class Independent(Distribution):
    """Joint distribution of the last dimensions of a batch.

    Args:
        base_distribution: the batch.
        reinterpreted_batch_ndims: the number of its dimensions that belong to a sample.
        validate_args: see `Distribution`.

    Raises:
        ValueError: if the batch has fewer dimensions.

    Examples:
        >>> import wengert as wg
        >>> from wengert.distributions import Independent, Normal
        >>> together = Independent(Normal(wg.zeros(3), 1.0), 1)
        >>> together.event_shape, together.log_prob(wg.zeros(3))
        (torch.Size([3]), tensor(-2.7568))
    """

    arg_constraints: dict[str, Any] = {}  # noqa: RUF012 - as all families say it

    def __init__(
        self, base_distribution: Any, reinterpreted_batch_ndims: int, validate_args: bool | None = None
    ) -> None:
        batch_shape = base_distribution.batch_shape
        if reinterpreted_batch_ndims > len(batch_shape):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual "
                f"{reinterpreted_batch_ndims} vs {len(batch_shape)}"
            )
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        cut = len(batch_shape) - reinterpreted_batch_ndims
        super().__init__(batch_shape[:cut], batch_shape[cut:] + base_distribution.event_shape, validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """See `Distribution.expand`."""
        new = super().expand(batch_shape, _instance)
        batch_part = self.event_shape[: self.reinterpreted_batch_ndims]
        new.base_dist = self.base_dist.expand((*new.batch_shape, *batch_part))
        return new

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Return whether the batch has `rsample`."""
        return self.base_dist.has_rsample

    @property
    def has_enumerate_support(self) -> bool:  # type: ignore[override]
        """Return whether the support can be enumerated: not for joint distributions."""
        return self.base_dist.has_enumerate_support and self.reinterpreted_batch_ndims == 0

    @constraints.dependent_property
    def support(self) -> Any:
        """Support of the batch, for joint samples."""
        count = self.reinterpreted_batch_ndims
        return constraints.independent(self.base_dist.support, count) if count else self.base_dist.support

    mean = of_part("base_dist.mean", "See the batch.")
    mode = of_part("base_dist.mode", "See the batch.")
    variance = of_part("base_dist.variance", "See the batch.")

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw samples of the batch."""
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw samples of the batch."""
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the sum over the joint dimensions of the batch."""
        return _sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        """Return the sum over the joint dimensions of the batch."""
        return _sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return the support of the batch, if no dimension belongs to the samples.

        Raises:
            NotImplementedError: if a dimension belongs to the samples.
        """
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"
