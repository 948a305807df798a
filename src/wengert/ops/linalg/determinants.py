"""Determinants, and their logarithms.

Source of the derivatives: M. B. Giles, Collected matrix derivative results for forward and reverse mode algorithmic
differentiation, 2008, section 2.2.4; of singular matrices: G. W. Stewart, On the adjugate matrix, 1998.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.calls.out import put
from ..._core.cards.card import Array, Bad, Sample, composite
from ..._core.out_errors import EXACT
from ..._core.tensor.base import Tensor
from ..._core.tensor.batches import is_batched
from ..._kernels import factors
from .. import return_types
from ..pointwise.choose import where
from .inverse import inverted
from .matrices import adjoint, check_inexact, check_square, of_matrices, public
from .singular import decomposed

native = kernels.direct_function

NEAR = 100
"""Determinants of fewer roundings count as zero: their gradients come from singular values, not from the inverse."""


@of_matrices(name="_linalg_det", node="LinalgDetBackward0", native=native("determinant"))
def determinant(A: Array) -> Any:
    """The determinants of square matrices."""
    check_square("linalg.det", A)
    check_inexact("linalg.det", A, "lu_cpu")
    return factors.rows(np.linalg.det(A))


def cofactors(matrix: Any, det: Any) -> Any:
    """The gradients of determinants, conjugated: defined for singular matrices, too."""
    if is_batched(det):
        return cofactors_of_singular(matrix)
    near = det.abs() < NEAR * np.finfo(det._array_.dtype).eps
    if not bool(near.any()):
        return det.conj()[..., None, None] * inverted(adjoint(matrix), False)[0]
    if bool(near.all()):
        return cofactors_of_singular(matrix)
    one = matrix.new_ones(matrix.shape[-1]).diag()
    regular = det.conj()[..., None, None] * inverted(adjoint(where(near[..., None, None], one, matrix)), False)[0]
    return regular.index_put((near,), cofactors_of_singular(matrix[near]))


def cofactors_of_singular(matrix: Any) -> Any:
    """The same by singular values, which need not be far from 0."""
    u, values, vh = decomposed(matrix, True, True)
    size = matrix.shape[-1]
    others = values.unsqueeze(-2).masked_fill(values.new_ones(size).diag() != 0, 1).prod(-1)
    turn = (determinant(u) * determinant(vh))[..., None, None]
    scaled = turn * (u * others.unsqueeze(-2))
    return (vh.transpose(-2, -1) @ scaled.transpose(-2, -1)).transpose(-2, -1)  # in columns, as an inverse


@determinant.vjp("A")
def determinant_vjp(grad: Any, A: Any, out: Any) -> Any:
    return grad[..., None, None] * cofactors(A, out)


@determinant.jvp("A")
def determinant_jvp(tangent: Any, A: Any, out: Any) -> Any:
    return (cofactors(A, out).conj() * tangent).sum((-2, -1))


@determinant.samples
def determinant_samples(make: Any) -> Any:
    yield Sample(make(3, 3))
    yield Sample(make(2, 2, 2))
    yield Sample(make(0, 0))
    yield Bad(make(2, 3), raises=RuntimeError, says="linalg.det: A must be batches of square matrices")


@of_matrices(
    name="_linalg_slogdet",
    node="LinalgSlogdetBackward0",
    outputs=("sign", "logabsdet"),
    differentiable=(True, True),
    native=native("log_determinant"),
)
def logarithm(A: Array) -> Any:
    """The signs of determinants, or for complex ones their phases, and the logarithms of their absolute values."""
    check_square("linalg.slogdet", A)
    check_inexact("linalg.slogdet", A)
    return tuple(factors.rows(each) for each in np.linalg.slogdet(A))


@logarithm.vjp("A")
def logarithm_vjp(grads: Any, A: Any, sign: Any) -> Any:
    of_sign, of_log = grads
    turned = inverted(adjoint(A), False)[0]
    weight = of_log
    if of_sign is not None and A.dtype.is_complex:
        turning = (of_sign.conj() * sign).imag * -1j
        weight = turning if weight is None else weight + turning
    return A.new_zeros(A.shape) if weight is None else weight[..., None, None] * turned


@logarithm.jvp("A")
def logarithm_jvp(tangent: Any, A: Any, sign: Any) -> Any:
    along = (inverted(A, False)[0].transpose(-2, -1) * tangent).sum((-2, -1))
    if not A.dtype.is_complex:
        return None, along
    return along.imag * 1j * sign, along.real


@logarithm.samples
def logarithm_samples(make: Any) -> Any:
    yield Sample(make(3, 3))
    yield Sample(make(2, 2, 2))
    yield Sample(make(0, 0))
    yield Bad(make(3), raises=RuntimeError, says="linalg.slogdet: The input tensor A must have at least 2 dimensions")


@public(name="linalg_det")
def linalg_det(A: Tensor, *, out: Any = None) -> Any:
    """The determinants of square matrices.

    Args:
        A: (..., n, n), floating or complex.
        out: a tensor to write into.

    Returns:
        A new tensor (...).

    Raises:
        RuntimeError: `A` holds no square matrices.

    Derivative:
        Defined for singular matrices, too.
    """
    return put("linalg_det", out, determinant(A), words=EXACT, writer="_linalg_det")


@composite()
def det(self: Tensor) -> Any:
    """The determinants of square matrices: `linalg.det`.

    Args:
        self: (..., n, n), floating or complex.

    Returns:
        A new tensor (...).

    Raises:
        RuntimeError: `self` holds no square matrices.
    """
    return determinant(self)


@public(name="linalg_slogdet")
def linalg_slogdet(A: Tensor, *, out: Any = None) -> Any:
    """The signs of determinants and the logarithms of their absolute values, without overflow.

    Args:
        A: (..., n, n), floating or complex.
        out: a tuple of tensors to write into.

    Returns:
        A tuple (sign, logabsdet); for complex matrices the sign is a number of absolute value 1, of singular ones 0.

    Raises:
        RuntimeError: `A` holds no square matrices.
    """
    return put("linalg_slogdet", out, return_types.linalg_slogdet(logarithm(A)), words=EXACT, writer="_linalg_slogdet")


@composite()
def slogdet(self: Tensor, *, out: Any = None) -> Any:
    """The signs of determinants and the logarithms of their absolute values: `linalg.slogdet`.

    Args:
        self: (..., n, n), floating or complex.
        out: a tuple of tensors to write into.

    Returns:
        A tuple (sign, logabsdet).

    Raises:
        RuntimeError: `self` holds no square matrices.
    """
    return put("slogdet", out, return_types.slogdet(logarithm(self)), words=EXACT, writer="_linalg_slogdet")


@composite()
def logdet(self: Tensor) -> Any:
    """The logarithms of determinants: NaN where one is negative.

    Args:
        self: (..., n, n), floating or complex.

    Returns:
        A new tensor (...).

    Raises:
        RuntimeError: `self` holds no square matrices.
    """
    check_square("logdet", self)
    check_inexact("logdet", self._array_)
    sign, log = logarithm(self)
    if self.dtype.is_complex:
        return sign.log() + log
    return log.where(sign != -1.0, float("nan"))


@linalg_det.samples
@det.samples
@linalg_slogdet.samples
@slogdet.samples
def det_samples(make: Any) -> Any:
    yield Sample(make(3, 3))
    yield Bad(make(2, 3), raises=RuntimeError, says="A must be batches of square matrices")


@logdet.samples
def logdet_samples(make: Any) -> Any:
    yield Sample(make(3, 3) + 4 * make(3, 3).new_ones(3).diag())
    yield Bad(make(2, 3), raises=RuntimeError, says="logdet: A must be batches of square matrices")
