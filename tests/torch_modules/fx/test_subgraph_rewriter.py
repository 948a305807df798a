"""Pieces of graph that are put in the place of others."""

from __future__ import annotations

import pytest
import wengert.fx as fx

import wengert as wg
from tests.torch_modules.fx.programs import Program
from wengert import nn


@pytest.mark.parametrize("seed", range(25))
def test_an_equal_piece_changes_nothing_of_the_results(seed):
    program = Program(seed, length=14)
    module = fx.symbolic_trace(program.function())
    wanted = module(*program.tensors())["results"]
    places = len(module.graph.find_nodes(op="call_function", target=wg.sin))
    found = fx.replace_pattern(module, lambda x: wg.sin(x), lambda x: (x - 3.141592653589793 / 2).cos())
    module.graph.lint()
    assert len(found) == places
    assert not module.graph.find_nodes(op="call_function", target=wg.sin)
    for got, want in zip(module(*program.tensors())["results"], wanted, strict=True):
        assert wg.allclose(got, want, atol=1e-4)


def test_pieces_that_follow_each_other_are_all_replaced():
    module = fx.symbolic_trace(lambda x: wg.neg(wg.neg(wg.neg(x))))
    assert len(fx.replace_pattern(module, lambda x: wg.neg(x), lambda x: x * -2)) == 3
    assert module(1.0) == -8.0


def test_a_value_that_is_used_elsewhere_keeps_its_piece():
    def program(x):
        inner = wg.relu(x)
        return wg.neg(inner) + inner

    module = fx.symbolic_trace(program)
    assert fx.replace_pattern(module, lambda x: wg.neg(wg.relu(x)), lambda x: x) == []


def test_filters_choose_among_the_places():
    module = fx.symbolic_trace(lambda x, y: wg.neg(x) + wg.neg(y))
    chosen = [lambda match, graph, pattern: any(node.name == "y" for node in match.nodes_map.values())]
    made = fx.subgraph_rewriter.replace_pattern_with_filters(module, lambda a: wg.neg(a), lambda a: a * 5, chosen)
    assert len(made) == 1
    assert module(wg.ones(1), wg.ones(1)).item() == 4
    with pytest.raises(NotImplementedError, match="ignore_literals"):
        fx.subgraph_rewriter.replace_pattern_with_filters(
            module, lambda a: wg.neg(a), lambda a: a, ignore_literals=True
        )


def test_modules_of_a_replacement_come_with_it():
    class Replacement(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(2, 2)

        def forward(self, x):
            return self.layer(x)

    module, replacement = fx.symbolic_trace(lambda x: wg.relu(x)), Replacement()
    fx.replace_pattern(module, lambda x: wg.relu(x), replacement)
    x = wg.ones(1, 2)
    assert wg.equal(module(x), replacement(x))
