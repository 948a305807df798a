"""Sparse tensors: what they hold, what operators make of them beside dense ones, and their gradients."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert._core.calls.sparse import CARDS
from wengert._core.cards.card import Bad
from wengert.nn import functional as F
from wengert.testing.calls import operators, samples_of

PLACES = wg.tensor([[0, 1, 1, 0], [2, 0, 2, 2]])


COLUMNS = wg.arange(6.0, dtype=wg.float64).reshape(3, 2)


def example(requires_grad: bool = False) -> Any:
    return wg.sparse_coo_tensor(PLACES, wg.tensor([3.0, 4.0, 5.0, 1.0]), (2, 3), requires_grad=requires_grad)


def test_a_sparse_tensor_is_printed_as_torch_prints_it() -> None:
    assert repr(example()) == (
        "tensor(indices=tensor([[0, 1, 1, 0],\n"
        "                       [2, 0, 2, 2]]),\n"
        "       values=tensor([3., 4., 5., 1.]),\n"
        "       size=(2, 3), nnz=4, layout=torch.sparse_coo)"
    )


def test_a_number_is_printed_too() -> None:
    assert "size=(), nnz=1, layout=torch.sparse_coo" in repr(wg.tensor(3.0).to_sparse())


def test_entries_at_one_place_add_up() -> None:
    found = example().coalesce()
    assert found.is_coalesced()
    assert found.indices().tolist() == [[0, 1, 1], [2, 0, 2]]
    assert found.values().tolist() == [4.0, 4.0, 5.0]
    assert example().to_dense().tolist() == [[0, 0, 4], [4, 0, 5]]
    assert (found.sparse_dim(), found.dense_dim(), found._nnz()) == (2, 0, 3)


CALLS = {
    "to_dense": lambda s: s.to_dense(),
    "mm": lambda s: wg.sparse.mm(s, wg.arange(6.0, dtype=wg.float64).reshape(3, 2)),
    "matmul": lambda s: s @ wg.arange(6.0, dtype=wg.float64).reshape(3, 2),
    "mv": lambda s: s @ wg.arange(3.0, dtype=wg.float64),
    "left": lambda s: wg.ones(2, 2, dtype=wg.float64) @ s,
    "sum": lambda s: wg.sparse.sum(s),
    "sum of columns": lambda s: wg.sparse.sum(s, 0).to_dense(),
    "softmax": lambda s: wg.sparse.softmax(s, 1).to_dense(),
    "log_softmax": lambda s: wg.sparse.log_softmax(s, 1).to_dense(),
    "products": lambda s: (s * s * 2 - s).to_dense(),
    "transposed": lambda s: wg.sparse.mm(s, s.t()).to_dense(),
    "values": lambda s: s.coalesce().values(),
    "unary": lambda s: (-s).abs().to_dense(),
    "added": lambda s: wg.ones(2, 3, dtype=wg.float64) + s,
    "double": lambda s: s.to(wg.float64).to_dense(),
    "again": lambda s: s.to_dense().to_sparse().to_dense(),
    "rows": lambda s: s.to_dense().to_sparse(1).to_dense(),
    "masked": lambda s: (s.to_dense() * 2).sparse_mask(example().coalesce()).to_dense(),
    "masked sparse": lambda s: s.sparse_mask(example().coalesce()).to_dense(),
    "addmm": lambda s: wg.sparse.addmm(wg.ones(2, 2, dtype=wg.float64), s, COLUMNS, beta=2, alpha=3),
    "in lines": lambda s: s.to_sparse_csr().to_dense(),
    "of lines": lambda s: wg.sparse_csr_tensor([0, 1, 3], [2, 0, 2], s.coalesce().values(), (2, 3)) @ COLUMNS,
    "reduced": lambda s: wg.sparse.mm(s.to_sparse_csr(), COLUMNS, "mean"),
    "sampled": lambda s: wg.sparse.sampled_addmm(s.to_sparse_csr(), COLUMNS[:2], COLUMNS.t()).to_dense(),
    "product of sparse ones": lambda s: wg.sparse.mm(s, COLUMNS.to_sparse()).to_dense(),
}


def of_entries(call: Any, entries: Any) -> Any:
    return call(wg.sparse_coo_tensor(PLACES, entries, (2, 3)))


def test_every_operator_of_sparse_tensors_has_its_gradient_compared() -> None:
    entries = wg.tensor([3.0, 4.0, 5.0, 1.0], dtype=wg.float64, requires_grad=True)
    with wg.autograd.profiler.profile() as seen:
        for call in CALLS.values():
            wg.autograd.grad(of_entries(call, entries).sum(), entries)
    cards = {name for name in operators(sparse=True) if name in CARDS} - {"hspmm", "sspaddmm"}  # which have none
    assert len(cards) == 16
    assert cards - {each.name.removeprefix("aten::") for each in seen.function_events} == set()


def test_samples_of_the_constructor_are_taken_or_refused() -> None:
    constructor = operators(sparse=True)["sparse_coo_tensor"]
    for sample in samples_of(constructor, wg.float64):
        if isinstance(sample, Bad):
            with pytest.raises(sample.raises, match=re.escape(sample.says)):
                constructor.public(*sample.args, **sample.kwargs)
        else:
            assert constructor.public(*sample.args, **sample.kwargs).is_sparse


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_gradients_with_respect_to_entries_are_those_of_differences(call: Any) -> None:
    values = wg.tensor([3.0, 4.0, 5.0, 1.0], dtype=wg.float64, requires_grad=True)
    assert wg.autograd.gradcheck(lambda each: of_entries(call, each), (values,))
    assert wg.autograd.gradgradcheck(lambda each: of_entries(call, each), (values,))


def test_the_gradient_of_a_sparse_leaf_lies_at_its_places() -> None:
    leaf = example(True)
    wg.sparse.mm(leaf, wg.ones(3, 2)).sum().backward()
    leaf.to_dense().sum().backward()
    assert leaf.grad.is_sparse
    assert leaf.grad.to_dense().tolist() == [[0, 0, 3], [3, 0, 3]]
    dense = wg.ones(2, 3, requires_grad=True)
    wg.sparse.sum(dense.to_sparse() * 2).backward()
    assert dense.grad.tolist() == [[2.0] * 3] * 2


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 8), st.integers(1, 4), st.integers(1, 4), st.integers(0, 2**31))
def test_operators_agree_with_dense_computation(count: int, rows: int, columns: int, seed: int) -> None:
    draw = np.random.default_rng(seed)

    def sparse() -> Any:
        places = np.stack([draw.integers(0, rows, count), draw.integers(0, columns, count)])
        return wg.sparse_coo_tensor(places, wg.tensor(draw.normal(size=count)), (rows, columns))

    first, second = sparse(), sparse()
    matrix = wg.tensor(draw.normal(size=(columns, 3)))
    for made, wanted in (
        (first + second, first.to_dense() + second.to_dense()),
        (first - second, first.to_dense() - second.to_dense()),
        (first * second, first.to_dense() * second.to_dense()),
        (first @ matrix, first.to_dense() @ matrix),
        (first @ second.t(), first.to_dense() @ second.to_dense().t()),
        (wg.cat([matrix.to_sparse(1)] * 2, 1), wg.cat([matrix] * 2, 1)),
        (wg.cat([first, second]), wg.cat([first.to_dense(), second.to_dense()])),
        (first.sum(1), first.to_dense().sum(1)),
        (first[0], first.to_dense()[0]),
        (first.index_select(1, wg.tensor([0, 0])), first.to_dense()[:, [0, 0]]),
        (first.coalesce(), first.to_dense()),
        (first.to_dense().to_sparse(), first.to_dense()),
    ):
        assert np.allclose(made.to_dense().numpy(), wanted.numpy())


def test_an_embedding_gives_its_table_a_sparse_gradient() -> None:
    table = wg.ones(4, 2, requires_grad=True)
    F.embedding(wg.tensor([1, 1, 3]), table, sparse=True).sum().backward()
    assert table.grad._indices().tolist() == [[1, 1, 3]]
    F.embedding(wg.tensor([[1, 0]]), table, sparse=True, padding_idx=0).sum().backward()
    assert table.grad.is_sparse
    assert table.grad.to_dense().tolist() == [[0, 0], [3, 3], [0, 0], [1, 1]]
    table.sum().backward()
    assert not table.grad.is_sparse
    assert table.grad.tolist() == [[1, 1], [4, 4], [1, 1], [2, 2]]


def test_bags_give_their_table_a_sparse_gradient() -> None:
    layers = [wg.nn.EmbeddingBag(4, 2, sparse=sparse) for sparse in (True, False)]
    layers[1].load_state_dict(layers[0].state_dict())
    for layer in layers:
        layer(wg.tensor([1, 2, 2]), wg.tensor([0, 1])).sum().backward()
    assert layers[0].weight.grad.is_sparse
    assert layers[0].weight.grad.to_dense().tolist() == layers[1].weight.grad.tolist()


@pytest.mark.parametrize("kind", ["SGD", "Adagrad"])
def test_steps_with_sparse_gradients_are_those_with_dense_ones(kind: str) -> None:
    tables = []
    for sparse in (True, False):
        layer = wg.nn.Embedding(4, 2, sparse=sparse, _weight=wg.arange(8.0).reshape(4, 2))
        optimizer = getattr(wg.optim, kind)(layer.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad(set_to_none=False)
            layer(wg.tensor([1, 1, 3])).sin().sum().backward()
            optimizer.step()
        tables.append(layer.weight.detach().numpy())
    assert np.allclose(*tables, rtol=1e-5, atol=1e-6)


def test_sparse_adam_moves_only_rows_with_a_gradient() -> None:
    layer = wg.nn.Embedding(4, 2, sparse=True, _weight=wg.ones(4, 2))
    optimizer = wg.optim.SparseAdam(layer.parameters(), lr=0.1)
    layer(wg.tensor([1, 1])).sum().backward()
    optimizer.step()
    assert np.allclose(layer.weight.detach().numpy(), [[1, 1], [0.9, 0.9], [1, 1], [1, 1]])
    with pytest.raises(RuntimeError, match="Adam does not support sparse gradients, please consider SparseAdam"):
        wg.optim.Adam(layer.parameters()).step()


def test_writes_to_sparse_tensors_and_of_them() -> None:
    sparse, dense = example(), wg.ones(2, 3)
    dense.add_(sparse, alpha=2)
    assert dense.tolist() == [[1, 1, 9], [9, 1, 11]]
    sparse.mul_(2)
    sparse += example()
    assert sparse.to_dense().tolist() == [[0, 0, 12], [12, 0, 15]]
    sparse.zero_()
    assert sparse._nnz() == 0
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        example(True).mul_(2)


def test_taylor_series_go_through_sparse_tensors() -> None:
    x, one = wg.tensor([1.0, 2.0, 3.0]), wg.ones(3)
    series = wg.func.taylor(lambda v: (v.to_sparse() * v.to_sparse()).to_dense(), (x,), (one,), order=2)
    assert [each.tolist() for each in series] == [[1, 4, 9], [2, 4, 6], [2, 2, 2]]


COMPLEX = {
    "mm": lambda s: wg.sparse.mm(s, COLUMNS * (1 + 0.5j)),
    "matmul": lambda s: s @ (COLUMNS * (1 + 0.5j)),
    "compressed": lambda s: s.to_sparse_csr() @ (COLUMNS * (1 + 0.5j)),
    "conjugate": lambda s: s.conj().to_dense(),
    "adjoint": lambda s: wg.sparse.mm(s.mH, COLUMNS[:2] * 1j),
    "absolute": lambda s: s.coalesce().abs().to_dense(),
}


@pytest.mark.parametrize("call", COMPLEX.values(), ids=COMPLEX)
def test_complex_entries_have_the_gradient_of_differences(call: Any) -> None:
    values = wg.tensor([3 + 1j, 4 - 2j, 5j, 1.0], dtype=wg.complex128, requires_grad=True)
    assert wg.autograd.gradcheck(lambda each: of_entries(call, each), (values,))


def test_the_other_factor_of_a_complex_product_has_its_gradient() -> None:
    sparse = wg.sparse_coo_tensor(PLACES[:, :3], wg.tensor([3 + 1j, 4 - 2j, 5j], dtype=wg.complex128), (2, 3))
    matrix = (COLUMNS * (1 + 0.5j)).requires_grad_()
    for product in (wg.sparse.mm, wg.mm):
        assert wg.autograd.gradcheck(lambda each, product=product: product(sparse, each), (matrix,))
    assert "dtype" not in repr(sparse.cfloat())
    assert sparse.real.to_dense().tolist() == sparse.to_dense().real.tolist()
    assert wg.view_as_real(sparse).to_dense().tolist() == wg.view_as_real(sparse.to_dense()).tolist()
    assert sparse.imag.to_dense().tolist() == sparse.to_dense().imag.tolist()


def test_a_part_is_copied() -> None:
    sparse, rows = example(), example().to_dense().to_sparse(1)
    assert sparse.narrow_copy(1, 1, 2).to_dense().tolist() == example().to_dense()[:, 1:].tolist()
    assert rows.narrow_copy(1, 1, 2).to_dense().tolist() == example().to_dense()[:, 1:].tolist()
    for arguments in ((1, 2, 3), (1, -1, 1), (-1, 0, 1)):
        with pytest.raises(RuntimeError, match=r"Invalid range to narrow|Dimension -1 out of range"):
            sparse.narrow_copy(*arguments)


def test_a_tensor_of_a_sparse_one_is_a_copy() -> None:
    sparse = example()
    for source in (sparse, sparse.coalesce().to_sparse_csr()):
        with pytest.warns(UserWarning, match="To copy construct from a tensor"):
            made = wg.tensor(source, dtype=wg.float64, requires_grad=True)
        assert (made.layout, made.dtype, made.is_leaf) == (source.layout, wg.float64, True)
        with pytest.warns(UserWarning, match="To copy construct from a tensor"):
            again = wg.ones(2).new_tensor(source)
        assert again.layout is source.layout
        again.mul_(2)
        assert source.to_dense().tolist() == example().to_dense().tolist()


@pytest.mark.parametrize("index", [0, (0, 0), slice(1), ..., True], ids=str)
def test_nothing_is_written_to_a_part_of_a_sparse_tensor(index: Any) -> None:
    for sparse in (example(), example().coalesce().to_sparse_csr()):
        with pytest.raises(TypeError, match="Cannot assign to a sparse tensor"):
            sparse[index] = 1.0


@pytest.mark.parametrize("dtype", [wg.float16, wg.bfloat16])
def test_halves_are_entries_as_they_are(dtype):
    dense = wg.tensor([[0, -8.5], [2, 0]], dtype=dtype)
    found = dense.to_sparse()
    assert found.values().dtype is found.dtype is dtype
    assert wg.equal(found.to_dense(), dense)
    assert wg.equal(wg.sparse.mm(found, dense), dense @ dense)
    assert wg.equal(wg.sparse.sum(found, 0).to_dense(), dense.sum(0))
    doubled = wg.sparse_coo_tensor([[0, 0]], wg.tensor([1.5, 2], dtype=dtype), (2,)).coalesce()
    assert doubled.values().tolist() == [3.5]
    leaf = dense.clone().requires_grad_()
    leaf.to_sparse().to_dense().sum().backward()
    assert leaf.grad.dtype is dtype
