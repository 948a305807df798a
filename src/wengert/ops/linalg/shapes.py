"""The shapes of products, decompositions, inverses and solutions of systems, and whether matrices lie in columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.operators import layouts
from ..._core.tensor.meta_array import NeedsValues
from ..._core.types import dtypes
from ..._core.types.sizes import broadcast
from ..shape_rules import COLUMNS, INT32, INT64, common_shape, real, shape_of
from . import cholesky, determinants, eigen, inverse, ldl, least_squares, lu, qr, reflections, singular, solve
from .addmm import addbmm, addmm, addmv, baddbmm, check_addbmm, check_addmm, check_addmv, check_baddbmm
from .addr import addr, check_addr
from .coinciding import frame, function_of_matrix
from .cross import check_cross, linalg_cross
from .distances import between, check_pair, check_paired, euclidean, paired
from .matrices import check_inexact, check_square
from .powers import exponential
from .products import bmm, check_bmm, check_mm, check_mv, check_vectors, dot, mm, mv, vdot
from .trace import check_trace, trace

# ---- products --------------------------------------------------------------------------------------------------------


@mm.shape
def mm_shape(self: Any, mat2: Any) -> Any:
    check_mm(self, mat2)
    return (self.shape[0], mat2.shape[1]), self.dtype


@bmm.shape
def bmm_shape(self: Any, mat2: Any) -> Any:
    check_bmm(self, mat2)
    return (*self.shape[:2], mat2.shape[2]), self.dtype


@mv.shape
def mv_shape(self: Any, vec: Any) -> Any:
    check_mv(self, vec)
    return self.shape[:1], self.dtype


@dot.shape
def dot_shape(self: Any, tensor: Any) -> Any:
    check_vectors("dot", self, tensor)
    return (), self.dtype


@vdot.shape
def vdot_shape(self: Any, other: Any) -> Any:
    check_vectors("vdot", self, other)
    return (), self.dtype


@addmm.shape
def addmm_shape(self: Any, mat1: Any, mat2: Any, beta: Any, alpha: Any) -> Any:
    check_addmm(self, mat1, mat2)
    return (mat1.shape[0], mat2.shape[1]), self.dtype


@addmv.shape
def addmv_shape(self: Any, mat: Any, vec: Any, beta: Any, alpha: Any) -> Any:
    check_addmv(self, mat, vec)
    return mat.shape[:1], self.dtype


@addbmm.shape
def addbmm_shape(self: Any, batch1: Any, batch2: Any, beta: Any, alpha: Any) -> Any:
    check_addbmm(self, batch1, batch2)
    return (batch1.shape[1], batch2.shape[2]), self.dtype


@baddbmm.shape
def baddbmm_shape(self: Any, batch1: Any, batch2: Any, beta: Any, alpha: Any) -> Any:
    check_baddbmm(self, batch1, batch2)
    return (*batch1.shape[:2], batch2.shape[2]), self.dtype


@addr.shape
def addr_shape(self: Any, vec1: Any, vec2: Any, beta: Any, alpha: Any) -> Any:
    common = check_addr(self, vec1, vec2, beta, alpha)
    return (*vec1.shape, *vec2.shape), common


@linalg_cross.shape
def cross_shape(self: Any, other: Any, dim: int) -> Any:
    check_cross(self, other, dim)
    return common_shape(self, other), self.dtype


@trace.shape
def trace_shape(self: Any) -> Any:
    check_trace(self)
    return ()


@between.shape
def distances_shape(x1: Any, x2: Any, p: Any) -> Any:
    check_pair(x1, x2, float(p))
    return (*broadcast(x1.shape[:-2], x2.shape[:-2]), x1.shape[-2], x2.shape[-2]), x1.dtype


@euclidean.shape
def euclidean_shape(x1: Any, x2: Any) -> Any:
    return distances_shape(x1, x2, 2.0)


@paired.shape
def paired_shape(self: Any, p: Any) -> Any:
    check_paired(self)
    count = self.shape[-2]
    return (*self.shape[:-2], count * (count - 1) // 2), self.dtype


# ---- decompositions --------------------------------------------------------------------------------------------------


@inverse.inverted.shape
def inverse_shape(A: Any, check_errors: bool) -> Any:
    check_square("linalg.inv", A)
    check_inexact("linalg.inv", A)
    return [(A.shape, A.dtype, COLUMNS), (A.shape[:-2], INT32)]


@determinants.determinant.shape
def determinant_shape(A: Any) -> Any:
    determinants.check_determinant(A)
    return A.shape[:-2], A.dtype


@determinants.logarithm.shape
def logarithm_shape(A: Any) -> Any:
    check_square("linalg.slogdet", A)
    check_inexact("linalg.slogdet", A)
    return [(A.shape[:-2], A.dtype), (A.shape[:-2], real(A.dtype))]


@determinants.minors.shape
def minors_shape(matrices: Any) -> Any:
    check_inexact("_det_minors", matrices[0])
    first, *others = matrices
    shape = first.shape
    for matrix in others:
        shape = broadcast(shape, matrix.shape)
    return shape, first.dtype, COLUMNS


@cholesky.factored.shape
def cholesky_shape(self: Any, upper: bool, caller: str) -> Any:
    name = caller or "linalg.cholesky"
    check_square(name, self)
    check_inexact(name, self, "cholesky_cpu", whole=name == "linalg.cholesky")
    lying = None if caller == "cholesky" and not self.size else COLUMNS
    return [(self.shape, self.dtype, lying), (self.shape[:-2], INT32)]


@cholesky.cholesky_inverse.shape
def cholesky_inverse_shape(self: Any, upper: bool) -> Any:
    check_square("cholesky_inverse", self)
    check_inexact("cholesky_inverse", self, "cholesky_inverse_out_cpu", whole=False)
    return self.shape, self.dtype, COLUMNS


@cholesky.cholesky_solve.shape
def cholesky_solve_shape(self: Any, input2: Any, upper: bool) -> Any:
    cholesky.check_cholesky_system(self, input2)
    return (*broadcast(self.shape[:-2], input2.shape[:-2]), *self.shape[-2:]), self.dtype, COLUMNS


@shape_of(eigen.hermitian, eigen.spectrum)
def hermitian_shape(A: Any, UPLO: Any, compute_v: bool) -> Any:
    eigen.check_hermitian(A, UPLO)
    vectors = (A.shape, A.dtype, COLUMNS) if compute_v else ((0,), A.dtype)
    return [(A.shape[:-1], real(A.dtype)), vectors]


@eigen.general.shape
def general_shape(self: Any, compute_v: bool) -> Any:
    eigen.check_general(self, compute_v)
    wide = np.result_type(self.dtype, np.complex64)
    return [(self.shape[:-1], wide), (self.shape, wide, COLUMNS) if compute_v else ((0,), wide)]


@qr.factored.shape
def qr_shape(A: Any, mode: Any) -> Any:
    qr.check_qr(A, mode)
    *batch, rows, columns = A.shape
    inner = rows if mode == "complete" else min(rows, columns)
    first = ((0,), A.dtype) if mode == "r" else ((*batch, rows, inner), A.dtype, COLUMNS)
    return [first, ((*batch, inner, columns), A.dtype, COLUMNS)]


@singular.decomposed.shape
def singular_shape(A: Any, full_matrices: bool, compute_uv: bool) -> Any:
    singular.check_singular(A)
    *batch, rows, columns = A.shape
    few = min(rows, columns)
    values = ((*batch, few), real(A.dtype))
    if not compute_uv:
        return [((0,), A.dtype), values, ((0,), A.dtype)]
    left = (*batch, rows, rows if full_matrices else few)
    right = (*batch, columns if full_matrices else few, columns)
    return [(left, A.dtype, COLUMNS), values, (right, A.dtype)]  # torch has rows there on "meta", on the CPU columns


@lu.factored.shape
def lu_shape(A: Any, pivot: bool) -> Any:
    lu.check_factorable("linalg.lu", A, pivot)
    *batch, rows, columns = A.shape
    few = min(rows, columns)
    return [((*batch, rows, rows), A.dtype), ((*batch, rows, few), A.dtype), ((*batch, few, columns), A.dtype)]


@lu.packed.shape
def packed_shape(A: Any, pivot: bool, check_errors: bool) -> Any:
    lu.check_factorable("torch.lu_factor", A, pivot)
    *batch, rows, columns = A.shape
    return [(A.shape, A.dtype, COLUMNS), ((*batch, min(rows, columns)), INT32), (tuple(batch), INT32)]


@lu.unpacked.shape
def unpacked_shape(LU_data: Any, LU_pivots: Any, unpack_data: bool, unpack_pivots: bool) -> Any:
    lu.check_unpacked(LU_data, LU_pivots, unpack_pivots)
    *batch, rows, columns = LU_data.shape
    few, empty = min(rows, columns), ((0,), LU_data.dtype)
    data = [((*batch, rows, few), LU_data.dtype), ((*batch, few, columns), LU_data.dtype)]
    return [((*batch, rows, rows), LU_data.dtype) if unpack_pivots else empty, *(data if unpack_data else [empty] * 2)]


@ldl.factored.shape
def ldl_shape(self: Any, hermitian: bool, check_errors: bool) -> Any:
    ldl.check_ldl(self)
    return [(self.shape, self.dtype, COLUMNS), (self.shape[:-1], INT32), (self.shape[:-2], INT32)]


@reflections.reflections.shape
def geqrf_shape(self: Any) -> Any:
    reflections.check_geqrf(self)
    *batch, rows, columns = self.shape
    return [(self.shape, self.dtype, COLUMNS), ((*batch, min(rows, columns)), self.dtype)]


@exponential.shape
def exponential_shape(self: Any) -> Any:
    if dtypes.from_numpy(self.dtype) not in dtypes.HALVES:  # which are computed with in float32
        check_inexact("linalg.matrix_exp", self)
    check_square("linalg.matrix_exp", self)
    return self.shape, self.dtype


@frame.shape
def frame_shape(direction: Any, same: Any) -> Any:
    check_inexact("_eigh_frame", direction)
    return [(direction.shape[:-1], real(direction.dtype)), (direction.shape, direction.dtype)]


@function_of_matrix.shape
def function_shape(weights: Any, eigenvalues: Any, eigenvectors: Any) -> Any:
    check_inexact("_eigh_function", eigenvectors)
    return eigenvectors.shape, eigenvectors.dtype


# ---- solutions -------------------------------------------------------------------------------------------------------


@solve.solved_ex.shape
def solve_shape(A: Any, B: Any, left: bool, check_errors: bool) -> Any:
    if solve.check_solve(A, B, left):
        lead = broadcast(A.shape[:-2], B.shape[:-1])
        return [((*lead, A.shape[-1]), A.dtype, COLUMNS if lead else None), (A.shape[:-2], INT32)]
    lead = broadcast(A.shape[:-2], B.shape[:-2])
    return [((*lead, *B.shape[-2:]), A.dtype, COLUMNS if left else None), (A.shape[:-2], INT32)]


@solve.triangular.shape
def triangular_shape(A: Any, B: Any, upper: bool, left: bool, unitriangular: bool) -> Any:
    solve.check_triangle(A, B, left)
    return (*broadcast(A.shape[:-2], B.shape[:-2]), *B.shape[-2:]), A.dtype, COLUMNS


@solve.triangular_both.shape
def triangular_both_shape(self: Any, A: Any, *others: Any) -> Any:
    solve.check_triangular(self, A)
    lead = broadcast(A.shape[:-2], self.shape[:-2])
    return [((*lead, *self.shape[-2:]), A.dtype, COLUMNS), ((*lead, *A.shape[-2:]), A.dtype, COLUMNS)]


@lu.solved.shape
def lu_solve_shape(LU: Any, pivots: Any, B: Any, left: bool, adjoint: bool) -> Any:
    lu.check_solved(LU, pivots, B, left)
    return (*broadcast(LU.shape[:-2], B.shape[:-2]), *B.shape[-2:]), B.dtype, COLUMNS if left else None


@ldl.solved.shape
def ldl_solve_shape(LD: Any, pivots: Any, B: Any, hermitian: bool) -> Any:
    ldl.check_ldl_system(LD, pivots, B)
    return (*broadcast(LD.shape[:-2], B.shape[:-2]), *B.shape[-2:]), B.dtype, COLUMNS


@reflections.product.shape
def product_shape(input: Any, tau: Any) -> Any:
    reflections.check_product(input, tau)
    return input.shape, input.dtype, COLUMNS


@reflections.ormqr.shape
def ormqr_shape(self: Any, tau: Any, other: Any, left: bool, transpose: bool) -> Any:
    reflections.check_ormqr(self, tau, other, left)
    return other.shape, other.dtype, COLUMNS


@least_squares.inverted.shape
def pinv_shape(A: Any, atol: Any, rtol: Any, hermitian: bool) -> Any:
    least_squares.check_inverted(A)
    if hermitian and A.size:
        check_square("linalg.eigh", A)
    return (*A.shape[:-2], A.shape[-1], A.shape[-2]), A.dtype


@least_squares.fitted.shape
def fitted_shape(A: Any, B: Any, rcond: Any, driver: Any) -> Any:
    vector = least_squares.check_fitted(A, B)
    batch = B.shape[:-1] if vector else B.shape[:-2]
    lead = broadcast(A.shape[:-2], batch)
    rows, columns = A.shape[-2:]
    right = () if vector else B.shape[-1:]
    few, high = min(rows, columns), max(rows, columns)
    if rows > columns and driver in ("gelsd", "gelss"):
        raise NeedsValues("there are residuals if the matrices have full rank")
    # LAPACK writes solutions over the right-hand sides, whose columns may be longer.
    wide = 1 if vector else B.shape[-1]
    steps = (*[step * high * wide for step in layouts.row_major(lead)], 1, high)
    return [
        ((*lead, columns, *right), A.dtype, steps[:-1] if vector else steps),
        ((*lead, *right) if rows > columns and driver != "gelsy" else (0,), real(A.dtype)),
        (A.shape[:-2] if driver != "gels" else (0,), INT64),
        ((*A.shape[:-2], few) if driver in ("gelsd", "gelss") else (0,), real(A.dtype)),
    ]
