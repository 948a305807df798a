"""Sparse tensors given another shape."""

from __future__ import annotations

from typing import Any

import pytest

import wengert as wg


def example() -> Any:
    return wg.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [1.0, 2.0, 3.0], (2, 3))


def test_a_tensor_grows_in_place() -> None:
    sparse, whole = example(), example().to_dense()
    assert sparse.sparse_resize_((4, 5), 2, 0) is sparse
    assert sparse.to_dense()[:2, :3].tolist() == whole.tolist()
    assert (sparse.shape, sparse._nnz(), sparse._version, sparse.to_dense().sum().item()) == ((4, 5), 3, 1, 6)
    rows = whole.to_sparse(1)
    rows.sparse_resize_((3, 5), 1, 1)
    assert rows.to_dense()[:2, :3].tolist() == whole.tolist()
    assert rows.to_dense().sum() == 6
    assert example().resize_as_sparse_(wg.zeros(4, 4).to_sparse()).shape == (4, 4)


def test_a_tensor_without_entries_gets_any_shape() -> None:
    sparse = wg.zeros(2, 3).to_sparse()
    sparse.sparse_resize_((4, 5, 6), 1, 2)
    assert (sparse.shape, sparse.sparse_dim(), sparse.values().shape) == ((4, 5, 6), 1, (0, 5, 6))
    sparse = example()
    sparse.sparse_resize_and_clear_((1, 2), 2, 0)
    assert (sparse.shape, sparse._nnz(), sparse.is_coalesced()) == ((1, 2), 0, True)


RESIZED = {
    "shrunk": (lambda s: s.sparse_resize_((1, 1), 2, 0), r"sparse dimensions \(from \[2, 3\] to \[1, 1\]\)"),
    "fewer": (lambda s: s.sparse_resize_((2, 3), 1, 1), r"number of sparse dimensions \(from 2 to 1\)"),
    "more": (lambda s: s.sparse_resize_((2, 3, 4), 2, 1), r"number of dense dimensions \(from 0 to 1\)"),
    "rows shrunk": (
        lambda s: s.to_dense().to_sparse(1).sparse_resize_((2, 2), 1, 1),
        r"dense dimensions \(from \[3\] to",
    ),
    "other size": (lambda s: s.sparse_resize_((2,), 2, 0), "sparse_dim . dense_dim' is not satisfied: len.size. = 1"),
    "negative": (lambda s: s.sparse_resize_and_clear_((-2, 2), 2, 0), "no negative lengths"),
    "dense": (lambda s: s.to_dense().sparse_resize_((2, 2), 2, 0), "from the 'CPU' backend"),
    "compressed": (lambda s: s.to_sparse_csr().sparse_resize_((2, 2), 2, 0), "from the 'SparseCsrCPU' backend"),
    "as a dense one": (lambda s: s.resize_as_sparse_(wg.ones(2, 3)), "sparse coordinate tensor layout but got Strided"),
    "a leaf": (lambda s: s.requires_grad_().sparse_resize_((4, 4), 2, 0), "a leaf Variable that requires grad"),
}


@pytest.mark.parametrize("call, words", RESIZED.values(), ids=RESIZED)
def test_a_shape_that_does_not_fit_is_refused(call: Any, words: str) -> None:
    sparse = example()
    with pytest.raises(RuntimeError, match=words):
        call(sparse)
    assert (sparse.to_dense().tolist(), sparse._version) == (example().to_dense().tolist(), 0)


def test_a_matrix_in_compressed_rows_grows():
    x = wg.eye(2).to_sparse_csr()
    values = x.values()
    assert x.resize_(3, 4) is x and x.shape == (3, 4) and x._version == 1
    assert x.crow_indices().tolist() == [0, 1, 2, 2] and x.values().data_ptr() == values.data_ptr()
    assert x.resize_as_(wg.zeros(4, 4)).to_dense().sum() == 2
    for shape, text in (((4, 2), "Resizing columns"), ((3, 4), "Resizing rows"), ((9,), "Only batched sparse CSR")):
        with pytest.raises(RuntimeError, match=text):
            x.resize_(*shape)
    with pytest.raises(NotImplementedError, match="'aten::resize_' with arguments from the 'SparseCscCPU' backend"):
        wg.eye(2).to_sparse_csc().resize_(3, 3)
    assert x.shape == (4, 4)
