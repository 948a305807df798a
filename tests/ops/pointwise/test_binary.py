"""Sums, differences and quotients of two operands."""

from __future__ import annotations

import pytest

import wengert as wg


def test_the_reflected_difference_called_by_name_is_recorded_as_such() -> None:
    x, y = wg.ones(2, requires_grad=True), wg.zeros(2)
    assert wg.Tensor.__rsub__(x, y).grad_fn.name() == "RsubBackward0"
    assert (y - wg.nn.Parameter(wg.ones(2))).grad_fn.name() == "SubBackward0"
    assert wg.Tensor.__rsub__(x, y).tolist() == [-1, -1]


@pytest.mark.parametrize("make", [wg.add, wg.sub, wg.rsub])
def test_a_truth_is_no_factor(make) -> None:
    x = wg.ones(2)
    with pytest.raises(RuntimeError, match="Boolean alpha only supported for Boolean results"):
        make(x, x, alpha=True)
    assert make(x, x, alpha=1).shape == (2,)


def test_the_signs_of_python_2():
    x = wg.tensor([2.0, 4.0], requires_grad=True)
    assert x.__rdiv__(2).tolist() == [1, 0.5] and x.__div__(2).tolist() == [1, 2]
    written = x.detach().clone()
    assert written.__idiv__(2) is written and written.tolist() == [1, 2]


@pytest.mark.parametrize("name", ["remainder", "fmod", "floor_divide"])
def test_no_integers_are_divided_by_zero(name):
    none, one = wg.ones(0, dtype=wg.int64), wg.ones(1, dtype=wg.int64)
    assert getattr(wg, name)(none, 0).shape == (0,)
    assert getattr(wg, name)(none, one * 0).shape == (0,)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        getattr(wg, name)(one, 0)
