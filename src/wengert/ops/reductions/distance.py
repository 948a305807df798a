"""Norm of a difference, and limits of norms: dist, renorm."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.cards.card import FLOATS, Array, Bad, Number, Out, Sample, op
from ..._core.recording.recorded import conjugate
from ..._core.types import dtypes
from ..._core.types.sizes import broadcast, normalise
from ..pointwise.binary import SUBTRACT_BOOL, SUBTRACT_BOOLS
from .vector_norm import vector_norm, vector_norm_jvp, vector_norm_vjp

native = kernels.direct_function

TINY = 1e-7
"""Number that torch adds to a norm before it divides by it."""


@op(dtypes=FLOATS, larger=True, native=native("dist"))
def dist(self: Array, other: Array, p: Number = 2) -> Any:
    """The norm of the difference of two tensors.

    Args:
        self, other: floating or complex tensors that broadcast.
        p: the order of the norm, a number.

    Returns:
        A new real 0-dim tensor.

    Raises:
        RuntimeError: if the dtype is neither floating nor complex.

    Derivative:
        Zero where a norm of an order above 1 is zero.

    Examples:
        >>> import wengert as wg
        >>> wg.dist(wg.tensor([0., 0.]), wg.tensor([3., 4.]))
        tensor(5.)
    """
    if self.dtype.kind == "b" or other.dtype.kind == "b":
        raise RuntimeError(SUBTRACT_BOOL if self.dtype != other.dtype else SUBTRACT_BOOLS)
    common = dtypes.result_type((self, other))
    if common.category < dtypes.FLOAT:
        raise RuntimeError(
            "norm(): input dtype should be either floating point or complex. "
            f"Got {common.legacy[:-6]} instead. (operator dist)"
        )
    broadcast(self.shape, other.shape)
    return vector_norm.body(self.astype(common.numpy) - other.astype(common.numpy), p)


@dist.vjp("self", "other")
def dist_vjp(grad: Any, self: Any, other: Any, out: Any, p: Any) -> Any:
    gradient = vector_norm_vjp(grad, self - other, out, p, None, False)
    return (None, None) if gradient is None else (gradient, -gradient)


@dist.jvp("self", "other")
def dist_jvp(self_tangent: Any, other_tangent: Any, self: Any, other: Any, out: Any, p: Any) -> Any:
    return vector_norm_jvp(self_tangent - other_tangent, self - other, out, p, None, False)


@dist.batched
def dist_batched(self: Any, other: Any, p: Any) -> Any:
    shape = broadcast(tuple(self.shape[1:]), tuple(other.shape[1:]))
    operands = [
        operand.reshape((operand.shape[0], *(1,) * (len(shape) + 1 - operand.ndim), *operand.shape[1:]))
        for operand in (self, other)
    ]
    difference = (operands[0] - operands[1]).unsqueeze(-1)
    return vector_norm(difference, p, tuple(range(1, difference.ndim)))


@dist.samples
def dist_samples(make: Any) -> Any:
    for p in (2, 1, 3, float("inf")):
        yield Sample(make(3, 4), make(3, 4), p)
    yield Sample(make(3, 4), make(4))
    yield Bad(make(3), make(4), raises=RuntimeError, says="must match the size of tensor b")


def all_but(dim: int, ndim: int) -> tuple[int, ...]:
    """Return all dimensions but one."""
    return tuple([axis for axis in range(ndim) if axis != normalise(dim, ndim)])


@op(dtypes=FLOATS, inplace=True, out=Out(apart="partly"), native=native("renorm"))
def renorm(self: Array, p: Number, dim: int, maxnorm: Number) -> Any:
    """Scale the slices along a dimension whose norm exceeds `maxnorm` down to that norm.

    Args:
        self: floating or complex tensor with at least two dimensions.
        p: the order of the norm, a positive number.
        maxnorm: a number.

    Raises:
        RuntimeError: if `p` or `maxnorm` is out of range, or `self` has fewer than two dimensions.

    Examples:
        >>> import wengert as wg
        >>> wg.renorm(wg.tensor([[3., 4.], [0.3, 0.4]]), 2, 0, 1.)
        tensor([[0.6000, 0.8000],
                [0.3000, 0.4000]])
    """
    if isinstance(p, complex):
        raise RuntimeError("renorm: p must be real-valued")
    if not p > 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if isinstance(maxnorm, complex):
        raise RuntimeError("renorm: maxnorm must be real-valued")
    if not maxnorm >= 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    if self.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {self.ndim} dimensions")
    if self.dtype.kind not in "fcV":
        raise RuntimeError(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. "
            f"Got {dtypes.from_numpy(self.dtype).legacy[:-6]} (operator renorm)"
        )
    wide = self.astype(np.float32) if self.dtype.itemsize == 2 else self
    norm = vector_norm.body(wide, p, all_but(dim, self.ndim), True)
    factor = np.where(norm > maxnorm, maxnorm / (norm + norm.dtype.type(TINY)), norm.dtype.type(1))
    return (wide * factor).astype(self.dtype, copy=False)


@renorm.vjp("self")
def renorm_vjp(grad: Any, self: Any, p: Any, dim: int, maxnorm: Any) -> Any:
    if self.dtype.itemsize == 2:  # powers of half precision overflow
        self, grad = self.to(dtype=dtypes.float32), grad.to(dtype=dtypes.float32)
    axes = all_but(dim, self.ndim)
    norm = vector_norm(self, p, axes, True)
    share = (conjugate(self) * grad).sum(axes, True)
    pull = vector_norm_vjp(share.real if share.dtype.is_complex else share, self, norm, p, axes, True)
    inverse = (norm + TINY).reciprocal()
    return (inverse * maxnorm * (grad - inverse * pull)).where(norm > maxnorm, grad)


@renorm.jvp("self")
def renorm_jvp(tangent: Any, self: Any, p: Any, dim: int, maxnorm: Any) -> Any:
    axes = all_but(dim, self.ndim)
    norm = vector_norm(self, p, axes, True)
    inverse = (norm + TINY).reciprocal()
    change = vector_norm_jvp(tangent, self, norm, p, axes, True)
    return (inverse * maxnorm * (tangent - self * inverse * change)).where(norm > maxnorm, tangent)


@renorm.batched
def renorm_batched(self: Any, p: Any, dim: int, maxnorm: Any) -> Any:
    if self.ndim < 3:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {self.ndim - 1} dimensions")
    slices = self.movedim(1 + normalise(dim, self.ndim - 1), 1)
    size, count, *rest = slices.shape
    result = renorm.call((slices.reshape((size * count, *rest)), p, 0, maxnorm)).reshape((size, count, *rest))
    return result.movedim(1, 1 + normalise(dim, self.ndim - 1)).contiguous()


@renorm.samples
def renorm_samples(make: Any) -> Any:
    yield Sample(make(3, 4), 2, 0, 1.0)
    yield Sample(make(2, 3, 4), 1, 1, 3.0)
    yield Sample(make(3, 4), 3, -1, 100.0)
    yield Bad(
        make(3), 2, 0, 1.0, raises=RuntimeError, says="renorm: input needs at least 2 dimensions, got 1 dimensions"
    )
    yield Bad(make(3, 4), 0, 0, 1.0, raises=RuntimeError, says="renorm: non-positive-norm not supported")
    yield Bad(make(3, 4), 2, 0, -1.0, raises=RuntimeError, says="renorm: expected maxnorm to be >= 0 but got -1")
