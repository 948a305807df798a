"""Sparse matrices made of diagonals."""

from __future__ import annotations

from typing import Any

import pytest

import wengert as wg


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
    "outside": (lambda: D(wg.ones(3), wg.tensor([5]), (3, 3)), "offset 5 is out of range for a 3x3 matrix"),
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
