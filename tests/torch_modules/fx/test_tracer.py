"""Traced programs compute what the programs compute."""

from __future__ import annotations

import threading

import pytest
import wengert.fx as fx

import wengert as wg
from tests.torch_modules.fx.programs import Program, same
from wengert import nn

SEEDS = range(25)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_traced_program_computes_the_same(seed):
    program = Program(seed, length=10)
    tensors, module = program.tensors(), fx.symbolic_trace(program.function())
    module.graph.lint()
    assert same(module(*tensors), program.apply(*tensors))
    again = fx.symbolic_trace(module)
    assert str(again.graph) == str(module.graph)
    assert again.code == module.code


@pytest.mark.parametrize("seed", SEEDS[:8])
def test_derivatives_go_through_a_traced_program(seed):
    program = Program(seed)
    module = fx.symbolic_trace(program.function())
    grads = []
    for run in (program.apply, module):
        tensors = program.tensors()
        total = sum(each.sum() for each in run(*tensors)["results"])
        grads.append(wg.autograd.grad(total, tensors, allow_unused=True))
    assert all((a is b is None) or wg.equal(a, b) for a, b in zip(*grads, strict=True))


def images():
    return wg.linspace(-1, 1, 2 * 3 * 8 * 8).reshape(2, 3, 8, 8)


LAYERS = {
    "conv": (lambda: nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2)), images),
    "resize": (lambda: nn.Sequential(nn.Upsample(scale_factor=2), nn.AdaptiveAvgPool2d(1), nn.Flatten()), images),
    "norms": (lambda: nn.Sequential(nn.GroupNorm(3, 3), nn.InstanceNorm2d(3), nn.LayerNorm([8, 8])), images),
    "linear": (lambda: nn.Sequential(nn.Flatten(), nn.Linear(192, 4), nn.GELU(), nn.Softmax(dim=1)), images),
    "attention": (lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval(), lambda: images()[0]),
    "recurrent": (lambda: nn.GRU(8, 4, batch_first=True), lambda: images()[0]),
}


@pytest.mark.parametrize("name", sorted(LAYERS))
def test_layers_are_leaves_and_compute_the_same(name):
    make, data = LAYERS[name]

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = make()

        def forward(self, x):
            return self.inner(x * 2)

    network, x = Network(), data()
    traced = fx.symbolic_trace(network)
    assert any(node.op == "call_module" for node in traced.graph.nodes)
    got, wanted = traced.eval()(x), network.eval()(x)
    pairs = zip(got, wanted, strict=True) if isinstance(got, tuple) else [(got, wanted)]
    assert all(wg.equal(a, b) for a, b in pairs)


@pytest.mark.parametrize("name", ["resize", "linear"])
def test_layers_can_be_looked_into(name):
    make, data = LAYERS[name]

    class Inside(fx.Tracer):
        def is_leaf_module(self, m, module_qualified_name):
            return False

    module, x = make(), data()
    tracer = Inside()
    graph = tracer.trace(module)
    assert not graph.find_nodes(op="call_module")
    assert wg.equal(fx.GraphModule(module, graph)(x), module(x))


def test_a_trace_leaves_nothing_behind():
    before = {name: value for name, value in vars(nn.Module).items() if name.startswith("__")}
    with pytest.raises(fx.proxy.TraceError):
        fx.symbolic_trace(lambda x: x if x else -x)
    assert {name: value for name, value in vars(nn.Module).items() if name.startswith("__")} == before
    assert not fx._symbolic_trace.is_fx_tracing()
    assert not hasattr(wg.zeros, "_traced_by_fx")
    assert wg.overrides._get_current_function_mode() is None


def test_another_thread_runs_modules_while_one_traces():
    network, seen = nn.Linear(2, 2), []

    def program(x):
        other = threading.Thread(target=lambda: seen.append(network(wg.ones(1, 2)).shape))
        other.start()
        other.join()
        return x + 1

    graph = fx.symbolic_trace(program).graph
    assert seen == [wg.Size([1, 2])]
    assert [node.op for node in graph.nodes] == ["placeholder", "call_function", "output"]


def test_values_that_are_given_are_taken_as_they_are():
    def program(x, flag, none=None):
        return x + 1 if flag else x - 1

    module = fx.symbolic_trace(program, concrete_args={"flag": True, "none": None})
    assert wg.equal(module(wg.ones(1), True), wg.ones(1) * 2)
    with pytest.raises(AssertionError, match="flag has been specialized to have value True"):
        module(wg.ones(1), False)
    with pytest.raises(NotImplementedError, match="only single values"):
        fx.symbolic_trace(program, concrete_args={"flag": (1, 2)})


def test_the_path_of_the_module_is_told():
    class Inner(nn.Module):
        def forward(self, x):
            return x + 1

    graph = fx.Tracer().trace(nn.Sequential(Inner(), nn.ReLU()))
    paths = [list(node.meta.get("nn_module_stack", {}).values()) for node in graph.nodes]
    assert paths == [[], [("0", Inner)], [("1", nn.ReLU)], []]


def test_parameters_have_their_shapes_where_that_is_asked_for():
    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(wg.ones(2, 3))

        def forward(self, x):
            return x * 2 if self.weight.shape[0] == 2 else x

    graph = fx.Tracer(param_shapes_constant=True).trace(Network())
    assert "operator.mul" in str(graph)
    with pytest.raises(fx.proxy.TraceError):
        fx.Tracer().trace(Network())
