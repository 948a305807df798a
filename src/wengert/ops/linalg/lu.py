"""LU factors of general matrices with row exchanges: A = P L U.

Source of the derivatives: F. de Hoog, R. Anderssen and M. Lukas, Differentiation of matrix functionals using triangular
factorization, Math. Comp. 80, 2011; of matrices that are not square by the same steps, block by block.
"""

from __future__ import annotations

from typing import Any

from ... import _kernels as kernels
from ..._core.calls.out import put, several_outputs
from ..._core.cards.arguments import Truth
from ..._core.cards.card import Array, Bad, Index, Sample, composite
from ..._core.graph import anomaly
from ..._core.out_errors import EXACT
from ..._core.tensor.base import Tensor
from ..._kernels import factors
from .. import return_types
from ..dtype_checks import refuse
from ..family import describes
from ..shapes.join import cat
from .matrices import (
    FACTORED,
    PACKED,
    SOLUTION,
    LinAlgError,
    adjoint,
    check_square,
    dtypes,
    first_columns,
    of_matrices,
    of_two,
    public,
    raise_first,
    stacked,
)
from .solve import triangular

native = kernels.direct_function

ZERO = (
    "U[{0},{0}] is zero and using it on lu_solve would result in a division by zero. If you still want to perform the "
    "factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
)


def check_factorable(name: str, array: Any, pivot: bool) -> None:
    """Refuse arrays that cannot be factored.

    Raises:
        RuntimeError: if the array is not a batch of floating or complex matrices, or `pivot` is false.
    """
    if array.ndim < 2:
        raise RuntimeError(f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(array.shape)} instead")
    if dtypes.from_numpy(array.dtype) not in FACTORED:
        refuse(name.rpartition(".")[2], "lu_cpu", array)
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")


def parts(matrix: Any, dim: int, count: int) -> tuple[Any, Any]:
    """Return the first `count` rows (columns) of a matrix, and the others, None if there are none."""
    length = matrix.shape[dim]
    rest = matrix.narrow(dim, count, length - count) if length > count else None
    return matrix.narrow(dim, 0, count), rest


def factored_gradient(of_l: Any, of_u: Any, permutation: Any, lower: Any, upper: Any) -> Any:
    """Gradient with respect to a matrix from those of its factors, one of which may be None."""
    count = lower.shape[-1]
    (l1, l2), (u1, u2) = parts(lower, -2, count), parts(upper, -1, count)
    inner, behind = None, None
    if of_l is not None:
        g1, g2 = parts(of_l, -2, count)
        inner = (adjoint(l1) @ g1).tril(-1)
        if l2 is not None:
            inner = inner - (adjoint(l2) @ g2).triu()
            behind = triangular(adjoint(u1), g2, False, False, False)
    if of_u is not None:
        g1, g2 = parts(of_u, -1, count)
        more = (g1 @ adjoint(u1)).triu()
        if u2 is not None:
            more = more - (g2 @ adjoint(u2)).tril(-1)
            behind = triangular(adjoint(l1), g2, True, True, True)
        inner = more if inner is None else inner + more
    result = triangular(adjoint(l1), triangular(adjoint(u1), inner, False, False, False), True, True, True)
    if l2 is not None or u2 is not None:
        if behind is None:
            rest = l2 if l2 is not None else u2
            behind = rest.new_zeros(rest.shape)
        result = cat([result, behind], -2 if l2 is not None else -1)
    return permutation @ result


def factored_tangents(tangent: Any, permutation: Any, lower: Any, upper: Any) -> tuple[Any, Any]:
    """Tangents of the factors."""
    count = lower.shape[-1]
    (l1, l2), (u1, u2) = parts(lower, -2, count), parts(upper, -1, count)
    tangent = adjoint(permutation) @ tangent
    rows, below = parts(tangent, -2, count)
    square, beside = parts(rows, -1, count)
    inner = triangular(u1, triangular(l1, square, False, True, True), True, False, False)
    of_l, of_u = l1 @ inner.tril(-1), inner.triu() @ u1
    if l2 is not None:
        of_l = cat([of_l, triangular(u1, below, True, False, False) - l2 @ inner.triu()], -2)
    if u2 is not None:
        of_u = cat([of_u, triangular(l1, beside, False, True, True) - inner.tril(-1) @ u2], -1)
    return of_l, of_u


def dominant(operator: Any, self: Any, *rest: Any) -> Any:
    """Call an operator with matrices whose rows are not exchanged by a small change, to run samples."""
    return operator(self + first_columns(self) * 8, *rest)


@of_matrices(name="_linalg_lu", node="LinalgLuBackward0", outputs={"P": False, "L": True, "U": True})
def factored(A: Array, pivot: bool) -> Any:
    """Return the permutation and both triangular factors."""
    check_factorable("linalg.lu", A, pivot)
    packed, pivots, _ = factors.lu(A)
    return (*factors.unpacked(packed, pivots),)


@factored.vjp("A")
def factored_vjp(grads: Any, P: Any, L: Any, U: Any) -> Any:
    return factored_gradient(grads[1], grads[2], P, L, U)


@factored.jvp("A")
def factored_jvp(tangent: Any, P: Any, L: Any, U: Any) -> Any:
    return None, *factored_tangents(tangent, P, L, U)


@factored.samples
def factored_samples(make: Any) -> Any:
    yield Sample(make(3, 3), True, through=dominant)
    yield Sample(make(2, 2, 3), True, through=dominant)
    yield Sample(make(3, 2), True, through=dominant)
    yield Bad(make(3), True, raises=RuntimeError, says="linalg.lu: Expected tensor with 2 or more dimensions")
    yield Bad(make(3, 3), False, raises=RuntimeError, says="LU without pivoting is not implemented on the CPU")


@of_matrices(
    name="_linalg_lu_factor_ex",
    node="LinalgLuFactorExBackward0",
    outputs={"LU": True, "pivots": False, "info": False},
    native=native("lu_factor"),
)
def packed(A: Array, pivot: bool = True, check_errors: bool = True) -> Any:
    """Return both factors in one matrix, the exchanged rows, and the number of each matrix's zero pivot, or 0."""
    check_factorable("torch.lu_factor", A, pivot)
    result, pivots, info = factors.lu(A)
    if check_errors:
        raise_first("torch.linalg.lu_factor", info, ZERO)
    return result, pivots, info


@packed.vjp("A", native=native("lu_factor_rule"))
def packed_vjp(grads: Any, LU: Any, pivots: Any) -> Any:
    permutation, lower, upper = unpacked(LU, pivots, True, True)
    count = lower.shape[-1]
    of_l, of_u = grads[0].narrow(-1, 0, count).tril(-1), grads[0].narrow(-2, 0, count).triu()
    return factored_gradient(of_l, of_u, permutation, lower, upper)


@packed.jvp("A")
def packed_jvp(tangent: Any, LU: Any, pivots: Any) -> Any:
    of_l, of_u = factored_tangents(tangent, *unpacked(LU, pivots, True, True))
    return joined(of_l.tril(-1), of_u, LU.shape), None, None


def joined(lower: Any, upper: Any, shape: Any) -> Any:
    """Join both triangles in one matrix."""
    return widened(lower, shape, -1) + widened(upper, shape, -2)


def widened(matrix: Any, shape: Any, dim: int) -> Any:
    """Append rows (columns) of zeros to a matrix, up to the length in `shape`."""
    missing = shape[dim] - matrix.shape[dim]
    if not missing:
        return matrix
    lengths = list(matrix.shape)
    lengths[dim] = missing
    return cat([matrix, matrix.new_zeros(lengths)], dim)


@packed.samples
def packed_samples(make: Any) -> Any:
    yield Sample(make(3, 3), True, True, through=dominant)
    yield Sample(make(2, 2, 3), True, True, through=dominant)
    yield Sample(make(3, 2), True, False, through=dominant)
    yield Bad(make(3), True, True, raises=RuntimeError, says="lu_factor: Expected tensor with 2 or more dimensions")
    yield Bad(make(2, 2) * 0, True, True, raises=LinAlgError, says="U[1,1] is zero and using it on lu_solve")


def check_unpacked(LU_data: Any, LU_pivots: Any, unpack_pivots: bool) -> None:
    """Refuse factors or pivots that cannot be unpacked.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    if LU_data.ndim < 2:
        raise RuntimeError(
            f"torch.lu_unpack: Expected tensor with 2 or more dimensions. Got size: {list(LU_data.shape)} instead"
        )
    if dtypes.from_numpy(LU_data.dtype) not in FACTORED:
        refuse("lu_unpack", "triu_tril", LU_data)
    if unpack_pivots and LU_pivots.dtype.name != "int32":
        raise RuntimeError(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 dtype.\n"
            "Note: this function is intended to be used with the output produced by torch.linalg.lu_factor"
        )
    wanted = (*LU_data.shape[:-2], min(LU_data.shape[-2:]))
    pivots_shape = LU_pivots.shape
    fit = len(pivots_shape) == len(wanted) and pivots_shape[-1] == wanted[-1]
    if unpack_pivots and not (fit and all(size in (1, length) for size, length in zip(pivots_shape, wanted))):
        raise RuntimeError(
            f"lu_unpack: expected pivots of shape {list(wanted)} for matrices of shape {list(LU_data.shape)}, got "
            f"{list(pivots_shape)}"
        )


@of_two(
    name="_lu_unpack",
    layout="rows",
    node="LuUnpackBackward0",
    outputs={"P": False, "L": True, "U": True},
    batching=stacked(2, 1),
)
def unpacked(LU_data: Array, LU_pivots: Index, unpack_data: bool, unpack_pivots: bool) -> Any:
    """Return the permutation and both triangular factors of a packed factorisation."""
    check_unpacked(LU_data, LU_pivots, unpack_pivots)
    permutation, lower, upper = factors.unpacked(LU_data, LU_pivots if unpack_pivots else None)
    empty = LU_data[..., :0].reshape(-1)[:0]
    data = (lower, upper) if unpack_data else (empty.copy(), empty.copy())
    return permutation if unpack_pivots else empty.copy(), *data


@unpacked.vjp("LU_data")
def unpacked_vjp(grads: Any, LU_data_shape: Any) -> Any:
    _, of_l, of_u = grads
    result = [] if of_l is None else [widened(of_l.tril(-1), LU_data_shape, -1)]
    result += [] if of_u is None else [widened(of_u.triu(), LU_data_shape, -2)]
    return sum(result[1:], result[0])


@unpacked.jvp("LU_data")
def unpacked_jvp(tangent: Any, unpack_data: bool) -> Any:
    if not unpack_data:
        return None, None, None
    count = min(tangent.shape[-2:])
    return None, tangent.narrow(-1, 0, count).tril(-1), tangent.narrow(-2, 0, count).triu()


@unpacked.samples
def unpacked_samples(make: Any) -> Any:
    pivots = {"dtype": dtypes.int32, "low": 3, "high": 4}
    yield Sample(make(3, 3), make(3, **pivots), True, True)
    yield Sample(make(2, 4, 3), make(2, 3, **pivots), True, True)
    yield Sample(make(3, 4), make(3, **pivots), True, False)
    yield Bad(make(3), make(3, **pivots), True, True, raises=RuntimeError, says="tensor with 2 or more dimensions")
    yield Bad(
        make(3, 4, 4), make(6, 4, **pivots), True, True, raises=RuntimeError, says="expected pivots of shape [3, 4]"
    )


def check_solved(LU: Any, pivots: Any, B: Any, left: bool) -> None:
    """Refuse systems that `lu_solve` does not take.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    name = "linalg.lu_solve"
    if pivots.dtype.name != "int32":
        raise RuntimeError(f"{name}: pivots should be a Tensor of scalar type torch.int32")
    if LU.dtype != B.dtype:
        raise RuntimeError(
            f"{name}: Expected LU and B to have the same dtype, but found LU of type "
            f"{dtypes.from_numpy(LU.dtype).legacy[:-6]} and B of type {dtypes.from_numpy(B.dtype).legacy[:-6]} instead"
        )
    if dtypes.from_numpy(LU.dtype) not in FACTORED:
        refuse("linalg_lu_solve", "lu_solve_cpu", LU)
    check_packed_system(name, LU, pivots, B, left)


@of_matrices(name="_linalg_lu_solve", node="LinalgLuSolveBackward0", larger=True, batching=stacked(2, 1, 2))
def solved(LU: Array, pivots: Index, B: Array, left: bool, adjoint: bool) -> Any:
    """Solve A X = B (A^H X = B, X A = B, X A^H = B) for a matrix given by its packed factors."""
    check_solved(LU, pivots, B, left)
    return factors.lu_solve(LU, pivots, B, left, adjoint)


def check_packed_system(name: str, LU: Any, pivots: Any, B: Any, left: bool) -> None:
    """Refuse shapes that do not fit.

    Raises:
        RuntimeError: if shapes do not fit.
        IndexError: if the pivots have no dimensions.
    """
    from .solve import check_system

    check_square(f"torch.{name}", LU)
    check_system(name, LU, B, left)
    if not pivots.ndim:
        raise IndexError(f"{name}: Dimension specified as -1 but tensor has no dimensions")
    if LU.shape[-1] != pivots.shape[-1]:
        raise RuntimeError(f"{name}: Number of pivots per batch should be same as the dimension of the matrix")
    if LU.shape[:-1] != pivots.shape:
        raise RuntimeError(
            f"{name}: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape "
            f"{list(pivots.shape)} instead"
        )


@solved.vjp("LU", "B")
def solved_vjp(grad: Any, LU: Any, pivots: Any, out: Any, left: bool, adjoint: bool, wanted: Any) -> Any:
    of_b = solved(LU, pivots, grad, left, not adjoint)
    if not wanted[0]:
        return None, of_b
    permutation, lower, upper = unpacked(LU, pivots, True, True)
    first, second = (of_b, out) if left else (turned(of_b), turned(out))
    if adjoint == left:
        first, second = second, first
    first = turned(permutation) @ first
    of_u = (turned(lower) @ first @ turned(second)).triu()
    of_l = (first @ turned(upper @ second)).tril(-1)
    return -(of_l + of_u), of_b


turned = adjoint


def by_triangles(LU: Any, pivots: Any, b: Any, left: bool, flipped: bool) -> Any:
    """`solved`, by two triangular systems, whose Taylor series are known."""
    if not left:
        return turned(by_triangles(LU, pivots, turned(b), True, not flipped))
    permutation = unpacked(LU, pivots, True, True)[0]
    if flipped:
        inner = triangular(turned(LU), b, False, True, False)
        return permutation @ triangular(turned(LU), inner, True, True, True)
    inner = triangular(LU, turned(permutation) @ b, False, True, True)
    return triangular(LU, inner, True, True, False)


@solved.jvp("LU")
def solved_jvp_factors(tangent: Any, LU: Any, pivots: Any, out: Any, left: bool, adjoint: bool) -> Any:
    permutation, lower, upper = unpacked(LU, pivots, True, True)
    moved = permutation @ (tangent.tril(-1) @ upper + lower @ tangent.triu())
    moved = turned(moved) if adjoint else moved
    return -by_triangles(LU, pivots, moved @ out if left else out @ moved, left, adjoint)


@solved.jvp("B")
def solved_jvp_b(tangent: Any, LU: Any, pivots: Any, left: bool, adjoint: bool) -> Any:
    return by_triangles(LU, pivots, tangent, left, adjoint)


@solved.samples
def solved_samples(make: Any) -> Any:
    def pivots(*shape: int) -> Any:
        return make(*shape, dtype=dtypes.int32, low=3, high=4)

    for left, flipped in ((True, False), (True, True), (False, False), (False, True)):
        yield Sample(make(3, 3, kind="nonzero"), pivots(3), make(3, 3), left, flipped)
    yield Sample(make(2, 3, 3, kind="nonzero"), pivots(2, 3), make(3, 2), True, False)
    yield Bad(make(3, 3), pivots(2), make(3, 2), True, False, raises=RuntimeError, says="Number of pivots per batch")


@public()
def linalg_lu(A: Tensor, *, pivot: bool = True, out: Any = None) -> Any:
    """The factors of A = P L U: permutation, lower triangular with ones on the diagonal, and upper triangular.

    Args:
        A: (..., m, n), floating or complex.
        pivot: must be true.
        out: a tuple of tensors to write into.

    Returns:
        A tuple (P, L, U).

    Raises:
        RuntimeError: if `A` is not a batch of matrices.
        ImportError: if SciPy is not installed.

    Examples:
        >>> import wengert as wg
        >>> P, L, U = wg.linalg.lu(wg.tensor([[0.0, 2.0], [4.0, 1.0]]))
        >>> U
        tensor([[4., 1.],
                [0., 2.]])
    """
    return put("linalg_lu", out, return_types.linalg_lu(factored(A, pivot)), words=EXACT)


@public(name="linalg_lu_factor")
def lu_factor(A: Tensor, *, pivot: bool = True, out: Any = None) -> Any:
    """The triangular factors of matrices in one tensor, as `lu_solve` takes them.

    Args:
        A, pivot, out: as for `linalg.lu`.

    Returns:
        A tuple (LU, pivots); pivots are the numbers, from 1, of the rows that each row was exchanged with.

    Raises:
        RuntimeError: if `A` is not a batch of matrices.
        LinAlgError: if a pivot is zero.
        ImportError: if SciPy is not installed.

    Examples:
        >>> import wengert as wg
        >>> LU, pivots = wg.linalg.lu_factor(wg.tensor([[0.0, 2.0], [4.0, 1.0]]))
        >>> pivots
        tensor([2, 2], dtype=torch.int32)
    """
    return put(
        "linalg_lu_factor",
        out,
        return_types.linalg_lu_factor(packed(A, pivot, True)[:2]),
        words=EXACT,
        writer="linalg_lu_factor_ex",
    )


@public(name="linalg_lu_factor_ex")
@describes(PACKED, factors="LU", matrices="matrices")
def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False, out: Any = None) -> Any:
    """The triangular factors of matrices in one tensor, and whether a pivot is zero; errors are optional.

    Args:
        A: (..., m, n), floating or complex.
        pivot: must be true.

    Examples:
        >>> import wengert as wg
        >>> LU, pivots, info = wg.linalg.lu_factor_ex(wg.tensor([[0.0, 2.0], [4.0, 1.0]]))
        >>> info
        tensor(0, dtype=torch.int32)
    """
    result = return_types.linalg_lu_factor_ex(packed(A, pivot, check_errors))
    return put("linalg_lu_factor_ex", out, result, words=EXACT)


@linalg_lu.samples
@lu_factor.samples
@lu_factor_ex.samples
def lu_samples(make: Any) -> Any:
    yield Sample(make(3, 3), through=dominant)
    yield Bad(make(3), raises=RuntimeError, says="Expected tensor with 2 or more dimensions. Got size: [3] instead")


@public()
@describes(SOLUTION, right="B", errors="")
def linalg_lu_solve(
    LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False, out: Any = None
) -> Any:
    """The solution X of A X = B, where A is given by `lu_factor`.

    Args:
        LU: (..., n, n), floating or complex.
        pivots: (..., n), int32.
        B: (..., n, k), of the dtype of `LU`; dimensions in front broadcast.
        left: False for X A = B, then `B` is (..., k, n).
        adjoint: use A^H instead of A.
        out: a tensor to write into.

    Examples:
        >>> import wengert as wg
        >>> factors = wg.linalg.lu_factor(wg.tensor([[0.0, 2.0], [4.0, 1.0]]))
        >>> wg.linalg.lu_solve(*factors, wg.tensor([[2.0], [5.0]]))
        tensor([[1.],
                [1.]])
    """
    return put("linalg_lu_solve", out, solved(LU, pivots, B, left, adjoint), words=EXACT)


@linalg_lu_solve.samples
def linalg_lu_solve_samples(make: Any) -> Any:
    yield Sample(make(3, 3, kind="nonzero"), make(3, dtype=dtypes.int32, low=3, high=4), make(3, 2))


@composite()
@describes(SOLUTION, right="self", errors="")
def lu_solve(self: Tensor, LU_data: Tensor, LU_pivots: Tensor, *, out: Any = None) -> Any:
    """The solution X of A X = B, where A is given by its factors. Deprecated: use `linalg.lu_solve`.

    Args:
        self: B, (..., n, k), floating or complex.
        LU_data: (..., n, n), of the same dtype.
        LU_pivots: (..., n), int32.
        out: a tensor to write into.

    Examples:
        >>> import wengert as wg
        >>> LU, pivots = wg.linalg.lu_factor(wg.tensor([[0.0, 2.0], [4.0, 1.0]]))
        >>> wg.lu_solve(wg.tensor([[2.0], [5.0]]), LU, pivots)
        tensor([[1.],
                [1.]])
    """
    anomaly.warn_once(
        "torch.lu_solve is deprecated in favor of torch.linalg.lu_solve and will be removed in a future PyTorch "
        "release.\nNote that torch.linalg.lu_solve has its arguments reversed.\nX = torch.lu_solve(B, LU, pivots)\n"
        "should be replaced with\nX = torch.linalg.lu_solve(LU, pivots, B)"
    )
    return put("lu_solve", out, solved(LU_data, LU_pivots, self, True, False), words=EXACT, writer="linalg_lu_solve")


@lu_solve.samples
def lu_solve_samples(make: Any) -> Any:
    yield Sample(make(3, 2), make(3, 3, kind="nonzero"), make(3, dtype=dtypes.int32, low=3, high=4))


@composite(method=False)
def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True, *, out: Any = None
) -> Any:
    """The factors P, L and U of the result of `linalg.lu_factor`.

    Args:
        LU_data: (..., m, n), floating or complex.
        LU_pivots: (..., min(m, n)), int32.
        unpack_data: return L and U, else empty tensors.
        unpack_pivots: return P, else an empty tensor.
        out: a tuple of tensors to write into.

    Returns:
        A tuple (P, L, U).

    Raises:
        RuntimeError: if shapes or dtypes do not fit.

    Examples:
        >>> import wengert as wg
        >>> P, L, U = wg.lu_unpack(*wg.linalg.lu_factor(wg.tensor([[0.0, 2.0], [4.0, 1.0]])))
        >>> P
        tensor([[0., 1.],
                [1., 0.]])
    """
    result = return_types.lu_unpack(unpacked(LU_data, LU_pivots, unpack_data, unpack_pivots))
    return put("lu_unpack", out, result, words=EXACT)


@lu_unpack.samples
def lu_unpack_samples(make: Any) -> Any:
    yield Sample(make(3, 3), make(3, dtype=dtypes.int32, low=3, high=4))


@composite()
def lu(self: Tensor, pivot: bool = True, get_infos: Truth = False, out: Any = None) -> Any:
    """The triangular factors of matrices in one tensor. Deprecated: use `linalg.lu_factor`.

    Args:
        self: (..., m, n), floating or complex.
        pivot: must be true.
        get_infos: return the zero pivots, too.
        out: a tuple of tensors to write into.

    Returns:
        A tuple (LU, pivots), or (LU, pivots, info).

    Raises:
        RuntimeError: if `self` is not a batch of matrices.
        ImportError: if SciPy is not installed.

    Examples:
        >>> import wengert as wg
        >>> LU, pivots = wg.lu(wg.tensor([[0.0, 2.0], [4.0, 1.0]]))
        >>> pivots
        tensor([2, 2], dtype=torch.int32)
    """
    anomaly.warn_once(
        "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed in "
        "a future PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\nLU, pivots = "
        "torch.linalg.lu_factor(A, compute_pivots)\nand\nLU, pivots, info = torch.lu(A, compute_pivots, "
        "get_infos=True)\nshould be replaced with\nLU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)"
    )
    parts = packed(self, pivot, False)
    parts = parts if get_infos else parts[:2]
    if out is None:
        return parts
    for tensor, result in zip(several_outputs("lu", out, len(parts)), parts):
        tensor.resize_as_(result).copy_(result)
    return out


@lu.samples
def old_lu_samples(make: Any) -> Any:
    yield Sample(make(3, 3), through=dominant)
