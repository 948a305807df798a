"""Compressed sparse tensors: what they hold, and what operators make of them beside dense ones."""

from __future__ import annotations

import copy
import io
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg

LAYOUTS = [wg.sparse_csr, wg.sparse_csc, wg.sparse_bsr, wg.sparse_bsc]
DENSE = wg.arange(9.0).reshape(3, 3)


def example(requires_grad: bool = False) -> Any:
    return wg.sparse_csr_tensor([0, 2, 2, 3], [0, 2, 1], [1.0, 2.0, 3.0], (3, 3), requires_grad=requires_grad)


def in_layout(dense: Any, layout: Any, blocks: tuple[int, int] = (2, 1)) -> Any:
    return dense.to_sparse(layout=layout, blocksize=blocks if "_b" in layout.name else None)


def test_a_compressed_tensor_is_printed_as_torch_prints_it() -> None:
    assert repr(example()) == (
        "tensor(crow_indices=tensor([0, 2, 2, 3]),\n"
        "       col_indices=tensor([0, 2, 1]),\n"
        "       values=tensor([1., 2., 3.]), size=(3, 3), nnz=3,\n"
        "       layout=torch.sparse_csr)"
    )
    assert repr(example().to_sparse_csc().long()) == (
        "tensor(ccol_indices=tensor([0, 1, 2, 3]),\n"
        "       row_indices=tensor([0, 2, 0]),\n"
        "       values=tensor([1, 3, 2]), size=(3, 3), nnz=3, layout=torch.sparse_csc)"
    )


def test_its_parts_lie_in_the_memory_that_was_given() -> None:
    bounds, plain, values = wg.tensor([0, 2, 2, 3]), wg.tensor([0, 2, 1]), wg.tensor([1.0, 2.0, 3.0])
    made = wg.sparse_csr_tensor(bounds, plain, values, (3, 3))
    assert made.crow_indices().data_ptr() == bounds.data_ptr()
    assert made.col_indices().data_ptr() == plain.data_ptr()
    made.values().mul_(2)
    assert values.tolist() == [2, 4, 6]
    assert (made.sparse_dim(), made.dense_dim(), made._nnz(), made._version) == (2, 0, 3, 1)
    assert (made.is_sparse, made.is_sparse_csr, made.layout) == (False, True, wg.sparse_csr)


def test_it_has_no_steps_in_memory() -> None:
    made = example()
    for call in (made.stride, made.is_contiguous, made.contiguous, made.numpy, made.tolist, made.untyped_storage):
        with pytest.raises((RuntimeError, TypeError)):
            call()
    with pytest.raises(RuntimeError, match="Sparse CSR tensors do not have strides"):
        made.stride(0)
    with pytest.raises(RuntimeError, match="coalesce expected sparse coordinate tensor layout but got SparseCsr"):
        made.coalesce()
    with pytest.raises(
        RuntimeError, match="row_indices expected sparse column compressed tensor layout but got SparseC"
    ):
        made.row_indices()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 3), st.integers(0, 3), st.sampled_from(LAYOUTS), st.sampled_from(LAYOUTS), st.integers(0, 2**31))
def test_every_layout_holds_the_same_elements(rows: int, columns: int, first: Any, second: Any, seed: int) -> None:
    draw = np.random.default_rng(seed)
    dense = wg.tensor(draw.integers(0, 2, (rows * 2, columns)) * draw.normal(size=(rows * 2, columns)))
    made = in_layout(dense, first)
    again = in_layout(made, second)
    assert made.layout is first and again.layout is second
    assert np.array_equal(made.to_dense(), dense)
    assert np.array_equal(again.to_dense(), dense)
    assert np.array_equal(made.to_sparse().to_dense(), dense)
    assert np.array_equal(in_layout(dense.to_sparse(), first).to_dense(), dense)
    assert np.array_equal(made.t().to_dense(), dense.t())
    with wg.sparse.check_sparse_tensor_invariants():
        bounds, plain = (getattr(again, name)() for name in second.words)
        wg.sparse_compressed_tensor(bounds, plain, again.values(), again.shape, layout=second)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 4), st.integers(1, 4), st.sampled_from(LAYOUTS[:2]), st.integers(0, 2**31))
def test_operators_agree_with_dense_computation(rows: int, columns: int, layout: Any, seed: int) -> None:
    draw = np.random.default_rng(seed)

    def some(shape: tuple[int, int]) -> Any:
        return wg.tensor(draw.integers(0, 2, shape) * draw.normal(size=shape))

    whole, other = some((rows, columns)), some((rows, columns))
    first, second = in_layout(whole, layout), in_layout(other, layout)
    matrix, vector, left = some((columns, 2)), some((columns, 1))[:, 0], some((3, rows))
    for made, wanted in (
        (first @ matrix, whole @ matrix),
        (first @ vector, whole @ vector),
        (left @ first, left @ whole),
        (first @ second.t(), whole @ other.t()),
        (wg.addmm(wg.ones(2, dtype=wg.float64), first, matrix, beta=2, alpha=3), 2 + 3 * (whole @ matrix)),
        (wg.addmv(wg.ones(rows, dtype=wg.float64), first, vector, beta=2, alpha=3), 2 + 3 * (whole @ vector)),
        (wg.sparse.mm(first, matrix), whole @ matrix),
        (first + second, whole + other),
        (wg.add(first, second, alpha=-2), whole - 2 * other),
        (whole + second, whole + other),
        (first * second, whole * other),
        (first * other, whole * other),
        (first * 2, whole * 2),
        (-first, -whole),
        (first.sin(), whole.sin()),
        (first.sum(), whole.sum()),
        (first.sum(1, keepdim=True), whole.sum(1, keepdim=True)),
        (first.select(1, 0), whole.select(1, 0)),
        (other.sparse_mask(first), other * (whole != 0)),
    ):
        assert np.allclose(made.to_dense(), wanted)


def test_batches_and_dense_dimensions() -> None:
    batch = wg.stack([DENSE + 1, DENSE + 2])
    made = batch.to_sparse_csr()
    assert made.crow_indices().shape == (2, 4)
    assert made.to_dense().tolist() == batch.tolist()
    assert made[1].to_dense().tolist() == (DENSE + 2).tolist()
    assert made[1].layout is wg.sparse_csr
    assert made.transpose(1, 2).to_dense().tolist() == batch.transpose(1, 2).tolist()
    rows = wg.ones(2, 2, 3).to_sparse_csr(dense_dim=1)
    assert (rows.dense_dim(), rows.values().shape, rows.to_dense().tolist()) == (1, (4, 3), wg.ones(2, 2, 3).tolist())
    with pytest.raises(RuntimeError, match="Expected product of batch dimensions to be non-zero"):
        wg.zeros(0, 2, 2).to_sparse_csr()
    with pytest.raises(RuntimeError, match="Expect the same number of specified elements per batch"):
        wg.stack([DENSE, DENSE + 1]).to_sparse_csr()


def test_places_out_of_order_and_twice() -> None:
    assert wg.sparse_csr_tensor([0, 2], [1, 0], [1.0, 2.0]).to_dense().tolist() == [[2, 1]]
    twice = wg.sparse_csr_tensor([0, 2], [0, 0], [1.0, 2.0], (1, 2), requires_grad=True)
    assert (twice @ wg.ones(2)).tolist() == [3]
    twice.to_dense().sum().backward()
    assert twice.grad.values().tolist() == [1, 1]


def through_a_file(value: Any) -> Any:
    file = io.BytesIO()
    wg.save(value, file)
    file.seek(0)
    return wg.load(file)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, through_a_file, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies_are_of_the_same_layout(way: Any, layout: Any) -> None:
    given = in_layout(wg.eye(4), layout).requires_grad_()
    found = way(given)
    assert repr(found) == repr(given)
    assert found.is_leaf and found.requires_grad and found.layout is layout
    parameter = way(wg.nn.Parameter(given.detach()))
    assert isinstance(parameter, wg.nn.Parameter) and parameter.layout is layout
    assert way({"layout": layout})["layout"] is layout


def test_a_file_with_places_outside_is_refused() -> None:
    made = example()
    made.col_indices()[0] = 7
    with pytest.raises(ValueError, match="0 <= col_indices < ncols"):
        through_a_file(made)


def test_writes() -> None:
    made, dense = example(), wg.ones(3, 3)
    assert made.mul_(2) is made
    made += example()
    made.sin_()
    assert np.allclose(made.values(), np.sin([3.0, 6.0, 9.0]))
    dense.add_(example(), alpha=2)
    assert dense.tolist() == [[3, 1, 5], [1, 1, 1], [1, 7, 1]]
    made.copy_(example())
    assert made.to_dense().tolist() == example().to_dense().tolist()
    made.zero_()
    assert (made._nnz(), made.crow_indices().tolist()) == (0, [0, 0, 0, 0])
    assert example().fill_(4).values().tolist() == [4, 4, 4]


def test_factories_make_compressed_tensors() -> None:
    given = example()
    for made in (wg.zeros_like(given), given.new_zeros(3, 3), wg.zeros(3, 3, layout=wg.sparse_csr)):
        assert made.layout is wg.sparse_csr
        assert (made._nnz(), made.shape) == (0, (3, 3))
    assert wg.ones_like(given).values().tolist() == [1, 1, 1]
    assert wg.full_like(given, 2, dtype=wg.int32).values().tolist() == [2, 2, 2]
    assert given.values().tolist() == [1, 2, 3]
    assert wg.zeros(2, 3, 4, layout=wg.sparse_csc).ccol_indices().shape == (2, 5)
    with pytest.raises(RuntimeError, match="blocks have no size"):
        wg.zeros(4, 4, layout=wg.sparse_bsr)
    with pytest.raises(RuntimeError, match=r"Only batched sparse compressed .* supported, but got size \[3\]"):
        wg.zeros(3, layout=wg.sparse_csr)


REFUSED = {
    "exp": lambda c: c.exp(),
    "divided": lambda c: c / 2,
    "subtracted": lambda c: c - c,
    "compared": lambda c: c == c,
    "softmax": lambda c: wg.sparse.softmax(c, 1),
    "reshaped": lambda c: c.reshape(9),
    "sliced": lambda c: c[:2],
    "of two layouts": lambda c: c + c.to_sparse_csc(),
    "of two kinds": lambda c: c @ c.to_sparse(),
    "added a number": lambda c: c + 1,
    "mean": lambda c: c.mean(),
    "sum without keepdim": lambda c: c.sum(0),
    "other blocks": lambda c: c.to_sparse_bsr((2, 2)),
    "no blocks": lambda c: c.to_sparse(layout=wg.sparse_bsr),
    "blocks of none": lambda c: c.to_sparse(layout=wg.sparse_csr, blocksize=(1, 1)),
    "dense dtype": lambda c: c.to_dense(wg.float64),
    "set data": lambda c: setattr(c, "data", c.to_sparse()),
    "written": lambda c: c.__setitem__(0, 1.0),
    "of a vector": lambda c: DENSE[0].to_sparse_csr(),
    "of coordinates in three dimensions": lambda c: wg.ones(2, 2, 2).to_sparse().to_sparse_csr(),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED)
def test_what_torch_has_not_for_compressed_tensors_is_refused(call: Any) -> None:
    made = example()
    with pytest.raises((RuntimeError, TypeError)):
        call(made)
    assert made.to_dense().tolist() == example().to_dense().tolist()
