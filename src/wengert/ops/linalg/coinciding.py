"""Second derivatives of symmetric functions of eigenvalues, some of which coincide.

Eigenvectors of coinciding values are determined up to a rotation; a perturbation selects those that its eigenvalues
belong to. Hence each directional derivative is computed in the vectors that belong to the direction: there the matrix
of the direction is diagonal, and no 0 / 0 occurs. The direction reaches the rules of the decomposition as the part of
the vectors' gradient (or tangent) that no function of orthonormal vectors depends on.

Source: A. S. Lewis and H. S. Sendov, Twice differentiable spectral functions, 2001, section 3.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core.cards.card import Array, Index, Sample
from ..._core.tensor.base import wrap
from ..._core.tensor.batches import is_batched
from ..._core.tensor.meta_array import constant_beside, is_meta
from ..._core.tensor.tracing import decided
from ..._core.types import dtypes
from ..pointwise.choose import where
from .matrices import adjoint, check_inexact, diagonal, of_two, stacked

ROUNDINGS = 8
"""Eigenvalues coincide if they differ by fewer roundings for each row of their matrix."""


def are_apart(values: Any, rounding: float) -> bool:
    """Return whether values in ascending order differ by more than their rounding errors."""
    most = np.maximum(-values[..., :1], values[..., -1:])
    return bool((values[..., 1:] - values[..., :-1] > most * rounding).all())


def coinciding(values: Any) -> Any:
    """Return a bool mask (..., n, n) of coinciding eigenvalues; None if no two coincide.

    A value that coincides with another coincides with itself, too; a single value does not.

    Args:
        values: (..., n), in ascending order.
    """
    count = values.shape[-1]
    if count < 2 or is_meta(values):
        return None
    rounding = ROUNDINGS * count * dtypes.finfo(values.dtype).eps
    if not is_batched(values):
        if decided(are_apart, (values,), rounding):
            return None
    values = values.detach()
    bound = values.abs().amax(-1, True) * rounding
    is_new = values.narrow(-1, 1, count - 1) - values.narrow(-1, 0, count - 1) > bound
    groups = is_new.cumsum(-1)
    groups = groups.new_zeros((*groups.shape[:-1], count)).slice_scatter(groups, -1, 1, count)
    same = groups.unsqueeze(-2) == groups.unsqueeze(-1)
    return same.logical_and(off_diagonal(same).any(-1).unsqueeze(-1))


def identity(matrix: Any) -> Any:
    """Return the diagonal of a matrix as a bool mask."""
    return constant_beside(matrix, wrap(np.eye(matrix.shape[-1], dtype=np.bool_)))


def off_diagonal(same: Any) -> Any:
    """Mask of the pairs of different eigenvalues that coincide."""
    return same.logical_and(identity(same).logical_not())


def blocks_of(matrix: Any, same: Any) -> Any:
    """Return the Hermitian part of a matrix, on its diagonal and in blocks of coinciding values."""
    return hermitian_part(matrix).masked_fill(same.logical_or(identity(same)).logical_not(), 0)


def hermitian_part(matrix: Any) -> Any:
    """Return half the sum of a matrix and its adjoint."""
    return (matrix + adjoint(matrix)) * 0.5


def quotients(parts: Any, values: Any, same: Any, all_values: Any) -> Any:
    """Divide elements of pairs by the differences of their values.

    A quotient of coinciding values is zero if the element is, up to the rounding of `all_values`; otherwise it is not
    finite.
    """
    rounding = ROUNDINGS * parts.shape[-1] * dtypes.finfo(values.dtype).eps
    size, most = parts.detach().abs(), all_values.detach().abs().amax((-2, -1), True)
    nothing = same.logical_and(size <= rounding * most).logical_or(identity(same))
    differences = values.unsqueeze(-2) - values.unsqueeze(-1)
    return (parts / differences.masked_fill(nothing, 1)).masked_fill(nothing, 0)


@of_two(
    name="_eigh_frame",
    node="EighFrameBackward0",
    outputs={"values": True, "vectors": True},
    layout="rows",
    larger=False,
)
def frame(direction: Array, same: Index) -> Any:
    """Eigenvalues and vectors of the blocks of Hermitian matrices at coinciding eigenvalues."""
    check_inexact("_eigh_frame", direction)
    count = direction.shape[-1]
    values = np.array(np.diagonal(direction.real, 0, -2, -1))
    vectors = np.empty(direction.shape, direction.dtype)
    vectors[...] = np.eye(count)
    for at in np.ndindex(direction.shape[:-2]):
        start = 0
        while start < count:
            end = start + max(int(same[at][start, start:].sum()), 1)
            if end - start > 1 and np.isfinite(direction[at][start:end, start:end]).all():
                block = np.linalg.eigh(direction[at][start:end, start:end])
                values[at][start:end], vectors[at][start:end, start:end] = block
            start = end
    return values, vectors


def undefined(matrix: Any, same: Any) -> Any:
    """Set coinciding pairs to NaN: third derivatives are not computed there."""
    return matrix.masked_fill(off_diagonal(same), math.nan)


@frame.vjp("direction")
def frame_vjp(grads: Any, same: Any, vectors: Any) -> Any:
    of_values = grads[0]
    if of_values is None:
        of_values = vectors.abs().sum(-1) * 0
    return undefined((vectors * of_values.unsqueeze(-2)) @ adjoint(vectors), same)


@frame.jvp("direction")
def frame_jvp(tangent: Any, same: Any, vectors: Any) -> Any:
    moved = undefined(adjoint(vectors) @ tangent @ vectors, same)
    turning = undefined(vectors * 0, same)
    along = diagonal(moved) + turning.abs().sum(-1)
    return along.real if moved.dtype.is_complex else along, turning


@frame.samples
def frame_samples(make: Any) -> Any:
    yield Sample(make(3, 3), wrap(np.eye(3, dtype=np.bool_)))


def in_frame(weights: Any, direction: Any, same: Any) -> Any:
    """Return the diagonal matrix of weights; weights of coinciding values belong to the vectors of a direction."""
    vectors = frame(blocks_of(direction, same), same)[1]
    return (vectors * weights.unsqueeze(-2)) @ adjoint(vectors)


@of_two(name="_eigh_function", node="EighFunctionBackward0", batching=stacked(1, 1, 2))
def function_of_matrix(weights: Array, eigenvalues: Index, eigenvectors: Array) -> Any:
    """Return the matrix with these eigenvectors, and with weights as eigenvalues.

    Such is the gradient of a function of the eigenvalues. Its derivatives are those of a symmetric function, whose
    weights are equal if eigenvalues coincide.
    """
    check_inexact("_eigh_function", eigenvectors)
    return (eigenvectors * weights[..., None, :]) @ eigenvectors.conj().swapaxes(-1, -2)


function_of_matrix.constant_in("eigenvalues")


@function_of_matrix.vjp("weights", "eigenvectors")
def function_of_matrix_vjp(grad: Any, weights: Any, eigenvalues: Any, eigenvectors: Any) -> Any:
    direction = hermitian_part(adjoint(eigenvectors) @ grad @ eigenvectors)
    same = coinciding(eigenvalues)
    if same is None:
        along = diagonal(direction)
        return along.real if along.dtype.is_complex else along, eigenvectors @ (direction * weights.unsqueeze(-2)) * 2
    differences = weights.unsqueeze(-2) - weights.unsqueeze(-1)
    size = weights.detach().abs().amax(-1, True).unsqueeze(-1)  # rounding of equal weights is relative to it
    size = size.masked_fill(size == 0, 1)
    inner = where(same, direction * (size + differences), direction * weights.unsqueeze(-2) * 2)
    return frame(blocks_of(direction, same), same)[0], eigenvectors @ inner


@function_of_matrix.jvp("weights", "eigenvectors")
def function_of_matrix_jvp(of_weights: Any, of_vectors: Any, weights: Any, eigenvalues: Any, eigenvectors: Any) -> Any:
    turning = adjoint(eigenvectors) @ of_vectors
    same = coinciding(eigenvalues)
    if same is None:
        inner = turning * weights.unsqueeze(-2)
        return eigenvectors @ (inner + adjoint(inner) + of_weights.diag_embed()) @ adjoint(eigenvectors)
    inner = turning.masked_fill(same, 0) * weights.unsqueeze(-2)
    differences = weights.unsqueeze(-2) - weights.unsqueeze(-1)
    jumps = hermitian_part(turning).masked_fill(same.logical_not(), 0) * differences
    jumps = quotients(jumps, eigenvalues, same, turning * weights.unsqueeze(-2))
    inner = inner + adjoint(inner) + jumps + in_frame(of_weights, turning, same)
    return eigenvectors @ inner @ adjoint(eigenvectors)


def with_orthonormal_vectors(operator: Any, weights: Any, eigenvalues: Any, matrix: Any, **options: Any) -> Any:
    """Call an operator with real weights and orthonormal vectors made from a matrix, to run samples."""
    return operator(weights.real if matrix.dtype.is_complex else weights, eigenvalues, matrix.qr()[0], **options)


@function_of_matrix.samples
def function_of_matrix_samples(make: Any) -> Any:
    yield Sample(make(2), wrap(np.array([1.0, 2.0])), make(2, 2), through=with_orthonormal_vectors)
