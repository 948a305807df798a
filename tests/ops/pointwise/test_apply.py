"""apply_, map_ and map2_: a Python function for each element."""

from __future__ import annotations

import pytest

import wengert as wg


def test_each_element_is_replaced_by_what_the_function_makes_of_it():
    x = wg.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert x.t().apply_(lambda value: value * 2)._base is x
    assert x.tolist() == [[2, 4], [6, 8]]
    assert x.map_(wg.tensor([1.0, 0.0]), lambda one, other: one + other) is x
    assert x.tolist() == [[3, 4], [7, 8]]
    assert x.map2_(x, wg.ones(2), lambda one, two, three: one - two + three).tolist() == [[1, 1], [1, 1]]
    assert x._version == 0


def test_whole_numbers_stay_whole():
    assert wg.tensor([1, 2]).apply_(lambda value: value + 0.5).tolist() == [1, 2]


@pytest.mark.parametrize("make", [lambda: wg.ones(2, requires_grad=True), lambda: wg.ones(2, requires_grad=True) * 1])
def test_what_requires_a_gradient_is_refused(make):
    x = make()
    with pytest.raises(RuntimeError, match=r"Can't call apply_\(\) on Variable that requires grad"):
        x.apply_(abs)
    with pytest.raises(RuntimeError, match=r"Can't call map_\(\) on Variable that requires grad"):
        x.map_(wg.ones(2), max)


def test_a_function_that_fails_leaves_the_tensor_as_it_was():
    x = wg.tensor([1.0, 0.0])
    with pytest.raises(ZeroDivisionError):
        x.apply_(lambda value: 1 / value)
    with pytest.raises(TypeError):
        x.apply_(lambda value: "a")
    with pytest.raises(TypeError, match=r"map_: expected torch.FloatTensor for 'other' \(got torch.LongTensor\)"):
        x.map_(wg.tensor([1, 2]), max)
    assert x.tolist() == [1, 0]


def test_map_refuses_every_operand_that_requires_a_gradient():
    plain, recorded = wg.ones(2), wg.ones(2, requires_grad=True)
    for operands in ((recorded, plain, plain), (plain, recorded, plain), (plain, plain, recorded)):
        with pytest.raises(RuntimeError, match=r"Can't call map2_\(\) on Variable that requires grad"):
            operands[0].map2_(*operands[1:], lambda x, y, z: x + y * z)
        if operands[2] is plain:
            with pytest.raises(RuntimeError, match=r"Can't call map_\(\) on Variable that requires grad"):
                operands[0].map_(operands[1], lambda x, y: x + y)
    assert plain.map2_(plain * 2, plain * 3, lambda x, y, z: x + y * z).tolist() == [7.0, 7.0]
