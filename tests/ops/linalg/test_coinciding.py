"""Second derivatives of functions of eigenvalues where some coincide, against the same without eigenvalues."""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg
from wengert.func import grad, hessian, jacfwd, jacrev, jvp, vmap

DTYPES = ["float32", "float64", "complex64", "complex128"]


def hermitian(matrix: wg.Tensor) -> wg.Tensor:
    return (matrix + matrix.mH) / 2


def trace(matrix: wg.Tensor) -> wg.Tensor:
    diagonal = matrix.diagonal().sum()
    return diagonal.real if matrix.is_complex() else diagonal


FUNCTIONS = {
    "trace of the square": (lambda values: (values**2).sum(), lambda a: trace(a @ a)),
    "trace of the cube": (lambda values: (values**3).sum(), lambda a: trace(a @ a @ a)),
    "second symmetric polynomial": (
        lambda values: values.sum() ** 2 - (values**2).sum(),
        lambda a: trace(a) ** 2 - trace(a @ a),
    ),
    "trace of the exponential": (lambda values: values.exp().sum(), lambda a: trace(wg.linalg.matrix_exp(a))),
    "product": (lambda values: (values + 3).prod(), lambda a: determinant(a + 3 * wg.eye(len(a), dtype=a.dtype))),
}


def determinant(matrix: wg.Tensor) -> wg.Tensor:
    value = wg.linalg.det(matrix)
    return value.real if matrix.is_complex() else value


def unitary(dtype: str) -> np.ndarray:
    random = np.random.default_rng(5)
    values = random.standard_normal((4, 4))
    if dtype.startswith("complex"):
        values = values + 1j * random.standard_normal((4, 4))
    return np.linalg.qr(values)[0]


def matrix_of(values: list[float], dtype: str, turned: bool) -> wg.Tensor:
    vectors = unitary(dtype) if turned else np.eye(4)
    return wg.tensor(((vectors * np.array(values)) @ vectors.conj().T).astype(dtype))


def second_derivatives(function, matrix, tangent):
    """Second derivatives along a tangent: reverse mode of reverse mode and forward mode of it; alone and batched."""

    def along(a):
        product = (grad(function)(a) * tangent.conj()).sum()
        return product.real if a.is_complex() else product

    def moved(a):
        return jvp(grad(function), (a,), (tangent,))[1]

    yield grad(along)(matrix)
    yield moved(matrix)
    yield vmap(grad(along))(matrix[None])[0]
    yield vmap(moved)(matrix[None])[0]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("values", [[1, 1, 1, 1], [0, 0, 0, 0], [1, 1, 2, 2], [-1, 0.5, 0.5, 0.5], [1, 2, 3, 4]])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_symmetric_functions_have_second_derivatives(name, values, turned, dtype):
    of_values, exact = FUNCTIONS[name]
    matrix = matrix_of(values, dtype, turned)
    wide = wg.complex128 if matrix.is_complex() else wg.float64
    tangent = wg.tensor(unitary(dtype).astype(dtype)) + matrix_of([1, 2, 0, 3], dtype, True)
    reference = jvp(grad(lambda a: exact(hermitian(a))), (matrix.to(wide),), (tangent.to(wide),))[1]
    bound = 1e-9 if matrix.dtype in (wg.float64, wg.complex128) else 2e-3
    for eigenvalues in (wg.linalg.eigvalsh, lambda a: wg.linalg.eigvalsh(a, "U")):
        for result in second_derivatives(lambda a: of_values(eigenvalues(hermitian(a))), matrix, tangent):  # noqa: B023
            assert float((result.to(wide) - reference).abs().max()) <= bound * max(1.0, float(reference.abs().max()))


def test_the_hessian_of_the_trace_of_the_square_at_the_identity_is_twice_the_identity():
    def square(a):
        return (wg.linalg.eigvalsh(hermitian(a)) ** 2).sum()

    wanted = hessian(lambda a: trace(hermitian(a) @ hermitian(a)))(wg.eye(2))
    assert wanted[0, 0, 0, 0] == 2
    for second in (hessian, lambda f: jacrev(jacrev(f))):
        assert wg.allclose(second(square)(wg.eye(2)), wanted, atol=1e-6)
    leaf = wg.eye(2, requires_grad=True)
    (first,) = wg.autograd.grad(square(leaf), leaf, create_graph=True)
    (second,) = wg.autograd.grad(first.sum(), leaf)
    assert wg.allclose(second, wg.full((2, 2), 2.0))


def test_the_values_of_eigh_have_them_in_reverse_mode_of_reverse_mode():
    leaf = wg.eye(3, dtype=wg.float64, requires_grad=True)
    values = wg.linalg.eigh(hermitian(leaf)).eigenvalues
    (first,) = wg.autograd.grad((values**3).sum(), leaf, create_graph=True)
    (second,) = wg.autograd.grad((first * wg.ones(3, 3, dtype=wg.float64)).sum(), leaf)
    assert wg.allclose(second, wg.full((3, 3), 6.0, dtype=wg.float64))


def test_what_is_not_defined_is_not_finite():
    def largest(a):
        return wg.linalg.eigvalsh(hermitian(a))[-1]

    def square(a):
        return (wg.linalg.eigvalsh(hermitian(a)) ** 2).sum()

    identity = wg.eye(3, dtype=wg.float64)
    assert not hessian(largest)(identity).isfinite().all()
    assert not jacrev(jacrev(largest))(identity).isfinite().all()
    assert not jacfwd(jacfwd(square))(identity).isfinite().all()
    assert not jacrev(jacrev(jacrev(square)))(identity).isfinite().all()
    assert not grad(lambda a: wg.linalg.eigh(a).eigenvectors[0, 1])(identity).isfinite().all()


def test_derivatives_along_a_direction_are_those_of_its_side():
    direction = wg.tensor([[0.0, 1.0], [1.0, 0.0]], dtype=wg.float64)
    moved = jvp(wg.linalg.eigvalsh, (wg.eye(2, dtype=wg.float64),), (direction,))[1]
    assert wg.allclose(moved, wg.tensor([-1.0, 1.0], dtype=wg.float64))
