"""The exponential of matrices and its derivative: against mpmath in 50 digits, over norms, dtypes and batches."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert._kernels import matrix_exponentials

mpmath = pytest.importorskip("mpmath")
KINDS = ["float32", "float64", "complex64", "complex128"]


def drawn(seed: int, shape: tuple[int, ...], dtype: str, norm: float) -> np.ndarray[Any, Any]:
    """Matrices whose rows sum to a norm at most."""
    chance = np.random.default_rng(seed)
    made = chance.normal(size=shape)
    if dtype.startswith("complex"):
        made = made + 1j * chance.normal(size=shape)
    if chance.random() < 0.3:
        made = np.triu(made)
    return (made / np.abs(made).sum(-1).max((-1,), keepdims=True)[..., None] * norm).astype(dtype)


def exact(matrix: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    with mpmath.workdps(50):
        found = mpmath.expm(mpmath.matrix(matrix.tolist()), method="taylor")
        return np.array(found.tolist(), complex).reshape(matrix.shape)


def apart(found: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> float:
    """The largest sum of errors in a row, as a part of the largest sum of a row."""
    return float(np.abs(found - wanted).sum(-1).max() / np.abs(wanted).sum(-1).max())


@pytest.mark.parametrize("dtype", KINDS)
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), size=st.integers(1, 5), power=st.floats(-8, 3), turned=st.booleans())
def test_exponentials_are_those_of_fifty_digits(dtype, seed, size, power, turned):
    norm = 10**power
    if dtype in ("float32", "complex64"):
        norm = min(norm, 60.0)
    matrix = drawn(seed, (size, size), dtype, min(norm, 600.0))
    given_ = wg.from_numpy(matrix.T.copy()).T if turned else wg.from_numpy(matrix)
    found = wg.linalg.matrix_exp(given_).numpy()
    assert found.dtype == matrix.dtype
    assert apart(found, exact(matrix)) < 20 * np.finfo(dtype).eps * max(norm, 1)


@pytest.mark.parametrize("dtype", KINDS)
@settings(max_examples=10, deadline=None)
@given(
    seed=st.integers(0, 2**32), size=st.integers(1, 3), power=st.floats(-8, 1.5), scale=st.sampled_from([1e-9, 1, 1e9])
)
def test_derivatives_are_corners_of_exponentials_twice_as_large(dtype, seed, size, power, scale):
    matrix = drawn(seed, (size, size), dtype, 10**power)
    direction = drawn(seed + 1, (size, size), dtype, 1.0)
    found = matrix_exponentials.derivative(matrix, direction * np.array(scale, dtype)) / scale
    block = np.block([[matrix, direction], [np.zeros_like(matrix), matrix]])
    assert apart(found, exact(block)[:size, size:]) < 40 * np.finfo(dtype).eps * max(10**power, 1)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("count", [1, 7, 2500])
def test_a_batch_of_all_norms_is_what_its_matrices_are_alone(dtype, count):
    norms = np.geomspace(1e-8, 30, count)[:, None, None]
    batch = drawn(3, (count, 3, 3), dtype, 1.0) * norms.astype(dtype)
    batch = np.random.default_rng(0).permutation(batch)
    for directed in (False, True):
        directions = drawn(4, (count, 3, 3), dtype, 1.0)
        function: Any = matrix_exponentials.derivative if directed else matrix_exponentials.exponential
        found = function(batch, directions) if directed else function(batch)
        for at in range(0, count, max(count // 40, 1)):
            alone = function(batch[at], directions[at]) if directed else function(batch[at])
            assert apart(found[at], alone) < 300 * np.finfo(dtype).eps


@pytest.mark.parametrize("degree", range(6))
def test_each_polynomial_has_the_coefficients_of_taylor(degree):
    order = matrix_exponentials.DEGREES[degree]
    shift = np.eye(20, k=1)[None]  # its powers are lines of ones, so that a polynomial shows its coefficients
    found = matrix_exponentials.POLYNOMIALS[degree](shift)[0]
    wanted = [1 / math.factorial(power) if power <= order else 0 for power in range(20)]
    np.testing.assert_allclose(found[0], wanted, rtol=0, atol=1e-15)
    np.testing.assert_allclose(found[0][: order + 1], wanted[: order + 1], rtol=3e-7 if order == 18 else 1e-13)


@pytest.mark.parametrize("dtype", KINDS)
def test_zeros_become_identities_and_what_is_not_finite_stays_with_its_matrix(dtype):
    kind = getattr(wg, dtype)
    assert wg.equal(wg.matrix_exp(wg.zeros(2, 3, 3, dtype=kind)), wg.eye(3, dtype=kind).expand(2, 3, 3))
    for value in (math.nan, math.inf, -math.inf):
        for more in (0, 2000):
            batch = wg.eye(3, dtype=kind).repeat(3 + more, 1, 1)
            batch[1, 0, 2] = value
            batch[0] = 0
            found = wg.matrix_exp(batch)
            assert wg.equal(found[0], wg.eye(3, dtype=kind)) and bool(found[1].isnan().all())
            assert wg.allclose(found[2:], batch[2:] * math.e)
    assert wg.matrix_exp(wg.tensor([[math.inf]], dtype=wg.float32)).item() == math.inf


def test_large_entries_beside_a_diagonal_do_not_cost_the_others_their_digits():
    matrix = wg.tensor([[1.0, 1e6], [0.0, -1.0]], dtype=wg.float64)
    wanted = [[math.e, 1e6 * math.sinh(1)], [0, 1 / math.e]]
    np.testing.assert_allclose(wg.matrix_exp(matrix).numpy(), wanted, rtol=1e-13)


@pytest.mark.parametrize("shape", [(0, 0), (3, 0, 0), (0, 3, 3), (2, 0, 4, 4), (5, 1, 1), (2, 3, 4, 4)])
def test_batches_of_any_shape_lie_in_rows(shape):
    given_ = wg.randn(*shape).mT.requires_grad_()
    found = wg.matrix_exp(given_)
    assert found.shape == shape and found.is_contiguous()
    found.sum().backward()
    assert given_.grad is not None and given_.grad.shape == shape


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_the_plain_gradient_is_the_recorded_one(dtype):
    a = wg.from_numpy(drawn(5, (4, 3, 3), dtype, 2.0)).requires_grad_()
    slopes = wg.from_numpy(drawn(6, (4, 3, 3), dtype, 1.0))
    (plain,) = wg.autograd.grad(wg.matrix_exp(a), a, slopes)
    (recorded,) = wg.autograd.grad(wg.matrix_exp(a), a, slopes, create_graph=True)
    assert recorded.requires_grad and not plain.requires_grad
    assert wg.allclose(plain, recorded, rtol=1e-13, atol=1e-14) and plain.stride() == recorded.stride()
    assert wg.autograd.gradgradcheck(wg.matrix_exp, (a[:1].detach().requires_grad_(),))
