"""Native factors, values and systems of small matrices, beside NumPy's and beside what they are to multiply to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st

import wengert as wg

MOST = 16
FREE = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
SHAPES = st.tuples(st.integers(1, 3), st.integers(2, MOST), st.integers(2, MOST))
LARGER = st.one_of(SHAPES, st.tuples(st.integers(1, 2), st.integers(MOST + 1, 150), st.integers(2, 150)))
"""Those beyond `MOST` are factored by blocks, where vectors are wide enough."""
DTYPES = st.sampled_from([np.float32, np.float64])
SEEDS = st.integers(0, 2**32 - 1)


def drawn(seed: int, shape: Any, dtype: Any, scale: float = 1.0) -> Any:
    """Matrices that lie in any order."""
    random = np.random.default_rng(seed)
    values = (random.normal(size=shape) * scale).astype(dtype)
    return np.ascontiguousarray(values.swapaxes(1, 2)).swapaxes(1, 2) if seed % 2 else values


def definite(seed: int, shape: Any, dtype: Any) -> Any:
    x = drawn(seed, (shape[0], shape[1], shape[1]), np.float64)
    return (x @ x.swapaxes(1, 2) + shape[1] * np.eye(shape[1])).astype(dtype)


def assume_known(native: Any, shape: Any) -> None:
    """Narrow vectors have no blocks."""
    assume(max(shape) <= MOST or native.instruction_set() != "baseline")


def close(found: Any, wanted: Any, times: float = 200) -> None:
    size = float(np.abs(wanted).max(initial=0)) or 1.0
    np.testing.assert_allclose(found, wanted, rtol=0, atol=times * np.finfo(found.dtype).eps * size)


def by_columns(array: Any) -> bool:
    return bool(array.swapaxes(-1, -2).flags.c_contiguous)


@settings(FREE, max_examples=40)
@given(shape=LARGER, dtype=DTYPES, seed=SEEDS, upper=st.booleans())
def test_the_cholesky_factor_is_numpys(native, shape, dtype, seed, upper):
    assume_known(native, shape)
    a = definite(seed, shape, dtype)
    found, info = native.direct_cholesky_factor(a, upper, "")
    close(found, np.linalg.cholesky(a.astype(np.float64), upper=upper) if upper else np.linalg.cholesky(a))
    assert by_columns(found) and info.dtype == np.int32 and not info.any()
    assert not (np.tril(found, -1) if upper else np.triu(found, 1)).any()


@settings(FREE, max_examples=40)
@given(shape=LARGER, dtype=DTYPES, seed=SEEDS)
def test_the_triangular_factors_multiply_to_the_matrix(native, shape, dtype, seed):
    assume_known(native, shape)
    a = drawn(seed, shape, dtype)
    found, pivots, info = native.direct_lu_factor(a, True, True)
    count = min(shape[1:])
    for matrix, packed, exchanged in zip(a, found, pivots):
        product = (np.tril(packed[:, :count], -1) + np.eye(shape[1], count)) @ np.triu(packed[:count])
        for at in range(count - 1, -1, -1):
            product[[at, exchanged[at] - 1]] = product[[exchanged[at] - 1, at]]
        close(product.astype(dtype), matrix)
        assert np.abs(np.tril(packed[:, :count], -1)).max() <= 1
    assert by_columns(found) and not info.any()


@settings(FREE, max_examples=40)
@given(shape=LARGER, dtype=DTYPES, seed=SEEDS, upper=st.booleans(), left=st.booleans(), unit=st.booleans())
def test_triangular_systems_are_solved(native, shape, dtype, seed, upper, left, unit):
    assume_known(native, shape)
    side = shape[1]
    a = drawn(seed, (shape[0], side, side), dtype, 0.1) + 2 * np.eye(side, dtype=dtype)
    b = drawn(seed + 1, (shape[0], side, shape[2]) if left else (shape[0], shape[2], side), dtype)
    found = native.direct_triangular(a, b, upper, left, unit)
    read = np.triu(a, int(unit)) if upper else np.tril(a, -int(unit))
    read = read + np.eye(side, dtype=dtype) if unit else read
    close(read @ found if left else found @ read, b)
    assert by_columns(found)


@settings(FREE, max_examples=40)
@given(shape=LARGER, dtype=DTYPES, seed=SEEDS, upper=st.booleans())
def test_systems_are_solved(native, shape, dtype, seed, upper):
    assume_known(native, shape)
    a, b = definite(seed, shape, dtype), drawn(seed, shape, dtype)
    close(a @ native.direct_solve(a, b, True, True)[0], b)
    determinant = native.direct_determinant(a / shape[1])
    np.testing.assert_allclose(determinant, np.linalg.det(a / shape[1]), rtol=shape[1] * 20 * np.finfo(dtype).eps)
    turned = a[:, ::-1]  # of either sign
    for found, wanted in zip(native.direct_log_determinant(turned), np.linalg.slogdet(turned), strict=True):
        np.testing.assert_allclose(
            found, wanted, rtol=shape[1] * 20 * np.finfo(dtype).eps, atol=shape[1] * np.finfo(dtype).eps
        )
    close(a @ native.direct_inverse(a, True)[0], np.broadcast_to(np.eye(shape[1], dtype=dtype), a.shape))
    factor = np.linalg.cholesky(a)
    factor = np.ascontiguousarray(factor.swapaxes(1, 2)) if upper else factor
    close(a @ native.direct_cholesky_solve(b, factor, upper), b)


@settings(FREE, max_examples=40)
@given(shape=LARGER, dtype=DTYPES, seed=SEEDS)
def test_orthogonal_factors_are_numpys(native, shape, dtype, seed):
    assume_known(native, shape)
    a = drawn(seed, shape, dtype)
    q, r = native.direct_qr(a, "reduced")
    wanted_q, wanted_r = np.linalg.qr(a.astype(np.float64))
    close(q @ r, a)
    close(np.tril(r, -1), np.zeros_like(r))
    close(q.swapaxes(1, 2) @ q, np.broadcast_to(np.eye(q.shape[2], dtype=dtype), (shape[0], *q.shape[2:] * 2)))
    assert np.array_equal(np.sign(np.diagonal(r, 0, 1, 2)), np.sign(np.diagonal(wanted_r, 0, 1, 2)))
    assert q.shape == wanted_q.shape and by_columns(q) and by_columns(r)


@settings(FREE, max_examples=40)
@given(rows=st.integers(MOST + 1, 150), share=st.floats(0, 1), width=st.integers(1, 20), dtype=DTYPES, seed=SEEDS)
def test_least_squares_of_larger_matrices_are_numpys(native, rows, share, width, dtype, seed):
    columns = max(2, int(rows * share))
    if native.instruction_set() == "baseline":
        pytest.skip("narrow vectors have no blocks")
    a, b = drawn(seed, (2, rows, columns), dtype), drawn(seed + 1, (2, rows, width), dtype)
    a[:, np.arange(columns), np.arange(columns)] += np.sqrt(rows).astype(dtype) * 2
    solution, residuals, ranks, values = native.direct_lstsq(a, b, None, "gelsy")
    wanted = [np.linalg.lstsq(one.astype(np.float64), other.astype(np.float64), rcond=None) for one, other in zip(a, b)]
    close(solution, np.stack([each[0] for each in wanted]), 2000)
    assert ranks.tolist() == [columns] * 2 and values.size == 0 and residuals.size == 0 and by_columns(solution)


@pytest.mark.parametrize("columns", [1, 30])
def test_matrices_that_have_lost_rank_are_left_to_the_bodies(native, columns):
    random = np.random.default_rng(0)
    a, b = random.normal(size=(60, 40)), random.normal(size=(60, 3))
    a[:, 5 : 5 + columns] = a[:, :1]
    assert native.direct_lstsq(a, b, None, None) is NotImplemented
    assert native.direct_lstsq(a * np.nan, b, None, None) is NotImplemented
    assert native.direct_lstsq(a[:, 40:], b, None, None) is NotImplemented


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_very_small_and_very_large_matrices_have_orthogonal_factors(scale):
    a = np.random.default_rng(0).normal(size=(40, 20)) * scale
    q, r = wg.linalg.qr(wg.from_numpy(a))
    close(q.numpy() @ (r.numpy() / scale), a / scale)


@settings(FREE, max_examples=40)
@given(shape=SHAPES, dtype=DTYPES, seed=SEEDS, power=st.integers(-100, 100))
def test_singular_values_are_numpys(native, shape, dtype, seed, power):
    a = drawn(seed, shape, dtype, 10.0 ** (power if dtype is np.float64 else power / 10))
    values = native.direct_svd(a, True, False)[1]
    close(values, np.linalg.svd(a.astype(np.float64), compute_uv=False), 50)
    made = native.direct_svd_of_values(a, False, True)
    if made is not NotImplemented:
        close((made[0] * made[1][:, None, :]) @ made[2], a)
        close(made[1], values, 4)
    inverse = native.direct_pinv(a / np.abs(a).max(), None, None, False)
    close(inverse, np.linalg.pinv(a / np.abs(a).max(), rcond=np.finfo(dtype).eps * max(shape[1:])), 1e5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_of_a_matrix_without_full_rank(native, dtype):
    a = np.outer(np.arange(1, 5), np.arange(1, 4)).astype(dtype)
    values = native.direct_svd(a, False, False)[1]
    close(values, np.linalg.svd(a, compute_uv=False), 20)
    assert native.direct_svd_of_values(a, False, True) is NotImplemented
    assert not native.direct_svd(np.zeros((3, 4), dtype), False, False)[1].any()
    assert not native.direct_pinv(np.zeros((3, 4), dtype), None, None, False).any()
    close(native.direct_pinv(a, None, None, False), np.linalg.pinv(a))
    solution, _, rank, _ = native.direct_lstsq(a.T.copy(), np.ones((3, 2), dtype), None, "gelsy")
    close(solution, np.linalg.lstsq(a.T, np.ones((3, 2), dtype), rcond=None)[0])
    assert rank == 1


@settings(FREE, max_examples=40)
@given(shape=SHAPES, dtype=DTYPES, seed=SEEDS, side=st.sampled_from("LU"))
def test_eigenvalues_are_numpys(native, shape, dtype, seed, side):
    x = drawn(seed, (shape[0], shape[1], shape[1]), dtype)
    close(native.direct_eigh(x, side, False)[0], np.linalg.eigvalsh(x.astype(np.float64), side), 50)
    values, vectors = native.direct_eigh_of_values(x, side, True)
    whole = np.tril(x) + np.tril(x, -1).swapaxes(1, 2) if side == "L" else np.triu(x) + np.triu(x, 1).swapaxes(1, 2)
    close((vectors * values[:, None, :]) @ vectors.swapaxes(1, 2), whole)
    assert (np.diff(values) >= 0).all() and by_columns(vectors)


@pytest.mark.parametrize("side", [3, 40])
def test_what_has_no_factors_is_left_to_the_body(native, side):
    flat, wrong = np.ones((side, side)), np.full((side, side), np.nan)
    for matrix in (flat * 0, wrong, flat * np.inf):
        assert native.direct_cholesky_factor(matrix, False, "") is NotImplemented
        assert native.direct_lu_factor(matrix, True, False) is NotImplemented
        assert native.direct_inverse(matrix, False) is NotImplemented
        assert native.direct_triangular(matrix, flat, True, True, False) is NotImplemented
    for matrix in (wrong, flat * np.inf):
        assert native.direct_qr(matrix, "reduced") is NotImplemented
        assert native.direct_svd(matrix, False, False) is NotImplemented
        assert native.direct_eigh(matrix, "L", False) is NotImplemented
        assert native.direct_pinv(matrix, None, None, False) is NotImplemented
    assert native.direct_cholesky_factor(-np.eye(side), False, "") is NotImplemented
    batch = np.stack([np.eye(side), flat])  # one of several is enough
    assert native.direct_lu_factor(batch, True, False) is NotImplemented


def test_pivots_that_are_no_rows_are_refused(native):
    lu, grad = np.eye(3), [np.ones((3, 3)), None, None]
    for wrong in ([1, 2, 4], [0, 1, 2], [-1, 1, 1], [2**31 - 1, 1, 1]):
        assert native.direct_lu_factor_rule(grad, lu, np.array(wrong, np.int32)) is NotImplemented
    assert native.direct_lu_factor_rule(grad, lu, np.array([1, 2], np.int32)) is NotImplemented


@pytest.mark.parametrize("upper", [False, True])
def test_larger_factors_are_the_same_to_the_bit_for_any_number_of_threads(native, upper):
    a, b = definite(7, (1, 300, 300), np.float32)[0], drawn(8, (1, 300, 70), np.float32)[0]
    before, results = native.get_num_threads(), []
    try:
        for count in (1, 2, 3, 1):
            native.set_num_threads(count)
            factor = native.direct_cholesky_factor(a, upper, "")
            solved = native.direct_triangular(a, b, upper, True, False), native.direct_solve(a, b, True, True)
            results.append([factor, solved, native.direct_lu_factor(a, True, True), native.direct_inverse(a, True)])
    finally:
        native.set_num_threads(before)
    for others in results[1:]:
        for one, other in zip(results[0], others, strict=True):
            np.testing.assert_equal(one, other)
