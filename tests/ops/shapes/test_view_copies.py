"""Copies of views."""

from __future__ import annotations

import pytest

import wengert as wg


def test_a_copy_of_a_view_is_no_view():
    x = wg.ones(2, 3, requires_grad=True)
    for made, name in (
        (wg.permute_copy(x, (1, 0)), "PermuteBackward0_copy"),
        (wg.expand_copy(x, (2, 2, 3)), "ExpandBackward0_copy"),
        (wg.view_copy(x, (6,)), "ViewBackward0_copy"),
        (wg.split_copy(x, 1)[1], "SplitBackward0_copy"),
        (wg.split_with_sizes_copy(x, [1, 1])[1], "SplitWithSizesBackward0_copy"),
        (wg.squeeze_copy(x, 0), "SqueezeBackward1_copy"),
    ):
        assert not made._is_view() and made.is_contiguous() and made.grad_fn.name() == name
        (slope,) = wg.autograd.grad(made.sum(), x)
        assert slope.sum().item() == made.numel()


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda x, out: wg.unbind_copy(x, out=out), "unbind_copy_int_out"),
        (lambda x, out: wg.split_copy(x, 1, out=out), r"split_copy_Tensor_out\(\)"),
        (lambda x, out: wg.split_with_sizes_copy(x, [1, 1], out=out), "split_with_sizes_copy_out"),
    ],
)
def test_copies_of_parts_are_written_into_as_many_tensors(call, named):
    x = wg.tensor([[1.0], [2.0]])
    for count in (0, 1, 3):
        out = [wg.zeros(0) for _ in range(count)]
        with pytest.raises(RuntimeError, match=rf"{named} expected an out= argument of size 2, got size {count}"):
            call(x, out)
        assert all(each.shape == (0,) for each in out)
    out = [wg.zeros(0), wg.zeros(0)]
    assert call(x, out) is None and [each.sum().item() for each in out] == [1, 2]
    assert wg.unbind_copy(wg.ones(0, 2), out=()) is None
