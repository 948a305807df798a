"""Systems of linear equations.

Source of the derivatives: M. B. Giles, Collected matrix derivative results for forward and reverse mode algorithmic
differentiation, 2008, section 2.3.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import _kernels as kernels
from ..._core.calls.out import put
from ..._core.cards.card import Array, Bad, Sample, composite
from ..._core.graph import anomaly
from ..._core.operators.batch_rules import check_member, full
from ..._core.out_errors import EXACT, SCALAR_TYPE
from ..._core.recording.recorded import conjugate
from ..._core.tensor.base import Tensor
from ..._core.types.sizes import broadcast
from ..._kernels import factors
from .. import return_types
from ..dtype_checks import refuse
from ..family import describes
from .matrices import (
    SOLUTION,
    LinAlgError,
    adjoint,
    check_inexact,
    check_matrix,
    check_same_dtype,
    check_square,
    of_two,
    public,
    raise_first,
    stacked,
    type_name,
)

native = kernels.direct_function

SINGULAR = "The solver failed because the input matrix is singular."


def is_vector(shape_a: Any, shape_b: Any) -> bool:
    """Return whether right-hand sides are one vector for each matrix."""
    return len(shape_b) == 1 or (len(shape_a) - 1 == len(shape_b) and tuple(shape_a[:-1]) == tuple(shape_b))


def check_system(name: str, a: Any, b: Any, left: bool) -> None:
    """Refuse matrices and right-hand sides whose shapes do not fit.

    Raises:
        RuntimeError: if shapes do not fit.
    """
    check_square(name, a)
    check_matrix(name, b, "B")
    if a.shape[-2] != b.shape[-2 if left else -1]:
        equation = "AX = B" if left else "XA = B"
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {equation} "
            f"({a.shape[-2]}x{a.shape[-1]} and {b.shape[-2]}x{b.shape[-1]})"
        )
    broadcast(a.shape[:-2], b.shape[:-2])


def solved(op: Any, size: int, args: list[Any], carried: list[Any]) -> Any:
    """Batching rule of `solve`: vectors become matrices of one column."""
    a, b, *rest = full(args, carried, size)
    shapes = a.shape[1:], b.shape[1:]
    if min(map(len, shapes)) and is_vector(*shapes):
        if not rest[0]:
            check_member(op, size, args, carried)
        result = stacked(2, 2)(op, size, [a, b.unsqueeze(-1), *rest], [True] * len(args))
        return result[0].squeeze(-1), result[1]
    result = stacked(2, 2)(op, size, args, carried)
    return result[0], result[1].reshape((size, *shapes[0][:-2]))


def check_solve(A: Any, B: Any, left: bool) -> bool:
    """Return whether the right-hand sides are vectors.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    name = "linalg.solve"
    check_inexact(name, A, "lu_cpu")
    check_square(name, A)
    check_same_dtype(name, A, B)
    vector = is_vector(A.shape, B.shape)
    if vector and not left:
        raise RuntimeError(
            "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case "
            "linalg.solve is equivalent to B / A.squeeze(-1)"
        )
    check_system(name, A, B.view(np.ndarray)[..., None] if vector else B, left)
    return vector


@of_two(
    name="_linalg_solve_ex",
    node="LinalgSolveExBackward0",
    outputs={"result": True, "info": False},
    batching=solved,
    native=native("solve"),
)
def solved_ex(A: Array, B: Array, left: bool = True, check_errors: bool = True) -> Any:
    """Solution of A X = B, or of X A = B, and the number of each matrix's zero pivot, or 0."""
    vector = check_solve(A, B, left)
    right = B[..., None] if vector else B
    if left:
        result, info = factors.solve(A, right)
    else:
        result, info = factors.solve(A.swapaxes(-1, -2), right.swapaxes(-1, -2))
        result = result.swapaxes(-1, -2)
    if check_errors:
        raise_first("torch.linalg.solve", info, SINGULAR)
    if vector:
        result = factors.columns(result[..., 0]) if result.ndim > 2 else result[..., 0]
    return result, info


@solved_ex.vjp("A", "B", native=native("solve_rule"))
def solved_vjp(grads: Any, A: Any, B_shape: Any, result: Any, left: bool, wanted: Any) -> Any:
    vector = is_vector(A.shape, B_shape)
    right = grads[0].unsqueeze(-1) if vector else grads[0]
    of_b = solved_ex(adjoint(A), right, left, False)[0]
    of_b = of_b.squeeze(-1) if vector else of_b
    if not wanted[0]:
        return None, of_b
    if vector:
        of_a = of_b.unsqueeze(-1) @ conjugate(result).unsqueeze(-2)
    else:
        of_a = of_b @ adjoint(result) if left else adjoint(result) @ of_b
    return -of_a, of_b


@solved_ex.jvp("A")
def solved_jvp_a(tangent: Any, A: Any, B_shape: Any, result: Any, left: bool) -> Any:
    if is_vector(A.shape, B_shape):
        moved = (tangent @ result.unsqueeze(-1)).squeeze(-1)
    else:
        moved = tangent @ result if left else result @ tangent
    return -solved_ex(A, moved, left, False)[0], None


@solved_ex.jvp("B")
def solved_jvp_b(tangent: Any, A: Any, left: bool) -> Any:
    return solved_ex(A, tangent, left, False)[0], None


@solved_ex.samples
def solved_samples(make: Any) -> Any:
    yield Sample(make(3, 3), make(3, 2), True, True)
    yield Sample(make(3, 3), make(3), True, True)
    yield Sample(make(2, 3, 3), make(2, 3), True, True)
    yield Sample(make(2, 2, 2), make(3, 1, 2, 3), True, True)
    yield Sample(make(3, 3), make(2, 3), False, True)
    yield Sample(make(0, 0), make(0, 2), True, True)
    yield Bad(make(3, 3), make(2, 3), True, True, raises=RuntimeError, says="Incompatible shapes of A and B")
    yield Bad(make(3, 3) * 0, make(3), True, True, raises=LinAlgError, says="the input matrix is singular")


@public(name="linalg_solve")
@describes(SOLUTION, right="B", errors="\n        LinAlgError: if a matrix is singular.")
def solve(A: Tensor, B: Tensor, *, left: bool = True, out: Any = None) -> Any:
    """The solution X of A X = B.

    Args:
        A: (..., n, n), floating or complex.
        B: (..., n, k), or (n,) or (..., n), a vector for each matrix; dimensions in front broadcast.
        left: False for X A = B, then `B` is (..., k, n).
        out: a tensor to write into.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.solve(wg.tensor([[2.0, 1.0], [1.0, 3.0]]), wg.tensor([4.0, 7.0]))
        tensor([1., 2.])
    """
    return put("linalg_solve", out, solved_ex(A, B, left, True)[0], words=EXACT, writer="_linalg_solve_ex")


@public(name="linalg_solve_ex")
def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: bool = False, out: Any = None) -> Any:
    """The solution X of A X = B, and whether it exists; errors are optional.

    Args:
        A: (..., n, n), floating or complex.
        B: (..., n, k), or (n,) or (..., n), a vector for each matrix; dimensions in front broadcast.
        left: False for X A = B, then `B` is (..., k, n).
        check_errors: raise an error if a matrix is singular.
        out: a tuple of tensors to write into.

    Returns:
        A tuple (result, info): info is 0, or the number of the pivot that is zero, from 1.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        LinAlgError: if a matrix is singular, and `check_errors` is true.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.solve_ex(wg.tensor([[2.0, 1.0], [1.0, 3.0]]), wg.tensor([4.0, 7.0])).result
        tensor([1., 2.])
    """
    return put(
        "linalg_solve_ex",
        out,
        return_types.linalg_solve_ex(solved_ex(A, B, left, check_errors)),
        words=EXACT,
        writer="_linalg_solve_ex",
    )


@solve.samples
@solve_ex.samples
def solve_samples(make: Any) -> Any:
    yield Sample(make(3, 3), make(3, 2))
    yield Sample(make(2, 3, 3), make(3, 2))
    yield Sample(make(3, 3), make(2, 3), left=False)
    yield Bad(make(3, 3), make(2, 3), raises=RuntimeError, says="for the equation AX = B (3x3 and 2x3)")


def check_triangle(A: Any, B: Any, left: bool) -> None:
    """Refuse systems that `solve_triangular` does not take.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    name = "linalg.solve_triangular"
    check_system(name, A, B, left)
    check_same_dtype(name, A, B)
    check_inexact(name, A, "triangular_solve_cpu", whole=False)


@of_two(name="_linalg_solve_triangular", node="LinalgSolveTriangularBackward0", linear="B", native=native("triangular"))
def triangular(A: Array, B: Array, upper: bool, left: bool, unitriangular: bool) -> Any:
    """Solution of A X = B, or of X A = B, for triangular matrices."""
    check_triangle(A, B, left)
    return factors.triangular(A, B, upper, left, unitriangular)


def triangle(matrix: Any, upper: bool, unitriangular: bool) -> Any:
    """Return the triangle of a matrix that is read."""
    return matrix.triu(int(unitriangular)) if upper else matrix.tril(-int(unitriangular))


@triangular.vjp("A", "B", native=native("triangular_rule"))
def triangular_vjp(grad: Any, A: Any, out: Any, upper: bool, left: bool, unitriangular: bool, wanted: Any) -> Any:
    of_b = triangular(adjoint(A), grad, not upper, left, unitriangular)
    if not wanted[0]:
        return None, of_b
    of_a = of_b @ adjoint(out) if left else adjoint(out) @ of_b
    return triangle(-of_a, upper, unitriangular), of_b


@triangular.jvp("A")
def triangular_jvp(tangent: Any, A: Any, out: Any, upper: bool, left: bool, unitriangular: bool) -> Any:
    moved = triangle(tangent, upper, unitriangular)
    return -triangular(A, moved @ out if left else out @ moved, upper, left, unitriangular)


@triangular.samples
def triangular_samples(make: Any) -> Any:
    for upper in (True, False):
        yield Sample(make(3, 3, kind="nonzero"), make(3, 2), upper, True, False)
        yield Sample(make(2, 3, 3, kind="nonzero"), make(2, 3), upper, False, True)
    yield Sample(make(0, 0), make(0, 2), True, True, False)
    yield Bad(make(3, 3), make(2, 3), True, True, False, raises=RuntimeError, says="for the equation AX = B")


@public(name="linalg_solve_triangular")
def solve_triangular(
    A: Tensor, B: Tensor, *, upper: bool, left: bool = True, unitriangular: bool = False, out: Any = None
) -> Any:
    """The solution X of A X = B for triangular `A`.

    Args:
        A: (..., n, n), floating or complex; the other triangle is not read.
        B: (..., n, k) of the same dtype; dimensions in front broadcast.
        upper: whether `A` is upper triangular.
        left: False for X A = B, then `B` is (..., k, n).
        unitriangular: take the diagonal as ones.
        out: a tensor to write into.

    Returns:
        A new tensor of the shape of `B`, with the dimensions in front of both. Zeros on the diagonal divide.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.linalg.solve_triangular(wg.tensor([[2.0, 0.0], [1.0, 3.0]]), wg.tensor([[4.0], [8.0]]), upper=False)
        tensor([[2.],
                [2.]])
    """
    return put("linalg_solve_triangular", out, triangular(A, B, upper, left, unitriangular), words=SCALAR_TYPE)


@solve_triangular.samples
def solve_triangular_samples(make: Any) -> Any:
    yield Sample(make(3, 3, kind="nonzero"), make(3, 2), upper=True)
    yield Bad(make(3, 3), make(2, 3), upper=True, raises=RuntimeError, says="(3x3 and 2x3)")


def check_old_system(a: Any, b: Any, name: str, words: str) -> None:
    """Check the arguments of the older functions, with their error texts.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
    """
    for argument, array in (("b", b), ("A" if name else "u", a)):
        if array.ndim < 2:
            raise RuntimeError(words.format(argument, array.ndim))
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"Expected b and A to have the same dtype, but found b of type {type_name(b)} and A of type {type_name(a)} "
            "instead."
        )
    rows, columns = a.shape[-2:]
    if rows != columns:
        raise RuntimeError(f"A must be batches of square matrices, but they are {rows} by {columns} matrices")
    if columns != b.shape[-2]:
        raise RuntimeError(
            f"Incompatible matrix sizes for {name or 'cholesky_solve'}: each A matrix is {rows} by {columns} but each "
            f"b matrix is {b.shape[-2]} by {b.shape[-1]}"
        )
    broadcast(a.shape[:-2], b.shape[:-2])


def check_triangular(self: Any, A: Any) -> None:
    """Refuse systems that `triangular_solve` does not take.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.
        NotImplementedError: if there is no kernel for the dtype.
    """
    words = "torch.triangular_solve: Expected {} to have at least 2 dimensions, but it has {} dimensions instead"
    check_old_system(A, self, "triangular_solve", words)
    if A.dtype.kind not in "fc" or A.dtype.itemsize < 4:
        refuse("triangular_solve", "triangular_solve_cpu", A)


@of_two(
    name="_triangular_solve", node="TriangularSolveBackward0", outputs={"solution": True, "cloned_coefficient": True}
)
def triangular_both(self: Array, A: Array, upper: bool, transpose: bool, unitriangular: bool) -> Any:
    """Solution of A X = B for triangular matrices, and a copy of A."""
    check_triangular(self, A)
    turned = A.swapaxes(-1, -2) if transpose else A
    lead = broadcast(A.shape[:-2], self.shape[:-2])
    copied = factors.columns(factors.widened(A, lead))
    return factors.triangular(turned, self, upper != transpose, True, unitriangular), copied


@triangular_both.vjp("self", "A")
def triangular_both_vjp(
    grads: Any, A: Any, solution: Any, upper: bool, transpose: bool, unitriangular: bool, wanted: Any
) -> Any:
    if grads[0] is None:
        return None, grads[1]
    turned = A.transpose(-2, -1) if transpose else A
    of_b = triangular(adjoint(turned), grads[0], upper == transpose, True, unitriangular)
    if not wanted[1]:
        return of_b, None
    of_a = -(of_b @ adjoint(solution))
    of_a = triangle(of_a.transpose(-2, -1) if transpose else of_a, upper, unitriangular)
    return of_b, of_a if grads[1] is None else of_a + grads[1]


@triangular_both.jvp("self")
def triangular_both_jvp_self(tangent: Any, A: Any, upper: bool, transpose: bool, unitriangular: bool) -> Any:
    turned = A.transpose(-2, -1) if transpose else A
    return triangular(turned, tangent, upper != transpose, True, unitriangular), None


@triangular_both.jvp("A")
def triangular_both_jvp_a(
    tangent: Any, A: Any, solution: Any, upper: bool, transpose: bool, unitriangular: bool
) -> Any:
    moved = triangle(tangent, upper, unitriangular)
    turned, moved = (A.transpose(-2, -1), moved.transpose(-2, -1)) if transpose else (A, moved)
    copied = tangent.expand((*solution.shape[:-2], *tangent.shape[-2:]))
    return -triangular(turned, moved @ solution, upper != transpose, True, unitriangular), copied


@triangular_both.samples
def triangular_both_samples(make: Any) -> Any:
    yield Sample(make(3, 2), make(3, 3, kind="nonzero"), True, False, False)
    yield Sample(make(2, 3, 2), make(3, 3, kind="nonzero"), False, True, False)
    yield Bad(make(3), make(3, 3), True, False, False, raises=RuntimeError, says="b to have at least 2 dimensions")


@composite()
def triangular_solve(
    self: Tensor,
    A: Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
    *,
    out: Any = None,
) -> Any:
    """The solution X of A X = B for triangular `A`. Deprecated: use `linalg.solve_triangular`.

    Args:
        self: B, (..., n, k).
        A: (..., n, n) of the same dtype; the other triangle is not read. Dimensions in front broadcast.
        upper: whether `A` is upper triangular.
        transpose: solve with the transposed `A`.
        unitriangular: take the diagonal as ones.
        out: a tuple of tensors to write into.

    Returns:
        A tuple (solution, cloned_coefficient); the second is a copy of `A`.

    Raises:
        RuntimeError: if shapes or dtypes do not fit.

    Examples:
        >>> import wengert as wg
        >>> wg.triangular_solve(wg.tensor([[4.0], [6.0]]), wg.tensor([[2.0, 0.0], [0.0, 3.0]])).solution
        tensor([[2.],
                [2.]])
    """
    anomaly.warn_once(
        "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangular and will be removed in a "
        "future PyTorch release.\ntorch.linalg.solve_triangular has its arguments reversed and does not return a copy "
        "of one of the inputs.\nX = torch.triangular_solve(B, A).solution\nshould be replaced with\nX = "
        "torch.linalg.solve_triangular(A, B)."
    )
    result = return_types.triangular_solve(triangular_both(self, A, upper, transpose, unitriangular))
    return put("triangular_solve", out, result, words=EXACT)


@triangular_solve.samples
def triangular_solve_samples(make: Any) -> Any:
    yield Sample(make(3, 2), make(3, 3, kind="nonzero"))
    yield Bad(make(3), make(3, 3), raises=RuntimeError, says="b to have at least 2 dimensions")
