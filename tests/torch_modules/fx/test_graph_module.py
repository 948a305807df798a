"""Modules that are made from graphs: copies, pickles, errors in their code."""

from __future__ import annotations

import copy
import pickle
import traceback

import pytest
import wengert.fx as fx

import wengert as wg
from tests.torch_modules.fx.programs import Program, same
from wengert import nn


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(3, 3), nn.Sequential(nn.Tanh(), nn.Linear(3, 2)))
        self.weight = nn.Parameter(wg.ones(2))
        self.register_buffer("shift", wg.ones(2))

    def forward(self, x):
        return self.layers(x) * self.weight + self.shift


COPIES = {"deep": copy.deepcopy, "shallow": copy.copy, "pickle": lambda module: pickle.loads(pickle.dumps(module))}


@pytest.mark.parametrize("kind", sorted(COPIES))
def test_copies_compute_the_same_and_keep_the_text(kind):
    x, module = wg.linspace(-1, 1, 6).reshape(2, 3), fx.symbolic_trace(Network())
    made = COPIES[kind](module)
    assert isinstance(made, fx.GraphModule)
    assert made.code == module.code
    assert str(made.graph) == str(module.graph)
    assert repr(made) == repr(module)
    assert wg.equal(made(x), module(x))
    assert list(made.state_dict()) == list(module.state_dict())
    assert (made.weight is module.weight) == (kind == "shallow")


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("kind", sorted(COPIES))
def test_copies_of_random_programs_compute_the_same(kind, seed):
    program = Program(seed)
    tensors, module = program.tensors(), fx.symbolic_trace(program.function())
    assert same(COPIES[kind](module)(*tensors), program.apply(*tensors))


def test_a_pickle_has_no_code():
    data = pickle.dumps(fx.symbolic_trace(Network()))
    assert b"def forward" not in data


def test_a_subclass_keeps_its_class_when_it_is_copied():
    class Own(fx.GraphModule):
        def hello(self):
            return 1

    traced = fx.symbolic_trace(Network())
    made = copy.deepcopy(Own(traced, traced.graph, "Own"))
    assert isinstance(made, Own)
    assert type(made).__name__ == "Own"
    assert made.hello() == 1


def test_every_instance_has_its_own_forward():
    first, second = (fx.symbolic_trace(each) for each in (lambda x: x + 1, lambda x: x * 3))
    assert (first(2), second(2)) == (3, 6)
    assert type(first) is not type(second)


def test_tracebacks_show_the_code():
    module = fx.symbolic_trace(lambda x: x.no_such_method())
    with pytest.raises(AttributeError) as caught:
        module(wg.ones(1))
    text = "".join(traceback.format_exception(caught.value))
    assert "no_such_method = x.no_such_method()" in text


def test_state_loads_from_the_module_that_was_traced():
    network = Network()
    module = fx.symbolic_trace(Network())
    module.load_state_dict(network.state_dict())
    x = wg.ones(1, 3)
    assert wg.equal(module(x), network(x))


def test_hooks_are_told_of_changes():
    module, seen = fx.symbolic_trace(lambda x: wg.relu(x) + 1), []
    module._register_create_node_hook(lambda node: seen.append(("create", node.name)))
    module._register_erase_node_hook(lambda node: seen.append(("erase", node.name)))
    with module._set_replace_hook(lambda old, new, user: seen.append((old.name, new, user.name))):
        relu = module.graph.find_nodes(op="call_function", target=wg.relu)[0]
        with module.graph.inserting_after(relu):
            added = module.graph.call_function(wg.neg, (relu.args[0],))
        relu.replace_all_uses_with(added)
        module.graph.erase_node(relu)
    assert seen == [("create", "neg"), ("relu", "neg", "add"), ("erase", "relu")]


def test_a_module_without_state_is_written_to_a_folder(tmp_path):
    fx.symbolic_trace(lambda x: wg.relu(x) + 1).to_folder(tmp_path / "made", "Made")
    text = (tmp_path / "made" / "module.py").read_text()
    assert "class Made(torch.nn.Module):" in text
    assert "        relu = torch.relu(x);  x = None\n" in text
    with pytest.raises(NotImplementedError, match="state_dict"):
        fx.symbolic_trace(Network()).to_folder(tmp_path / "other")


def test_a_module_has_no_code_before_it_has_a_graph():
    made = fx.GraphModule.__new__(fx.GraphModule)
    nn.Module.__init__(made)
    with pytest.raises(RuntimeError, match="Code has not been generated"):
        made.code  # noqa: B018 - the property is what fails
