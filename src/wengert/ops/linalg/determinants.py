"""Determinants, and their logarithms.

Source of the derivatives: M. B. Giles, Collected matrix derivative results for forward and reverse mode algorithmic
differentiation, 2008, section 2.2.4; of singular matrices: G. W. Stewart, On the adjugate matrix, 1998.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.calls.out import put
from ..._core.cards.card import Array, Arrays, Bad, Sample, composite, op
from ..._core.out_errors import EXACT
from ..._core.recording.recorded import conjugate
from ..._core.tensor.base import Tensor, wrap
from ..._core.tensor.batches import is_batched
from ..._core.tensor.meta_array import is_meta
from ..._core.tensor.tracing import decided
from ..._kernels import factors
from ..._kernels.minors import minors as array_of_minors
from .. import return_types
from ..differentiated import is_differentiated
from ..family import describes
from ..pointwise.choose import where
from .inverse import inverted
from .matrices import FACTORED, adjoint, check_inexact, check_square, of_matrices, public
from .products import conjugated

native = kernels.direct_function

NEAR = 100
"""First derivatives are computed by the inverse unless the condition exceeds a hundredth of 1 / precision."""


def check_determinant(A: Any) -> None:
    """Refuse anything but batches of square matrices.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    check_square("linalg.det", A)
    check_inexact("linalg.det", A, "lu_cpu")


@of_matrices(name="_linalg_det", node="LinalgDetBackward0", native=native("determinant"))
def determinant(A: Array) -> Any:
    """The determinants of square matrices."""
    check_determinant(A)
    return factors.rows(np.linalg.det(A))


@op(dtypes=FACTORED, layout="own", name="_det_minors", node="DetMinorsBackward0", public="neither")
def minors(matrices: Arrays) -> Any:
    """Gradient of a derivative of the determinant of the first matrix, along all others.

    It is linear in the others, none of which is special: each of its own derivatives is such a gradient again. It
    exists for singular matrices, too.
    """
    check_inexact("_det_minors", matrices[0])
    return array_of_minors(matrices[0], matrices[1:])


@minors.vjp("matrices")
def minors_vjp(grad: Any, matrices: Any) -> Any:
    matrix, *directions = matrices
    along = conjugated(grad)
    grad_matrix = minors([matrix, *directions, along])
    others = [minors([matrix, *replaced(directions, at, along)]) for at in range(len(directions))]
    return [conjugated(operand) for operand in (grad_matrix, *others)]


@minors.jvp("matrices")
def minors_jvp(tangents: Any, matrices: Any) -> Any:
    matrix, *directions = matrices
    total = minors([matrix, *directions, tangents[0]])
    for at, tangent in enumerate(tangents[1:]):
        total = total + minors([matrix, *replaced(directions, at, tangent)])
    return total


@minors.batched
def minors_batched(matrices: Any) -> Any:
    return minors.call((matrices,))


@minors.samples
def minors_samples(make: Any) -> Any:
    yield Sample([make(3, 3)])
    yield Sample([make(2, 3, 3), make(2, 3, 3)])
    yield Sample([make(2, 2) * 0, make(2, 2)])
    yield Sample([make(1, 1)])
    yield Sample([make(0, 0)])


def replaced(values: list[Any], at: int, value: Any) -> list[Any]:
    """Return the list with one value replaced."""
    return [*values[:at], value, *values[at + 1 :]]


def cofactors(matrix: Any, det: Any) -> Any:
    """The gradients of determinants, conjugated.

    By the inverse, which costs less, if that is exact enough; by minors within `vmap`, where no value may be read.
    """
    if is_batched(det) or is_meta(det):
        return conjugated(minors([matrix]))
    inverse = inverted(adjoint(matrix), False)[0]
    regular = is_regular(matrix, inverse, det)
    if regular.all():
        return conjugate(det)[..., None, None] * inverse
    if not regular.any():
        return conjugated(minors([matrix]))
    near = wrap(~regular)
    identity = matrix.new_ones(matrix.shape[-1]).diag()
    others = (
        conjugate(det)[..., None, None] * inverted(adjoint(where(near[..., None, None], identity, matrix)), False)[0]
    )
    return others.index_put((near,), conjugated(minors([matrix[near]])))


def is_regular(matrix: Any, inverse: Any, det: Any) -> Any:
    """Mask of the matrices to invert for the derivatives of their determinants.

    The error of a first derivative by the inverse grows with the condition of the matrix, that of a second derivative
    with
    its square; and a determinant may underflow or overflow where its derivatives do not.
    """
    limits = np.finfo(det._array_.dtype)
    bound = 1 / (NEAR * limits.eps)
    if is_differentiated(matrix):
        bound = limits.eps**-0.25 if matrix.shape[-1] > 1 else 0  # a single number has no second derivative
    return decided(are_regular, (matrix, inverse, det), float(bound))


def are_regular(matrix: Any, inverse: Any, value: Any, bound: float) -> Any:
    """Return `is_regular` of arrays."""
    limits = np.finfo(value.dtype)
    if not value.ndim:  # for a small number of calls
        condition = math.sqrt(np.vdot(matrix, matrix).real)
        condition *= math.sqrt(np.vdot(inverse, inverse).real)
        return np.bool_(condition < bound and limits.tiny <= abs(value.item()) <= limits.max)
    with np.errstate(all="ignore"):
        condition = np.linalg.norm(matrix, axis=(-2, -1)) * np.linalg.norm(inverse, axis=(-2, -1))
        scale = np.abs(value)
        return (condition < bound) & (scale >= limits.tiny) & (scale <= limits.max)


@determinant.vjp("A")
def determinant_vjp(grad: Any, A: Any, out: Any) -> Any:
    return grad[..., None, None] * cofactors(A, out)


@determinant.jvp("A")
def determinant_jvp(tangent: Any, A: Any, out: Any) -> Any:
    return (conjugate(cofactors(A, out)) * tangent).sum((-2, -1))


@determinant.samples
def determinant_samples(make: Any) -> Any:
    yield Sample(make(3, 3))
    yield Sample(make(2, 2, 2))
    yield Sample(make(0, 0))
    yield Bad(make(2, 3), raises=RuntimeError, says="linalg.det: A must be batches of square matrices")


@of_matrices(
    name="_linalg_slogdet",
    node="LinalgSlogdetBackward0",
    outputs={"sign": True, "logabsdet": True},
    native=native("log_determinant"),
)
def logarithm(A: Array) -> Any:
    """Return the signs of determinants (phases of complex ones), and the logarithms of their absolute values."""
    check_square("linalg.slogdet", A)
    check_inexact("linalg.slogdet", A)
    return tuple(factors.rows(part) for part in np.linalg.slogdet(A))


@logarithm.vjp("A")
def logarithm_vjp(grads: Any, A: Any, sign: Any) -> Any:
    of_sign, of_log = grads
    turned = inverted(adjoint(A), False)[0]
    weight = of_log
    if of_sign is not None and A.dtype.is_complex:
        turning = (conjugate(of_sign) * sign).imag * -1j
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


@public()
def linalg_det(A: Tensor, *, out: Any = None) -> Any:
    """The determinants of square matrices.

    Args:
        A: (..., n, n), floating or complex.
        out: a tensor to write into.

    Returns:
        A new tensor (...).

    Raises:
        RuntimeError: if `A` is not a batch of square matrices.

    Derivative:
        Defined for singular matrices, too.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.det(wg.tensor([[2.0, 0.0], [1.0, 3.0]]))
        tensor(6.)
    """
    return put("linalg_det", out, determinant(A), words=EXACT, writer="_linalg_det")


OF_SQUARES = """
    Args:
        self: (..., n, n), floating or complex.

    Returns:
        A new tensor (...).

    Raises:
        RuntimeError: if `self` is not a batch of square matrices.
    """


@composite()
@describes(OF_SQUARES)
def det(self: Tensor) -> Any:
    """The determinants of square matrices: `linalg.det`.

    Examples:
        >>> import wengert as wg
        >>> wg.det(wg.tensor([[2.0, 0.0], [1.0, 3.0]]))
        tensor(6.)
    """
    return determinant(self)


@public()
def linalg_slogdet(A: Tensor, *, out: Any = None) -> Any:
    """The signs of determinants and the logarithms of their absolute values, without overflow.

    Args:
        A: (..., n, n), floating or complex.
        out: a tuple of tensors to write into.

    Returns:
        A tuple (sign, logabsdet); for complex matrices the sign is a number of absolute value 1, of singular ones 0.

    Raises:
        RuntimeError: if `A` is not a batch of square matrices.

    Examples:
        >>> import wengert as wg
        >>> sign, logabsdet = wg.linalg.slogdet(wg.tensor([[-2.0, 0.0], [0.0, 3.0]]))
        >>> sign, logabsdet
        (tensor(-1.), tensor(1.7918))
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
        RuntimeError: if `self` is not a batch of square matrices.

    Examples:
        >>> import wengert as wg
        >>> sign, logabsdet = wg.slogdet(wg.tensor([[-2.0, 0.0], [0.0, 3.0]]))
        >>> sign, logabsdet
        (tensor(-1.), tensor(1.7918))
    """
    return put("slogdet", out, return_types.slogdet(logarithm(self)), words=EXACT, writer="_linalg_slogdet")


@composite()
@describes(OF_SQUARES)
def logdet(self: Tensor) -> Any:
    """The logarithms of determinants; NaN if a determinant is negative.

    Examples:
        >>> import wengert as wg
        >>> wg.logdet(wg.tensor([[2.0, 0.0], [0.0, 3.0]]))
        tensor(1.7918)
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
