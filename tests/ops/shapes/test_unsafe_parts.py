"""Parts that are no views."""

from __future__ import annotations

import wengert as wg


def test_parts_that_are_no_views_share_memory_but_no_versions():
    x = wg.arange(4.0, requires_grad=True)
    first, second = x.unsafe_split(2)
    assert not first._is_view() and first.data_ptr() == x.data_ptr()
    assert (first.grad_fn.name(), second.grad_fn.name()) == ("UnsafeSplitBackward0",) * 2
    (first * second).sum().backward()
    assert x.grad.tolist() == [2.0, 3.0, 0.0, 1.0]
