"""Parts of sparse tensors that are copied."""

from __future__ import annotations

import pytest

import wengert as wg


def test_parts_are_copied():
    x = wg.eye(3).to_sparse_csr()
    for part in ("crow_indices", "col_indices", "values"):
        made = getattr(wg, f"{part}_copy")(x)
        assert made.equal(getattr(x, part)()) and made.data_ptr() != getattr(x, part)().data_ptr()
    y = wg.eye(3).to_sparse_csc()
    assert wg.ccol_indices_copy(y).tolist() == [0, 1, 2, 3] and wg.row_indices_copy(y).tolist() == [0, 1, 2]
    assert wg.indices_copy(wg.eye(2).to_sparse()).tolist() == [[0, 1], [0, 1]]
    out = wg.zeros(0, dtype=wg.int64)
    assert wg.crow_indices_copy(x, out=out) is out and out.tolist() == [0, 1, 2, 3]
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype long int, but got float instead"):
        wg.crow_indices_copy(x, out=wg.zeros(0))
    with pytest.raises(
        RuntimeError, match="ccol_indices expected sparse column compressed tensor layout but got Sparse"
    ):
        wg.ccol_indices_copy(x)
    with pytest.raises(
        TypeError, match=r"crow_indices_copy\(\): argument 'input' \(position 1\) must be Tensor, not int"
    ):
        wg.crow_indices_copy(3)
    x.requires_grad_()
    wg.values_copy(x).sum().backward()
    assert x.grad.to_dense().tolist() == wg.eye(3).tolist()
