"""Transforms of rows and matrices, and of values whose parts have transforms of their own."""

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
    """A transform without arguments equals each other of its kind."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)


class CorrCholeskyTransform(Alike):
    """From rows of D (D - 1) / 2 numbers to Cholesky factors of D x D correlation matrices.

    The hyperbolic tangents of the numbers fill the lower triangle; each row is a point of a sphere, whose coordinates
    are taken one by one, each as its share of what is left of the length.

    Source: Lewandowski, Kurowicka and Joe, Generating random correlation matrices based on vines and extended onion
    method (2009).
    """

    domain, codomain, bijective = constraints.real_vector, constraints.corr_cholesky, True

    def _call(self, x: Tensor) -> Tensor:
        eps = finfo(x.dtype).eps
        shares = vec_to_tril_matrix(x.tanh().clamp(-1 + eps, 1 - eps), -1)
        left = (1 - shares**2).sqrt().cumprod(-1)
        whole = shares + shares.new_ones(shares.shape[-1]).diag_embed()
        return whole * pad(left[..., :-1], [1, 0], value=1)  # type: ignore[no-any-return]

    def _inverse(self, y: Tensor) -> Tensor:
        left = pad((1 - (y * y).cumsum(-1))[..., :-1], [1, 0], value=1)
        shares = tril_matrix_to_vec(y, -1) / tril_matrix_to_vec(left, -1).sqrt()
        return (shares.log1p() - (-shares).log1p()) / 2

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """From the lengths that are left, and the slope of the tangent."""
        left = tril_matrix_to_vec(1 - (y * y).cumsum(-1), -2)
        log_slopes = (x + softplus(-2 * x) - 0.6931471805599453).sum(-1)
        return 0.5 * left.log().sum(-1) - 2 * log_slopes  # type: ignore[no-any-return]

    def forward_shape(self, shape: Any) -> Size:
        """(..., D, D)."""
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        count = shape[-1]
        size = round((0.25 + 2 * count) ** 0.5 + 0.5)
        if size * (size - 1) // 2 != count:
            raise ValueError(f"Input is not a flattened lower-diagonal number: no D has D (D - 1) / 2 = {count}")
        return Size((*shape[:-1], size, size))

    def inverse_shape(self, shape: Any) -> Size:
        """(..., D (D - 1) / 2)."""
        check_square(shape)
        return Size((*shape[:-2], shape[-1] * (shape[-1] - 1) // 2))


def check_square(shape: Any) -> None:
    """Refuse shapes that are not those of square matrices.

    Raises:
        ValueError: such a shape.
    """
    if len(shape) < 2:
        raise ValueError("Too few dimensions on input")
    if shape[-2] != shape[-1]:
        raise ValueError(f"Input is not square: {tuple(shape)}")


class SoftmaxTransform(Alike):
    """Rows of numbers to rows of probabilities; not one to one, since adding a number changes nothing."""

    domain, codomain = constraints.real_vector, constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        grown = (x - x.max(-1, True)[0]).exp()
        return grown / grown.sum(-1, True)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def forward_shape(self, shape: Any) -> Size:
        """The same; rows are wanted."""
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        return Size(shape)

    inverse_shape = forward_shape


class StickBreakingTransform(Alike):
    """Rows of n numbers to rows of n + 1 probabilities: each number breaks off a share of what is left of a stick.

    0 gives equal shares.
    """

    domain, codomain, bijective = constraints.real_vector, constraints.simplex, True

    @staticmethod
    def _offset(x: Tensor) -> Tensor:
        """Logarithms of the number of further shares."""
        return (x.shape[-1] + 1 - x.new_ones(x.shape[-1]).cumsum(-1)).log()

    def _call(self, x: Tensor) -> Tensor:
        limits = finfo(x.dtype)
        shares = (x - self._offset(x)).sigmoid().clamp(limits.tiny, 1 - limits.eps)
        left = (1 - shares).cumprod(-1)
        return pad(shares, [0, 1], value=1) * pad(left, [1, 0], value=1)  # type: ignore[no-any-return]

    def _inverse(self, y: Tensor) -> Tensor:
        first = y[..., :-1]
        left = (1 - first.cumsum(-1)).clamp(min=finfo(y.dtype).tiny)
        return first.log() - left.log() + self._offset(first)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """The sum of the logarithms of the slopes of the shares, and of what was left."""
        moved = x - self._offset(x)
        return (-moved - softplus(-moved) + y[..., :-1].log()).sum(-1)  # type: ignore[no-any-return]

    def forward_shape(self, shape: Any) -> Size:
        """One more."""
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        return Size((*shape[:-1], shape[-1] + 1))

    def inverse_shape(self, shape: Any) -> Size:
        """One less."""
        if len(shape) < 1:
            raise ValueError("Too few dimensions on input")
        return Size((*shape[:-1], shape[-1] - 1))


class LowerCholeskyTransform(Alike):
    """Matrices to lower triangular ones with a positive diagonal: what lies above goes, exp(x) on the diagonal."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Tensor) -> Tensor:
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(Alike):
    """Matrices to positive definite ones: L L^T of the triangular one."""

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Tensor) -> Tensor:
        lower = LowerCholeskyTransform()(x)
        return lower @ lower.mT  # type: ignore[no-any-return]

    def _inverse(self, y: Tensor) -> Tensor:
        return LowerCholeskyTransform().inv(linalg_cholesky(y))


class Parts(Transform):
    """Transforms of the parts of values along a dimension; a subclass says how values fall into parts.

    Args:
        tseq: one transform for each part.
        dim: the dimension.
        cache_size: see `Transform`.
    """

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        if not all(isinstance(transform, Transform) for transform in tseq):
            raise TypeError(f"{type(self).__name__} wants a sequence of transforms")
        super().__init__(cache_size)
        self.transforms = [transform.with_cache(cache_size) for transform in tseq] if cache_size else list(tseq)
        self.dim = dim

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        """Whether all are."""
        return all(transform.bijective for transform in self.transforms)

    def _split(self, value: Tensor) -> list[Tensor]:
        """The parts."""
        raise NotImplementedError

    def _join(self, parts: list[Tensor]) -> Tensor:
        """The value that has these parts."""
        raise NotImplementedError

    def _call(self, x: Tensor) -> Tensor:
        return self._join([transform(part) for transform, part in zip(self.transforms, self._split(x))])

    def _inverse(self, y: Tensor) -> Tensor:
        return self._join([transform.inv(part) for transform, part in zip(self.transforms, self._split(y))])


class CatTransform(Parts):
    """Transforms of parts with lengths of their own, as `wengert.cat` joins them.

    Args:
        tseq: one transform for each part.
        dim: the dimension.
        lengths: of the parts; 1 each unless given.
        cache_size: see `Transform`.
    """

    def __init__(
        self, tseq: Sequence[Transform], dim: int = 0, lengths: Sequence[int] | None = None, cache_size: int = 0
    ) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise ValueError(f"CatTransform wants {len(self.transforms)} lengths, got {len(self.lengths)}")

    @property
    def event_dim(self) -> int:
        """The largest of the parts'."""
        return max(transform.event_dim for transform in self.transforms)

    @property
    def length(self) -> int:
        """Of all parts together."""
        return sum(self.lengths)

    def with_cache(self, cache_size: int = 1) -> Transform:
        """The same with another cache."""
        if self._cache_size == cache_size:
            return self
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _split(self, value: Tensor) -> list[Tensor]:
        if value.shape[self.dim] != self.length:
            raise ValueError(f"CatTransform: dimension {self.dim} of {self.length} wanted, got {value.shape[self.dim]}")
        return list(value.split(self.lengths, self.dim))

    def _join(self, parts: list[Tensor]) -> Tensor:
        return cat(parts, self.dim)  # type: ignore[no-any-return]

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Those of the parts, joined; added up where the dimension belongs to the values."""
        terms = []
        for transform, before, after in zip(self.transforms, self._split(x), self._split(y)):
            term = transform.log_abs_det_jacobian(before, after)
            further = self.event_dim - transform.event_dim
            terms.append(term.flatten(-further).sum(-1) if further else term)
        dim = self.dim if self.dim < 0 else self.dim - x.dim()
        dim += self.event_dim
        return cat(terms, dim) if dim < 0 else sum(terms[1:], terms[0])  # type: ignore[no-any-return]

    @constraints.dependent_property
    def domain(self) -> Any:
        """Those of the parts."""
        return constraints.cat([transform.domain for transform in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self) -> Any:
        """Those of the parts."""
        return constraints.cat([transform.codomain for transform in self.transforms], self.dim, self.lengths)


class StackTransform(Parts):
    """Transforms of the slices along a dimension, as `wengert.stack` joins them."""

    def with_cache(self, cache_size: int = 1) -> Transform:
        """The same with another cache."""
        return self if self._cache_size == cache_size else StackTransform(self.transforms, self.dim, cache_size)

    def _split(self, value: Tensor) -> list[Tensor]:
        if value.shape[self.dim] != len(self.transforms):
            raise ValueError(
                f"StackTransform: dimension {self.dim} of {len(self.transforms)} wanted, got {value.shape[self.dim]}"
            )
        return list(value.unbind(self.dim))

    def _join(self, parts: list[Tensor]) -> Tensor:
        return stack(parts, self.dim)  # type: ignore[no-any-return]

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """Those of the parts, joined."""
        parts = zip(self.transforms, self._split(x), self._split(y))
        return stack([transform.log_abs_det_jacobian(before, after) for transform, before, after in parts], self.dim)  # type: ignore[no-any-return]

    @constraints.dependent_property
    def domain(self) -> Any:
        """Those of the parts."""
        return constraints.stack([transform.domain for transform in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self) -> Any:
        """Those of the parts."""
        return constraints.stack([transform.codomain for transform in self.transforms], self.dim)
