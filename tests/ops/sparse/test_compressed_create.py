"""How compressed sparse tensors are made, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

import wengert as wg
from wengert._core.cards.card import REGISTRY, Bad
from wengert.testing.calls import operators, samples_of

VALUES = [1.0, 2.0, 3.0]
BOUNDS, PLAIN = [0, 2, 2, 3], [0, 2, 1]


@pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "bsc", "compressed"])
def test_samples_of_the_constructors_are_taken_or_refused(kind: str) -> None:
    constructor = operators(sparse=True)[f"sparse_{kind}_tensor"]
    for sample in samples_of(constructor, wg.float64):
        if isinstance(sample, Bad):
            with pytest.raises(sample.raises) as caught:
                constructor.public(*sample.args, **sample.kwargs)
            assert sample.says in str(caught.value)
        else:
            assert (
                constructor.public(*sample.args, **sample.kwargs).to_dense().shape
                == ((2, 2), (2, 4), (4, 2))[{"bsr": 1, "bsc": 1}.get(kind, 0)]
            )


def test_the_least_shape_is_found() -> None:
    assert wg.sparse_csr_tensor(BOUNDS, PLAIN, VALUES).shape == (3, 3)
    assert wg.sparse_csc_tensor([0, 1], [4], [1.0]).shape == (5, 1)
    assert wg.sparse_csr_tensor([0], [], [], (0, 3)).shape == (0, 3)
    assert wg.sparse_bsr_tensor([0, 1, 2], [1, 0], wg.ones(2, 2, 3)).shape == (4, 6)
    assert wg.sparse_csr_tensor([BOUNDS] * 2, [PLAIN] * 2, [VALUES] * 2).shape == (2, 3, 3)


def test_places_keep_their_dtype() -> None:
    bounds, plain = wg.tensor(BOUNDS, dtype=wg.int32), wg.tensor(PLAIN, dtype=wg.int32)
    made = wg.sparse_csr_tensor(bounds, plain, VALUES, (3, 3))
    assert made.crow_indices().dtype is made.col_indices().dtype is wg.int32
    assert (made @ wg.ones(3)).tolist() == [3, 0, 3]


def test_values_have_the_gradient_and_the_dtype() -> None:
    values = wg.tensor(VALUES, requires_grad=True)
    made = wg.sparse_csr_tensor(BOUNDS, PLAIN, values, (3, 3), dtype=wg.float64)
    assert made.dtype is wg.float64
    assert "SparseCompressedTensorBackward0" in repr(wg.sparse_csr_tensor(BOUNDS, PLAIN, values, (3, 3)).grad_fn)
    (made @ wg.ones(3, dtype=wg.float64)).sum().backward()
    assert values.grad.tolist() == [1, 1, 1]
    assert wg.sparse_csr_tensor(BOUNDS, PLAIN, VALUES, requires_grad=True).is_leaf


C = wg.sparse_csr_tensor
REFUSED = {
    "begin": (lambda: C([1, 2, 2, 3], PLAIN, VALUES), r"`crow_indices\[..., 0\] == 0` is not satisfied"),
    "end": (lambda: C([0, 2, 2, 4], PLAIN, VALUES), r"`crow_indices\[..., -1\] == nnz` is not satisfied"),
    "falling": (lambda: C([0, 2, 1, 3], PLAIN, VALUES), r"0 <= crow_indices\[..., 1:\] - crow_indices"),
    "negative": (lambda: C(BOUNDS, [0, 2, -1], VALUES), "`0 <= col_indices < ncols` is not satisfied"),
    "outside": (lambda: C(BOUNDS, PLAIN, VALUES, (3, 2)), "`0 <= col_indices < ncols` is not satisfied"),
    "rows outside": (lambda: wg.sparse_csc_tensor(BOUNDS, PLAIN, VALUES, (2, 3)), "0 <= row_indices < nrows"),
    "rows": (lambda: C(BOUNDS, PLAIN, VALUES, (4, 3)), r"equal to the number of rows \+ 1 \(=5\), but got 4"),
    "entries": (lambda: C(BOUNDS, PLAIN, [1.0]), r"must be equal to nnz \(=1\) as defined by values.shape\[0\], but g"),
    "size": (lambda: C(BOUNDS, PLAIN, VALUES, (3,)), r"dimensionalities \(=0 \+ 2 \+ 0\) but got 1"),
    "negative size": (lambda: C(BOUNDS, PLAIN, VALUES, (-1, 3)), "no negative lengths"),
    "dimensions": (lambda: C([BOUNDS], PLAIN, VALUES), "dimensionalities must be equal but got 2 and 1"),
    "no dimension": (lambda: C(0, 0, VALUES, (1, 1)), "crow_indices must have dimensionality >= 1 but got 0"),
    "one value": (lambda: C(BOUNDS, PLAIN, wg.tensor(1.0), (3, 3)), "values must have dimensionality > sum of batch"),
    "dtypes": (lambda: C(wg.tensor(BOUNDS).int(), PLAIN, VALUES), "must have the same dtype, bot got Int and Long"),
    "short": (
        lambda: C(*(wg.tensor(x).short() for x in (BOUNDS, PLAIN)), VALUES),
        "must be Int or Long, but got Short",
    ),
    "batches": (lambda: C([BOUNDS] * 2, [PLAIN] * 2, [VALUES], (2, 3, 3)), "all batch dimensions of crow_indices"),
    "dense part": (lambda: C(BOUNDS, PLAIN, wg.ones(3, 2), (3, 3, 1)), r"values must have dense dimensions \[1\]"),
    "blocks": (lambda: wg.sparse_bsr_tensor([0, 1], [0], wg.ones(1, 2, 3), (2, 5)), r"divisible with blocksize\[1\]"),
    "no blocks": (lambda: wg.sparse_bsr_tensor([0, 1], [0], [1.0], (2, 3)), "values must have dimensionality > sum"),
    "layout": (lambda: C(BOUNDS, PLAIN, VALUES, layout=wg.sparse_coo), "layout must be SparseCsr but got Sparse"),
    "no layout": (lambda: wg.sparse_compressed_tensor(BOUNDS, PLAIN, VALUES), "tensor layout but got none"),
    "integers": (lambda: C(BOUNDS, PLAIN, [1, 2, 3], requires_grad=True), "floating point and complex dtype can req"),
    "sparse values": (lambda: C(BOUNDS, PLAIN, wg.ones(3).to_sparse()), "expected values to be a strided"),
    "sparse places": (lambda: C(BOUNDS, wg.tensor(PLAIN).to_sparse(), VALUES), "expected col_indices to be a strided"),
}


@pytest.mark.parametrize("call, words", REFUSED.values(), ids=REFUSED)
def test_parts_that_do_not_fit_are_refused(call: Any, words: str) -> None:
    with pytest.raises(RuntimeError, match=words):
        call()


def test_order_is_checked_where_that_is_wanted() -> None:
    check = wg.sparse.check_sparse_tensor_invariants
    for plain in ([2, 0, 1], [0, 0, 1]):
        C(BOUNDS, plain, VALUES)
        with pytest.raises(RuntimeError, match="are sorted and distinct along the last dimension"):
            C(BOUNDS, plain, VALUES, check_invariants=True)
        with check(), pytest.raises(RuntimeError, match="are sorted and distinct"):
            C(BOUNDS, plain, VALUES)
        with check():
            C(BOUNDS, plain, VALUES, check_invariants=False)
    C([0, 1, 2], [1, 0], [1.0, 2.0], check_invariants=True)
    with check(), check(False):
        assert not check.is_enabled()
    assert not check.is_enabled()
    check.enable()
    try:
        assert check(False)(check.is_enabled)() is False
        assert check.is_enabled()
    finally:
        check.disable()


@pytest.mark.parametrize("name", ["csr", "csc", "bsr", "bsc"])
def test_bounds_that_are_a_number_are_refused(name):
    values = wg.ones(2, 1, 2) if name[0] == "b" else wg.ones(2)
    with pytest.raises(RuntimeError, match="must have at least one dimension"):
        getattr(wg, f"sparse_{name}_tensor")(-1000, [0, 1], values)


@pytest.mark.parametrize("dims", [-1, 3, -(2**62)])
def test_dimensions_that_are_out_of_range_are_refused(dims):
    with pytest.raises(RuntimeError, match="from 0 to 2"):
        REGISTRY["_to_sparse"](wg.ones(2, 3), dims)
