"""Factories of sparse tensors without entries."""

from __future__ import annotations

from typing import Any

import pytest

import wengert as wg


def example(requires_grad: bool = False) -> Any:
    return wg.sparse_coo_tensor([[0, 1, 1, 0], [2, 0, 2, 2]], [3.0, 4.0, 5.0, 1.0], (2, 3), requires_grad=requires_grad)


def test_factories_make_sparse_tensors_without_entries() -> None:
    like = example()
    for made in (
        wg.zeros(2, 3, layout=wg.sparse_coo),
        wg.empty(2, 3, layout=wg.sparse_coo),
        wg.zeros_like(wg.ones(2, 3), layout=wg.sparse_coo),
        wg.zeros_like(like),
        like.new_zeros(2, 3),
    ):
        assert made.is_sparse
        assert (made.shape, made._nnz(), made.is_coalesced()) == ((2, 3), 0, True)
    assert not wg.zeros_like(like, layout=wg.strided).is_sparse
    with pytest.raises(NotImplementedError, match=r"Could not run 'aten::fill_\.Scalar'"):
        wg.ones(2, layout=wg.sparse_coo)
