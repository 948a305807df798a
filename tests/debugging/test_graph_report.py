"""`graph_report`: every storage that a graph keeps, once; by operator, line and module."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
from tests.debugging.programs import planted, run


def here():
    """The number of the line that calls this."""
    return sys._getframe(1).f_lineno


def saved_storages(loss):
    """Address and size of every storage that `_saved_*` of the nodes of a graph give."""
    found, seen, waiting = {}, set(), [loss.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        waiting.extend(each for each, _ in node.next_functions)
        for name in dir(type(node)):
            if name.startswith("_saved_"):
                value = getattr(node, name)
                for each in value if isinstance(value, tuple | list) else (value,):
                    if isinstance(each, wg.Tensor) and each.numel():
                        whole = each.untyped_storage()
                        found[whole.data_ptr()] = whole.nbytes()
    return found


@settings(max_examples=60)
@given(data=st.data())
def test_the_bytes_of_random_graphs_are_those_of_the_distinct_storages_that_nodes_show(data):
    program = planted(lambda count: data.draw(st.integers(0, count - 1)), "detach")
    with wg.set_debug(lines=True):
        names = run([*program.lines, f"loss = ({program.source} * {program.after[-1]}).sum()"])
        report = wg.graph_report(names["loss"])
        expected = saved_storages(names["loss"])
    assert report.nbytes == sum(expected.values()), "\n".join(program.lines)
    assert len(report.rows) == len(expected)
    for sums in (report.by_operator(), report.by_line(), report.by_module()):
        assert sum(sums.values()) == report.nbytes
    for row in report.rows:
        assert 1 <= row.where.lineno <= len(program.lines) + 1


def test_a_storage_that_several_calls_keep_counts_once_for_the_oldest():
    x = wg.ones(4, requires_grad=True)
    y = x.exp()
    report = wg.graph_report((y * y).sum() + y[:2].sin().sum())
    [row] = report.rows
    assert (row.operator, row.name, row.nbytes, row.also, row.shape) == ("ExpBackward0", "result", 16, 3, (4,))
    assert (report.nbytes, report.own_nbytes, report.freed) == (16, 16, 0)
    assert "shared by 4" in str(report)


def test_memory_of_leaves_is_told_apart():
    w, x = wg.ones(4, requires_grad=True), wg.ones(4)
    report = wg.graph_report((w * x * w).sum())
    assert sorted((row.nbytes, row.leaf) for row in report.rows) == [(16, False), (16, False), (16, True)]
    assert (report.nbytes, report.own_nbytes) == (48, 32) and "a leaf's" in str(report)


def test_lines_and_modules_are_named():
    net = wg.nn.Sequential(wg.nn.Linear(3, 4), wg.nn.Sequential(wg.nn.Tanh(), wg.nn.Linear(4, 1)))
    with wg.set_debug(lines=True):
        loss = net(wg.ones(5, 3)).sum()
        line = here() - 1
    report = wg.graph_report(loss)
    assert report.by_line() == {f"{__file__}:{line}": report.nbytes}
    assert report.by_module() == {"Sequential.1.0": 80, "Sequential.0": 60, "Sequential.1.1": 16}
    assert "Sequential.1.0" in str(report) and f"{__file__}:{line}" in str(report)


def test_without_lines_there_are_sums_by_operator_only():
    report = wg.graph_report(wg.ones(4, requires_grad=True).exp().sum())
    assert report.by_line() == report.by_module() == {"(not noted)": 16}
    assert "by operator" in str(report) and "by line" not in str(report)
    assert repr(report) == "GraphReport(16 bytes in 1 storages, 3 nodes)"


def test_a_freed_graph_keeps_nothing():
    loss = wg.ones(4, requires_grad=True).exp().sum()
    loss.backward()
    report = wg.graph_report(loss)
    assert (report.nbytes, report.rows) == (0, ()) and report.freed == 1
    assert "1 nodes have been freed" in str(report)


def test_what_hooks_have_packed_is_measured_without_unpacking():
    def unpack(packed):
        raise AssertionError("unpacked")

    x = wg.ones(4, requires_grad=True)
    with wg.autograd.graph.saved_tensors_hooks(lambda tensor: tensor.numpy(force=True).astype(np.float16), unpack):
        loss = x.exp().sum()
    [row] = wg.graph_report(loss).rows
    assert (row.nbytes, row.packed, row.dtype) == (8, True, "float16")


def test_what_custom_functions_save_is_counted():
    class Square(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x, x * 2)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[1]

    x = wg.ones(4, requires_grad=True)
    report = wg.graph_report(Square.apply(x).sum())
    assert sorted((row.nbytes, row.leaf) for row in report.rows) == [(16, False), (16, True)]
    assert report.by_operator() == {"SquareBackward": 32}


def test_the_table_is_cut_where_it_is_asked_for():
    h = wg.ones(4, requires_grad=True)
    for _ in range(30):
        h = h.exp()
    text = wg.graph_report(h).table(row_limit=5)
    assert "... and 25 more" in text and text.count("result") == 5


def test_a_long_chain_needs_no_deep_stack():
    h = wg.ones(1, requires_grad=True)
    for _ in range(20_000):
        h = h.exp()
    assert wg.graph_report(h).nbytes == 80_000


def test_what_has_no_graph_is_refused():
    with pytest.raises(TypeError, match=r"graph_report\(\): loss must be a tensor, not float"):
        wg.graph_report(1.0)
    with pytest.raises(ValueError, match=r"has no graph; wengert.explain\(tensor\) says why"):
        wg.graph_report(wg.ones(1))
