"""Factorisations of matrices where samples of cards do not go: degenerate ones, errors, strides, `out=`."""

from __future__ import annotations

import math
import sys

import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
from tests.ops.linalg.matrices import drawn
from wengert.func import vmap


@given(st.integers(0, 4), st.integers(0, 4), st.lists(st.integers(0, 2), max_size=2))
@settings(max_examples=60, deadline=None)
def test_factors_make_the_matrix_again(rows, columns, batch):
    a = drawn(*batch, rows, columns, dtype="complex128")
    q, r = wg.linalg.qr(a)
    u, s, vh = wg.linalg.svd(a, full_matrices=False)
    p, lower, upper = wg.linalg.lu(a)
    packed, tau = wg.geqrf(a)
    assert wg.allclose(q @ r, a)
    assert wg.allclose((u * s.unsqueeze(-2)) @ vh, a)
    assert wg.allclose(p @ lower @ upper, a)
    assert wg.allclose(a @ wg.linalg.pinv(a) @ a, a)
    if rows >= columns:
        assert wg.allclose(wg.linalg.householder_product(packed, tau) @ packed.triu()[..., :columns, :], a)
        assert wg.allclose(wg.ormqr(packed, tau, packed.triu()), a)


def test_derivatives_that_do_not_exist_are_refused():
    a = drawn(3, 2).requires_grad_()
    with pytest.raises(RuntimeError, match="not differentiable when mode='complete' and nrows > ncols"):
        wg.linalg.qr(a, "complete").Q.sum().backward()
    with pytest.raises(RuntimeError, match="which is not computed when mode='r'"):
        wg.linalg.qr(a, "r").R.sum().backward()


def test_a_singular_matrix_is_named_by_its_place_in_the_batch_and_its_pivot():
    a = wg.stack([wg.eye(3), wg.ones(3, 3)])
    with pytest.raises(wg.linalg.LinAlgError, match=r"\(Batch element 1\): The diagonal element 2 is zero"):
        wg.linalg.inv(a)
    with pytest.raises(wg.linalg.LinAlgError, match=r"torch.linalg.solve: \(Batch element 1\): The solver failed"):
        wg.linalg.solve(a, a)
    with pytest.raises(wg.linalg.LinAlgError, match="U\\[2,2\\] is zero and using it on lu_solve"):
        wg.linalg.lu_factor(a)
    with pytest.raises(wg.linalg.LinAlgError, match="the leading minor of order 2 is not positive-definite"):
        wg.linalg.cholesky(a)
    assert issubclass(wg.linalg.LinAlgError, RuntimeError)
    inverse, info = wg.linalg.inv_ex(a)
    assert info.tolist() == [0, 2] and wg.equal(inverse[0], wg.eye(3))
    factor, info = wg.linalg.cholesky_ex(a)
    assert info.tolist() == [0, 2] and wg.equal(factor[0], wg.eye(3))


@pytest.mark.parametrize("pivots", [[0, 1], [1, 3], [-1, -2], [1, -2], [2**31 - 1, 1]])
def test_exchanges_that_lead_out_of_the_matrix_are_refused(pivots):
    given = wg.tensor(pivots, dtype=wg.int32)
    with pytest.raises(RuntimeError, match="pivots must be those that ldl_factor returns for 2 rows"):
        wg.linalg.ldl_solve(wg.eye(2), given, wg.eye(2))
    if pivots != [1, 3] and min(pivots) > 0 and max(pivots) <= 2:
        return
    with pytest.raises(
        RuntimeError, match=r"pivots passed to lu_unpack must be between 1 and LU\.size\(-2\) inclusive"
    ):
        wg.linalg.lu_solve(wg.eye(2), given, wg.eye(2))
    with pytest.raises(
        RuntimeError, match=r"pivots passed to lu_unpack must be between 1 and LU\.size\(-2\) inclusive"
    ):
        wg.lu_unpack(wg.eye(2), given)


def test_what_numpy_lacks_says_what_to_install(monkeypatch):
    for name in ("scipy", "scipy.linalg"):
        monkeypatch.setitem(sys.modules, name, None)
    for function in (wg.linalg.lu_factor, wg.linalg.ldl_factor):
        with pytest.raises(ImportError, match="needs SciPy: pip install"):
            function(wg.eye(20, dtype=wg.complex64))  # real ones have native factors, which need no SciPy
    assert wg.equal(wg.linalg.inv(wg.eye(2)), wg.eye(2))
    assert wg.equal(wg.linalg.matrix_exp(wg.zeros(2, 2)), wg.eye(2))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_infinities_and_nan_are_refused_or_spread_and_nothing_hangs(value):
    a = wg.stack([wg.eye(3), wg.eye(3)])
    a[1, 0, 1] = a[1, 1, 0] = value
    for function in (wg.linalg.svd, wg.linalg.svdvals, wg.linalg.pinv, wg.linalg.cond, wg.linalg.matrix_rank):
        with pytest.raises(wg.linalg.LinAlgError, match=r"\(Batch element 1\): .* contained non-finite values"):
            function(a)
    with pytest.raises(RuntimeError, match="should not contain infs or NaNs"):
        wg.linalg.eig(a)
    for function in (wg.linalg.eigvalsh, wg.linalg.matrix_exp, lambda a: wg.linalg.lstsq(a, a).solution):
        found = function(a)
        assert bool(found[0].isfinite().all()) and bool(found[1].isnan().any())


def test_out_takes_several_results_and_refuses_what_requires_a_gradient():
    a = drawn(3, 3)
    given = [wg.empty(0, dtype=wg.float64) for _ in range(2)]
    made = wg.linalg.qr(a, out=tuple(given))
    assert type(made) is wg.return_types.linalg_qr_out and made.Q is given[0]
    assert wg.allclose(given[0] @ given[1], a)
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        wg.kron(a.requires_grad_(), a, out=wg.empty(0, dtype=wg.float64))
    with pytest.raises(TypeError):
        wg.linalg.qr(drawn(2, 2), out=given[0])


def test_a_program_for_each_member_of_a_batch():
    a, b = drawn(4, 3, 3), drawn(4, 3, seed=1)

    def energy(matrix, vector):
        square = matrix @ matrix.mT + wg.eye(3, dtype=wg.float64)
        return wg.linalg.slogdet(square).logabsdet + vector @ wg.linalg.solve(square, vector)

    found = vmap(wg.func.grad(energy))(a, b)
    for at in range(4):
        assert wg.allclose(found[at], wg.func.grad(energy)(a[at], b[at]))


@pytest.mark.parametrize("size", [1, 4])
def test_what_is_found_for_each_matrix_lies_in_rows_whatever_the_order_of_the_batch(size):
    matrices = (wg.rand(2, 3, size, size, dtype=wg.float64) + wg.eye(size) * 3).transpose(0, 1)
    for found in (
        wg.linalg.eigvals(matrices),
        wg.linalg.eig(matrices)[0],
        wg.linalg.eigh(matrices)[0],
        wg.linalg.eigvalsh(matrices),
        wg.linalg.svd(matrices)[1],
        wg.linalg.svdvals(matrices),
    ):
        assert found.stride() == (2 * size, size, 1)
    for found in (wg.linalg.det(matrices), *wg.linalg.slogdet(matrices)):
        assert found.stride() == (2, 1)
    assert wg.linalg.inv(matrices).stride() == (2 * size * size, size * size, 1, size)


def test_the_factors_of_reflections_lie_in_rows():
    assert wg.geqrf(wg.rand(2, 5, 2, 1).transpose(0, 1)).tau.stride() == (2, 1, 1)
    assert wg.geqrf(wg.rand(2, 5, 2, 3).transpose(0, 1)).tau.stride() == (4, 2, 1)


@pytest.mark.parametrize(
    ("made", "strides"),
    [
        (lambda: wg.linalg.inv(wg.zeros(0, 5, 5)), (25, 1, 5)),
        (lambda: wg.linalg.solve(wg.zeros(0, 0), wg.zeros(0, 3)), (1, 1)),
        (lambda: wg.linalg.solve(wg.zeros(0, 3, 3), wg.zeros(0, 3)), (1, 1)),
        (lambda: wg.linalg.solve(wg.eye(3), wg.zeros(3, 0)), (1, 3)),
        (lambda: wg.linalg.solve(wg.eye(3), wg.zeros(0, 3, 1)), (3, 1, 3)),
        (lambda: wg.linalg.qr(wg.zeros(0, 5)).R, (1, 1)),
        (lambda: wg.linalg.cholesky(wg.zeros(0, 5, 5), upper=True), (25, 1, 5)),
        (lambda: wg.linalg.lu_factor(wg.zeros(0, 3, 5)).LU, (15, 1, 3)),
    ],
)
def test_matrices_without_elements_lie_in_columns_too(made, strides):
    assert made().stride() == strides
