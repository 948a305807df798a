"""Graphs that are built, changed, copied and run compute what their steps compute."""

from __future__ import annotations

import copy
import io
import pickle
import random

import pytest
import wengert.fx as fx

import wengert as wg
from tests.torch_modules.fx.programs import Program, same

SEEDS = range(25)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_graph_computes_what_its_steps_compute(seed):
    program = Program(seed)
    tensors, graph = program.tensors(), program.graph()
    graph.lint()
    wanted = program.apply(*tensors)
    module = fx.GraphModule({}, graph)
    assert same(module(*tensors), wanted)
    assert same(fx.Interpreter(module).run(*tensors), wanted)
    assert same(fx.Interpreter(module, garbage_collect_values=False).run(*tensors), wanted)


@pytest.mark.parametrize("seed", SEEDS)
def test_copies_of_a_graph_have_its_text_and_nothing_of_it(seed):
    graph = Program(seed).graph()
    copies = [copy.deepcopy(graph), pickle.loads(pickle.dumps(graph)), fx.Graph()]
    copies[2].output(copies[2].graph_copy(graph, {}))
    for other in copies:
        other.lint()
        assert str(other) == str(graph)
        assert not set(other.nodes) & set(graph.nodes)


@pytest.mark.parametrize("seed", SEEDS)
def test_without_dead_code_a_graph_computes_the_same(seed):
    program = Program(seed)
    tensors, graph = program.tensors(), program.graph()
    before = len(graph.nodes)
    changed = graph.eliminate_dead_code()
    graph.lint()
    assert changed == (len(graph.nodes) < before)
    assert all(node.users for node in graph.nodes if node.op.startswith("call"))
    assert same(fx.GraphModule({}, graph)(*tensors), program.apply(*tensors))


@pytest.mark.parametrize("seed", SEEDS)
def test_users_and_inputs_agree_after_any_changes(seed):
    choose, graph = random.Random(seed), Program(seed).graph()
    for _ in range(20):
        nodes = [node for node in graph.nodes if node.op.startswith("call")]
        node = choose.choice(nodes)
        earlier = [each for each in graph.nodes if each < node]
        action = choose.randrange(4)
        if action == 0 and node.all_input_nodes:
            node.replace_input_with(choose.choice(node.all_input_nodes), choose.choice(earlier))
        elif action == 1:
            with graph.inserting_before(node):
                added = graph.call_function(wg.relu, (choose.choice(earlier),))
            node.replace_all_uses_with(added)
        elif action == 2 and not node.users:
            graph.erase_node(node)
        else:
            node.args = tuple(node.args)
        graph.lint()
        nodes = list(graph.nodes)
        assert len(nodes) == len(graph.nodes)
        assert nodes[::-1] == list(reversed(graph.nodes)) == sorted(nodes)[::-1]
        for each in nodes:
            assert list(each.users) == [user for user in each.users if each in user.all_input_nodes]
            assert all(each in other.users for other in each.all_input_nodes)


def test_nodes_may_be_erased_while_the_graph_is_walked():
    graph = Program(3, length=12).graph()
    for node in reversed(graph.nodes):
        if not node.users and node.op != "output":
            graph.erase_node(node)
    graph.lint()
    assert all(node.users for node in graph.nodes if node.op.startswith("call"))


def test_a_graph_is_not_read_from_files_of_tensors():
    file = io.BytesIO(pickle.dumps(Program(0).graph()))
    with pytest.raises(Exception, match=r"fx|pickle|file"):
        wg.load(file)


@pytest.mark.parametrize(
    ("op", "target", "kwargs"),
    [
        ("placeholder", "x=print(1)", {}),
        ("call_method", "relu(); print", {}),
        ("call_method", "relu", {"a=1, b": 1}),
        ("call_module", 'a"); print("', {}),
        ("get_attr", "a\nprint(1)", {}),
    ],
)
def test_what_is_no_name_is_not_put_into_code_by_a_pickle(op, target, kwargs):
    graph = fx.Graph()
    graph.create_node(op, target, (1,), kwargs)
    with pytest.raises(ValueError, match="is no"):
        pickle.loads(pickle.dumps(graph))


def test_print_tabular_needs_a_library(capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "tabulate", None)
    with pytest.raises(ImportError):
        fx.Graph().print_tabular()
    assert "pip install tabulate" in capsys.readouterr().out


def test_code_can_be_changed_before_it_is_made():
    graph = fx.Graph()
    graph.output(graph.call_function(wg.relu, (graph.placeholder("x"),)))
    module = fx.GraphModule({}, graph)
    with graph.on_generate_code(lambda before: lambda lines: ["# here\n", *lines]):
        assert "    # here\n" in module.recompile().src
    assert "# here" not in module.recompile().src
