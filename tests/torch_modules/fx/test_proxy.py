"""What stands for values while a program is traced."""

from __future__ import annotations

import copy

import pytest
import wengert.fx as fx

import wengert as wg


def proxy():
    return fx.Proxy(fx.Graph().placeholder("x"))


def test_attributes_make_a_node_only_where_they_are_used():
    x = proxy()
    method = x.relu
    assert len(x.node.graph.nodes) == 1
    made = method()
    assert made.node.op == "call_method"
    assert x.shape.node.target is getattr


def test_as_many_elements_as_names_are_unpacked():
    a, (b, c) = proxy()
    assert [each.node.args[1] for each in (a, b, c)] == [0, 0, 1]
    with pytest.raises(fx.proxy.TraceError, match="cannot be iterated"):
        _first, *_rest = proxy()


def test_proxies_of_two_graphs_do_not_meet():
    with pytest.raises(RuntimeError, match="multiple different tracers"):
        wg.add(proxy(), proxy())


def test_proxies_are_copied_as_what_stands_for_the_same_value():
    x = proxy()
    assert copy.deepcopy(x).node is x.node
    assert copy.copy(x).node is x.node


def test_tracers_answer_questions_that_proxies_cannot():
    class Answering(fx.Tracer):
        def to_bool(self, obj):
            return False

        def iter(self, obj):
            return iter([obj[0]])

    def program(x):
        return [each if each else -each for each in x]

    text = str(Answering().trace(program))
    assert "operator.neg" in text
    with pytest.raises(fx.proxy.TraceError):
        fx.Tracer().trace(program)


def test_dataclasses_are_made_in_the_graph():
    from dataclasses import dataclass

    @dataclass
    class Pair:
        a: object
        b: int

    x = proxy()
    node = x.tracer.create_arg(Pair(x, 1))
    assert node.target is Pair
    assert node.kwargs == {"a": x.node, "b": 1}


def test_keys_are_no_proxies():
    x = proxy()
    with pytest.raises(RuntimeError, match="cannot contain a Node"):
        x.tracer.create_arg({x: 1})


def test_conditions_of_torch_are_checked_in_the_graph():
    module = fx.symbolic_trace(lambda x: (wg._assert(x.shape[0] == 2, "two rows"), x)[1])
    assert module(wg.ones(2)).shape == (2,)
    with pytest.raises(AssertionError, match="two rows"):
        module(wg.ones(3))
