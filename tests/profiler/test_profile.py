"""`autograd.profiler.profile`: which events there are, how they nest, what they cost, what is refused."""

from __future__ import annotations

import pytest

import wengert as wg
import wengert.nn.functional as F
from tests.profiler.events import Twice, event_of, leaf, names, top
from wengert._core.profiling import events as noted
from wengert.autograd.profiler import profile, record_function

# ---- which events there are ------------------------------------------------------------------------------------------


def test_operators_and_nodes_have_the_names_that_torch_gives_them():
    x = leaf(3)
    with profile() as prof:
        (x * x + 1).sum().backward()
    assert top(prof) == [
        "aten::mul",
        "aten::add",
        "aten::sum",
        "autograd::engine::evaluate_function: SumBackward0",
        "autograd::engine::evaluate_function: AddBackward0",
        "autograd::engine::evaluate_function: MulBackward0",
        "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad",
    ]
    node = event_of(prof, "MulBackward0")
    assert node.cpu_parent.name == "autograd::engine::evaluate_function: MulBackward0"
    assert (node.scope, event_of(prof, "aten::mul").scope) == (1, 0)


def test_functions_made_of_operators_show_what_they_call():
    x, w, b = leaf(2, 3), leaf(4, 3), leaf(4)
    with profile() as prof:
        F.linear(x, w, b)
        x.softmax(1)
        x @ w.t()
    assert [child.name for child in event_of(prof, "aten::linear").cpu_children] == ["aten::t", "aten::addmm"]
    assert [child.name for child in event_of(prof, "aten::softmax").cpu_children] == ["aten::_softmax"]
    assert [child.name for child in event_of(prof, "aten::matmul").cpu_children] == ["aten::mm"]


def test_writes_are_events():
    x = wg.zeros(3)
    with profile() as prof:
        x.add_(1)
        x[0] = 2.0
        x[1:] = wg.ones(2)
    assert [name for name in names(prof) if name[-1] == "_"] == ["aten::add_", "aten::copy_", "aten::copy_"]


def test_an_attempt_of_the_plain_case_that_fails_leaves_no_event():
    x = wg.ones(2, 3)
    with profile() as prof:
        x.max(dim=-1, keepdim=True)
        with pytest.raises(IndexError):
            x.max(7)
        with pytest.raises(RuntimeError):
            x @ x
    assert top(prof) == ["aten::max", "aten::max", "aten::matmul"]


def test_a_custom_function_is_an_event_around_its_operators():
    x = leaf(3)
    with profile() as prof:
        Twice.apply(x).sum().backward()
    assert [child.name for child in event_of(prof, "Twice").cpu_children] == ["aten::mul"]
    assert [child.name for child in event_of(prof, "TwiceBackward").cpu_children] == ["aten::mul"]
    assert event_of(prof, "Twice").sequence_nr == event_of(prof, "TwiceBackward").sequence_nr >= 0


def test_numbers_tie_nodes_to_operators():
    x = leaf(3)
    with profile() as prof:
        (x.exp() * x).sum().backward()
    for operator, node in (("aten::exp", "ExpBackward0"), ("aten::mul", "MulBackward0"), ("aten::sum", "SumBackward0")):
        assert event_of(prof, operator).sequence_nr == event_of(prof, node).sequence_nr >= 0
    assert event_of(prof, "torch::autograd::AccumulateGrad").sequence_nr == -1
    assert event_of(prof, "MulBackward0").fwd_thread == 1
    with profile() as prof, wg.no_grad():
        x.exp()
    assert event_of(prof, "aten::exp").sequence_nr == -1


def test_hooks_and_ranges_lie_within_the_events_around_them():
    x = leaf(3)
    y = x * 2

    @record_function("in the hook")
    def hook(grad):
        return grad * 3

    y.register_hook(hook)
    with profile() as prof:
        y.sum().backward()
    inside = event_of(prof, "in the hook")
    assert inside.cpu_parent.cpu_parent.name == "autograd::engine::evaluate_function: MulBackward0"
    assert [child.name for child in inside.cpu_children] == ["aten::mul"]
    assert inside.is_user_annotation and inside.scope == 7


def test_a_range_serves_as_decorator_also_of_a_function_that_calls_itself():
    @record_function("down")
    def down(depth):
        return depth if depth == 0 else down(depth - 1)

    with profile() as prof:
        down(2)
        wg.ones(1) * 1
    innermost = event_of(prof, "down")
    assert names(prof)[:1] == ["down"]
    assert innermost.cpu_parent is None and top(prof) == ["down", "aten::ones", "aten::mul"]


def test_operators_of_other_modes_are_noted_once_with_what_they_do_inside():
    x = wg.ones(3)
    with profile() as prof:
        wg.func.jvp(lambda v: v * v, (x,), (x,))
        wg.vmap(lambda v: v + 1)(wg.ones(2, 3))
        with wg.inference_mode():
            x.exp()
    assert "aten::add" in [child.name for child in event_of(prof, "aten::mul").cpu_children]
    assert names(prof).count("aten::exp") == 1


def test_a_profile_sees_what_runs_without_it():
    x = leaf(64)

    def gradient():
        x.grad = None
        y = x.view(8, 8)[2:].tanh()
        (y * y).sum().backward()
        return x.grad

    expected = gradient()
    with profile(record_shapes=True, profile_memory=True, with_stack=True, with_modules=True):
        assert gradient().equal(expected)


# ---- what an event says ----------------------------------------------------------------------------------------------


def test_shapes_and_numbers_are_noted_where_they_are_asked_for():
    x = wg.ones(2, 3)
    with profile(record_shapes=True) as prof:
        x * 2
        wg.cat([x, x])
        F.conv2d(wg.ones(1, 2, 5, 5), wg.ones(3, 2, 3, 3), stride=2)
    assert event_of(prof, "aten::mul").input_shapes == [[2, 3], []]
    assert event_of(prof, "aten::mul").concrete_inputs == [None, 2]
    assert event_of(prof, "aten::cat").input_shapes[0] == []
    assert event_of(prof, "aten::conv2d").concrete_inputs[3] == 2
    with profile() as prof:
        x * 2
    assert event_of(prof, "aten::mul").input_shapes == []


def test_what_programs_of_torch_ask_of_events_is_there():
    with profile(record_shapes=True) as prof, record_function("range"):
        wg.add(leaf(2), 1, alpha=2)
    operator, annotation = event_of(prof, "aten::add"), event_of(prof, "range")
    assert (operator.activity_type, annotation.activity_type) == ("cpu_op", "user_annotation")
    assert operator.kwinputs == {} and not operator.is_python_function and 2 in operator.concrete_inputs
    assert operator.self_cpu_percent == operator.total_cpu_percent == operator.total_device_percent == -1
    prof.table()
    assert operator.self_cpu_percent.endswith("%")


def test_products_and_convolutions_count_operations_as_torch_does():
    a, c = wg.ones(3, 4), wg.ones(4)
    with profile(with_flops=True) as prof:
        a * wg.ones(5, 3, 4)
        c * a
        a + a
        a.add_(1)
        wg.bmm(wg.ones(2, 3, 4), wg.ones(2, 4, 5))
        wg.baddbmm(wg.ones(2, 3, 5), wg.ones(2, 3, 4), wg.ones(2, 4, 5))
        wg.addmm(wg.ones(5), a, wg.ones(4, 5))
        a @ c
        F.conv2d(wg.ones(2, 4, 7, 9), wg.ones(6, 2, 3, 3), None, (2, 1), 1, 2, 2)
        F.conv2d(wg.ones(4, 7, 9), wg.ones(6, 4, 3, 3))
        F.conv2d(wg.ones(2, 4, 7, 9), wg.ones(6, 4, 3, 3), padding="same")
    found = [(event.name, event.flops) for event in prof.function_events if event.flops]
    assert found == [
        ("aten::mul", 12),
        ("aten::mul", 4),
        ("aten::add", 12),
        ("aten::bmm", 240),
        ("aten::baddbmm", 240),
        ("aten::addmm", 120),
        ("aten::conv2d", 9072),
    ]
    assert "Total FLOPs" in prof.key_averages().table()


def test_memory_is_counted_once_when_it_is_taken_and_once_when_it_is_given_back():
    with profile(profile_memory=True) as prof:
        x = wg.ones(10, dtype=wg.float64)
        y = x.view(5, 2)
        z = y * 2
        del x, y
        with record_function("end"):
            del z
    assert event_of(prof, "aten::ones").cpu_memory_usage == 80
    assert event_of(prof, "aten::view").cpu_memory_usage == 0
    assert event_of(prof, "aten::mul").cpu_memory_usage == 80
    assert event_of(prof, "end").cpu_memory_usage == event_of(prof, "end").self_cpu_memory_usage == -80
    alone = event_of(prof, "[memory]")
    assert alone.cpu_memory_usage == -80 and alone.trace_name is None
    assert prof.total_average().self_cpu_memory_usage == 0
    assert not noted.Log(0).events


def test_memory_of_a_composite_is_that_of_its_operators():
    x = wg.ones(4, 4)
    with profile(profile_memory=True) as prof:
        y = x.softmax(0)
    outer = event_of(prof, "aten::softmax")
    assert (outer.cpu_memory_usage, outer.self_cpu_memory_usage) == (64, 0)
    assert y.shape == (4, 4)


def test_nothing_is_remembered_of_memory_after_the_last_profile():
    with profile(profile_memory=True):
        x = wg.ones(3) * 2
    from wengert.autograd.profiler.session import LIVE, MEMORY_SESSIONS

    assert not LIVE and not MEMORY_SESSIONS
    del x


def outer_function():
    return wg.ones(2) * 2


def test_stacks_begin_with_the_line_that_called():
    with profile(with_stack=True) as prof:
        outer_function()
    stack = event_of(prof, "aten::mul").stack
    line = outer_function.__code__.co_firstlineno + 1
    assert stack[0] == f"{__file__}({line}): outer_function"
    assert stack[1].endswith(": test_stacks_begin_with_the_line_that_called")


def test_backward_events_have_the_stack_of_their_operator():
    x = leaf(2)
    with profile(with_stack=True) as prof:
        y = outer_function() * x
        y.sum().backward()
    assert event_of(prof, "MulBackward0").stack == event_of(prof, "aten::mul", 1).stack


def test_modules_are_named_by_their_place():
    class Net(wg.nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = wg.nn.Sequential(wg.nn.Linear(3, 2), wg.nn.Tanh())

        def forward(self, x):
            return self.layers(x) * 2

    net = Net()
    with profile(with_modules=True) as prof:
        net(wg.ones(1, 3))
    assert event_of(prof, "aten::linear").module_hierarchy == "Net.layers.0"
    assert event_of(prof, "aten::tanh").module_hierarchy == "Net.layers.1"
    assert event_of(prof, "aten::mul").module_hierarchy == "Net"


def test_steps_of_optimisers_and_batches_of_loaders_are_ranges():
    weight = wg.nn.Parameter(wg.ones(2))
    optimiser = wg.optim.SGD([weight], lr=0.1)
    loader = wg.utils.data.DataLoader(wg.arange(4.0), batch_size=2)
    with profile() as prof:
        for batch in loader:
            optimiser.zero_grad()
            (weight * batch).sum().backward()
            optimiser.step()
    counts = {each.key: each.count for each in prof.key_averages()}
    assert counts["Optimizer.step#SGD.step"] == counts["Optimizer.zero_grad#SGD.zero_grad"] == 2
    assert counts["enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"] == 3  # the last one finds the end
    assert all(each.is_user_annotation for each in prof.function_events if "#" in each.name)


def test_operators_have_names_that_torch_has():
    with profile() as prof:
        x = wg.tensor([[1.0, 3.0]], requires_grad=True)
        x.sort(), x.topk(1), x.median()
        wg.nn.functional.mse_loss(x, x)
        wg.nn.functional.cross_entropy(wg.nn.functional.layer_norm(x, (2,)), wg.tensor([0])).backward()
    counts = {each.key: each.count for each in prof.key_averages()}
    for name in ("sort", "topk", "mse_loss", "cross_entropy_loss", "native_layer_norm_backward", "median"):
        assert counts[f"aten::{name}"] == 1, name
    assert not {"aten::tensor", "aten::sort_along", "aten::_mse_loss", "aten::cross_entropy"} & set(counts)


# ---- what a notebook shows -------------------------------------------------------------------------------------------


def test_a_notebook_shows_the_sums_by_name_the_longest_first():
    with profile() as prof:
        assert prof._repr_html_() is None  # IPython then shows the text
        (leaf(3) * 2).sum().backward()
    averages = sorted(prof.key_averages(), key=lambda event: event.self_cpu_time_total, reverse=True)
    table = prof._repr_html_()
    names_shown = [row.partition("</td>")[0].rpartition(">")[2] for row in table.split("<tr>")[2:]]
    assert [name.rstrip(".") for name in names_shown] == [
        event.key[: len(name.rstrip("."))] for name, event in zip(names_shown, averages)
    ]
    assert len(names_shown) == len(averages)
    assert table.count("<table>") == table.count("</table>") == 1


def test_a_table_in_a_notebook_has_names_as_text_and_twenty_rows():
    with profile() as prof:
        for at in range(25):
            with record_function(f"<img src=x>&{at}"):
                pass
    table = prof.key_averages()._repr_html_()
    assert "&lt;img src=x&gt;&amp;0" in table and "<img" not in table
    assert table.count("<tr>") == 21
    assert "5 more rows are not shown" in table
    with profile() as empty:
        pass
    assert empty._repr_html_() == "<p>no events</p>"
