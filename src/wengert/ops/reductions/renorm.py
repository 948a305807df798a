"""Parts of a tensor scaled down to a largest norm."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.cards.card import ALL, FLOATS, Array, Bad, Sample, op
from ..._core.types import dtypes
from ..axes import read_dim
from .vector_norm import NAME, norm_of, type_name

ROOM = 1e-7
"""Added to a norm that is divided by, as in torch."""


def others(dim: int, ndim: int) -> tuple[int, ...]:
    """All dimensions but one."""
    return tuple(axis for axis in range(ndim) if axis != dim % ndim)


def check_renorm(self: Any, p: Any, maxnorm: Any) -> None:
    """Refuse what has no norm, and limits that are none.

    Raises:
        RuntimeError: too few dimensions, integers, or numbers outside of their range.
    """
    if isinstance(p, complex):
        raise RuntimeError("renorm: p must be real-valued")
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if isinstance(maxnorm, complex):
        raise RuntimeError("renorm: maxnorm must be real-valued")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    if self.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {self.ndim} dimensions")
    if self.dtype.kind not in "fc":
        own = dtypes.from_numpy(self.dtype)
        raise RuntimeError(f"{NAME}: Expected a floating point or complex tensor as input. Got {type_name(own)}")


@op(dtypes=FLOATS, explained=ALL - FLOATS, inplace=True)
def renorm(self: Array, p: float, dim: int, maxnorm: float) -> Any:
    """`self` with each part along a dimension scaled down to the norm `maxnorm` where its norm is larger.

    Args:
        self: floating or complex tensor of two dimensions or more.
        p: the order of the norm, above 0.
        maxnorm: the largest norm, 0 or more.

    Returns:
        A new tensor of the same shape.

    Raises:
        RuntimeError: `self` has fewer dimensions or holds integers, or a number is outside of its range.

    Derivative:
        That of the norm, as `linalg.vector_norm` has it.

    Examples:
        >>> import wengert as wg
        >>> wg.renorm(wg.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0)
        tensor([[0.6000, 0.8000],
                [0.3000, 0.4000]])
    """
    check_renorm(self, p, maxnorm)
    axes = others(read_dim("renorm", dim, self.ndim), self.ndim)
    size = np.abs(self)
    wide = size.astype(np.float32) if size.itemsize < 4 else size
    norm = norm_of(wide, float(p), axes, True)
    factor = np.where(norm > maxnorm, maxnorm / (norm + wide.dtype.type(ROOM)), 1)
    return np.multiply(self, factor.astype(size.dtype), dtype=self.dtype)


def scaling(self: Any, p: float, dim: int, maxnorm: float) -> Any:
    """The norms, the inverses of what is divided by, and where a part is scaled."""
    norm = self.norm(float(p), others(dim, self.ndim), True)
    return norm, (norm + ROOM).reciprocal(), norm > maxnorm


def real_product(first: Any, second: Any) -> Any:
    """The real part of first * conj(second)."""
    return (first * second.conj()).real if first.dtype.is_complex else first * second


def norm_slope(self: Any, norm: Any, p: float, dim: int) -> Any:
    """The derivative of the norms by each element: its direction, and how much it counts."""
    if p == float("inf"):
        hits = (self.abs() == norm).to(dtype=norm.dtype)
        return self.sgn() * (hits / hits.sum(others(dim, self.ndim), True))
    if p == 2:
        return (self / norm).where(norm != 0, 0)
    return (self.sgn() * (self.abs() / norm).pow(p - 1)).where((norm != 0) & (self != 0), 0)


@renorm.vjp("self")
def renorm_vjp(grad: Any, self: Any, p: float, dim: int, maxnorm: float) -> Any:
    norm, inverse, scaled = scaling(self, p, dim, maxnorm)
    inner = real_product(grad, self).sum(others(dim, self.ndim), True)
    along = norm_slope(self, norm, p, dim) * (inner * inverse)
    return ((grad - along) * (inverse * maxnorm)).where(scaled, grad)


@renorm.jvp("self")
def renorm_jvp(tangent: Any, self: Any, p: float, dim: int, maxnorm: float) -> Any:
    norm, inverse, scaled = scaling(self, p, dim, maxnorm)
    growth = real_product(tangent, norm_slope(self, norm, p, dim)).sum(others(dim, self.ndim), True)
    return ((tangent - self * (growth * inverse)) * (inverse * maxnorm)).where(scaled, tangent)


@renorm.batched
def renorm_batched(self: Any, p: float, dim: int, maxnorm: float) -> Any:
    count, shape = self.shape[0], self.shape[1:]
    axis = read_dim("renorm", dim, len(shape))
    if len(shape) < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {len(shape)} dimensions")
    first = self.transpose(1, axis + 1)  # its parts along one dimension with those of all members
    flat = first.reshape((count * shape[axis], *first.shape[2:]))
    return renorm(flat, p, 0, maxnorm).reshape(first.shape).transpose(1, axis + 1)


@renorm.samples
def renorm_samples(make: Any) -> Any:
    if make.dtype not in FLOATS:
        yield Bad(make(2, 3), 2, 0, 1.0, raises=RuntimeError, says="Expected a floating point or complex tensor")
        return
    for order in (2, 1, 3, float("inf")):
        yield Sample(make(3, 4, kind="nonzero"), order, 0, 1.5)
    yield Sample(make(2, 3, 4, kind="nonzero"), 1.5, -2, 2)
    yield Sample(make(2, 3), 2, 1, 100.0)
    yield Sample(make(2, 0, 3), 2, 0, 1.0)
    yield Bad(make(3), 2, 0, 1.0, raises=RuntimeError, says="needs at least 2 dimensions, got 1 dimensions")
    yield Bad(make(2, 3), -1, 0, 1.0, raises=RuntimeError, says="non-positive-norm not supported")
    yield Bad(make(2, 3), 2, 0, -1.0, raises=RuntimeError, says="expected maxnorm to be >= 0 but got -1")
