"""Gradients of compressed sparse tensors: their layout, and products that are reduced or sampled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import wengert as wg

F64 = wg.float64
DENSE = wg.arange(9.0, dtype=F64).reshape(3, 3)


def example(values: Any = None, **options: Any) -> Any:
    values = wg.tensor([1.0, 2.0, 3.0], dtype=F64) if values is None else values
    return wg.sparse_csr_tensor([0, 2, 2, 3], [0, 2, 1], values, (3, 3), **options)


def test_gradients_have_the_layout_that_torch_gives_them() -> None:
    for call, layout, values in (
        (lambda c: c.to_dense() * DENSE, wg.sparse_csr, [0, 2, 7]),
        (lambda c: wg.sparse.mm(c, DENSE), wg.sparse_csr, [3, 21, 12]),
        (lambda c: wg.sparse.addmm(DENSE, c, DENSE), wg.sparse_csr, [3, 21, 12]),
        (lambda c: c.values() * 3, wg.sparse_csr, [3, 3, 3]),
        (lambda c: c @ DENSE, wg.strided, [3, 21, 12]),
        (lambda c: wg.addmm(DENSE, c, DENSE), wg.strided, [3, 21, 12]),
        (lambda c: c @ DENSE[0], wg.strided, [0, 2, 1]),
    ):
        leaf = example(requires_grad=True)
        call(leaf).sum().backward()
        assert leaf.grad.layout is layout
        assert leaf.grad.to_dense()[[0, 0, 2], [0, 2, 1]].tolist() == values
        call(leaf).sum().backward()
        assert leaf.grad.to_dense()[[0, 0, 2], [0, 2, 1]].tolist() == [2 * each for each in values]


def test_gradients_come_back_through_conversions() -> None:
    dense = DENSE.clone().requires_grad_()
    (dense.to_sparse_csr() @ DENSE).sum().backward()
    assert dense.grad.layout is wg.strided
    sparse = DENSE.to_sparse().requires_grad_()
    (sparse.to_sparse_csc() @ DENSE).sum().backward()
    assert sparse.grad.layout is wg.sparse_coo
    assert sparse.grad.to_dense().tolist() == dense.grad.tolist()


CALLS = {
    "mm": lambda c, d: c @ d,
    "from the left": lambda c, d: d @ c,
    "mv": lambda c, d: c @ d[0],
    "transposed": lambda c, d: c.t() @ d,
    "by columns": lambda c, d: c.to_sparse_csc() @ d,
    "sparse.mm": wg.sparse.mm,
    "sparse.addmm": lambda c, d: wg.sparse.addmm(d, c, d, beta=2, alpha=3),
    "squared": lambda c, d: (c * c).to_dense(),
    "added": lambda c, d: d + c,
    "coordinates": lambda c, d: c.to_sparse() @ d,
    "sampled": lambda c, d: wg.sparse.sampled_addmm(c, d, d, beta=2, alpha=3).to_dense(),
    "values": lambda c, d: c.values() ** 2,
    **{kind: lambda c, d, kind=kind: wg.sparse.mm(c, d, kind) for kind in ("sum", "mean", "amax", "amin")},
}


@pytest.mark.parametrize("name, call", CALLS.items(), ids=CALLS)
def test_gradients_are_those_of_differences(name: str, call: Any) -> None:
    values, dense = wg.tensor([1.5, -2.0, 3.0], dtype=F64, requires_grad=True), (DENSE + 1).requires_grad_()

    def function(values: Any, dense: Any) -> Any:
        return call(example(values), dense)

    assert wg.autograd.gradcheck(function, (values, dense), check_forward_ad=name != "added")
    assert wg.autograd.gradgradcheck(function, (values, dense))
    assert wg.autograd.gradcheck(lambda c: call(c, DENSE), (example(requires_grad=True),), masked=True)


def test_a_factor_has_the_sum_of_the_gradients() -> None:
    for sparse in (example(), example().to_sparse()):
        factor = wg.tensor(2.0, dtype=F64, requires_grad=True)
        ((sparse * factor).to_dense() * DENSE).sum().backward()
        assert factor.grad == 25


def test_the_logarithm_has_its_gradient() -> None:
    values = wg.tensor([1.5, 2.0, 3.0], dtype=F64, requires_grad=True)
    assert wg.autograd.gradcheck(lambda each: example(each).log1p().to_dense(), (values,))
    assert wg.autograd.gradcheck(lambda each: example(each).to_sparse().log1p().to_dense(), (values,))


def test_products_are_cast_where_that_is_wanted() -> None:
    sparse, dense = example().float(), DENSE.float()
    with wg.autocast("cpu", wg.bfloat16):
        for each in (sparse, sparse.to_sparse()):
            assert wg.sparse.mm(each, dense).dtype is (each @ dense).dtype is wg.bfloat16


@pytest.mark.parametrize("layout", [wg.sparse_bsr, wg.sparse_bsc], ids=str)
def test_blocks_have_gradients(layout: Any) -> None:
    dense = wg.tensor(np.random.default_rng(0).normal(size=(4, 6)), requires_grad=True)
    matrix = wg.ones(6, 2, dtype=F64)
    function = lambda x: x.to_sparse(layout=layout, blocksize=(2, 3)) @ matrix  # noqa: E731 - one of two
    assert wg.autograd.gradcheck(function, (dense,))
    assert wg.autograd.gradcheck(lambda x: x.to_sparse(layout=layout, blocksize=(2, 3)).to_dense(), (dense,))


def test_reductions_of_rows() -> None:
    made = wg.sparse_csr_tensor([0, 3, 3, 5], [0, 1, 2, 0, 1], [1.0, 1.0, 0.25, 2.0, 2.0], (3, 3)).requires_grad_()
    dense = wg.tensor([[1.0, 2.0], [1.0, 3.0], [4.0, -2.0]], requires_grad=True)
    assert wg.sparse.mm(made, dense, "mean").tolist() == [[1, 1.5], [0, 0], [2, 5]]
    assert wg.sparse.mm(made, dense, "amin").tolist() == [[1, -0.5], [0, 0], [2, 4]]
    most = wg.sparse.mm(made, dense, "amax")
    assert most.tolist() == [[1, 3], [0, 0], [2, 6]]
    (most * wg.arange(1.0, 7).reshape(3, 2)).sum().backward()
    assert made.grad.values().tolist() == [1, 6, 0, 5, 18]
    assert dense.grad.tolist() == [[11, 0], [0, 14], [0, 0]]


def test_products_at_places() -> None:
    batch = wg.stack([DENSE + 1, DENSE + 2]).to_sparse_csr()
    made = wg.sparse.sampled_addmm(batch, wg.stack([DENSE] * 2), wg.stack([DENSE] * 2), beta=0)
    assert made.to_dense().tolist() == [(DENSE @ DENSE).tolist()] * 2


REFUSED = {
    "prod": (lambda c: wg.sparse.mm(c, DENSE, "prod"), "reduce type of prod has not been enabled"),
    "unknown": (lambda c: wg.sparse.mm(c, DENSE, "x"), "must be either sum, prod, mean, amax or amin, got x"),
    "columns": (lambda c: wg.sparse.mm(c.to_sparse_csc(), DENSE, "sum"), "expect self to be SparseCsr, got SparseCsc"),
    "dense": (lambda c: wg.sparse.mm(DENSE, DENSE, "sum"), "arguments from the 'CPU' backend"),
    "integers": (lambda c: wg.sparse.mm(c.long(), DENSE.long(), "sum"), "not implemented for 'Long'"),
    "lengths": (lambda c: wg.sparse.mm(c, DENSE[:2], "sum"), r"tensor.size\[0\] == 3 but got: dimension 2"),
    "sampled of coordinates": (lambda c: wg.sparse.sampled_addmm(c.to_sparse(), DENSE, DENSE), "'SparseCPU' backend"),
    "sampled of columns": (lambda c: wg.sparse.sampled_addmm(c.to_sparse_csc(), DENSE, DENSE), "got SparseCsc"),
    "sampled lengths": (lambda c: wg.sparse.sampled_addmm(c, DENSE[:2], DENSE), r"self.shape\[-2\] must match mat1"),
    "sampled inner": (lambda c: wg.sparse.sampled_addmm(c, DENSE[:, :2], DENSE), r"multiplied \(3x2 and 3x3\)"),
    "sampled dtypes": (lambda c: wg.sparse.sampled_addmm(c, DENSE.float(), DENSE), "got Float and Double"),
}


@pytest.mark.parametrize("call, words", REFUSED.values(), ids=REFUSED)
def test_what_does_not_fit_is_refused(call: Any, words: str) -> None:
    with pytest.raises(RuntimeError, match=words):
        call(example())
