"""Transforms of vectors and matrices, and of values with separate transforms for parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._core.types.dtypes import finfo
from .._core.types.sizes import Size
from .._tensor import Tensor
from ..ops.images.pad import pad
from ..ops.linalg.cholesky import linalg_cholesky
from ..ops.pointwise.smooth import softplus
from ..ops.shapes.join import cat, stack
from . import constraints
from .transform import Transform
from .utils import tril_matrix_to_vec, vec_to_tril_matrix


class Alike(Transform):
    """Base of transforms without arguments: all instances of a class are equal."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)


class CorrCholeskyTransform(Alike):
    """Transform vectors of D (D - 1) / 2 numbers to Cholesky factors of D x D correlation matrices.

    The hyperbolic tangents of the numbers fill the lower triangle. Each row is a point on a sphere: each coordinate is
    its tangent times the remaining length.

    Source: Lewandowski, Kurowicka and Joe, Generating random correlation matrices based on vines and extended onion
    method (2009).
    """

    domain, codomain, bijective = constraints.real_vector, constraints.corr_cholesky, True

    def _call(self, x: Tensor) -> Tensor:
        eps = finfo(x.dtype).eps
        shares = vec_to_tril_matrix(x.tanh().clamp(-1 + eps, 1 - eps), -1)
        left = (1 - shares**2).sqrt().cumprod(-1)
        matrix = shares + shares.new_ones(shares.shape[-1]).diag_embed()
        return matrix * pad(left[..., :-1], [1, 0], value=1)

    def _inverse(self, y: Tensor) -> Tensor:
        left = pad((1 - (y * y).cumsum(-1))[..., :-1], [1, 0], value=1)
        shares = tril_matrix_to_vec(y, -1) / tril_matrix_to_vec(left, -1).sqrt()
        return (shares.log1p() - (-shares).log1p()) / 2

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the log-determinant, from the remaining lengths and the derivative of tanh."""
        left = tril_matrix_to_vec(1 - (y * y).cumsum(-1), -2)
        log_grads = (x + softplus(-2 * x) - 0.6931471805599453).sum(-1)
        return 0.5 * left.log().sum(-1) - 2 * log_grads

    def forward_shape(self, shape: Any) -> Size:
        """Return (..., D, D)."""
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        count = shape[-1]
        size = round((0.25 + 2 * count) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != count:
            raise ValueError(f"Input is not a flattened lower-diagonal number: no D has D (D - 1) / 2 = {count}")
        return Size((*shape[:-1], size, size))

    def inverse_shape(self, shape: Any) -> Size:
        """Return (..., D (D - 1) / 2)."""
        check_square(shape)
        return Size((*shape[:-2], shape[-1] * (shape[-1] - 1) // 2))


def check_square(shape: Any) -> None:
    """Refuse shapes that are not those of square matrices.

    Raises:
        ValueError: if the last two lengths differ, or there are fewer.
    """
    if len(shape) < 2:
        raise ValueError("Too few dimensions on input")
    if shape[-2] != shape[-1]:
        raise ValueError(f"Input is not square: {tuple(shape)}")


class SoftmaxTransform(Alike):
    """Transform vectors of numbers to vectors of probabilities; not bijective, since constant shifts cancel."""

    domain, codomain = constraints.real_vector, constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        grown = (x - x.max(-1, True)[0]).exp()
        return grown / grown.sum(-1, True)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def forward_shape(self, shape: Any) -> Size:
        """Return the same shape, which must have a dimension."""
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        return Size(shape)

    inverse_shape = forward_shape


class StickBreakingTransform(Alike):
    """Transform vectors of n numbers to vectors of n + 1 probabilities, by stick breaking.

    Each number breaks off a share of the rest of a stick; zeros lead to equal shares.
    """

    domain, codomain, bijective = constraints.real_vector, constraints.simplex, True

    @staticmethod
    def _offset(x: Tensor) -> Tensor:
        """Return the logarithms of the number of further shares."""
        return (x.shape[-1] + 1 - x.new_ones(x.shape[-1]).cumsum(-1)).log()

    def _call(self, x: Tensor) -> Tensor:
        limits = finfo(x.dtype)
        shares = (x - self._offset(x)).sigmoid().clamp(limits.tiny, 1 - limits.eps)
        left = (1 - shares).cumprod(-1)
        return pad(shares, [0, 1], value=1) * pad(left, [1, 0], value=1)

    def _inverse(self, y: Tensor) -> Tensor:
        first = y[..., :-1]
        left = (1 - first.cumsum(-1)).clamp(min=finfo(y.dtype).tiny)
        return first.log() - left.log() + self._offset(first)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the sum of the logarithms of the derivatives of the shares, and of the rests."""
        moved = x - self._offset(x)
        return (-moved - softplus(-moved) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> Size:
        """Return the shape with a last length larger by 1."""
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        return Size((*shape[:-1], shape[-1] + 1))

    def inverse_shape(self, shape: Any) -> Size:
        """Return the shape with a last length smaller by 1."""
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        return Size((*shape[:-1], shape[-1] - 1))


class LowerCholeskyTransform(Alike):
    """Transform matrices to lower triangular ones with exp(x) on the diagonal."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Tensor) -> Tensor:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(Alike):
    """Transform matrices to positive definite ones: L L^T of their lower triangular transform L."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Tensor) -> Tensor:
        lower = LowerCholeskyTransform()(x)
        return lower @ lower.mT

    def _inverse(self, y: Tensor) -> Tensor:
        return LowerCholeskyTransform().inv(linalg_cholesky(y))


class Parts(Transform):
    """Base of transforms of parts along a dimension; a subclass defines the parts.

    Args:
        tseq: one transform for each part.
        dim: the dimension.
        cache_size: see `Transform`.
    """

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        if not all(isinstance(transform, Transform) for transform in tseq):
            raise TypeError(f"{type(self).__name__} expects a sequence of transforms")
        super().__init__(cache_size)
        self.transforms = [transform.with_cache(cache_size) for transform in tseq] if cache_size else list(tseq)
        self.dim = dim

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Return whether all transforms are bijective."""
        return all(transform.bijective for transform in self.transforms)

    def _split(self, value: Tensor) -> list[Tensor]:
        """Return the parts of a value."""
        raise NotImplementedError

    def _join(self, parts: list[Tensor]) -> Tensor:
        """Return the value with these parts."""
        raise NotImplementedError

    def _call(self, x: Tensor) -> Tensor:
        return self._join([transform(part) for transform, part in zip(self.transforms, self._split(x))])

    def _inverse(self, y: Tensor) -> Tensor:
        return self._join([transform.inv(part) for transform, part in zip(self.transforms, self._split(y))])


class CatTransform(Parts):
    """Transforms of parts of given lengths, joined as by `wengert.cat`.

    Args:
        tseq: one transform for each part.
        dim: the dimension.
        lengths: the lengths of the parts; by default 1 for each.
        cache_size: see `Transform`.
    """

    def __init__(
        self, tseq: Sequence[Transform], dim: int = 0, lengths: Sequence[int] | None = None, cache_size: int = 0
    ) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise ValueError(f"CatTransform expects {len(self.transforms)} lengths, got {len(self.lengths)}")

    @property
    def event_dim(self) -> int:
        """Largest `event_dim` of the parts."""
        return max(transform.event_dim for transform in self.transforms)

    @property
    def length(self) -> int:
        """Total length of the parts."""
        return sum(self.lengths)

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the transform with another cache."""
        if self._cache_size == cache_size:
            return self
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _split(self, value: Tensor) -> list[Tensor]:
        if value.shape[self.dim] != self.length:
            raise ValueError(f"CatTransform: dimension {self.dim} of {self.length} wanted, got {value.shape[self.dim]}")
        return list(value.split(self.lengths, self.dim))

    def _join(self, parts: list[Tensor]) -> Tensor:
        return cat(parts, self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the log-determinants of the parts, joined; summed if the dimension belongs to the values."""
        terms = []
        for transform, before, after in zip(self.transforms, self._split(x), self._split(y)):
            term = transform.log_abs_det_jacobian(before, after)
            further = self.event_dim - transform.event_dim
            terms.append(term.flatten(-further).sum(-1) if further else term)
        dim = self.dim if self.dim < 0 else self.dim - x.dim()
        dim += self.event_dim
        return cat(terms, dim) if dim < 0 else sum(terms[1:], terms[0])

    @constraints.dependent_property
    def domain(self) -> Any:
        """Constraints of the parts."""
        return constraints.cat([transform.domain for transform in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self) -> Any:
        """Constraints of the parts."""
        return constraints.cat([transform.codomain for transform in self.transforms], self.dim, self.lengths)


class StackTransform(Parts):
    """Transforms of slices along a dimension, joined as by `wengert.stack`."""

    def with_cache(self, cache_size: int = 1) -> Transform:
        """Return the transform with another cache."""
        return self if self._cache_size == cache_size else StackTransform(self.transforms, self.dim, cache_size)

    def _split(self, value: Tensor) -> list[Tensor]:
        if value.shape[self.dim] != len(self.transforms):
            raise ValueError(
                f"StackTransform: dimension {self.dim} of {len(self.transforms)} wanted, got {value.shape[self.dim]}"
            )
        return list(value.unbind(self.dim))

    def _join(self, parts: list[Tensor]) -> Tensor:
        return stack(parts, self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Return the log-determinants of the parts, joined."""
        parts = zip(self.transforms, self._split(x), self._split(y))
        return stack([transform.log_abs_det_jacobian(before, after) for transform, before, after in parts], self.dim)

    @constraints.dependent_property
    def domain(self) -> Any:
        """Constraints of the parts."""
        return constraints.stack([transform.domain for transform in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self) -> Any:
        """Constraints of the parts."""
        return constraints.stack([transform.codomain for transform in self.transforms], self.dim)
