"""Writes to sparse tensors, seen through what shares their entries."""

from __future__ import annotations

from typing import Any

import pytest

import wengert as wg


def example(requires_grad: bool = False) -> Any:
    return wg.sparse_coo_tensor([[0, 1, 1, 0], [2, 0, 2, 2]], [3.0, 4.0, 5.0, 1.0], (2, 3), requires_grad=requires_grad)


def test_a_write_to_entries_is_one_to_the_sparse_tensor() -> None:
    sparse = example().coalesce()
    sparse.values().mul_(2)
    assert sparse.to_dense().tolist() == [[0, 0, 8], [8, 0, 10]]
    assert sparse._version == 1


@pytest.mark.parametrize("view", [lambda s: s.detach(), lambda s: s.data, lambda s: s.t().t()])
def test_what_shares_the_entries_sees_a_write(view: Any) -> None:
    sparse = example()
    view(sparse).mul_(3)
    assert sparse.to_dense().tolist() == [[0, 0, 12], [12, 0, 15]]


def test_a_value_that_was_saved_and_written_to_is_found() -> None:
    leaf = example(True)
    made = leaf * 1
    squared = made * made
    with wg.no_grad():
        made.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        wg.sparse.sum(squared).backward()


def test_dimensions_are_exchanged_in_place() -> None:
    sparse = example()
    assert sparse.t_() is sparse
    assert sparse.transpose_(0, 1).t_().shape == (3, 2)
    assert sparse.to_dense().tolist() == example().to_dense().t().tolist()


def test_functions_of_entries_that_would_be_added_first_are_not_written_in_place() -> None:
    with pytest.raises(RuntimeError, match="abs_ requires coalesced input"):
        example().abs_()
    assert example().coalesce().sqrt_().to_dense().tolist() == wg.sqrt(example().to_dense()).tolist()


def test_a_dense_tensor_is_multiplied_in_place_by_a_sparse_one() -> None:
    dense = wg.ones(2, 3)
    dense.mul_(example())
    assert dense.tolist() == example().to_dense().tolist()
