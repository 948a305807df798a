"""Base classes of distributions."""

from __future__ import annotations

from typing import Any

from .._core.backward.passes import grad
from .._core.state.grad_mode import enable_grad, no_grad
from .._core.types.sizes import Size
from .._start.boundary import Guarded, boundary, shorten
from .._tensor import Tensor
from ..ops.warned import warn
from .constraints import Constraint, is_dependent, positive, real
from .utils import broadcast_all, lazy_property

__all__ = ["Distribution", "ExponentialFamily"]


class Distribution(Guarded):
    """A probability distribution, or a batch of independent ones of one family.

    A family defines its parameters and their constraints (`arg_constraints`), the `support` of samples, how to draw
    them (`rsample` or `sample`), the logarithm of the density (`log_prob`), and moments. `event_shape` is the shape of
    a sample of one distribution, `batch_shape` that of the batch.

    Args:
        batch_shape: the shape of the batch.
        event_shape: the shape of a sample of one distribution.
        validate_args: whether parameters and values are checked; None for the default, see `set_default_validate_args`.

    Raises:
        ValueError: if a parameter violates its constraint.
    """

    has_rsample = False
    has_enumerate_support = False
    _validate_args = __debug__
    _parts: tuple[str, ...] = ()
    """Attributes that are distributions of the same batch, and are expanded with it."""

    @staticmethod
    def set_default_validate_args(value: bool) -> None:
        """Set whether distributions check their parameters and values from now on.

        Raises:
            ValueError: if `value` is not a bool.
        """
        if value not in (True, False):
            raise ValueError(f"set_default_validate_args expects True or False, got {value!r}")
        Distribution._validate_args = value

    def __init__(self, batch_shape: Any = (), event_shape: Any = (), validate_args: bool | None = None) -> None:
        self._batch_shape = Size(batch_shape)
        self._event_shape = Size(event_shape)
        if validate_args is not None:
            self._validate_args = validate_args
        if self._validate_args:
            self._check_parameters()

    def _check_parameters(self) -> None:
        """Refuse parameters that violate their constraints; derived parameters are not computed for this."""
        try:
            constraints = self.arg_constraints
        except NotImplementedError:
            warn(
                f"{type(self)} does not define `arg_constraints`. Please set `arg_constraints = {{}}` or initialize "
                "the distribution with `validate_args=False` to turn off validation."
            )
            return
        for name, constraint in constraints.items():
            derived = name not in vars(self) and isinstance(getattr(type(self), name, None), lazy_property)
            if is_dependent(constraint) or derived:
                continue
            value = getattr(self, name)
            if not bool(constraint.check(value).all()):
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution "
                    f"{self!r} to satisfy the constraint {constraint!r}, but found invalid values:\n{value}"
                )

    @property
    def batch_shape(self) -> Size:
        """Shape of the batch."""
        return self._batch_shape

    @property
    def event_shape(self) -> Size:
        """Shape of a sample of one distribution."""
        return self._event_shape

    @property
    def arg_constraints(self) -> dict[str, Constraint]:
        """Constraints of the parameters, by name."""
        raise NotImplementedError

    @property
    def support(self) -> Any:
        """Constraint on samples."""
        raise NotImplementedError

    @property
    def mean(self) -> Tensor:
        """Expected value."""
        raise NotImplementedError

    @property
    def mode(self) -> Tensor:
        """Most likely value."""
        raise NotImplementedError(f"{type(self)} does not implement mode")

    @property
    def variance(self) -> Tensor:
        """Expected square of the distance from the mean."""
        raise NotImplementedError

    @property
    def stddev(self) -> Tensor:
        """Square root of the variance."""
        return self.variance.sqrt()

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        """Return the distributions expanded to a larger batch, without copies of their parameters.

        Args:
            batch_shape: the new shape, to which the current one broadcasts.
            _instance: an empty result created by a subclass.

        Returns:
            A new distribution.
        """
        batch_shape = Size(batch_shape)
        new = self._get_checked_instance(Distribution, _instance)
        for name, value in vars(self).items():
            if name in self._parts:
                value = value.expand(batch_shape)
            elif name in self.arg_constraints:
                value = self._expanded(value, batch_shape, self.arg_constraints[name].event_dim)
            elif isinstance(getattr(type(self), name, None), lazy_property):
                continue
            vars(new)[name] = value
        new._batch_shape = batch_shape
        return new

    @staticmethod
    @boundary
    def _expanded(value: Tensor, batch_shape: Size, event_dim: int) -> Tensor:
        """Return a parameter expanded to a batch; its last `event_dim` dimensions belong to each distribution."""
        return value.expand((*batch_shape, *value.shape[value.dim() - event_dim :]))

    def _get_checked_instance(self, cls: type, _instance: Any = None) -> Any:
        """Return `_instance`, or an empty distribution of the type of this one."""
        return object.__new__(type(self)) if _instance is None else _instance

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw samples, without gradients.

        Args:
            sample_shape: the shape of samples; its dimensions precede those of the batch.

        Returns:
            A tensor of shape sample_shape + batch_shape + event_shape.

        Examples:
            >>> import wengert as wg
            >>> wg.distributions.Normal(wg.zeros(3), 1.0).sample((2,)).shape
            torch.Size([2, 3])
        """
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw samples that are differentiable with respect to the parameters.

        Args:
            sample_shape: as for `sample`.

        Returns:
            A tensor of shape sample_shape + batch_shape + event_shape.

        Raises:
            NotImplementedError: if the samples are not a differentiable function of the parameters.
        """
        raise NotImplementedError(f"{type(self).__name__} has no rsample: its samples have no gradient")

    def sample_n(self, n: int) -> Tensor:
        """Return `sample((n,))`; deprecated."""
        warn("`sample_n(n)` will be deprecated. Use `sample((n,))` instead.", FutureWarning)
        return self.sample((n,))

    def log_prob(self, value: Tensor) -> Tensor:
        """Return the logarithm of the density, or of the probability, at `value`.

        Args:
            value: a tensor that broadcasts with batch_shape + event_shape.

        Returns:
            A tensor of the broadcast shape without the event's dimensions.

        Raises:
            ValueError: if `value` is not in the support.
        """
        raise NotImplementedError

    def cdf(self, value: Tensor) -> Tensor:
        """Return the cumulative distribution function: the probability that a sample is at most `value`."""
        raise NotImplementedError(f"{type(self).__name__} has no cdf")

    def icdf(self, value: Tensor) -> Tensor:
        """Return the inverse of `cdf`: the quantile of the probability `value`."""
        raise NotImplementedError(f"{type(self).__name__} has no icdf")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        """Return all values of the support, along the first dimension.

        Args:
            expand: whether to expand to the batch; otherwise its dimensions have length 1.

        Returns:
            A tensor of shape (count,) + batch_shape + event_shape.
        """
        raise NotImplementedError(f"{type(self).__name__} has no enumerate_support")

    def _enumerated(self, values: Tensor, expand: bool) -> Tensor:
        """Return values of shape (count,) + event_shape, with the dimensions of the batch."""
        ones = (1,) * len(self._batch_shape)
        values = values.view((len(values), *ones, *self._event_shape))
        return values.expand((-1, *self._batch_shape, *self._event_shape)) if expand else values

    def entropy(self) -> Tensor:
        """Return the entropy in nats, of the shape of the batch."""
        raise NotImplementedError(f"{type(self).__name__} has no entropy")

    def perplexity(self) -> Tensor:
        """Return exp(entropy)."""
        return self.entropy().exp()

    def _extended_shape(self, sample_shape: Any = ()) -> Size:
        """Return the shape of samples."""
        try:
            return Size((*Size(sample_shape), *self._batch_shape, *self._event_shape))
        except Exception as error:
            shorten(error)
            raise

    def _validate_sample(self, value: Any) -> None:
        """Refuse a value that cannot be a sample of this distribution.

        Raises:
            ValueError: if it is not a tensor, has another shape, or is outside of the support.
        """
        if not isinstance(value, Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        start = value.dim() - len(self._event_shape)
        if value.shape[max(start, 0) :] != self._event_shape:
            raise ValueError(
                f"The right-most size of value must match event_shape: {value.shape} vs {self._event_shape}."
            )
        wanted = Size((*self._batch_shape, *self._event_shape))
        for length, other in zip(reversed(value.shape), reversed(wanted)):
            if length != 1 and other != 1 and length != other:
                raise ValueError(f"Value is not broadcastable with batch_shape+event_shape: {value.shape} vs {wanted}.")
        try:
            support = self.support
        except NotImplementedError:
            warn(
                f"{type(self)} does not define `support` to enable sample validation. Please initialize the "
                "distribution with `validate_args=False` to turn off validation."
            )
            return
        if not bool(support.check(value).all()):
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the "
                f"support ({support!r}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def _checked(self, value: Any) -> None:
        """Refuse a value that cannot be a sample, if values are checked."""
        if self._validate_args:
            try:
                self._validate_sample(value)
            except Exception as error:
                shorten(error)
                raise

    def __repr__(self) -> str:
        shown = {name: vars(self)[name] for name in self.arg_constraints if name in vars(self)}
        parts = [f"{name}: {value if value.numel() == 1 else value.size()}" for name, value in shown.items()]
        return f"{type(self).__name__}({', '.join(parts)})"


class Located(Distribution):
    """Base of families of real numbers with a location and a scale."""

    arg_constraints = {"loc": real, "scale": positive}  # noqa: RUF012
    support = real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)


class ExponentialFamily(Distribution):
    """Base of families with the density exp(t(x) θ - F(θ) + k(x)).

    t is the statistic, θ the natural parameters, F the logarithm of the normalising constant. From `_natural_params`,
    `_log_normalizer` and the mean of k follow the entropy and the divergence within the family.

    Source: Nielsen and Nock, Entropies and cross-entropies of exponential families (2010).
    """

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        """Natural parameters θ."""
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        """Return F(θ)."""
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> Any:
        """Expected k(x)."""
        raise NotImplementedError

    def _normalizer_and_gradient(self) -> tuple[tuple[Tensor, ...], Tensor, tuple[Tensor, ...]]:
        """Return θ, F(θ) and its gradient, which is the expected statistic."""
        with enable_grad():
            params = tuple(parameter.detach().requires_grad_() for parameter in self._natural_params)
            normalizer = self._log_normalizer(*params)
            return params, normalizer, tuple(grad(normalizer.sum(), params, create_graph=True))

    def entropy(self) -> Tensor:
        """Return F(θ) - θ · grad F(θ) minus the expected k."""
        params, normalizer, grads = self._normalizer_and_gradient()
        result: Any = normalizer - self._mean_carrier_measure
        for param, mean in zip(params, grads):
            result = result - (param * mean).unsqueeze(-1).flatten(len(self._batch_shape)).sum(-1)
        return result
