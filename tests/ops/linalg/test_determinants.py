"""Derivatives of determinants, of every matrix, against the polynomials that they are."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import wengert as wg
from tests.ops.linalg.matrices import drawn as normal_matrix
from wengert._kernels.minors import minors
from wengert.func import grad, hessian, jacfwd, jacrev, jvp, vmap
from wengert.linalg import det

DTYPES = ["float32", "float64", "complex64", "complex128"]
KINDS = ["regular", "rank n-1", "rank n-2", "zero", "identity", "small", "tiny", "large"]


def drawn(random: np.random.Generator, rows: int, columns: int, dtype: str) -> np.ndarray:
    values = random.standard_normal((rows, columns))
    return values + 1j * random.standard_normal((rows, columns)) if dtype.startswith("complex") else values


def matrix_of(kind: str, size: int, dtype: str) -> wg.Tensor:
    """A matrix of a kind, rounded to a dtype."""
    random = np.random.default_rng(size)
    if kind.startswith("rank"):
        rank = max(size - int(kind[-1]), 0)
        values = drawn(random, size, rank, dtype) @ drawn(random, rank, size, dtype)
    elif kind == "regular":
        values = drawn(random, size, size, dtype)
    else:
        scale = {"zero": 0.0, "identity": 1.0, "small": 1e-5, "tiny": 1e-9, "large": 1e6}[kind]
        values = scale * np.eye(size)
    return wg.tensor(values.astype(dtype))


def derivatives(matrix: np.ndarray, order: int) -> np.ndarray:
    """All derivatives of an order of the determinant, term by term of Leibniz' formula: (n, n) for each order."""
    size = len(matrix)
    matrix = matrix.astype(np.result_type(matrix, np.float64))
    result = np.zeros((size, size) * order, matrix.dtype)
    for places in itertools.permutations(range(size)):
        sign = round(np.linalg.det(np.eye(size)[list(places)]))
        for rows in itertools.permutations(range(size), order):
            others = [matrix[row, places[row]] for row in range(size) if row not in rows]
            result[tuple(at for row in rows for at in (row, places[row]))] += sign * math.prod(others)
    return result


def assert_close(result: wg.Tensor, wanted: np.ndarray, matrix: wg.Tensor, order: int) -> None:
    """As exact as rounding allows: errors are measured by the powers of the largest element."""
    largest = float(matrix.abs().max()) or 1.0
    scale = max(float(np.abs(wanted).max(initial=0)), 1e-6 * largest ** (len(matrix) - order))
    bound = 2e-3 if matrix.dtype in (wg.float32, wg.complex64) else 1e-7
    assert result.isfinite().all()
    assert np.abs(result.numpy() - wanted).max(initial=0) <= bound * scale


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_the_gradient_of_a_determinant_is_its_cofactors_conjugated(kind, size, dtype):
    matrix = matrix_of(kind, size, dtype)
    wanted = derivatives(matrix.numpy(), 1).conj()

    def real_part(a):
        return det(a).real if a.is_complex() else det(a)

    assert_close(grad(real_part)(matrix), wanted, matrix, 1)
    assert_close(vmap(grad(real_part))(wg.stack([matrix, 2 * matrix]))[0], wanted, matrix, 1)
    assert_close(grad(lambda a: vmap(real_part)(a[None]).sum())(matrix), wanted, matrix, 1)
    leaf = wg.stack([matrix, wg.eye(size, dtype=matrix.dtype)]).requires_grad_()
    (plain,) = wg.autograd.grad(real_part(leaf).sum(), leaf)
    assert_close(plain[0], wanted, matrix, 1)
    assert wg.allclose(plain[1], wg.eye(size, dtype=matrix.dtype))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_the_tangent_of_a_determinant_is_the_sum_of_cofactors_times_tangents(kind, size, dtype):
    matrix = matrix_of(kind, size, dtype)
    tangent = matrix_of("regular", size, dtype)
    wanted = (derivatives(matrix.numpy(), 1) * tangent.numpy()).sum()
    assert_close(jvp(det, (matrix,), (tangent,))[1], wanted, matrix, 1)
    batched = vmap(lambda a: jvp(det, (a,), (tangent,))[1])(matrix[None])
    assert_close(batched[0], wanted, matrix, 1)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_second_derivatives_of_determinants_exist_everywhere(kind, size, dtype):
    matrix = matrix_of(kind, size, dtype)
    wanted = derivatives(matrix.numpy(), 2)
    for second in (hessian(det), jacrev(jacrev(det)), jacfwd(jacfwd(det)), jacrev(jacfwd(det))):
        assert_close(second(matrix), wanted, matrix, 2)
    assert_close(vmap(hessian(det))(matrix[None])[0], wanted, matrix, 2)


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("kind", KINDS)
def test_third_derivatives_of_determinants_exist_everywhere(kind, size):
    matrix = matrix_of(kind, size, "float64")
    wanted = derivatives(matrix.numpy(), 3)
    assert_close(jacrev(jacfwd(jacrev(det)))(matrix), wanted, matrix, 3)


@pytest.mark.parametrize("kind", KINDS)
def test_second_derivatives_of_complex_determinants_are_conjugated(kind):
    matrix, tangent = matrix_of(kind, 3, "complex128"), matrix_of("regular", 3, "complex128")
    wanted = np.einsum("abij,ij->ab", derivatives(matrix.numpy(), 2), tangent.numpy()).conj()
    gradient = grad(lambda a: det(a).real)
    assert_close(jvp(gradient, (matrix,), (tangent,))[1], wanted, matrix, 2)
    across = grad(lambda a: jvp(det, (a,), (tangent,))[1].real)
    assert_close(across(matrix), wanted, matrix, 2)
    assert_close(vmap(across)(matrix[None])[0], wanted, matrix, 2)


def test_a_batch_of_different_ranks_has_all_gradients():
    matrices = wg.stack([matrix_of(kind, 3, "complex128") for kind in KINDS])
    wanted = np.stack([derivatives(each, 1).conj() for each in matrices.numpy()])
    leaf = matrices.clone().requires_grad_()
    (plain,) = wg.autograd.grad(det(leaf).real.sum(), leaf)
    batched = vmap(grad(lambda a: det(a).real))(matrices)
    for result in (plain, batched):
        for at, matrix in enumerate(matrices):
            assert_close(result[at], wanted[at], matrix, 1)


@pytest.mark.parametrize("scale", [1e-160, 1e160])
def test_a_gradient_exists_where_the_determinant_underflows_or_overflows(scale):
    matrix = scale * wg.tensor([[2.0, 1.0], [1.0, 3.0]], dtype=wg.float64)
    wanted = wg.tensor([[3.0, -1.0], [-1.0, 2.0]], dtype=wg.float64)
    assert wg.allclose(grad(det)(matrix) / scale, wanted)
    assert wg.allclose(vmap(grad(det))(matrix[None])[0] / scale, wanted)


def test_a_matrix_without_elements_has_a_gradient_without_elements():
    empty = wg.zeros(0, 0, dtype=wg.float64)
    assert grad(det)(empty).shape == (0, 0)
    assert vmap(grad(det))(wg.zeros(2, 0, 0)).shape == (2, 0, 0)
    assert hessian(det)(empty).shape == (0, 0, 0, 0)
    assert grad(lambda a: det(a).sum())(wg.zeros(0, 2, 2)).shape == (0, 2, 2)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_matrix_that_is_not_finite_spoils_no_other(value):
    matrices = wg.stack([wg.full((2, 2), value), wg.zeros(2, 2), wg.eye(2)])
    for gradient in (grad(lambda a: det(a).sum())(matrices), vmap(grad(det))(matrices)):
        assert gradient[0].isnan().all()
        assert wg.equal(gradient[1], wg.zeros(2, 2))
        assert wg.allclose(gradient[2], wg.eye(2))


def test_minors_do_not_overflow_on_the_way():
    values = np.array([1e200, 1e200, 1e-200, 1e-200, 0.0])
    assert np.allclose(minors(np.diag(values), [])[4, 4], 1.0)


@pytest.mark.parametrize("dtype", DTYPES)
def test_logarithms_of_determinants_agree_with_determinants_under_vmap(dtype):
    matrices = wg.stack([matrix_of("regular", 3, dtype), 0.01 * matrix_of("regular", 3, dtype)])

    def logarithm(a):
        sign, log = wg.linalg.slogdet(a)
        return log + (sign.angle() if a.is_complex() else 0 * sign)

    def by_determinant(a):
        value = det(a)
        return value.abs().log() + (value.angle() if a.is_complex() else 0)

    for transform in (grad, lambda f: vmap(grad(f))):
        batched = transform is not grad
        for at in range(2):
            one, two = (
                transform(f)(matrices)[at] if batched else transform(f)(matrices[at])
                for f in (logarithm, by_determinant)
            )
            assert wg.allclose(one, two, rtol=1e-3 if matrices.element_size() <= 8 else 1e-9)


def singular(rank: int) -> wg.Tensor:
    """A matrix of 3 rows of a smaller rank."""
    return normal_matrix(3, rank, seed=2) @ normal_matrix(rank, 3, seed=3)


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_a_determinant_has_its_gradient_where_the_matrix_is_singular(rank):
    a = singular(rank).requires_grad_()
    (grad,) = wg.autograd.grad(wg.linalg.det(a), a)
    array = a.detach().numpy()
    for row, column in np.ndindex(3, 3):
        rest = np.delete(np.delete(array, row, 0), column, 1)
        assert math.isclose(float(grad[row, column]), (-1) ** (row + column) * np.linalg.det(rest), abs_tol=1e-12)
