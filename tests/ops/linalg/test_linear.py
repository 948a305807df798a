"""Products with a weight and a bias."""

from __future__ import annotations

import pytest

import wengert as wg
import wengert.nn.functional as F


def test_a_bias_of_more_than_a_row_is_added_to_the_product():
    x, weight = wg.ones(2, 3, 4, requires_grad=True), wg.ones(5, 4)
    for shape, node in (((5,), "View"), ((1, 5), "View"), ((), "Add"), ((3, 5), "Add"), ((2, 3, 5), "Add")):
        made = F.linear(x, weight, wg.ones(shape))
        assert made.equal(wg.full((2, 3, 5), 5.0))
        assert made.grad_fn.name() == f"{node}Backward0"


def test_a_bias_along_one_dimension_goes_with_the_rows_one_below_the_other():
    x, weight = wg.ones(3, 2, 2, requires_grad=True), wg.ones(2, 2)
    made = F.linear(x, weight, wg.arange(6.0).reshape(6, 1))
    assert made[:, :, 0].tolist() == made[:, :, 1].tolist() == [[2, 3], [4, 5], [6, 7]]
    assert made.grad_fn.name() == "ViewBackward0"
    assert F.linear(x, weight, wg.ones(1, 1)).grad_fn.name() == "AddBackward0"
    for shape in ((2, 1), (3, 1, 1)):
        with pytest.raises(RuntimeError, match="expand"):
            F.linear(x, weight, wg.ones(shape))
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        F.linear(wg.ones(2), weight, wg.ones(1, 1))
