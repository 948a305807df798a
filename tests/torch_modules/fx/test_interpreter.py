"""Graphs that are run node by node."""

from __future__ import annotations

import pytest
import wengert.fx as fx

import wengert as wg
from tests.torch_modules.fx.programs import Program, same
from wengert import nn


@pytest.mark.parametrize("seed", range(15))
def test_a_transformer_that_changes_nothing_gives_the_same_graph(seed):
    program = Program(seed)
    module = fx.symbolic_trace(program.function())
    changed = fx.Transformer(module).transform()
    assert str(changed.graph) == str(module.graph)
    assert same(changed(*program.tensors()), program.apply(*program.tensors()))


def test_modules_and_attributes_stay_in_a_transformed_graph():
    module = fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU())))
    changed = fx.Transformer(module).transform()
    assert str(changed.graph) == str(module.graph)
    assert changed.get_submodule("0") is module.get_submodule("0")


def test_values_are_let_go_after_their_last_use():
    module, alive = fx.symbolic_trace(lambda x: wg.neg(wg.sin(x)) + 1), []

    class Watching(fx.Interpreter):
        def run_node(self, n):
            alive.append([node.name for node in self.env])
            return super().run_node(n)

    Watching(module).run(wg.ones(1))
    assert alive == [[], ["x"], ["sin"], ["neg"], ["add"]]


def test_values_can_be_given_for_nodes():
    module = fx.symbolic_trace(lambda x: wg.sin(x) + 1)
    x, sin = list(module.graph.nodes)[:2]
    assert fx.Interpreter(module).run(initial_env={x: None, sin: 4}) == 5


def test_a_list_of_arguments_is_emptied():
    args = [wg.ones(1)]
    fx.Interpreter(fx.symbolic_trace(lambda x: x + 1)).boxed_run(args)
    assert args == []


def test_arguments_that_are_spread_are_taken_together():
    module = fx.symbolic_trace(lambda *x: x[0] + x[1])
    assert fx.Interpreter(module).run(1, 2) == module(1, 2) == 3


def test_what_is_missing_is_named():
    graph = fx.Graph()
    graph.output(graph.get_attr("a.b"))
    module = nn.Module()
    with pytest.raises(RuntimeError, match="nonexistent target a"):
        fx.Interpreter(module, graph=graph).run()
