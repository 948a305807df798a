"""Sparse tensors given another shape, made of diagonals, and of types of torch's early days."""

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


def test_a_matrix_of_its_diagonals() -> None:
    diagonals = wg.tensor([[1.0, 2, 3], [4, 5, 6]])
    made = wg.sparse.spdiags(diagonals, wg.tensor([0, 1]), (3, 3))
    assert made._indices().tolist() == [[0, 1, 2, 0, 1], [0, 1, 2, 1, 2]]
    assert made._values().tolist() == [1, 2, 3, 5, 6]
    assert wg.sparse.spdiags(diagonals, wg.tensor([-1, 2]), (3, 4)).to_dense().tolist() == [
        [0, 0, 6, 0],
        [1, 0, 0, 0],
        [0, 2, 0, 0],
    ]
    assert wg.sparse.spdiags(wg.ones(3), wg.tensor(0), (3, 3), wg.sparse_csr).layout is wg.sparse_csr
    leaf = wg.ones(2, 3, requires_grad=True)
    wg.sparse.spdiags(leaf, wg.tensor([0, 1]), (3, 3)).to_dense().sum().backward()
    assert leaf.grad.tolist() == [[1, 1, 1], [0, 1, 1]]


D = wg.sparse.spdiags
REFUSED = {
    "number": (
        lambda: D(wg.ones(1, 3), wg.tensor([0, 1]), (3, 3)),
        r"diagonals \(1\) does not match the number of offse",
    ),
    "twice": (lambda: D(wg.ones(2, 3), wg.tensor([0, 0]), (3, 3)), "Offset tensor contains duplicate values"),
    "outside": (lambda: D(wg.ones(3), wg.tensor([5]), (3, 3)), "offset 5 lies outside of a 3x3 matrix"),
    "shape": (lambda: D(wg.ones(3), wg.tensor([0]), (3,)), "Output shape must be 2d"),
    "floats": (lambda: D(wg.ones(3), wg.tensor([0.0]), (3, 3)), "must have dtype Long but got Float"),
    "cube": (lambda: D(wg.ones(1, 1, 3), wg.tensor([0]), (3, 3)), "Diagonals must be vector or matrix"),
    "matrix": (lambda: D(wg.ones(3), wg.tensor([[0]]), (3, 3)), "Offsets must be scalar or vector"),
    "layout": (lambda: D(wg.ones(3), wg.tensor([0]), (3, 3), wg.strided), "are supported, got Strided"),
}


@pytest.mark.parametrize("call, words", REFUSED.values(), ids=REFUSED)
def test_diagonals_that_do_not_fit_are_refused(call: Any, words: str) -> None:
    with pytest.raises(RuntimeError, match=words):
        call()


def test_types_make_sparse_tensors_and_answer_isinstance() -> None:
    kind = wg.sparse.FloatTensor
    made = kind(wg.tensor([[0], [1]]), wg.tensor([2.0]), wg.Size([2, 2]))
    assert made.to_dense().tolist() == [[0, 2], [0, 0]]
    assert kind(wg.tensor([[0], [1]]), wg.tensor([2.0])).shape == (1, 2)
    assert (kind(2, 3).shape, kind(2, 3)._nnz(), kind().shape) == ((2, 3), 0, (0,))
    assert isinstance(made, kind) and not isinstance(made, (wg.sparse.DoubleTensor, wg.FloatTensor))
    assert not isinstance(made.to_dense(), kind) and not isinstance(made.to_sparse_csr(), kind)
    for wanted in (wg.sparse.DoubleTensor, "torch.sparse.DoubleTensor"):
        assert made.type(wanted).type() == "torch.sparse.DoubleTensor"
    with pytest.raises(TypeError, match="expected indices, values and perhaps a size"):
        kind(wg.tensor([[0], [1]]))
    assert repr(kind) == "<class 'torch.sparse.FloatTensor'>"


def test_gradcheck_is_one_of_sparse_tensors() -> None:
    check = wg.sparse.as_sparse_gradcheck(wg.autograd.gradcheck)
    assert check(lambda s: s.to_dense(), (example().double().requires_grad_(),), masked=True)
