"""The number of the backward pass that is under way."""

from __future__ import annotations

import wengert as wg
from wengert import _C


def test_a_pass_has_one_number_and_outside_there_is_none():
    seen = []
    x = wg.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda grad: seen.append(_C._current_graph_task_id()))
    x.register_hook(lambda grad: seen.append(_C._current_graph_task_id()))
    assert _C._current_graph_task_id() == -1
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    assert seen[0] == seen[1] >= 0 and seen[2] == seen[3] > seen[0]
    assert _C._current_graph_task_id() == -1
