"""Modules, scopes, gradients and times of the nodes of a graph."""

import math
import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays

import wengert as wg
from wengert import nn, utils
from wengert.autograd.scopes import OPEN
from wengert.viz import graph, record_scopes, scope
from wengert.viz.data import GraphNode
from wengert.viz.graph import Graph
from wengert.viz.measures import norm_of, times_of


def by_title(found: Graph, title: str) -> GraphNode:
    """The first box with that title."""
    return next(node for node in found.nodes if node.title == title)


def small() -> nn.Module:
    wg.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1)))


def test_names_of_parameters_tell_the_modules() -> None:
    model = small()
    found = graph(model(wg.ones(2, 3)).sum(), model)
    modules = {node.title: node.module for node in found.nodes}
    assert modules["0.weight"] == "0" and modules["2.2.bias"] == "2.2"
    assert modules["TanhBackward0"] == "2"  # between 2.0 and 2.2
    assert modules["ReluBackward0"] == ""  # between 0 and 2
    assert modules["SumBackward0"] == "" and modules["output"] == ""
    assert {node.module for node in found.nodes if node.title == "AddmmBackward0"} == {"0", "2.0", "2.2"}
    assert {node.module for node in found.nodes if node.title == "TBackward0"} == {"0", "2.0", "2.2"}


def test_recorded_scopes_are_exact_and_end_with_the_block() -> None:
    model = small()
    with record_scopes(model), scope("step"):
        with scope("model"):
            out = model(wg.ones(2, 3))
        loss = out.sum()
    after = loss * 2
    found = graph(after, model)
    assert by_title(found, "ReluBackward0").module == "1"
    assert by_title(found, "TanhBackward0").module == "2.1"
    assert by_title(found, "TanhBackward0").scope == "step/model"
    assert by_title(found, "SumBackward0").scope == "step"
    assert by_title(found, "MulBackward0").scope == ""
    again = graph(model(wg.ones(2, 3)).sum(), model)
    assert by_title(again, "ReluBackward0").module == ""


def test_a_failing_forward_leaves_its_module() -> None:
    class Failing(nn.Module):
        def forward(self, x: Any) -> Any:
            raise ArithmeticError

    model = nn.Sequential(nn.Linear(3, 3), Failing())
    with record_scopes(model):
        with pytest.raises(ArithmeticError):
            model(wg.ones(1, 3))
        loss = model[0](wg.ones(1, 3)).sum()
    found = graph(loss, model)
    assert by_title(found, "SumBackward0").module == ""
    assert by_title(found, "AddmmBackward0").module == "0"


def test_other_threads_are_not_noted() -> None:
    model = small()
    losses: list[Any] = []
    with record_scopes(model):
        other = threading.Thread(target=lambda: losses.append(model(wg.ones(1, 3)).sum()))
        other.start()
        other.join()
        own = model(wg.ones(1, 3)).sum()
    assert by_title(graph(losses[0]), "ReluBackward0").module == ""
    assert by_title(graph(own), "ReluBackward0").module == "1"


def test_scopes_reach_the_nodes_of_writes_to_views() -> None:
    x = wg.ones(4, requires_grad=True)
    with record_scopes(), scope("write"):
        y = x * 1
        y[:2].mul_(3)
    found = graph(y.sum())
    assert any("Mul" in node.title and node.scope == "write" for node in found.nodes if node.title != "MulBackward0")


def places(found: Graph) -> dict[str, tuple[str, str]]:
    """Module and scope of each operator of a graph."""
    return {node.title: (node.module, node.scope) for node in found.nodes if node.kind == "operator"}


def test_nodes_within_a_checkpoint_have_their_modules_and_scopes() -> None:
    model = small()
    x = wg.ones(2, 3, requires_grad=True)
    for wanted in (model, lambda x: utils.checkpoint.checkpoint(model, x, use_reentrant=False)):
        with record_scopes(model), scope("step"):
            loss = wanted(x).sum()
        found = places(graph(loss))
        assert found["TanhBackward0"] == ("2.1", "step") and found["ReluBackward0"] == ("1", "step")
        assert found["SumBackward0"] == ("", "step")


def test_a_recomputation_that_stops_early_leaves_no_module_open() -> None:
    model = small()
    x = wg.ones(2, 3, requires_grad=True)
    with record_scopes(model):
        utils.checkpoint.checkpoint(model, x, use_reentrant=False).sum().backward()
        y = x.exp()
    assert places(graph(y)) == {"ExpBackward0": ("", "")} and not OPEN.modules


def test_an_interrupt_leaves_no_module_open() -> None:
    def interrupt(module: nn.Module, args: Any) -> None:
        raise KeyboardInterrupt

    model = small()
    model[2].register_forward_pre_hook(interrupt)
    with pytest.raises(KeyboardInterrupt), record_scopes(model):
        model(wg.ones(2, 3))
    assert not OPEN.modules


def test_where_nodes_were_made_is_told_where_anomaly_mode_noted_it() -> None:
    x = wg.ones(4, requires_grad=True)
    with pytest.warns(UserWarning, match="Anomaly"), wg.autograd.detect_anomaly():
        y = x.exp()
    found = graph(y.sum())
    assert "test_measures.py:" in by_title(found, "ExpBackward0").source
    assert by_title(found, "ExpBackward0").source.endswith(": y = x.exp()")
    assert by_title(found, "SumBackward0").source == ""


def twice(x: wg.Tensor) -> wg.Tensor:
    return x * 2


def test_lines_are_those_that_set_debug_noted() -> None:
    x = wg.ones(3, requires_grad=True)
    with wg.set_debug(lines=True):
        y = utils.checkpoint.checkpoint(twice, x.exp(), use_reentrant=False)
        z = wg.nn.functional.relu(y)
    found = graph(z.sum())
    assert by_title(found, "ReluBackward0").source.endswith(": z = wg.nn.functional.relu(y)")
    assert by_title(found, "ExpBackward0").source.endswith(
        ": y = utils.checkpoint.checkpoint(twice, x.exp(), use_reentrant=False)"
    )
    assert by_title(found, "MulBackward0").source.endswith(" in twice: return x * 2")
    assert by_title(found, "SumBackward0").source == ""


def test_a_picture_leaves_no_notes_behind() -> None:
    y = wg.ones(4, requires_grad=True).exp().sum()  # whose own node has notes as soon as somebody asks for it
    graph(y)
    assert y.grad_fn.next_edges[0].node.node_notes is None


def test_gradient_norms_are_those_of_the_gradients() -> None:
    model = small()
    x = wg.randn(5, 3)
    found = graph(model(x).square().sum(), model, gradients=True)
    model.zero_grad()
    model(x).square().sum().backward()
    for name, parameter in model.named_parameters():
        assert by_title(found, name).gradient == pytest.approx(parameter.grad.norm().item(), rel=1e-5)
    hidden = model[0](x).relu().detach().requires_grad_()
    model[2](hidden).square().sum().backward()
    assert by_title(found, "ReluBackward0").gradient == pytest.approx(hidden.grad.norm().item(), rel=1e-5)


def test_looking_for_gradients_changes_nothing() -> None:
    model = small()
    loss = model(wg.ones(2, 3)).sum()
    for parameter in model.parameters():
        parameter.grad = wg.full_like(parameter, 7.0)
    graph(loss, model, gradients=True)
    assert all((parameter.grad == 7).all() for parameter in model.parameters())
    graph(loss, model, gradients=True)
    loss.backward()
    assert not any((parameter.grad == 7).all() for parameter in model.parameters())


def test_a_freed_graph_has_no_gradients_to_tell() -> None:
    x = wg.ones(2, requires_grad=True)
    loss = x.exp().sum()
    loss.backward()
    with pytest.raises(RuntimeError, match="second time"):
        graph(loss, gradients=True)


@given(arrays(np.float32, st.integers(0, 20), elements=st.floats(-(2.0**100), 2.0**100, width=32)))
def test_norms_are_right_where_squares_are_not(values: np.ndarray) -> None:
    wanted = math.sqrt(math.fsum(float(value) ** 2 for value in values))
    assert norm_of(values) == pytest.approx(wanted, rel=1e-5, abs=1e-160)


def test_norms_of_other_kinds() -> None:
    assert norm_of(np.array([3 + 4j])) == 5
    assert norm_of(np.array([300.0] * 4, np.float16)) == 600
    assert norm_of(np.array([np.inf, 1.0])) == math.inf
    assert math.isnan(norm_of(np.array([np.nan, 1.0])))


def event(name: str, start: float, end: float, number: int = -1, within: Any = None, user: bool = False) -> Any:
    return SimpleNamespace(
        name=name,
        time_range=SimpleNamespace(start=start, end=end),
        sequence_nr=number,
        cpu_parent=within,
        is_user_annotation=user,
    )


def test_times_come_by_sequence_number() -> None:
    names = {5: "AddmmBackward0", 6: "ReluBackward0"}
    outer = event("block", 0, 100, user=True)
    linear = event("aten::linear", 1, 40, 5, event("inner", 0, 50, within=outer, user=True))
    addmm = event("aten::addmm", 10, 30, 5, linear)
    engine = event("autograd::engine::evaluate_function: AddmmBackward0", 50, 80, 5)
    events = [
        outer,
        linear,
        event("aten::t", 2, 4, 5, linear),
        addmm,
        event("aten::relu", 40, 45, 6),
        engine,
        event("AddmmBackward0", 52, 78, 5, engine),
        event("aten::mm", 55, 60, -1, engine),
        event("aten::mul", 0, 1, 99),
    ]
    forward, backward, ranges = times_of(events, names)
    assert forward == {5: 20.0, 6: 5.0}
    assert backward == {5: 30.0}
    assert ranges == {5: "block/inner", 6: ""}


def test_a_backward_event_without_one_of_the_engine_counts_and_passes_add_up() -> None:
    events = [event("MulBackward0", 0, 3, 1), event("MulBackward0", 10, 15, 1)]
    assert times_of(events, {1: "MulBackward0"})[1] == {1: 8.0}


def test_a_graph_takes_times_and_ranges_from_a_profile() -> None:
    x = wg.ones(2, requires_grad=True)
    loss = x.exp().sum()
    number = loss.grad_fn._sequence_nr()
    inside = event("range", 0, 9, user=True)
    profile = SimpleNamespace(function_events=[event("aten::sum", 1, 3, number, inside)])
    found = graph(loss, profile=profile)
    assert by_title(found, "SumBackward0").forward == 2.0
    assert by_title(found, "SumBackward0").scope == "range"
    assert by_title(found, "SumBackward0").backward is None
    assert by_title(found, "ExpBackward0").forward is None
    assert found.profile is profile
