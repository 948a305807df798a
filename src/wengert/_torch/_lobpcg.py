"""The largest or smallest eigenvalues of a symmetric matrix that is only multiplied by: LOBPCG."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from wengert._tensor import Tensor
from wengert.autograd import no_grad
from wengert.autograd.function import Function
from wengert.linalg import eigh
from wengert.ops import asking
from wengert.ops.randomness.random import randn
from wengert.ops.shapes.join import cat, stack

_IN_PACKAGE = ("lobpcg",)

DEFAULT_TOLERANCE = {"torch.float32": 1.2e-07**0.5, "torch.float64": 2.23e-16**0.5}


class LOBPCG:
    """State of the iteration for one matrix, which is passed to a tracker.

    Attributes:
        A, B, iK: the matrices; B and iK may be None.
        X, E, R: eigenvectors and eigenvalues as they are now, and the residuals A X - B X E.
        S: the basis of the space that was searched last.
        iparams, fparams, bparams: the parameters.
        ivars, fvars, bvars, tvars: where the iteration is: `istep`, `converged_count`, `force_stop`, `rerr`.
    """

    def __init__(
        self, A: Any, B: Any, iK: Any, X: Any, k: int, niter: int, tol: float, largest: bool, method: str
    ) -> None:
        self.A, self.B, self.iK, self.X, self.method = A, B, iK, X, method
        self.iparams = {"m": A.shape[-1], "n": X.shape[-1], "k": k, "niter": niter}
        self.fparams, self.bparams = {"tol": tol}, {"largest": largest}
        self.ivars = {"istep": 0, "converged_count": 0, "iterations_left": niter}
        self.bvars = {"force_stop": False}
        self.tvars: dict[str, Any] = {}
        self.fvars = {"A_norm": norm(matmul(A, X)) / norm(X), "B_norm": norm(matmul(B, X)) / norm(X)}
        self.S, self.P = X, None
        self.E: Any = X.new_empty((X.shape[-1],))
        self.R: Any = X

    def run(self, tracker: Callable[[LOBPCG], Any] | None) -> None:
        """Iterate until all vectors have converged, or the limit of iterations is reached."""
        self.project(self.X)
        while True:
            self.look()
            if tracker is not None:
                tracker(self)
            done = self.ivars["converged_count"] >= self.iparams["k"] or self.bvars["force_stop"]
            if done or self.ivars["iterations_left"] == 0:
                return
            before, residual = self.X, matmul(self.iK, self.R)
            directions = [self.X, residual] if self.P is None else [self.X, residual, self.P]
            self.project(cat(directions, 1))
            self.P = self.X - matmul_t(before, matmul(self.B, self.X))
            self.ivars["istep"] += 1
            self.ivars["iterations_left"] -= 1

    def project(self, space: Any) -> None:
        """Take the best vectors of a space (Rayleigh and Ritz)."""
        basis = orthonormal(space, self.B)
        values, vectors = eigh(basis.mT @ matmul(self.A, basis))
        count = min(self.iparams["n"], values.shape[0])
        if self.bparams["largest"]:
            values, vectors = values.flip(0), vectors.flip(1)
        self.S, self.E, self.X = basis, values[:count], basis @ vectors[:, :count]

    def look(self) -> None:
        """Compute the residuals, and count the converged vectors: those before the first that is not."""
        weighted = matmul(self.B, self.X)
        self.R = matmul(self.A, self.X) - weighted * self.E
        scale = self.X.norm(2, 0) * (self.fvars["A_norm"] + self.E.abs() * self.fvars["B_norm"])
        self.tvars["rerr"] = error = self.R.norm(2, 0) / scale
        converged = (error <= self.fparams["tol"]).tolist()
        self.ivars["converged_count"] = converged.index(False) if False in converged else len(converged)


def matmul(matrix: Any, other: Any) -> Any:
    """Return a product of matrices, in which None is the identity."""
    return other if matrix is None else matrix @ other


def matmul_t(basis: Any, other: Any) -> Any:
    """Return the projection of vectors onto the space of others."""
    return basis @ (basis.mT @ other)


def norm(matrix: Any) -> float:
    """The Frobenius norm."""
    return float(matrix.norm())


def orthonormal(space: Any, B: Any) -> Any:
    """A basis of a space that is orthonormal by B; directions that nearly depend on others are left out.

    Source:
        Stathopoulos and Wu, A block orthogonalization procedure with constant synchronization requirements, SIAM J.
        Sci. Comput. 23(6), 2002: the eigenvectors of the scaled Gram matrix; done twice, for its rounding.
    """
    small = (1.2e-07 if str(space.dtype) == "torch.float32" else 2.23e-16) * 10
    for _ in range(3):
        gram = space.mT @ matmul(B, space)
        scale = gram.diagonal().clamp_min(0).sqrt()
        scale = scale.masked_fill(scale == 0, 1.0)
        values, vectors = eigh(gram / scale / scale[:, None])
        large = values > small * values[-1]
        space = (space / scale) @ (vectors[:, large] / values[large].sqrt())
    return space


def solved(operands: list[Any], options: dict[str, Any], tracker: Any) -> tuple[Any, Any]:
    """The eigenvalues and eigenvectors of one matrix."""
    A, B, X, iK = operands
    worker = LOBPCG(A, B, iK, X, **options)
    worker.run(tracker)
    return worker.E[: options["k"]], worker.X[:, : options["k"]]


def solved_all(operands: list[Any], options: dict[str, Any], tracker: Any) -> tuple[Any, Any]:
    """Solve for each matrix of a batch; operands: A, B, initial vectors and preconditioner."""
    A = operands[0]
    if A.ndim == 2:
        return solved(operands, options, tracker)
    if not math.prod(A.shape[:-2]):
        return A.new_zeros((*A.shape[:-2], options["k"])), A.new_zeros((*A.shape[:-1], options["k"]))
    rows: list[Any] = [None if operand is None else operand.flatten(0, -3) for operand in operands]
    solutions = [
        solved([None if row is None else row[at] for row in rows], options, tracker) for at in range(rows[0].shape[0])
    ]
    values, vectors = (stack(list(arrays)) for arrays in zip(*solutions))
    return values.reshape(*A.shape[:-2], values.shape[-1]), vectors.reshape(*A.shape[:-2], *vectors.shape[-2:])


class LOBPCGAutogradFunction(Function):
    """The search as one step of the graph."""

    @staticmethod
    def forward(ctx: Any, A: Any, B: Any, solve: Callable[[], tuple[Any, Any]], largest: bool) -> Any:
        """Search."""
        values, vectors = solve()
        ctx.save_for_backward(A, vectors)
        ctx.plain, ctx.largest = B is None and not A.is_sparse and not A.is_complex(), largest
        ctx.identity = B is None
        return values, vectors

    @staticmethod
    def backward(ctx: Any, grad_values: Any, grad_vectors: Any) -> Any:
        """Gradient by all eigenvectors: derivatives of the computed ones are combinations of the others."""
        if not ctx.identity:
            raise ValueError("lobpcg.backward does not support backward with B != I yet.")
        if not ctx.plain:
            raise ValueError("lobpcg.backward does not support sparse or complex input yet.")
        A, vectors = ctx.saved_tensors
        values, basis = eigh((A + A.mT) / 2)
        count = vectors.shape[-1]
        if ctx.largest:
            values, basis = values.flip(-1), basis.flip(-1)
        gaps = values[..., None, :count] - values[..., :, None]
        diagonal = gaps.new_ones((gaps.shape[-2], count)).tril().triu() > 0
        shares = (basis.mT @ grad_vectors / gaps.masked_fill(diagonal, 1.0)).masked_fill(diagonal, 0.0)
        return (vectors * grad_values[..., None, :] + basis @ shares) @ vectors.mT, None, None, None


def check_operand(name: str, value: Any, A: Any) -> None:
    """Refuse operands other than matrices of the dtype of A, float32 or float64.

    Raises:
        TypeError: if `value` is not a tensor.
        RuntimeError: if the dtype is neither float32 nor float64, or differs from that of A.
        IndexError: if `value` has fewer than two dimensions.
    """
    if not isinstance(value, Tensor):
        raise TypeError(f"lobpcg(): argument '{name}' must be Tensor, not {type(value).__name__}")
    if str(value.dtype) not in DEFAULT_TOLERANCE:
        raise RuntimeError(f"lobpcg: {name} must be of float32 or float64, got {value.dtype}")
    if value.dtype is not A.dtype:
        raise RuntimeError(f"lobpcg: expected A and {name} to have the same dtype, got {A.dtype} and {value.dtype}")
    if value.ndim < 2:
        raise IndexError(f"lobpcg: {name} must be a matrix or a batch of them, got shape {tuple(value.shape)}")


def sizes_of(A: Any, k: Any, B: Any, X: Any, n: Any, iK: Any) -> tuple[int, int]:
    """Return the numbers of requested eigenvalues and of search vectors; refuse operands that do not fit."""
    for name, operand in (("A", A), ("B", B), ("X", X), ("iK", iK)):
        if operand is not None or name == "A":
            check_operand(name, operand, A)
    if A.shape[-2] != A.shape[-1]:
        raise AssertionError(f"A must be square, got shape {A.shape}")
    if B is not None and A.shape != B.shape:
        raise AssertionError(f"A and B must have same shape, got {A.shape} vs {B.shape}")
    m = A.shape[-1]
    k = (1 if X is None else X.shape[-1]) if k is None else k
    n = (k if n is None else n) if X is None else X.shape[-1]
    if m < 3 * n:
        raise ValueError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={m}) is smaller than 3 x the number of "
            f"requested eigenpairs (={n})"
        )
    if k < 1:
        raise ValueError(f"lobpcg: k must be positive, got {k}")
    if X is not None and X.ndim == 2 < A.ndim:
        raise RuntimeError(f"lobpcg: X must have the batch of A: shape {X.shape} beside {A.shape}")
    if X is not None and X.shape[-2:] != (m, n):
        raise AssertionError(f"X shape mismatch: got {X.shape}, expected {(m, n)}")
    return k, n


@asking
def lobpcg(
    A: Tensor,
    k: int | None = None,
    B: Tensor | None = None,
    X: Tensor | None = None,
    n: int | None = None,
    iK: Tensor | None = None,
    niter: int | None = None,
    tol: float | None = None,
    largest: bool | None = None,
    method: str | None = None,
    tracker: Callable[[LOBPCG], Any] | None = None,
    ortho_iparams: dict[str, int] | None = None,
    ortho_fparams: dict[str, float] | None = None,
    ortho_bparams: dict[str, bool] | None = None,
) -> tuple[Tensor, Tensor]:
    """The k largest or smallest eigenvalues of A x = λ B x, and their eigenvectors, by products with A and B alone.

    Args:
        A: (*, m, m), symmetric, positive definite; dense, or a sparse matrix in coordinates.
        k: number of eigenvalues; the number of columns of `X` if not given, or 1.
        B: (*, m, m), symmetric, positive definite; the identity if not given.
        X: (*, m, n), initial vectors; random numbers if not given.
        n: number of search vectors, if `X` is not given.
        iK: (*, m, m), a preconditioner.
        niter: limit of iterations; 1000 if not given, -1 for no limit.
        tol: residual, relative to the norms of the matrices, at which a vector has converged.
        largest: search for the largest ones, unless False.
        method: "basic" or "ortho", which are one method here: the basis is always orthonormal.
        tracker: called at each step with the state, an `LOBPCG`; may set `bvars["force_stop"]`.
        ortho_iparams, ortho_fparams, ortho_bparams: not needed.

    Returns:
        The eigenvalues, (*, k), and the eigenvectors, (*, m, k), orthonormal by B.

    Raises:
        AssertionError: if shapes do not fit.
        ValueError: if A has fewer than 3 n rows, or if a gradient is required with B, or of sparse or complex A.

    Derivative:
        That of the eigenvalues and eigenvectors of (A + A') / 2, by all eigenvectors of A.

    Source:
        Knyazev, Toward the optimal preconditioned eigensolver, SIAM J. Sci. Comput. 23(2), 2001.

    >>> import wengert as wg
    >>> values, vectors = wg.lobpcg(wg.diag(wg.tensor([1.0, 5.0, 3.0, 2.0])), 1)
    >>> values.round()
    tensor([5.])
    """
    k, n = sizes_of(A, k, B, X, n, iK)
    options = {
        "k": min(k, n),
        "niter": 1000 if niter is None else niter,
        "largest": largest is None or bool(largest),
        "tol": DEFAULT_TOLERANCE[str(A.dtype)] if tol is None else tol,
        "method": method or "ortho",
    }
    operator = A
    if A.requires_grad and not A.is_sparse:
        operator = (A + A.mT) / 2

    def solve() -> tuple[Any, Any]:
        with no_grad():
            begin = randn((*A.shape[:-1], n), dtype=A.dtype) if X is None else X.detach()
            plain = [None if operand is None else operand.detach() for operand in (operator, B, begin, iK)]
            return solved_all(plain, options, tracker)

    if operator.requires_grad or (B is not None and B.requires_grad):
        return LOBPCGAutogradFunction.apply(operator, B, solve, options["largest"])
    return solve()


__all__ = ["LOBPCG", "lobpcg"]
