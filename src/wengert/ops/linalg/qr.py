"""QR factors of matrices.

Source of the derivatives: S. F. Walter and L. Lehmann, Algorithmic differentiation of linear algebra functions, 2010;
for wide matrices H.-J. Liao and others, Differentiable programming tensor networks, arXiv:1903.09650.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.calls.out import put
from ..._core.cards.card import Array, Bad, Sample, composite
from ..._core.graph import anomaly
from ..._core.out_errors import EXACT
from ..._core.tensor.base import Tensor
from ..._kernels import factors
from .. import return_types
from ..shapes.join import cat
from .matrices import adjoint, check_inexact, check_matrix, diagonal, of_matrices, public
from .solve import triangular

native = kernels.direct_function

MODES = ("reduced", "complete", "r")


def check_qr(A: Any, mode: Any) -> None:
    """Check the arguments of `qr`.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    check_inexact("linalg.qr", A, "geqrf_cpu")
    check_matrix("linalg.qr", A)
    if mode not in MODES:
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )


@of_matrices(name="_linalg_qr", node="LinalgQrBackward0", outputs={"Q": True, "R": True}, native=native("qr"))
def factored(A: Array, mode: Any = "reduced") -> Any:
    """Q with orthonormal columns and upper triangular R of A = Q R; Q is empty for mode "r"."""
    check_qr(A, mode)
    if mode == "r":
        r: Any = np.linalg.qr(A, "r")
        return np.empty((0,), A.dtype), factors.columns(r)
    q, r = np.linalg.qr(A, mode)
    return factors.columns(q), factors.columns(r)


def check_differentiable(mode: str, rows: int, columns: int) -> None:
    """Refuse derivatives that do not exist.

    Raises:
        RuntimeError: if Q was not computed, or has columns that A does not determine.
    """
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, "
            "mode='reduced') if you are going to require gradients"
        )
    if mode == "complete" and rows > columns:
        raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and nrows > ncols")


def halved(matrix: Any) -> Any:
    """Halve the diagonal of a matrix."""
    return matrix - (diagonal(matrix) * 0.5).diag_embed()


@factored.vjp("A", native=native("qr_rule"))
def factored_vjp(grads: Any, A_shape: Any, Q: Any, R: Any, mode: str) -> Any:
    of_q, of_r = grads
    rows, columns = A_shape[-2:]
    check_differentiable(mode, rows, columns)
    inner: Any = None if of_r is None else of_r @ adjoint(R)
    if of_q is not None:
        turned = adjoint(Q) @ of_q
        inner = -turned if inner is None else inner - turned
    if rows >= columns:
        upper = inner.triu()
        result = Q @ halved(upper + adjoint(upper))
        if of_q is not None:
            result = result + of_q
        return triangular(adjoint(R), result, False, False, False)
    result = Q @ halved((adjoint(inner) - inner).tril())
    result = triangular(adjoint(R.narrow(-1, 0, rows)), result, False, False, False)
    result = cat([result, result.new_zeros((*A_shape[:-1], columns - rows))], -1)
    return result if of_r is None else result + Q @ of_r


@factored.jvp("A")
def factored_jvp(tangent: Any, Q: Any, R: Any, mode: str) -> Any:
    rows, columns = tangent.shape[-2:]
    check_differentiable(mode, rows, columns)
    wide = rows < columns
    first, square = (tangent.narrow(-1, 0, rows), R.narrow(-1, 0, rows)) if wide else (tangent, R)
    moved = triangular(square, first, True, False, False)
    inner = adjoint(Q) @ moved
    below = inner.tril(-1)
    turning = below - adjoint(below)
    if inner.dtype.is_complex:
        turning = turning + (diagonal(inner).imag * 1j).diag_embed()
    of_r = adjoint(Q) @ tangent - turning @ R
    if wide:
        return Q @ turning, of_r
    return moved - Q @ (inner - turning), of_r


@factored.samples
def factored_samples(make: Any) -> Any:
    yield Sample(make(3, 3), "reduced")
    yield Sample(make(2, 4, 2), "reduced")
    yield Sample(make(2, 4), "reduced")
    yield Sample(make(2, 3), "complete")
    yield Bad(make(3), "reduced", raises=RuntimeError, says="linalg.qr: The input tensor A must have at least 2")
    yield Bad(make(3, 3), "all", raises=RuntimeError, says="qr received unrecognized mode 'all'")


@public()
def linalg_qr(A: Tensor, mode: str = "reduced", *, out: Any = None) -> Any:
    """Q with orthonormal columns and upper triangular R of A = Q R.

    Args:
        A: (..., m, n), floating or complex.
        mode: "reduced" for Q (m, k) and R (k, n) with k = min(m, n), "complete" for (m, m) and (m, n), "r" for R alone.
        out: a tuple of tensors to write into.

    Returns:
        A tuple (Q, R); Q is empty for "r".

    Raises:
        RuntimeError: if `A` is not a batch of matrices, or `mode` is unknown.

    Derivative:
        Defined if the first k columns are linearly independent; not for "r", nor for "complete" if m > n.

    Examples:
        >>> import wengert as wg
        >>> Q, R = wg.linalg.qr(wg.tensor([[3.0, 1.0], [4.0, 2.0]]))
        >>> wg.allclose(Q @ R, wg.tensor([[3.0, 1.0], [4.0, 2.0]]))
        True
    """
    return put("linalg_qr", out, return_types.linalg_qr(factored(A, mode)), words=EXACT)


@composite()
def qr(self: Tensor, some: bool = True, *, out: Any = None) -> Any:
    """Q with orthonormal columns and upper triangular R. Deprecated: use `linalg.qr`.

    Args:
        self: (..., m, n), floating or complex.
        some: the mode "reduced" of `linalg.qr`, else "complete".
        out: a tuple of tensors to write into.

    Returns:
        A tuple (Q, R).

    Raises:
        RuntimeError: if `self` is not a batch of matrices.

    Examples:
        >>> import wengert as wg
        >>> Q, R = wg.qr(wg.tensor([[3.0, 1.0], [4.0, 2.0]]))
        >>> wg.allclose(Q @ R, wg.tensor([[3.0, 1.0], [4.0, 2.0]]))
        True
    """
    anomaly.warn_once(
        "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.\nThe "
        "boolean parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, some)\nshould "
        "be replaced with\nQ, R = torch.linalg.qr(A, 'reduced' if some else 'complete')"
    )
    return put(
        "qr", out, return_types.qr(factored(self, "reduced" if some else "complete")), words=EXACT, writer="linalg_qr"
    )


@linalg_qr.samples
@qr.samples
def qr_samples(make: Any) -> Any:
    yield Sample(make(3, 2))
    yield Bad(make(3), raises=RuntimeError, says="linalg.qr: The input tensor A must have at least 2 dimensions")
