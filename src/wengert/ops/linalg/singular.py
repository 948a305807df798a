"""Singular values and vectors.

Source of the derivatives: J. Townsend, Differentiating the singular value decomposition, 2016; for complex matrices
Z.-Q. Wan and S.-X. Zhang, Automatic differentiation for complex valued SVD, arXiv:1909.02659.
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
from ..._core.tensor.meta_array import is_meta
from ..._core.tensor.tracing import decided
from ..._kernels import factors
from .. import return_types
from ..differentiated import is_differentiated
from .matrices import adjoint, check_inexact, check_matrix, diagonal, of_matrices, public, raise_first

native = kernels.direct_function
of_values = native("svd_of_values")
"""The operator for functions that do not depend on the signs of the vectors, which differ from LAPACK's."""

INFINITE = "The algorithm failed to converge because the input matrix contained non-finite values."
PHASE = (
    "svd_backward: The singular vectors in the complex case are specified up to multiplication by e^{i phi}. The "
    "specified loss function depends on this phase term, making it ill-defined."
)


def check_singular(A: Any) -> None:
    """Refuse anything but batches of matrices that can be decomposed.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    check_matrix("linalg.svd", A)
    check_inexact("linalg.svd", A, "linalg_svd_cpu")


@of_matrices(
    name="_linalg_svd", node="LinalgSvdBackward0", outputs={"U": True, "S": True, "Vh": True}, native=native("svd")
)
def decomposed(A: Array, full_matrices: bool = False, compute_uv: bool = True) -> Any:
    """Left singular vectors, singular values, and the adjoint of the right vectors; no vectors if not computed."""
    check_singular(A)
    raise_first("linalg.svd", factors.infinite(A), INFINITE)
    if not compute_uv:
        none = np.empty((0,), A.dtype)
        return none, factors.rows(np.linalg.svd(A, compute_uv=False)), none.copy()
    u, s, vh = np.linalg.svd(A, full_matrices=full_matrices)
    return factors.columns(u), factors.rows(s), factors.columns(vh)


def narrowed(full: bool, values: Any, u: Any, vh: Any) -> tuple[Any, Any]:
    """Keep as many singular vectors (or their gradients) as there are values."""
    count = values.shape[-1]
    if not full:
        return u, vh
    return (None if u is None else u.narrow(-1, 0, count), None if vh is None else vh.narrow(-2, 0, count))


def gaps(values: Any) -> Any:
    """Differences of the values: element ij is values[j] - values[i]; the diagonal is one."""
    differences = values.unsqueeze(-2) - values.unsqueeze(-1)
    return differences + values.new_ones(values.shape[-1]).diag()


def skew(matrix: Any) -> Any:
    return matrix - adjoint(matrix)


def check_phase(words: str, *parts: Any) -> None:
    """Refuse gradients of vectors that depend on their phases.

    Args:
        words: words of the error.
        parts: gradients in the basis of the vectors; the diagonal of their sum then is not real, beyond rounding and
            beyond a hundredth of the largest element.

    Raises:
        RuntimeError: if they depend on the phases.
    """
    if any(is_batched(part) or is_meta(part) for part in parts):
        return
    if decided(depend_on_phases, tuple(parts)):
        raise RuntimeError(words)


def depend_on_phases(*arrays: Any) -> bool:
    """Return whether the diagonal of the sum of gradients in the basis of the vectors is not real."""
    size = sum(np.abs(array).max((-2, -1), initial=0) for array in arrays)
    angle = np.abs(sum(array.diagonal(0, -2, -1).imag for array in arrays)).max(-1, initial=0)
    return not (angle <= np.maximum(1e-2 * size, 1e3 * np.finfo(arrays[0].dtype).eps)).all()


@decomposed.vjp("A")
def decomposed_vjp(grads: Any, U: Any, S: Any, Vh: Any, full_matrices: bool) -> Any:
    of_u, of_s, of_vh = grads
    of_u, of_vh = narrowed(full_matrices, S, of_u, of_vh)
    u, vh = narrowed(full_matrices, S, U, Vh)
    if of_u is None and of_vh is None:
        return (u * of_s.unsqueeze(-2)) @ vh
    left = None if of_u is None else adjoint(u) @ of_u
    right = None if of_vh is None else vh @ adjoint(of_vh)
    if u.dtype.is_complex:
        check_phase(PHASE, *[operand for operand in (left, right) if operand is not None])
    left, right = (None if operand is None else skew(operand) for operand in (left, right))
    inner = between(left, right, S) if of_s is None else between(left, right, S) + of_s.diag_embed()
    if u.dtype.is_complex and left is not None and right is not None:
        inner = inner + (diagonal(left) / (2 * S)).diag_embed()
    result = u @ inner
    if of_u is not None and u.shape[-2] > S.shape[-1]:
        scaled = of_u / S.unsqueeze(-2)
        result = result + scaled - u @ (adjoint(u) @ scaled)
    result = result @ vh
    if of_vh is not None and vh.shape[-1] > S.shape[-1]:
        scaled = of_vh / S.unsqueeze(-1)
        result = result + u @ (scaled - (scaled @ adjoint(vh)) @ vh)
    return result


def between(left: Any, right: Any, values: Any) -> Any:
    """Contribution of rotations of the singular vectors to the gradient, in their basis."""
    moved = [
        part
        for part in (
            None if left is None else left * values.unsqueeze(-2),
            None if right is None else values.unsqueeze(-1) * right,
        )
        if part is not None
    ]
    return without_diagonal(sum(moved[1:], moved[0])) / gaps(values * values)


def without_diagonal(matrix: Any) -> Any:
    """Set the diagonal of a matrix to zero."""
    return matrix - diagonal(matrix).diag_embed()


@decomposed.jvp("A")
def decomposed_jvp(tangent: Any, U: Any, S: Any, Vh: Any, full_matrices: bool) -> Any:
    rows, columns, count = tangent.shape[-2], tangent.shape[-1], S.shape[-1]
    whole_u, whole_vh = U, Vh
    U, Vh = narrowed(full_matrices, S, U, Vh)
    inner = adjoint(U) @ tangent @ adjoint(Vh)
    along = diagonal(inner)
    differences, row, column = gaps(S * S), S.unsqueeze(-2), S.unsqueeze(-1)
    of_u = without_diagonal(inner * row + column * adjoint(inner)) / differences
    of_v = without_diagonal(column * inner + adjoint(inner) * row) / differences
    if tangent.dtype.is_complex:
        of_u = of_u + (along.imag / S * 1j).diag_embed()
    moved_u, moved_v = U @ of_u, adjoint(Vh) @ of_v
    if rows > count:
        scaled = (tangent @ adjoint(Vh)) / row
        moved_u = moved_u + scaled - U @ (adjoint(U) @ scaled)
    if columns > count:
        scaled = (adjoint(tangent) @ U) / row
        moved_v = moved_v + scaled - adjoint(Vh) @ (Vh @ scaled)
    moved_vh = adjoint(moved_v)
    if full_matrices and rows != columns:  # vectors beyond the values are arbitrary: torch excludes them
        moved_u = whole_u.new_zeros(whole_u.shape).slice_scatter(moved_u, -1, 0, count)
        moved_vh = whole_vh.new_zeros(whole_vh.shape).slice_scatter(moved_vh, -2, 0, count)
    return moved_u, along.real if tangent.dtype.is_complex else along, moved_vh


def rebuilt(operator: Any, *args: Any, **options: Any) -> Any:
    """Call a decomposition for a function that does not depend on the phases of the vectors, to run samples."""
    u, s, vh = operator(*args, **options)
    if len(args) > 2 and not args[2]:
        return s
    count = s.shape[-1]
    vh = adjoint(vh) if vh.shape[-1] != args[0].shape[-1] else vh
    return s, u[..., :count] @ vh[..., :count, :], (u.abs() ** 2)[..., :count], (vh.abs() ** 2)[..., :count, :]


@decomposed.samples
def decomposed_samples(make: Any) -> Any:
    yield Sample(make(3, 3), False, True, through=rebuilt)
    yield Sample(make(2, 3, 2), False, True, through=rebuilt)
    yield Sample(make(2, 4), False, True, through=rebuilt)
    yield Sample(make(3, 3), True, True, through=rebuilt)
    yield Bad(make(3), True, True, raises=RuntimeError, says="linalg.svd: The input tensor A must have at least 2")


def check_driver(driver: Any) -> None:
    """Refuse a driver: the CPU has only one algorithm.

    Raises:
        RuntimeError: if `driver` is not None.
    """
    if driver is not None:
        raise RuntimeError(
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend."
        )


@public()
def linalg_svd(A: Tensor, full_matrices: bool = True, *, driver: Any = None, out: Any = None) -> Any:
    """Singular values and vectors: A = U diag(S) Vh.

    Args:
        A: (..., m, n), floating or complex.
        full_matrices: return all vectors, (m, m) and (n, n); else as many as there are values.
        driver: must be None.
        out: a tuple of tensors to write into.

    Returns:
        A tuple (U, S, Vh), the values in descending order.

    Raises:
        RuntimeError: if `A` is not a batch of matrices.

    Derivative:
        That of the vectors is finite if no values are equal, and none is zero unless `A` is square. Vectors beyond the
        values have no derivative.

    Examples:
        >>> import wengert as wg
        >>> U, S, Vh = wg.linalg.svd(wg.tensor([[3.0, 1.0], [0.0, 4.0]]))
        >>> S
        tensor([4.2426, 2.8284])
    """
    check_driver(driver)
    return put(
        "linalg_svd",
        out,
        return_types.linalg_svd(decomposed(A, full_matrices, True)),
        words=EXACT,
        writer="_linalg_svd",
    )


@public(name="linalg_svdvals")
def svdvals(A: Tensor, *, driver: Any = None, out: Any = None) -> Any:
    """The singular values of matrices, in descending order.

    Args:
        A: (..., m, n), floating or complex.
        driver: must be None.
        out: a tensor to write into.

    Returns:
        A new real tensor (..., min(m, n)).

    Raises:
        RuntimeError: if `A` is not a batch of matrices.

    Derivative:
        The second derivative is finite if no values are equal.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.svdvals(wg.tensor([[3.0, 1.0], [0.0, 4.0]]))
        tensor([4.2426, 2.8284])
    """
    check_driver(driver)
    return put("linalg_svdvals", out, singular_values(A), words=EXACT, writer="_linalg_svd")


def singular_values(matrix: Any) -> Any:
    """Singular values; the vectors are computed only if a derivative needs them."""
    return decomposed(matrix, False, is_differentiated(matrix))[1]


@composite()
def svd(self: Tensor, some: bool = True, compute_uv: bool = True, *, out: Any = None) -> Any:
    """Singular values and vectors: A = U diag(S) V^H. Deprecated: use `linalg.svd`.

    Args:
        self: A, (..., m, n), floating or complex.
        some: return as many vectors as there are values; else all.
        compute_uv: False to compute the values alone, and return zeros as vectors.
        out: a tuple of tensors to write into.

    Returns:
        A tuple (U, S, V).

    Raises:
        RuntimeError: if `self` is not a batch of matrices.

    Examples:
        >>> import wengert as wg
        >>> U, S, V = wg.svd(wg.tensor([[3.0, 1.0], [0.0, 4.0]]))
        >>> S
        tensor([4.2426, 2.8284])
    """
    if self.ndim < 2:
        raise RuntimeError(
            f"linalg.svd: input should have at least 2 dimensions, but has {self.ndim} dimensions instead"
        )
    if compute_uv:
        u, s, vh = decomposed(self, not some, True)
        result = return_types.svd((u, s, adjoint(vh)))
    else:
        lead, (rows, columns) = self.shape[:-2], self.shape[-2:]
        zeros = [self.new_zeros((*lead, length, length)) for length in (rows, columns)]
        result = return_types.svd((zeros[0], singular_values(self), zeros[1]))
    return put("svd", out, result, words=EXACT, writer="_linalg_svd")


@linalg_svd.samples
def svd_samples(make: Any) -> Any:
    yield Sample(make(3, 2), full_matrices=False, through=rebuilt)
    yield Sample(make(3, 3), through=rebuilt)
    yield Bad(make(3), raises=RuntimeError, says="linalg.svd: The input tensor A must have at least 2 dimensions")


@svd.samples
def old_svd_samples(make: Any) -> Any:
    yield Sample(make(3, 2), through=rebuilt)
    yield Bad(make(3), raises=RuntimeError, says="input should have at least 2 dimensions, but has 1 dimensions")


@svdvals.samples
def svdvals_samples(make: Any) -> Any:
    yield Sample(make(3, 2))
    yield Sample(make(2, 2, 3))
    yield Bad(make(3), raises=RuntimeError, says="linalg.svd: The input tensor A must have at least 2 dimensions")
