"""The code of graphs gives functions the arguments that the nodes have."""

from __future__ import annotations

import enum
import math
import operator
from typing import NamedTuple

import hypothesis
import pytest
import wengert.fx as fx
from hypothesis import strategies

import wengert as wg


class Colour(enum.Enum):
    RED = 1


class Pair(NamedTuple):
    a: object
    b: object


def collect(*args, **kwargs):
    return args, kwargs


CONSTANTS = strategies.one_of(
    strategies.integers(),
    strategies.text(max_size=6),
    strategies.binary(max_size=4),
    strategies.booleans(),
    strategies.floats(allow_nan=False),
    strategies.complex_numbers(allow_nan=False, allow_infinity=False),
    strategies.sampled_from([None, ..., wg.float32, wg.device("cpu"), wg.strided, Colour.RED, "NODE"]),
)
ARGUMENTS = strategies.recursive(
    CONSTANTS,
    lambda inner: strategies.one_of(
        strategies.lists(inner, max_size=3),
        strategies.lists(inner, max_size=3).map(tuple),
        strategies.dictionaries(strategies.text(max_size=3), inner, max_size=3),
        strategies.builds(Pair, inner, inner),
        strategies.builds(slice, inner, inner),
    ),
    max_leaves=8,
)


@hypothesis.given(strategies.lists(ARGUMENTS, max_size=3), ARGUMENTS)
def test_all_arguments_arrive_as_they_are(args, named):
    graph = fx.Graph()
    x = graph.placeholder("x")

    def put(value):
        return x if isinstance(value, str) and value == "NODE" else value

    args, kwargs = fx.node.map_aggregate(tuple(args), put), {"named": fx.node.map_aggregate(named, put)}
    graph.output(graph.call_function(collect, args, kwargs))
    module = fx.GraphModule({}, graph)
    given = object()
    wanted = fx.map_arg((args, kwargs), lambda node: given)
    assert module(given) == wanted
    assert fx.Interpreter(module).run(given) == wanted


SIGNS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and_", "or_", "xor")


@pytest.mark.parametrize(
    "name", [*SIGNS, "eq", "ne", "lt", "le", "gt", "ge", *(f"i{each.strip('_')}" for each in SIGNS)]
)
def test_operators_are_written_as_signs_and_compute_the_same(name):
    function, graph = getattr(operator, name), fx.Graph()
    x, y = graph.placeholder("x"), graph.placeholder("y")
    graph.output(graph.call_function(function, (x, y)))
    module = fx.GraphModule({}, graph)
    floats = name.strip("_i") in ("truediv", "pow")
    assert module(7.0 if floats else 7, 3) == function(7.0 if floats else 7, 3)
    assert f"{name}(" not in module.code


def test_names_that_are_used_for_the_last_time_are_set_free():
    lines = fx.symbolic_trace(lambda x, y: (wg.add(x, y) * x, y)).code.splitlines()
    assert lines[-4:-1] == [
        "    add = torch.add(x, y)",
        "    mul = add * x;  add = x = None",
        "    return (mul, y)",
    ]


def test_numbers_without_a_spelling_are_global_names():
    graph = fx.Graph()
    graph.output((math.inf, -math.inf))
    assert fx.GraphModule({}, graph)() == (math.inf, -math.inf)


def test_a_function_whose_name_is_taken_gets_another():
    one, other = (eval(f"lambda x: x + {number}") for number in (1, 2))
    one.__name__ = other.__name__ = "same"
    graph = fx.Graph()
    x = graph.placeholder("x")
    graph.output((graph.call_function(one, (x,)), graph.call_function(other, (x,))))
    assert fx.GraphModule({}, graph)(1) == (2, 3)
