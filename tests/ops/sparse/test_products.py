"""Products of sparse tensors in coordinates: batches of matrices, and those whose result is sparse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import wengert as wg

DENSE = wg.arange(6.0).reshape(3, 2)


def example() -> Any:
    return wg.sparse_coo_tensor([[0, 1, 1, 0], [2, 0, 2, 2]], [3.0, 4.0, 5.0, 1.0], (2, 3))


def summand() -> Any:
    return wg.sparse_coo_tensor([[1, 0], [1, 0]], [1.0, 2.0], (2, 2))


def batch() -> Any:
    one = example().to_dense()
    return wg.stack([one, one * 2]).to_sparse()


def test_a_batch_of_sparse_matrices_is_multiplied_by_one_of_dense_ones() -> None:
    sparse, dense = batch(), wg.arange(12.0).reshape(2, 3, 2)
    twice = wg.sparse_coo_tensor(wg.cat([sparse._indices()] * 2, 1), wg.cat([sparse._values()] * 2), (2, 2, 3))
    assert wg.bmm(sparse, dense).tolist() == wg.bmm(sparse.to_dense(), dense).tolist()
    assert wg.bmm(twice, dense).tolist() == (wg.bmm(sparse, dense) * 2).tolist()
    assert wg.bmm(wg.zeros(2, 2, 3).to_sparse(), dense).tolist() == [[[0, 0], [0, 0]]] * 2


def test_the_gradients_of_a_batch_are_those_of_dense_tensors() -> None:
    sparse, dense = batch().requires_grad_(), wg.arange(12.0).reshape(2, 3, 2).requires_grad_()
    wg.bmm(sparse, dense).sin().sum().backward()
    found = sparse.grad, dense.grad
    first, second = batch().to_dense().requires_grad_(), dense.detach().requires_grad_()
    wg.bmm(first, second).sin().sum().backward()
    assert not found[0].is_sparse
    assert all(np.allclose(*pair) for pair in zip(found, (first.grad, second.grad)))


def test_a_sparse_result_has_all_columns_of_the_rows_with_entries() -> None:
    sparse = wg.sparse_coo_tensor([[2, 0, 2], [1, 0, 0]], [1.0, 2.0, 3.0], (4, 3))
    made = wg.smm(sparse, DENSE)
    assert made._indices().tolist() == [[0, 0, 2, 2], [0, 1, 0, 1]]
    assert made._values().tolist() == [0, 2, 2, 6]
    assert not made.is_coalesced()
    rows = wg.hspmm(sparse, DENSE)
    assert rows._indices().tolist() == [[0, 2]]
    assert rows._values().tolist() == [[0, 2], [2, 6]]
    assert (rows.shape, rows.is_coalesced()) == ((4, 2), True)


def test_a_product_is_added_behind_the_entries_of_a_sparse_matrix() -> None:
    made = wg.sspaddmm(summand(), example(), DENSE, beta=2, alpha=3)
    assert made._indices().tolist() == [[1, 0, 0, 0, 1, 1], [1, 0, 0, 1, 0, 1]]
    assert made._values().tolist() == [2, 4, 48, 60, 60, 87]
    assert summand().sspaddmm(example(), DENSE).to_dense().tolist() == [[18, 20], [20, 30]]


def test_products_with_sparse_results_have_no_derivative() -> None:
    leaf = example().requires_grad_()
    for made in (leaf.smm(DENSE), wg.hspmm(leaf, DENSE), wg.sspaddmm(summand(), leaf, DENSE)):
        assert made.requires_grad
        with pytest.raises(RuntimeError, match=r"derivative for aten::(sspaddmm|hspmm) is not implemented"):
            wg.sparse.sum(made).backward()


REFUSED = {
    "bmm of sparse ones": (lambda s: wg.bmm(batch(), batch()), "bmm_sparse: Tensor 'mat2' must be dense"),
    "bmm of a matrix": (lambda s: wg.bmm(s, wg.ones(2, 3, 2)), "Tensor 'self' must have 3 sparse dims, but has 2"),
    "bmm of rows": (lambda s: wg.bmm(batch().to_dense().to_sparse(2), DENSE), "must have 0 dense dims, but has 1"),
    "bmm by a matrix": (lambda s: wg.bmm(batch(), DENSE), "Tensor 'mat2' must have 3 dims, but has 2"),
    "bmm of other lengths": (lambda s: wg.bmm(batch(), wg.ones(2, 4, 2)), r"'self.size\(2\)' and 'mat2.size\(1\)'"),
    "smm of other lengths": (lambda s: wg.smm(s, wg.ones(2, 3)), "sspaddmm: Argument #3: Expected dim 0 size 3, got 2"),
    "smm by a vector": (lambda s: wg.smm(s, wg.ones(3)), "sspaddmm: Argument #3: matrices expected, got 1D tensor"),
    "smm of sparse ones": (lambda s: wg.smm(s, s), "expected 'mat2' to have strided layout, got 'mat2' with layout"),
    "hspmm of rows": (lambda s: wg.hspmm(s.to_dense().to_sparse(1), DENSE), "Argument #2: matrices expected, got 1D"),
    "hspmm of other dtypes": (lambda s: wg.hspmm(s, DENSE.double()), "expected scalar type Float but found Double"),
    "sspaddmm to other lengths": (lambda s: wg.sspaddmm(s, s, DENSE), "Argument #1: Expected dim 1 size 2, got 3"),
    "sspaddmm to another dtype": (lambda s: summand().double().sspaddmm(s, DENSE), "dtype of values .Float. must matc"),
}


@pytest.mark.parametrize("call, words", REFUSED.values(), ids=REFUSED)
def test_what_does_not_fit_is_refused(call: Any, words: str) -> None:
    with pytest.raises(RuntimeError, match=words):
        call(example())


def test_what_torch_has_for_other_layouts_only_is_refused() -> None:
    with pytest.raises(NotImplementedError, match="aten::hspmm' with arguments from the 'CPU' backend"):
        wg.hspmm(DENSE, DENSE.t())
    with pytest.raises(NotImplementedError, match="aten::_sparse_mm_reduce_impl' with arguments from the 'SparseCPU'"):
        wg.sparse.mm(example(), DENSE, "mean")


def of_kind(kind: str) -> tuple[wg.Tensor, wg.Tensor]:
    dense = wg.tensor([[0.0, 2.0, 0.0], [1.0, 0.0, -3.0]], dtype=wg.float64)
    return dense, getattr(dense, kind)()


@pytest.mark.parametrize("kind", ["to_sparse", "to_sparse_csr"])
def test_a_sparse_matrix_is_multiplied_with_all_members_of_a_batch(kind):
    dense, sparse = of_kind(kind)
    vectors, matrices = wg.rand(4, 3, dtype=wg.float64), wg.rand(2, 4, 3, 5, dtype=wg.float64)
    assert wg.vmap(lambda x: sparse.mv(x))(vectors).allclose(vectors @ dense.t())
    assert wg.vmap(lambda x: sparse @ x, in_dims=1, out_dims=1)(vectors.t()).allclose(dense @ vectors.t())
    assert wg.vmap(wg.vmap(lambda x: sparse @ x))(matrices).allclose(dense @ matrices)
    assert wg.vmap(lambda x: sparse.mv(x))(vectors[:0]).shape == (0, 2)
    with pytest.raises(RuntimeError, match=r"size mismatch, got \[2, 3\] and \[4\]"):
        wg.vmap(lambda x: sparse.mv(x))(wg.ones(2, 4, dtype=wg.float64))


@pytest.mark.parametrize("kind", ["to_sparse", "to_sparse_csr"])
def test_whole_jacobians_of_products_with_a_sparse_matrix(kind):
    dense, sparse = of_kind(kind)
    x = wg.tensor([1.0, -1.0, 2.0], dtype=wg.float64)
    for jacobian in (wg.func.jacrev, wg.func.jacfwd):
        assert jacobian(lambda x: sparse.mv(x))(x).equal(dense)
        wanted = jacobian(lambda x: dense @ x.diag())(x)
        assert jacobian(lambda x: sparse @ x.diag())(x).equal(wanted)
    assert wg.func.hessian(lambda x: (sparse.mv(x) ** 3).sum())(x).allclose(
        wg.func.hessian(lambda x: ((dense @ x) ** 3).sum())(x)
    )


def test_products_over_a_long_dimension_with_few_entries_take_little_memory():
    length = 10**12
    places = wg.tensor([[0, 1, 1], [5, 5, length - 1]])
    wide = wg.sparse_coo_tensor(places, wg.tensor([1.0, 3.0, 2.0]), (2, length))
    assert wg.sparse.mm(wide, wide.t()).to_dense().tolist() == [[1, 3], [3, 13]]


def test_saddmm_is_sspaddmm():
    x = wg.eye(2).to_sparse()
    wanted = wg.sspaddmm(x, x, wg.ones(2, 2), beta=2, alpha=3).to_dense()
    assert wg.saddmm(x, x, wg.ones(2, 2), beta=2, alpha=3).to_dense().equal(wanted)
