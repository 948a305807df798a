"""Sparse tensors kept and copied: files, pickles, deep copies."""

from __future__ import annotations

import copy
import io
import pickle
from typing import Any

import pytest

import wengert as wg


def example(requires_grad: bool = False) -> Any:
    return wg.sparse_coo_tensor([[0, 1, 1, 0], [2, 0, 2, 2]], [3.0, 4.0, 5.0, 1.0], (2, 3), requires_grad=requires_grad)


def through_a_file(value: Any) -> Any:
    file = io.BytesIO()
    wg.save(value, file)
    file.seek(0)
    return wg.load(file)


WAYS = {
    "file": through_a_file,
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_sparse_tensor_comes_back_with_places_entries_and_facts(way: Any) -> None:
    for given in (example(), example(True), example().coalesce(), wg.eye(3).to_sparse(1), wg.zeros(2, 2).to_sparse()):
        made = way(given)
        assert made is not given
        if way is through_a_file and given.requires_grad:  # torch's form of files says nothing of it
            made.requires_grad = True
        assert repr(made) == repr(given)
        assert made.is_coalesced() is given.is_coalesced()
        assert made.is_leaf
        assert made._values().data_ptr() != given._values().data_ptr() or not given._nnz()


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_parameters_and_states_of_optimisers_come_back_sparse(way: Any) -> None:
    made = way(wg.nn.Parameter(example()))
    assert isinstance(made, wg.nn.Parameter)
    assert made.is_sparse
    layer = wg.nn.Embedding(3, 2, sparse=True)
    optimizer = wg.optim.SGD(layer.parameters(), lr=0.1, momentum=0.9)
    layer(wg.tensor([1])).sum().backward()
    optimizer.step()
    kept = way(optimizer.state_dict())["state"][0]["momentum_buffer"]
    assert kept.is_sparse
    assert kept.to_dense().tolist() == [[0, 0], [1, 1], [0, 0]]


def test_a_recorded_sparse_tensor_is_not_copied_deeply() -> None:
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(example(True) * 2)


def test_a_file_with_places_outside_of_the_shape_is_refused() -> None:
    sparse = example()
    sparse._indices()[0, 0] = 7
    with pytest.raises(ValueError, match="for dim 0, size is 2 but found index 7"):
        through_a_file(sparse)
