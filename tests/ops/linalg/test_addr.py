"""Outer products that are added to a matrix: dtypes."""

from __future__ import annotations

import pytest

import wengert as wg


@pytest.mark.parametrize(
    ("self", "vec1", "vec2", "wanted"),
    [
        ((3,), wg.int64, wg.bfloat16, wg.bfloat16),
        ((), wg.float32, wg.float32, wg.float64),
        ((), wg.int64, wg.float16, wg.float64),
    ],
)
def test_dimensions_say_nothing_of_the_dtype_of_a_sum_of_outer_products(self, vec1, vec2, wanted):
    bias = wg.ones(self, dtype=wg.bfloat16 if self else wg.float64)
    made = wg.addr(bias, wg.ones(3, dtype=vec1), wg.ones(3, dtype=vec2), beta=0.5, alpha=1)
    assert made.dtype is wanted
    assert made.unique().tolist() == [1.5]


def test_outer_products_are_added_in_the_promoted_dtype():
    first, second = wg.tensor([1, 2]), wg.tensor([3, 4])
    found = wg.addr(wg.tensor([0.5, 0.25]), first, second, alpha=2)
    assert found.dtype is wg.float32 and found.tolist() == [[6.5, 8.25], [12.5, 16.25]]
    truth = wg.tensor([True, False])
    assert wg.addr(truth, truth, truth, beta=0).tolist() == [[True, False], [False, False]]
    with pytest.raises(RuntimeError, match="argument alpha must not be a floating point number"):
        wg.addr(first, first, second, alpha=1.5)
    x = wg.ones(2, requires_grad=True)
    wg.addr(wg.zeros(2, 2), x, second).sum().backward()
    assert x.grad.tolist() == [7, 7]


def test_an_outer_product_must_fit_what_it_is_added_to():
    x = wg.ones(2, 2, dtype=wg.int64)
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        x.addr_(wg.ones(2), wg.ones(2))
    assert x.addr_(wg.ones(2, dtype=wg.int32), wg.ones(2, dtype=wg.int64)).tolist() == [[2, 2], [2, 2]]
