"""Base class of transforms, and transforms composed of others: inverse, composition, joint values."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from .._core.types.sizes import Size
from .._start.boundary import Guarded
from .._tensor import Tensor
from . import constraints
from .utils import _sum_rightmost


class Transform(Guarded):
    """Base of transforms: functions from `domain` to `codomain`, applied by calling them.

    A subclass defines `_call`, `_inverse` and `log_abs_det_jacobian`.

    Args:
        cache_size: 1 to keep the last value with its image, so that the inverse of the last result is exact and free; 0
            to keep nothing.

    Attributes:
        bijective: whether the transform is one to one.
        domain, codomain: constraints on values and images.
        sign: the sign of the derivative, for transforms of numbers.

    Raises:
        ValueError: if `cache_size` is neither 0 nor 1.
    """

    bijective = False
    domain: Any
    codomain: Any

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError(f"cache_size must be 0 or 1, got {cache_size!r}")
        self._cache_size = cache_size
        self._inv: Any = None
        self._cached_x_y: tuple[Any, Any] = (None, None)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_inv": None}

    @property
    def event_dim(self) -> int:
        """Number of last dimensions that form one value, if that is the same for domain and codomain.

        Raises:
            ValueError: if they differ.
        """
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> Transform:
        """Inverse, whose own inverse is this transform."""
        inverse = self._inv() if self._inv is not None else None
        if inverse is None:
            inverse = _InverseTransform(self)
            self._inv = weakref.ref(inverse)
        return inverse

    @property
    def sign(self) -> Any:
        """Sign of the derivative, 1 or -1, for elementwise transforms."""
        raise NotImplementedError(f"{type(self).__name__} has no sign")

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the transform with another cache.

        Raises:
            NotImplementedError: if the subclass does not define it.
        """
        if self._cache_size == cache_size:
            return self
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        raise NotImplementedError(f"{type(self)}.with_cache is not implemented")

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __call__(self, x: Tensor) -> Tensor:
        """Return the image of x."""
        if not self._cache_size:
            return self._call(x)
        before, image = self._cached_x_y
        if x is before:
            return image
        image = self._call(x)
        self._cached_x_y = x, image
        return image

    def _inv_call(self, y: Tensor) -> Tensor:
        """Return the value with the image y."""
        if not self._cache_size:
            return self._inverse(y)
        value, image = self._cached_x_y
        if y is image:
            return value
        value = self._inverse(y)
        self._cached_x_y = value, y
        return value

    def _call(self, x: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} does not say _call")

    def _inverse(self, y: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} has no inverse")

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the logarithm of the absolute value of the determinant of the Jacobian at x.

        Args:
            x: the values.
            y: the images of x.

        Returns:
            One number for each value.
        """
        raise NotImplementedError(f"{type(self).__name__} has no log_abs_det_jacobian")

    def forward_shape(self, shape: Any) -> Size:
        """Return the shape of the images of values of a shape."""
        return Size(shape)

    def inverse_shape(self, shape: Any) -> Size:
        """Return the shape of the values with images of a shape."""
        return Size(shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class _InverseTransform(Transform):
    """Inverse of a transform, which it refers to."""

    def __init__(self, transform: Transform) -> None:
        super().__init__(transform._cache_size)
        self._inv: Any = transform

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Return whether the transform is bijective."""
        return self._inv.bijective

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        """Codomain of the transform."""
        return self._inv.codomain

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        """Domain of the transform."""
        return self._inv.domain

    @property
    def sign(self) -> Any:
        """Sign of the derivative of the transform."""
        return self._inv.sign

    @property
    def inv(self) -> Transform:
        """Return the transform."""
        return self._inv

    def __getstate__(self) -> dict[str, Any]:
        return vars(self)

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the inverse of the transform with another cache."""
        return self._inv.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and bool(self._inv == other._inv)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._inv!r})"

    def __call__(self, x: Tensor) -> Tensor:
        return self._inv._inv_call(x)

    def _inv_call(self, y: Tensor) -> Tensor:
        return self._inv(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the negative log-determinant of the transform."""
        return -self._inv.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Any) -> Size:
        """Return the shape of values of the transform."""
        return self._inv.inverse_shape(shape)

    def inverse_shape(self, shape: Any) -> Size:
        """Return the shape of images of the transform."""
        return self._inv.forward_shape(shape)


class ComposeTransform(Transform):
    """Composition of transforms.

    Args:
        parts: the transforms, in order of application.
        cache_size: see `Transform`; also for the parts.
    """

    def __init__(self, parts: Sequence[Transform], cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.parts = [part.with_cache(cache_size) for part in parts] if cache_size else list(parts)

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Return whether all parts are bijective."""
        return all(part.bijective for part in self.parts)

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        """Domain of the first part, with the dimensions that all parts need for a value."""
        if not self.parts:
            return constraints.real
        first, wanted = self.parts[0].domain, self.parts[-1].codomain.event_dim
        for part in reversed(self.parts):
            wanted = max(wanted + part.domain.event_dim - part.codomain.event_dim, part.domain.event_dim)
        return widened(first, wanted)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        """Codomain of the last part, with the dimensions that all parts need for a value."""
        if not self.parts:
            return constraints.real
        last, wanted = self.parts[-1].codomain, self.parts[0].domain.event_dim
        for part in self.parts:
            wanted = max(wanted + part.codomain.event_dim - part.domain.event_dim, part.codomain.event_dim)
        return widened(last, wanted)

    @property
    def sign(self) -> Any:
        """Product of the signs of the parts."""
        sign: Any = 1
        for part in self.parts:
            sign = sign * part.sign
        return sign

    @property
    def inv(self) -> Transform:
        """Composition of the inverses in reverse order."""
        inverse = self._inv() if self._inv is not None else None
        if inverse is None:
            inverse = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._inv, inverse._inv = weakref.ref(inverse), weakref.ref(self)
        return inverse

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the transform with another cache."""
        return self if self._cache_size == cache_size else ComposeTransform(self.parts, cache_size)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    def __call__(self, x: Tensor) -> Tensor:
        """Apply all parts."""
        for part in self.parts:
            x = part(x)
        return x

    def _inv_call(self, y: Tensor) -> Tensor:
        for part in reversed(self.parts):
            y = part._inv_call(y)
        return y

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the sum of the log-determinants of the parts."""
        if not self.parts:
            return x * 0
        values = [x]
        for part in self.parts[:-1]:
            values.append(part(values[-1]))
        values.append(y)
        total: Any = 0
        wanted = self.domain.event_dim
        for part, before, after in zip(self.parts, values, values[1:]):
            term = part.log_abs_det_jacobian(before, after)
            total = total + _sum_rightmost(term, wanted - part.domain.event_dim)
            wanted += part.codomain.event_dim - part.domain.event_dim
        return total

    def forward_shape(self, shape: Any) -> Size:
        """Return the shape of images, through all parts."""
        for part in self.parts:
            shape = part.forward_shape(shape)
        return Size(shape)

    def inverse_shape(self, shape: Any) -> Size:
        """Return the shape of values, through all parts in reverse order."""
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return Size(shape)

    def __repr__(self) -> str:
        inner = ",\n    ".join(repr(part) for part in self.parts)
        return f"{type(self).__name__}(\n    {inner}\n)"


def widened(constraint: Any, event_dim: int) -> Any:
    """Return a constraint on values with `event_dim` dimensions."""
    further = event_dim - constraint.event_dim
    return constraints.independent(constraint, further) if further > 0 else constraint


identity_transform = ComposeTransform([])


class IndependentTransform(Transform):
    """Transform of joint values: the last batch dimensions belong to the values.

    Args:
        base_transform: the transform to apply.
        reinterpreted_batch_ndims: the number of dimensions.
        cache_size: see `Transform`.
    """

    def __init__(self, base_transform: Transform, reinterpreted_batch_ndims: int, cache_size: int = 0) -> None:
        super().__init__(cache_size)
        self.base_transform = base_transform.with_cache(cache_size)
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the transform with another cache."""
        if self._cache_size == cache_size:
            return self
        return IndependentTransform(self.base_transform, self.reinterpreted_batch_ndims, cache_size)

    @constraints.dependent_property(is_discrete=False)
    def domain(self) -> Any:
        """Constraint of the base transform, for joint values."""
        return constraints.independent(self.base_transform.domain, self.reinterpreted_batch_ndims)

    @constraints.dependent_property(is_discrete=False)
    def codomain(self) -> Any:
        """Constraint of the base transform, for joint values."""
        return constraints.independent(self.base_transform.codomain, self.reinterpreted_batch_ndims)

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Return whether the base transform is bijective."""
        return self.base_transform.bijective

    @property
    def sign(self) -> Any:
        """Sign of the derivative of the base transform."""
        return self.base_transform.sign

    def _call(self, x: Tensor) -> Tensor:
        if x.dim() < self.domain.event_dim:
            raise ValueError(f"Too few dimensions on input: {x.dim()}, wanted {self.domain.event_dim} or more")
        return self.base_transform(x)

    def _inverse(self, y: Tensor) -> Tensor:
        if y.dim() < self.codomain.event_dim:
            raise ValueError(f"Too few dimensions on input: {y.dim()}, wanted {self.codomain.event_dim} or more")
        return self.base_transform.inv(y)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the log-determinant of the base transform, summed over the joint dimensions."""
        return _sum_rightmost(self.base_transform.log_abs_det_jacobian(x, y), self.reinterpreted_batch_ndims)

    def forward_shape(self, shape: Any) -> Size:
        """Return the shape of images of the base transform."""
        return self.base_transform.forward_shape(shape)

    def inverse_shape(self, shape: Any) -> Size:
        """Return the shape of values of the base transform."""
        return self.base_transform.inverse_shape(shape)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_transform!r}, {self.reinterpreted_batch_ndims})"
