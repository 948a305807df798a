"""Invertible transforms with log-determinants of their Jacobians.

Examples:
    >>> import wengert as wg
    >>> from wengert.distributions.transforms import AffineTransform, ComposeTransform, ExpTransform
    >>> transform = ComposeTransform([AffineTransform(1.0, 2.0), ExpTransform()])
    >>> x = wg.tensor([0.0, 1.0])
    >>> transform(x)
    tensor([ 2.7183, 20.0855])
    >>> wg.allclose(transform.inv(transform(x)), x, atol=1e-6)
    True
    >>> transform.log_abs_det_jacobian(x, transform(x))
    tensor([1.6931, 3.6931])
"""

from __future__ import annotations

import math
from typing import Any

from .._core.types.dtypes import finfo
from .._core.types.sizes import Size
from .._tensor import Tensor
from ..ops.pointwise.smooth import softplus
from ..ops.shapes.broadcast import broadcast_shapes
from . import constraints
from .structured_transforms import (
    CatTransform,
    CorrCholeskyTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    SoftmaxTransform,
    StackTransform,
    StickBreakingTransform,
)
from .transform import (
    ComposeTransform,
    IndependentTransform,
    Transform,
    _InverseTransform as _InverseTransform,
    identity_transform,
)

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "CatTransform",
    "ComposeTransform",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "ExpTransform",
    "IndependentTransform",
    "LowerCholeskyTransform",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "StackTransform",
    "StickBreakingTransform",
    "TanhTransform",
    "Transform",
    "identity_transform",
]


class ReshapeTransform(Transform):
    """Reshape the last dimensions.

    Args:
        in_shape: the lengths of the last dimensions of values.
        out_shape: the lengths of the last dimensions of images.
        cache_size: see `Transform`.

    Raises:
        ValueError: if the numbers of elements differ.
    """

    bijective = True

    def __init__(self, in_shape: Any, out_shape: Any, cache_size: int = 0) -> None:
        self.in_shape, self.out_shape = Size(in_shape), Size(out_shape)
        if math.prod(self.in_shape) != math.prod(self.out_shape):
            raise ValueError(
                f"in_shape, out_shape have different numbers of elements: {self.in_shape}, {self.out_shape}"
            )
        super().__init__(cache_size)

    @constraints.dependent_property
    def domain(self) -> Any:
        """Real tensors."""
        return constraints.independent(constraints.real, len(self.in_shape))

    @constraints.dependent_property
    def codomain(self) -> Any:
        """Real tensors."""
        return constraints.independent(constraints.real, len(self.out_shape))

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the transform with another cache."""
        return self if self._cache_size == cache_size else type(self)(self.in_shape, self.out_shape, cache_size)

    def _call(self, x: Tensor) -> Tensor:
        return x.reshape((*x.shape[: x.dim() - len(self.in_shape)], *self.out_shape))

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape((*y.shape[: y.dim() - len(self.out_shape)], *self.in_shape))

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return 0."""
        return x.new_zeros(x.shape[: x.dim() - len(self.in_shape)])

    def forward_shape(self, shape: Any) -> Size:
        """Return the shape with the last dimensions replaced."""
        return replaced(shape, self.in_shape, self.out_shape)

    def inverse_shape(self, shape: Any) -> Size:
        """Return the shape with the last dimensions replaced."""
        return replaced(shape, self.out_shape, self.in_shape)


def replaced(shape: Any, old: Size, new: Size) -> Size:
    """Return a shape with its last lengths replaced.

    Raises:
        ValueError: if it does not end with `old`.
    """
    cut = len(shape) - len(old)
    if cut < 0:
        raise ValueError(f"Too few dimensions on input: {tuple(shape)} does not end in {tuple(old)}")
    if tuple(shape[cut:]) != tuple(old):
        raise ValueError(f"Shape mismatch: expected {tuple(shape[cut:])} but got {tuple(old)}")
    return Size((*shape[:cut], *new))


class Elementwise(Transform):
    """Base of elementwise transforms; all instances of a subclass without arguments are equal."""

    bijective = True

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)


class ExpTransform(Elementwise):
    """Exponential transform, y = exp(x)."""

    domain, codomain, sign = constraints.real, constraints.positive, +1

    def _call(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x."""
        return x


class PowerTransform(Elementwise):
    """Power transform, y = x^exponent.

    Args:
        exponent: a tensor, or a number.
        cache_size: see `Transform`.
    """

    domain, codomain = constraints.positive, constraints.positive

    def __init__(self, exponent: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        from .utils import broadcast_all

        (self.exponent,) = broadcast_all(exponent)

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the transform with another cache."""
        return self if self._cache_size == cache_size else type(self)(self.exponent, cache_size)

    @property
    def sign(self) -> Any:
        """Sign of the exponent."""
        return self.exponent.sign()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PowerTransform) and bool(self.exponent.eq(other.exponent).all())

    def _call(self, x: Tensor) -> Tensor:
        return x**self.exponent

    def _inverse(self, y: Tensor) -> Tensor:
        return y ** (1 / self.exponent)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return log |exponent y / x|."""
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape: Any) -> Size:
        """Return the shape, broadcast with that of the exponent."""
        return broadcast_shapes(shape, self.exponent.shape)

    inverse_shape = forward_shape


class SigmoidTransform(Elementwise):
    """Sigmoid transform, y = 1 / (1 + exp(-x)), clamped away from 0 and 1."""

    domain, codomain, sign = constraints.real, constraints.unit_interval, +1

    def _call(self, x: Tensor) -> Tensor:
        limits = finfo(x.dtype)
        return x.sigmoid().clamp(limits.tiny, 1 - limits.eps)

    def _inverse(self, y: Tensor) -> Tensor:
        limits = finfo(y.dtype)
        inside = y.clamp(limits.tiny, 1 - limits.eps)
        return inside.log() - (-inside).log1p()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return log(y (1 - y))."""
        return -softplus(-x) - softplus(x)


class SoftplusTransform(Elementwise):
    """Softplus transform, y = log(1 + exp(x))."""

    domain, codomain, sign = constraints.real, constraints.positive, +1

    def _call(self, x: Tensor) -> Tensor:
        return softplus(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return log sigmoid(x)."""
        return -softplus(-x)


class TanhTransform(Elementwise):
    """Hyperbolic tangent transform, y = tanh(x)."""

    domain, codomain, sign = constraints.real, constraints.interval(-1.0, 1.0), +1

    def _call(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.atanh()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return log(1 - tanh(x)²), in a form that is accurate for large x."""
        return 2 * (math.log(2) - x - softplus(-2 * x))


class AbsTransform(Elementwise):
    """Absolute value, y = |x|; the inverse returns the non-negative value."""

    bijective = False
    domain, codomain = constraints.real, constraints.positive

    def _call(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> Tensor:
        return y


class AffineTransform(Transform):
    """Affine transform, y = loc + scale x.

    Args:
        loc: a tensor, or a number.
        scale: a tensor, or a number.
        event_dim: the number of last dimensions that form one value.
        cache_size: see `Transform`.
    """

    bijective = True

    def __init__(self, loc: Any, scale: Any, event_dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.loc, self.scale, self._event_dim = loc, scale, event_dim

    @property
    def event_dim(self) -> int:
        """Number of last dimensions that form one value."""
        return self._event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        """Real numbers, or tensors of them."""
        return constraints.independent(constraints.real, self._event_dim) if self._event_dim else constraints.real

    codomain = domain

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the transform with another cache."""
        if self._cache_size == cache_size:
            return self
        return type(self)(self.loc, self.scale, self._event_dim, cache_size)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AffineTransform):
            return False
        pairs = ((self.loc, other.loc), (self.scale, other.scale))
        return all(bool(same.all()) if isinstance(same := a == b, Tensor) else same for a, b in pairs)

    @property
    def sign(self) -> Any:
        """Sign of the scale."""
        if isinstance(self.scale, Tensor):
            return self.scale.sign()
        return (self.scale > 0) - (self.scale < 0)

    def _call(self, x: Tensor) -> Tensor:
        return self.loc + self.scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return log |scale|, summed over the dimensions of a value."""
        if isinstance(self.scale, Tensor):
            result = self.scale.abs().log().expand(broadcast_shapes(x.shape, self.scale.shape))
        else:
            result = x.new_full(x.shape, math.log(abs(self.scale)))
        if self._event_dim:
            result = result.flatten(-self._event_dim).sum(-1)
        return result.expand(x.shape[: x.dim() - self._event_dim])

    def forward_shape(self, shape: Any) -> Size:
        """Return the shape, broadcast with those of loc and scale."""
        return broadcast_shapes(shape, getattr(self.loc, "shape", ()), getattr(self.scale, "shape", ()))

    inverse_shape = forward_shape


class CumulativeDistributionTransform(Transform):
    """Transform y = F(x) by the distribution function: samples of the distribution become uniform.

    Args:
        distribution: a distribution with `cdf` and `icdf`.
        cache_size: see `Transform`.
    """

    bijective, codomain, sign = True, constraints.unit_interval, +1

    def __init__(self, distribution: Any, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.distribution = distribution

    @property
    def domain(self) -> Any:
        """Support of the distribution."""
        return self.distribution.support

    def _call(self, x: Tensor) -> Tensor:
        return self.distribution.cdf(x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithm of the density."""
        return self.distribution.log_prob(x)

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the transform with another cache."""
        return self if self._cache_size == cache_size else type(self)(self.distribution, cache_size)
