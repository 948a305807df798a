"""Comparisons in place, which write 0 and 1 into a target of any dtype, and their derivative, which is zero."""

from __future__ import annotations

import pytest

import wengert as wg


@pytest.mark.parametrize("dtype", [wg.int64, wg.uint8, wg.bool, wg.float32, wg.bfloat16, wg.float64])
@pytest.mark.parametrize("other", [1.5, 0.5, [1.0, 0.5], 300])
@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_what_is_compared_is_promoted_and_what_is_written_is_0_or_1(name, dtype, other):
    x = wg.tensor([1, 0], dtype=dtype)
    other = wg.tensor(other) if isinstance(other, list) else other
    wanted = getattr(x, name)(other)
    assert getattr(x, f"{name}_")(other) is x
    assert x.dtype is dtype and x.tolist() == wanted.to(dtype).tolist()


def test_numbers_beside_halves_are_rounded_to_them():
    assert wg.tensor([2.1, 2.0], dtype=wg.bfloat16).eq_(2.1).tolist() == [1, 0]


@pytest.mark.parametrize("other", [wg.ones(3), wg.ones(3, 2)])
def test_operands_that_do_not_fit_are_refused(other):
    x = wg.tensor([1.0, 2.0])
    with pytest.raises(RuntimeError, match=r"must match the size of tensor b|doesn't match the broadcast shape"):
        x.gt_(other)
    assert x.tolist() == [1, 2]


@pytest.mark.parametrize("anomalous", [False, True])
def test_gradients_are_zero(anomalous):
    x, other = wg.tensor([1.0, float("inf")], requires_grad=True), wg.tensor([1.0], requires_grad=True)
    with wg.autograd.set_detect_anomaly(anomalous):
        y = x * 1
        y.gt_(other)
        assert y.grad_fn.name() == "GtBackward1"
        y.sum().backward()
    assert x.grad.tolist() == [0, 0] and other.grad.tolist() == [0]


def test_a_part_that_is_compared_has_a_zero_gradient():
    x = wg.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    y[:1].gt_(2)
    y.sum().backward()
    assert x.grad.tolist() == [0, 3]


def test_tangents_end():
    made, tangent = wg.func.jvp(lambda x: x.clone().ge_(1.5), (wg.arange(3.0),), (wg.ones(3),))
    assert made.tolist() == [0, 0, 1] and tangent.tolist() == [0, 0, 0]


def test_batches_compare_member_by_member():
    assert wg.vmap(lambda x: x.clone().ge_(1.5))(wg.arange(4).reshape(2, 2)).tolist() == [[0, 0], [1, 1]]
