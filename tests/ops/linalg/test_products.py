"""Products of matrices and vectors: what is refused, and what is not read."""

from __future__ import annotations

import pytest

import wengert as wg
import wengert.nn.functional as F
from tests.ops.linalg.matrices import drawn


def test_matrices_of_a_chain_are_multiplied_where_it_costs_least():
    a, b, c = drawn(2, 30), drawn(30, 1), drawn(1, 40)
    made = wg.linalg.multi_dot([a.requires_grad_(), b, c])
    inner = made.grad_fn.next_functions[0][0] if made.grad_fn.name() == "ViewBackward0" else made.grad_fn
    assert inner.next_functions[0][0].name() == "MmBackward0"  # (a b) c
    assert wg.allclose(made, a @ b @ c)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda x: wg.cdist(x, x, 2.0, None), ValueError, "None is not a valid value for compute_mode"),
        (lambda x: wg.linalg.vecdot(x, x, dim=None), TypeError, "must be int, not NoneType"),
        (lambda x: wg.tensordot(x, x, (0, [0])), TypeError, "'dims_self' must be tuple of ints, not int"),
        (lambda x: wg.tensordot(x, x, ([0], 0)), TypeError, "'dims_other' must be tuple of ints, not int"),
        (lambda x: F.linear(x[0], x, x), RuntimeError, r"output with shape \[2\] doesn't match the broadcast shape"),
    ],
)
def test_what_products_refuse(call, error, text):
    with pytest.raises(error, match=text):
        call(wg.ones(2, 2))


def test_a_product_of_blocks_keeps_the_order_of_its_factors():
    b = wg.arange(200.0).as_strided((20, 10, 1), (1, 20, 200))
    assert wg.kron(wg.rand(5, 5), b).stride() == (1, 100, 20)
    assert wg.kron(wg.rand(2, 3).t(), wg.rand(3, 2).t()).stride() == (1, 6)
    assert wg.kron(wg.rand(2, 3), wg.rand(3, 2)).stride() == (6, 1)


def test_an_inner_product_with_one_number_is_written_as_a_product_is():
    one, several = wg.tensor(2.0), wg.tensor([1.0, 2.0])
    out = wg.empty(2, dtype=wg.float64)
    assert wg.inner(one, several, out=out).tolist() == [2, 4] and out.dtype is wg.float64
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        wg.inner(one, several, out=wg.empty(2, dtype=wg.int64))
    with pytest.raises(RuntimeError, match=r"^mul\(\): functions with out="):
        wg.inner(one.requires_grad_(), several, out=wg.empty(2))
    with pytest.raises(RuntimeError, match="tensordot: Expected the output tensor to have dtype Float"):
        wg.inner(several, several, out=wg.empty((), dtype=wg.float64))
