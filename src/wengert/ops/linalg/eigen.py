"""Eigenvalues and eigenvectors.

Source of the derivatives: M. B. Giles, Collected matrix derivative results for forward and reverse mode algorithmic
differentiation, 2008, section 3.1; for vectors of length one of general matrices C. Boeddeker and others,
arXiv:1701.00392, section 4.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.calls.out import put
from ..._core.cards.card import Array, Bad, Sample
from ..._core.errors import wrong_type
from ..._core.out_errors import EXACT, PART
from ..._core.recording.recorded import conjugate
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._kernels import factors
from .. import return_types
from ..differentiated import is_differentiated
from ..dtype_checks import refuse
from ..family import describes
from ..pointwise.choose import where
from .coinciding import blocks_of, coinciding, frame, function_of_matrix, in_frame, quotients
from .matrices import FACTORED, TO_SQUARES, adjoint, check_square, diagonal, of_matrices, public, symmetric
from .singular import check_phase, gaps, without_diagonal
from .solve import solved_ex

native = kernels.direct_function
of_values = native("eigh_of_values")
"""The operator for functions that do not depend on the signs of the vectors, which differ from LAPACK's."""

OF_VALUES = PART.format("eigenvalues")
PHASE = (
    "linalg_{}_backward: The eigenvectors in the complex case are specified up to multiplication by e^{{i phi}}. The "
    "specified loss function depends on this quantity, so it is ill-defined."
)


def check_finite(name: str, array: Any) -> None:
    """Refuse matrices with infinities or NaN.

    Raises:
        RuntimeError: if there are infinities or NaN.
    """
    if not np.isfinite(array).all():
        raise RuntimeError(f"{name}: input tensor should not contain infs or NaNs.")


eigh_family = partial(
    of_matrices, node="LinalgEighBackward0", outputs={"eigenvalues": True, "eigenvectors": True}, native=native("eigh")
)


@eigh_family(name="_linalg_eigh")
def hermitian(A: Array, UPLO: str = "L", compute_v: bool = True) -> Any:
    """Eigenvalues in ascending order and eigenvectors of Hermitian matrices; no vectors if not computed."""
    return eigenpairs(A, UPLO, compute_v)


@eigh_family(name="_linalg_eigvalsh")
def spectrum(A: Array, UPLO: str = "L", compute_v: bool = True) -> Any:
    """Eigenvalues and eigenvectors for functions of the eigenvalues; the vectors serve derivatives only."""
    return eigenpairs(A, UPLO, compute_v)


def check_hermitian(A: Any, UPLO: Any) -> Any:
    """Check the arguments of `eigh`, and return the triangle that is read.

    Raises:
        TypeError: if `UPLO` is not a string.
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    check_square("linalg.eigh", A)
    if not isinstance(UPLO, str):
        raise TypeError(wrong_type("linalg_eigh", "UPLO", 2, "str", UPLO))
    side: Any = UPLO.upper()
    if side not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    if dtypes.from_numpy(A.dtype) not in FACTORED:
        refuse("linalg_eigh", "linalg_eigh_cpu", A)
    return side


def eigenpairs(A: Any, UPLO: Any, compute_v: bool) -> Any:
    """Eigenvalues and eigenvectors, for checked arguments."""
    side = check_hermitian(A, UPLO)
    if not compute_v:
        return factors.eigenpairs(A, side, False), np.empty((0,), A.dtype)
    values, vectors = factors.eigenpairs(A, side, True)
    return values, factors.columns(vectors)


@hermitian.vjp("A")
@spectrum.vjp("A")
def hermitian_vjp(grads: Any, eigenvalues: Any, eigenvectors: Any) -> Any:
    of_values, of_vectors = grads
    turned = adjoint(eigenvectors)
    if of_vectors is None:
        if is_differentiated(eigenvectors) and coinciding(eigenvalues) is not None:
            return function_of_matrix(of_values, eigenvalues, eigenvectors)
        return (eigenvectors * of_values.unsqueeze(-2)) @ turned
    same = coinciding(eigenvalues)
    inner = turned @ of_vectors
    if inner.dtype.is_complex:
        check_phase(PHASE.format("eigh"), inner)
    if same is not None:
        skew = without_diagonal(inner - adjoint(inner)) * 0.5
        moved = quotients(skew, eigenvalues, same, inner)
        if of_values is not None:
            moved = moved + in_frame(of_values, inner, same)
        return eigenvectors @ moved @ turned
    inner = without_diagonal(inner) / gaps(eigenvalues)
    inner = (inner + adjoint(inner)) * 0.5
    if of_values is not None:
        inner = inner + of_values.diag_embed()
    return eigenvectors @ inner @ turned


@hermitian.jvp("A")
def hermitian_jvp(tangent: Any, eigenvalues: Any, eigenvectors: Any) -> Any:
    inner = adjoint(eigenvectors) @ tangent @ eigenvectors
    along = diagonal(inner)
    moved = eigenvectors @ (without_diagonal(inner) / gaps(eigenvalues))
    return along.real if inner.dtype.is_complex else along, moved


@spectrum.jvp("A")
def spectrum_jvp(tangent: Any, eigenvalues: Any, eigenvectors: Any) -> Any:
    same = coinciding(eigenvalues)
    if same is None:
        return hermitian_jvp(tangent, eigenvalues, eigenvectors)
    inner = adjoint(eigenvectors) @ tangent @ eigenvectors
    blocks = blocks_of(inner, same)
    moved = where(same, blocks, without_diagonal(inner) / gaps(eigenvalues).masked_fill(same, 1))
    return frame(blocks, same)[0], eigenvectors @ moved


def squared(operator: Any, self: Any, *rest: Any, **options: Any) -> Any:
    """Call `symmetric` for a function that does not depend on the phases of the vectors, to run samples."""
    values, vectors = symmetric(operator, self, *rest, **options)
    if len(rest) > 1 and not rest[1]:
        return values
    return values, (vectors * values.unsqueeze(-2)) @ adjoint(vectors), vectors.abs() ** 2


@hermitian.samples
@spectrum.samples
def hermitian_samples(make: Any) -> Any:
    yield Sample(make(3, 3), "L", True, through=squared)
    yield Sample(make(2, 3, 3), "U", True, through=squared)
    yield Sample(make(0, 0), "L", True, through=squared)
    yield Bad(make(2, 3), "L", True, raises=RuntimeError, says="linalg.eigh: A must be batches of square matrices")
    yield Bad(make(3, 3), None, True, raises=TypeError, says="argument 'UPLO' (position 2) must be str, not NoneType")
    yield Bad(make(3, 3), "a", True, raises=RuntimeError, says="Expected UPLO argument to be 'L' or 'U', but got a")


@public(name="linalg_eigh")
def eigh(A: Tensor, UPLO: str = "L", *, out: Any = None) -> Any:
    """Eigenvalues and orthonormal eigenvectors of Hermitian matrices.

    Args:
        A: (..., n, n), floating or complex; only one triangle is read.
        UPLO: the triangle: "L" for the lower, "U" for the upper.
        out: a tuple of tensors to write into.

    Returns:
        A tuple (eigenvalues, eigenvectors), the values real, in ascending order, the vectors as columns.

    Raises:
        RuntimeError: if `A` is not a batch of square matrices.

    Derivative:
        That of the vectors is finite if no eigenvalues are equal. It is refused for functions of the phases of complex
        vectors.

    Examples:
        >>> import wengert as wg
        >>> values, vectors = wg.linalg.eigh(wg.tensor([[2.0, 1.0], [1.0, 3.0]]))
        >>> values
        tensor([1.3820, 3.6180])
    """
    result = return_types.linalg_eigh(hermitian(A, UPLO, True))
    return put("linalg_eigh", out, result, words=EXACT, writer="_linalg_eigh")


@public(name="linalg_eigvalsh")
def eigvalsh(A: Tensor, UPLO: str = "L", *, out: Any = None) -> Any:
    """The eigenvalues of Hermitian matrices, in ascending order.

    Args:
        A: (..., n, n), floating or complex; only one triangle is read.
        UPLO: the triangle: "L" for the lower, "U" for the upper.
        out: a tensor to write into.

    Returns:
        A new real tensor (..., n).

    Raises:
        RuntimeError: if `A` is not a batch of square matrices.

    Derivative:
        If eigenvalues coincide, the first derivative is that of one way to number them, which does not matter to
        symmetric functions, such as sums over all of them. The second derivative of these is right there, too, as
        reverse or forward mode of reverse mode (`func.hessian`); further derivatives, and those of other functions,
        are not finite.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.eigvalsh(wg.tensor([[2.0, 1.0], [1.0, 3.0]]))
        tensor([1.3820, 3.6180])
    """
    result = spectrum(A, UPLO, is_differentiated(A))[0]
    return put("linalg_eigvalsh", out, result, words=EXACT, writer="_linalg_eigh")


@eigh.samples
def eigh_samples(make: Any) -> Any:
    yield Sample(make(3, 3), through=squared)
    yield Bad(make(2, 3), raises=RuntimeError, says="linalg.eigh: A must be batches of square matrices")


@eigvalsh.samples
def eigvalsh_samples(make: Any) -> Any:
    yield Sample(make(3, 3), through=symmetric)
    yield Bad(make(2, 3), raises=RuntimeError, says="linalg.eigh: A must be batches of square matrices")


def check_general(self: Any, compute_v: bool) -> None:
    """Check the arguments of `eig`.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    name = "linalg.eig" if compute_v else "linalg.eigvals"
    if self.dtype.kind not in "fcV":
        raise RuntimeError(f"{name}: Unknown Complex ScalarType for {dtypes.from_numpy(self.dtype).legacy[:-6]}")
    check_square(name, self)
    if dtypes.from_numpy(self.dtype) not in FACTORED:
        refuse("linalg_eig", "linalg_eig_out_cpu", self)


@of_matrices(name="_linalg_eig", node="LinalgEigBackward0", outputs={"eigenvalues": True, "eigenvectors": True})
def general(self: Array, compute_v: bool) -> Any:
    """Eigenvalues and eigenvectors of length one, complex; no vectors if not computed."""
    check_general(self, compute_v)
    check_finite("torch.linalg.eig", self)
    wide = np.result_type(self.dtype, np.complex64)
    if not compute_v:
        return factors.rows(np.linalg.eigvals(self).astype(wide, copy=False)), np.empty((0,), wide)
    values, vectors = np.linalg.eig(self)
    return factors.rows(values.astype(wide, copy=False)), factors.columns(vectors.astype(wide, copy=False))


def in_matrix_dtype(result: Any, dtype: Any) -> Any:
    """Cast a gradient to the dtype of the matrix."""
    return result if dtype.is_complex else result.real


@general.vjp("self")
def general_vjp(grads: Any, self_dtype: Any, eigenvalues: Any, eigenvectors: Any) -> Any:
    of_values, of_vectors = grads
    turned = adjoint(eigenvectors)
    if of_vectors is None:
        return in_matrix_dtype(solved_ex(turned, of_values.unsqueeze(-1) * turned, True, False)[0], self_dtype)
    inner = turned @ of_vectors
    along = diagonal(inner)
    check_phase(PHASE.format("eig"), inner)
    inner = inner - turned @ (eigenvectors * along.real.unsqueeze(-2))
    inner = without_diagonal(inner) / conjugate(gaps(eigenvalues))
    if of_values is not None:
        inner = inner + of_values.diag_embed()
    return in_matrix_dtype(solved_ex(turned, inner @ turned, True, False)[0], self_dtype)


@general.jvp("self")
def general_jvp(tangent: Any, eigenvalues: Any, eigenvectors: Any) -> Any:
    moved = tangent.to(eigenvectors.dtype) @ eigenvectors
    inner = solved_ex(eigenvectors, moved, True, False)[0]
    turning = eigenvectors @ (without_diagonal(inner) / gaps(eigenvalues))
    lengths = (conjugate(eigenvectors) * turning).sum(-2, True).real
    return diagonal(inner), turning - eigenvectors * lengths


def unphased(operator: Any, self: Any, *rest: Any, **options: Any) -> Any:
    """Call a decomposition for a function that does not depend on the phases of the vectors, to run samples."""
    values, vectors = operator(self, *rest, **options)
    if rest and not rest[0]:
        return values
    return values, vectors.abs() ** 2


@general.samples
def general_samples(make: Any) -> Any:
    yield Sample(make(3, 3), True, through=unphased)
    yield Sample(make(2, 2, 2), True, through=unphased)
    yield Bad(make(2, 3), True, raises=RuntimeError, says="linalg.eig: A must be batches of square matrices")
    yield Bad(make(2, 2) / 0, True, raises=RuntimeError, says="input tensor should not contain infs or NaNs")


@public(name="linalg_eig")
def eig(A: Tensor, *, out: Any = None) -> Any:
    """Eigenvalues and eigenvectors of square matrices.

    Args:
        A: (..., n, n), floating or complex.
        out: a tuple of tensors to write into.

    Returns:
        A tuple (eigenvalues, eigenvectors) of complex tensors, the vectors of length one, as columns.

    Raises:
        RuntimeError: if `A` is not a batch of square matrices, or infinities or NaN.

    Derivative:
        Defined if no eigenvalues are equal; it is refused for functions of the phases of the vectors.

    Examples:
        >>> import wengert as wg
        >>> values, vectors = wg.linalg.eig(wg.tensor([[1.0, -2.0], [3.0, 1.0]]))
        >>> values
        tensor([1.+2.4495j, 1.-2.4495j])
    """
    result = return_types.linalg_eig(general(A, True))
    return put("linalg_eig", out, result, uncastable=f"torch.linalg.eig: {OF_VALUES}", rows="shrunk")


@public(name="linalg_eigvals")
@describes(TO_SQUARES, result="complex tensor (..., n)", errors=", or infinities or NaN")
def eigvals(A: Tensor, *, out: Any = None) -> Any:
    """The eigenvalues of square matrices.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.eigvals(wg.tensor([[1.0, -2.0], [3.0, 1.0]]))
        tensor([1.+2.4495j, 1.-2.4495j])
    """
    result = general(A, is_differentiated(A))[0]
    return put("linalg_eigvals", out, result, uncastable=f"torch.linalg.eigvals: {OF_VALUES}", recorded=False)


@eig.samples
def eig_samples(make: Any) -> Any:
    yield Sample(make(3, 3), through=unphased)
    yield Bad(make(2, 3), raises=RuntimeError, says="A must be batches of square matrices")


@eigvals.samples
def eigvals_samples(make: Any) -> Any:
    yield Sample(make(3, 3))
    yield Bad(make(2, 3), raises=RuntimeError, says="A must be batches of square matrices")
