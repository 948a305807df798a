"""Products of reflections I - tau v v^H, from which LAPACK forms orthogonal factors.

Only the part of each vector below the diagonal is stored; on the diagonal there is a one. Source of the derivatives:
the products are differentiated factor by factor, as in M. B. Giles, Collected matrix derivative results for forward and
reverse mode algorithmic differentiation, 2008, section 2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.calls.out import put
from ..._core.cards.card import Array, Bad, Out, Sample, composite
from ..._core.out_errors import CASTABLE, PART, requires_grad
from ..._core.recording.recorded import conjugate
from ..._core.state.modes import current
from ..._core.tensor.base import Tensor
from ..._core.types import dtypes
from ..._kernels import factors
from .. import return_types
from ..dtype_checks import refuse
from ..shapes.join import cat
from .matrices import FACTORED, adjoint, check_same_dtype, first_columns, of_matrices, of_two, public, stacked

OF_REFLECTED = (
    "torch.ormqr: Expected input and result to have the same dtype, but input has dtype{wanted} and result has dtype "
    "{found}"
)
OF_PRODUCT = f"torch.linalg.householder_product: {CASTABLE}"
OF_FACTORS = f"torch.geqrf: {PART.format('a')}"


def unit(matrix: Any, count: int) -> Any:
    """Return the vectors of reflections, as columns."""
    lower = matrix.narrow(-1, 0, count).tril(-1)
    return lower + matrix.new_ones(lower.shape[-2]).diag().narrow(-1, 0, count)


def steps(vectors: Any, tau: Any, adjoint: bool) -> list[tuple[int, Any, Any]]:
    """Iterate over the reflections in the order of application: number, vector (a column), and factor."""
    count = tau.shape[-1]
    factor = conjugate(tau) if adjoint else tau
    order = range(count) if adjoint else range(count - 1, -1, -1)
    return [(at, vectors.narrow(-1, at, 1), factor.narrow(-1, at, 1).unsqueeze(-1)) for at in order]


def gradients(matrix: Any, tau: Any, start: Any, grad: Any, turned: bool) -> tuple[Any, Any, Any]:
    """Gradients with respect to the stored vectors, `tau`, and the matrix that the reflections are applied to.

    Args:
        start: the matrix that they are applied to.
        grad: the gradient of the result.
        turned: whether the adjoint product was applied.
    """
    if not matrix.numel() or not tau.numel():
        return None, None, grad
    order = steps(unit(matrix, tau.shape[-1]), tau, turned)
    states = []
    for _, vector, factor in order:
        states.append(start)
        start = start - factor * (vector @ (adjoint(vector) @ start))
    of_vectors: dict[int, Any] = {}
    of_tau: dict[int, Any] = {}
    for (at, vector, factor), state in zip(reversed(order), reversed(states)):
        along, across = adjoint(state) @ vector, adjoint(adjoint(grad) @ vector)
        of_factor = -(across @ along)
        of_tau[at] = (conjugate(of_factor) if turned else of_factor).squeeze(-1)
        of_vectors[at] = -(conjugate(factor) * (grad @ along) + factor * (state @ adjoint(across)))
        grad = grad - conjugate(factor) * (vector @ across)
    count = len(order)
    result = cat([of_vectors[at] for at in range(count)], -1).tril(-1)
    rest = matrix.shape[-1] - count
    if rest:
        result = cat([result, matrix.new_zeros((*result.shape[:-1], rest))], -1)
    return result, cat([of_tau[at] for at in range(count)], -1), grad


def tangents(matrix: Any, tau: Any, start: Any, along: tuple[Any, Any, Any], turned: bool) -> Any:
    """Tangent of the result from those of the stored vectors, of `tau`, and of the matrix that is multiplied."""
    count = tau.shape[-1]
    moved = along[2]
    changes = along[0].narrow(-1, 0, count).tril(-1)
    shifts = conjugate(along[1]) if turned else along[1]
    for at, vector, factor in steps(unit(matrix, count), tau, turned):
        change, shift = changes.narrow(-1, at, 1), shifts.narrow(-1, at, 1).unsqueeze(-1)
        inner = adjoint(vector) @ start
        moved = moved - factor * (vector @ (adjoint(vector) @ moved + adjoint(change) @ start))
        moved = moved - (shift * vector + factor * change) @ inner
        start = start - factor * (vector @ inner)
    return moved


def check_reflections(name: str, matrix: Any, tau: Any, kernel: str) -> None:
    """Check vectors of reflections and their factors.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
    """
    if matrix.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    if matrix.ndim - tau.ndim != 1:
        raise RuntimeError(
            f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {tau.ndim} and "
            f"input.ndim is equal to {matrix.ndim}"
        )
    if matrix.shape[:-2] != tau.shape[:-1]:
        raise RuntimeError(
            f"{name}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got {list(tau.shape[:-1])}"
        )
    if tau.dtype != matrix.dtype:
        raise RuntimeError(f"{name}: tau dtype {tau.dtype} does not match input dtype {matrix.dtype}")
    if dtypes.from_numpy(matrix.dtype) not in FACTORED:
        refuse(name.rpartition(".")[2], kernel, matrix)


def check_product(input: Any, tau: Any) -> None:
    """Check the arguments of `householder_product`.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    name = "torch.linalg.householder_product"
    check_reflections(name, input, tau, "orgqr_cpu")
    rows, width = input.shape[-2:]
    if rows < width:
        raise RuntimeError(f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]")
    if width < tau.shape[-1]:
        raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")


@of_two(name="_linalg_householder_product", node="LinalgHouseholderProductBackward0", batching=stacked(2, 1))
def product(input: Array, tau: Array) -> Any:
    """First columns of a product of reflections."""
    check_product(input, tau)
    rows, width = input.shape[-2:]
    start = np.broadcast_to(np.eye(rows, width, dtype=input.dtype), input.shape)
    return factors.reflected(input, tau, start, False)


@product.vjp("input", "tau")
def product_vjp(grad: Any, input: Any, tau: Any) -> Any:
    return gradients(input, tau, first_columns(input), grad, False)[:2]


@product.jvp("input", "tau")
def product_jvp(of_input: Any, of_tau: Any, input: Any, tau: Any) -> Any:
    start = first_columns(input)
    return tangents(input, tau, start, (of_input, of_tau, start.new_zeros(start.shape)), False)


@product.samples
def product_samples(make: Any) -> Any:
    yield Sample(make(3, 2), make(2))
    yield Sample(make(2, 3, 3), make(2, 2))
    yield Bad(make(2, 3), make(2), raises=RuntimeError, says="must be greater than or equal to input.shape[-1]")
    yield Bad(make(3, 2), make(2, 2), raises=RuntimeError, says="Expected tau to have one dimension less than input")


@public(name="linalg_householder_product")
def householder_product(A: Tensor, tau: Tensor, *, out: Any = None) -> Any:
    """The first n columns of a product of reflections, as `geqrf` returns them.

    Args:
        A: (..., m, n), the vectors below the diagonal; floating or complex.
        tau: (..., k), their factors, k at most n.
        out: a tensor to write into.

    Returns:
        A new tensor (..., m, n).

    Raises:
        RuntimeError: if shapes or dtypes do not fit.

    Examples:
        >>> import wengert as wg
        >>> reflectors, tau = wg.geqrf(wg.tensor([[3.0], [4.0]]))
        >>> wg.linalg.householder_product(reflectors, tau)
        tensor([[-0.6000],
                [-0.8000]])
    """
    return put("linalg_householder_product", out, product(A, tau), uncastable=OF_PRODUCT, rows="shrunk")


@composite()
def orgqr(self: Tensor, input2: Tensor, *, out: Any = None) -> Any:
    """The first columns of a product of reflections: `linalg.householder_product`.

    Args:
        self: (..., m, n), the vectors below the diagonal; floating or complex.
        input2: (..., k), their factors.
        out: a tensor to write into.

    Returns:
        A new tensor (..., m, n).

    Raises:
        RuntimeError: as `linalg.householder_product`.

    Examples:
        >>> import wengert as wg
        >>> reflectors, tau = wg.geqrf(wg.tensor([[3.0], [4.0]]))
        >>> wg.orgqr(reflectors, tau)
        tensor([[-0.6000],
                [-0.8000]])
    """
    return put("orgqr", out, product(self, input2), uncastable=OF_PRODUCT, rows="shrunk")


@householder_product.samples
@orgqr.samples
def householder_samples(make: Any) -> Any:
    yield Sample(make(3, 2), make(2))
    yield Bad(make(2, 3), make(2), raises=RuntimeError, says="must be greater than or equal to input.shape[-1]")


def check_ormqr(self: Any, tau: Any, other: Any, left: bool) -> None:
    """Check the arguments of `ormqr`.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    if self.ndim < 2:
        raise RuntimeError("torch.ormqr: input must have at least 2 dimensions.")
    if other.ndim < 2 or other.shape[:-2] != self.shape[:-2]:
        raise RuntimeError(
            "torch.ormqr: Expected other to have the dimensions of input in front of its last two, but got "
            f"{list(other.shape)}"
        )
    side = -2 if left else -1
    if not tau.ndim:
        raise IndexError("torch.ormqr: Dimension specified as -1 but tau has no dimensions")
    if tau.shape[-1] != min(other.shape[side], self.shape[-1]):
        raise RuntimeError(
            f"torch.ormqr: tau.shape[-1] must be equal to min(other.shape[{side}], input.shape[-1]), but got "
            f"{tau.shape[-1]}"
        )
    if self.shape[-2] != other.shape[side]:
        raise RuntimeError(f"torch.ormqr: other.shape[{side}] must be equal to input.shape[-2]")
    check_same_dtype("torch.ormqr", self, other, "input", "other")
    check_reflections("torch.ormqr", self, tau, "ormqr_cpu")


@of_two(public="both", batching=stacked(2, 1, 2), out=Out(words=OF_REFLECTED, rows="shrunk"))
def ormqr(self: Array, tau: Array, other: Array, left: bool = True, transpose: bool = False) -> Any:
    """The product of a product of reflections, as `geqrf` returns them, and a matrix.

    Args:
        self: (..., m, k), the vectors below the diagonal; floating or complex.
        tau: (..., k), their factors.
        other: (..., m, n) of the same dtype, or (..., n, m) if `left` is false.
        left: multiply from the left.
        transpose: use the adjoint of the product of reflections.

    Returns:
        A new tensor of the shape of `other`.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.

    Examples:
        >>> import wengert as wg
        >>> reflectors, tau = wg.geqrf(wg.tensor([[3.0], [4.0]]))
        >>> wg.ormqr(reflectors, tau, wg.eye(2))
        tensor([[-0.6000, -0.8000],
                [-0.8000,  0.6000]])
    """
    check_ormqr(self, tau, other, left)
    if left:
        return factors.reflected(self, tau, other, transpose)
    turned = np.conjugate(other.swapaxes(-1, -2))
    return factors.columns(np.conjugate(factors.reflected(self, tau, turned, not transpose).swapaxes(-1, -2)))


@ormqr.vjp("self", "tau", "other")
def ormqr_vjp(grad: Any, self: Any, tau: Any, other: Any, left: bool, transpose: bool) -> Any:
    if left:
        return gradients(self, tau, other, grad, transpose)
    of_self, of_tau, of_other = gradients(self, tau, adjoint(other), adjoint(grad), not transpose)
    return of_self, of_tau, adjoint(of_other)


@ormqr.jvp("self", "tau", "other")
def ormqr_jvp(
    of_self: Any, of_tau: Any, of_other: Any, self: Any, tau: Any, other: Any, left: bool, transpose: bool
) -> Any:
    if left:
        return tangents(self, tau, other, (of_self, of_tau, of_other), transpose)
    return adjoint(tangents(self, tau, adjoint(other), (of_self, of_tau, adjoint(of_other)), not transpose))


@ormqr.samples
def ormqr_samples(make: Any) -> Any:
    yield Sample(make(3, 2), make(2), make(3, 2))
    yield Sample(make(2, 3, 2), make(2, 2), make(2, 2, 3), False, True)
    yield Bad(make(3, 2), make(2), make(2, 2), raises=RuntimeError, says="other.shape[-2] must be equal to input.shape")
    yield Bad(
        make(3, 2), make(1), make(3, 2), raises=RuntimeError, says="tau.shape[-1] must be equal to min(other.shape"
    )


def check_geqrf(self: Any) -> None:
    """Check the arguments of `geqrf`.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    if self.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    if dtypes.from_numpy(self.dtype) not in FACTORED:
        refuse("geqrf", "geqrf_cpu", self)


@of_matrices(
    name="_geqrf",
    outputs={"a": True, "tau": True},
    why=("what LAPACK stores is not a function of the matrix alone; nor has torch one (use linalg.qr)", "geqrf"),
)
def reflections(self: Array) -> Any:
    """Return R above the diagonal, the vectors of reflections below it, and their factors."""
    check_geqrf(self)
    packed, tau = np.linalg.qr(self, "raw")
    return factors.columns(packed.swapaxes(-1, -2)), tau.copy()


@reflections.samples
def reflections_samples(make: Any) -> Any:
    yield Sample(make(3, 2))
    yield Bad(make(3), raises=RuntimeError, says="torch.geqrf: input must have at least 2 dimensions")


@composite()
def geqrf(self: Tensor, *, out: Any = None) -> Any:
    """The factors of A = Q R in LAPACK's form, for `ormqr` and `linalg.householder_product`.

    Args:
        self: (..., m, n), floating or complex.
        out: a tuple of tensors to write into.

    Returns:
        A tuple (a, tau): R above the diagonal and vectors of reflections below it; their factors.

    Raises:
        RuntimeError: if `self` is not a batch of matrices.

    Examples:
        >>> import wengert as wg
        >>> reflectors, tau = wg.geqrf(wg.tensor([[3.0], [4.0]]))
        >>> reflectors, tau
        (tensor([[-5.0000],
                [ 0.5000]]), tensor([1.6000]))
    """
    if out is not None and self.requires_grad and current().grad:
        raise RuntimeError(requires_grad("geqrf"))
    return put("geqrf", out, return_types.geqrf(reflections(self)), uncastable=OF_FACTORS, rows="shrunk")


@geqrf.samples
def geqrf_samples(make: Any) -> Any:
    yield Sample(make(3, 2, requires_grad=False))
