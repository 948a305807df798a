"""Nested derivatives of linear algebra, norms and distances against closed forms, along curves of matrices."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import wengert as wg
from wengert.func import grad, jacfwd, jacrev, jvp, vmap

A = wg.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=wg.float64)
B = wg.tensor([[1.0], [2.0]], dtype=wg.float64)
EYE = wg.eye(2, dtype=wg.float64)
L = wg.tensor([[2.0, 0.0], [1.0, 1.5]], dtype=wg.float64)
ONE = wg.tensor([3.0, 4.0], dtype=wg.float64)


def second(function):
    """The second derivative of a function of a number, at 0, in each order of modes, alone and batched."""
    zero = wg.zeros((), dtype=wg.float64)
    for outer, inner in itertools.product((jacfwd, jacrev), repeat=2):
        yield outer(inner(function))(zero)
        yield vmap(outer(inner(function)))(zero[None])[0]


def third(function):
    zero = wg.zeros((), dtype=wg.float64)
    for modes in itertools.product((jacfwd, jacrev), repeat=3):
        derivative = function
        for mode in modes:
            derivative = mode(derivative)
        yield derivative(zero)


def inverse_system() -> np.ndarray:
    """The second derivative of (A + t I)^-1 B: 2 A^-3 B."""
    inverse = np.linalg.inv(A.numpy())
    return 2 * inverse @ inverse @ inverse @ B.numpy()


def cholesky_system() -> np.ndarray:
    """The second derivative of M^-1 B for M = (L + t I) (L + t I)^T."""
    lower = L.numpy()
    inverse = np.linalg.inv(lower @ lower.T)
    first, twice = lower + lower.T, 2 * np.eye(2)
    return (2 * inverse @ first @ inverse @ first - inverse @ twice) @ inverse @ B.numpy()


def reflection(t: wg.Tensor) -> wg.Tensor:
    """I - tau v v^T of v = (1, 2 + t), tau = 0.5 + t: its first column is (1 - tau, -tau (2 + t))."""
    vector = wg.stack([t * 0, 2 + t])[:, None]
    return wg.linalg.householder_product(vector, (0.5 + t)[None])


SECOND = {
    "det": (lambda t: wg.linalg.det(A + t * EYE), 2.0),
    "det of zero": (lambda t: wg.linalg.det(t * EYE), 2.0),
    "slogdet": (lambda t: wg.linalg.slogdet(A + t * EYE).logabsdet, -7.25),
    "solve": (lambda t: wg.linalg.solve(A + t * EYE, B), inverse_system()),
    "inv": (lambda t: wg.linalg.inv(A + t * EYE) @ B, inverse_system()),
    "cholesky_solve": (lambda t: wg.cholesky_solve(B, L + t * EYE), cholesky_system()),
    "householder_product": (reflection, np.array([[0.0], [-2.0]])),
    "cumprod": (lambda t: (t * wg.ones(3, dtype=wg.float64)).cumprod(0), np.array([0.0, 2.0, 0.0])),
    "prod": (lambda t: (t * wg.tensor([1.0, 0.0, 5.0], dtype=wg.float64) + t).prod(), 0.0),
    "norm": (lambda t: (ONE + t * EYE[0]).norm(), 16 / 125),
    "cdist": (lambda t: wg.cdist((ONE + t * EYE[0])[None], ONE[None] * 0), np.array([[16 / 125]])),
    "pdist": (lambda t: wg.pdist(wg.stack([ONE + t * EYE[0], ONE * 0])), np.array([16 / 125])),
    "matrix_exp": (lambda t: wg.linalg.matrix_exp(t * EYE), np.eye(2)),
    "matrix_power": (lambda t: wg.linalg.matrix_power(A + t * EYE, 3), 6 * A.numpy()),
}


@pytest.mark.parametrize("name", SECOND)
def test_second_derivatives_have_their_closed_form(name):
    function, wanted = SECOND[name]
    for result in second(function):
        np.testing.assert_allclose(result.numpy(), wanted, rtol=1e-10, atol=1e-12)


def third_of_norm(order: float) -> float:
    """The third derivative of the norm of (3 + t, 4)."""
    if order == 2:
        return -3 * 3 * 16 / 5**5
    total = 3**3 + 4**3
    return 2 * total ** (-2 / 3) - 12 * 27 * total ** (-5 / 3) + 10 * 729 * total ** (-8 / 3)


@pytest.mark.parametrize("order", [2, 3])
def test_third_derivatives_of_norms_and_distances_have_their_closed_form(order):
    def moved(t):
        return ONE + t * EYE[0]

    functions = (
        lambda t: wg.linalg.vector_norm(moved(t), order),
        lambda t: wg.dist(moved(t), ONE * 0, order),
        lambda t: wg.cdist(moved(t)[None], ONE[None] * 0, order)[0, 0],
        lambda t: wg.pdist(wg.stack([moved(t), ONE * 0]), order)[0],
    )
    for function in functions:
        for result in third(function):
            assert math.isclose(float(result), third_of_norm(order), rel_tol=1e-9)


def test_the_gradient_of_a_singular_determinant_is_its_cofactors():
    matrix = wg.tensor([[1.0, 2.0], [2.0, 4.0]])
    assert wg.allclose(grad(wg.linalg.det)(matrix), wg.tensor([[4.0, -2.0], [-2.0, 1.0]]))
    assert wg.allclose(jvp(wg.linalg.det, (matrix,), (wg.eye(2),))[1], wg.tensor(5.0))
