"""`viz.backward_steps`: the steps are those of a backward pass, which leaves nothing behind."""

import gc
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wengert as wg
from wengert import nn
from wengert.viz import BackwardSteps, backward_steps


class Cube(wg.autograd.Function):
    """A Function of a program."""

    @staticmethod
    def forward(ctx: Any, x: Any, unused: int) -> Any:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (x,) = ctx.saved_tensors
        return grad * 3 * x**2, None


class First(wg.autograd.Function):
    """A Function of two inputs that has a gradient for the first one only."""

    @staticmethod
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        return a * 1

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad, None


def leaf(*values: float) -> Any:
    return wg.tensor(list(values), requires_grad=True)


def only(steps: BackwardSteps, title: str) -> Any:
    """The one step of the node with that title."""
    (found,) = [step for step in steps if step.title == title]
    return found


def elements(value: Any) -> Any:
    """The elements of a value that has them."""
    assert value is not None and value.array is not None
    return value.array.tolist()


def run_by_hand(loss: Any) -> list[str]:
    """The nodes of a backward pass in the order in which it runs them, by hooks of the test's own."""
    order: list[str] = []
    seen, waiting, handles = set(), [loss.grad_fn], []
    while waiting:
        node = waiting.pop()
        if id(node) in seen or node is None:
            continue
        seen.add(id(node))
        waiting += [inner for inner, _ in node.next_functions]
        title = node.name().rpartition("::")[2]
        if title == "AccumulateGrad":
            handles.append(node.variable.register_hook(lambda grad: order.append("leaf")))
        else:
            handles.append(node.register_prehook(lambda grads, title=title: order.append(title)))
    loss.backward(retain_graph=True)
    for handle in handles:
        handle.remove()
    return order


# ---- what is recorded ------------------------------------------------------------------------------------------------


def test_each_step_has_what_arrives_and_what_is_passed_on() -> None:
    x, b = leaf(1.0, 2.0), wg.tensor(0.5, requires_grad=True)
    steps = backward_steps((x.exp() * x + b).sum(), {"x": x, "b": b})
    assert [step.title for step in steps] == ["SumBackward0", "AddBackward0", "b", "MulBackward0", "ExpBackward0", "x"]
    assert [step.operator for step in steps] == ["sum", "add", "", "mul", "exp", ""]
    assert [step.number for step in steps] == list(range(6))
    product = only(steps, "MulBackward0")
    assert elements(product.arriving[0]) == [1.0, 1.0]
    assert [(passed.name, passed.title) for passed in product.passed] == [("self", "ExpBackward0"), ("other", "x")]
    assert elements(product.passed[0].returned) == [1.0, 2.0]
    assert [name for name, _ in product.reads] == ["other", "self"]
    assert elements(product.reads[0][1]) == [1.0, 2.0]
    assert steps.graph.nodes[product.box] is product.node
    assert elements(steps.gradient) == 1.0


def test_a_sum_over_a_broadcast_dimension_is_the_engines() -> None:
    x, b = leaf(1.0, 2.0), wg.tensor(0.5, requires_grad=True)
    _, to_b = only(backward_steps((x + b).sum()), "AddBackward0").passed
    assert elements(to_b.returned) == [1.0, 1.0]
    assert elements(to_b.delivered) == 2.0


def test_leaves_have_the_sum_of_what_was_delivered_so_far() -> None:
    x = leaf(1.0, 2.0)
    steps = backward_steps((x.exp() * x + x).sum(), {"x": x})
    totals = [elements(passed.total) for step in steps for passed in step.passed if passed.title == "x"]
    exp = np.exp(np.float32([1, 2]))
    np.testing.assert_allclose(totals, [[1, 1], 1 + exp, 1 + exp + exp * [1, 2]], rtol=1e-6)
    assert elements(only(steps, "x").arriving[0]) == totals[-1]


def test_the_gradients_at_the_leaves_are_those_of_backward() -> None:
    wg.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.LayerNorm(4), nn.Linear(4, 2))
    loss = model(wg.randn(5, 3)).square().mean()
    steps = backward_steps(loss, model)
    loss.backward()
    for name, parameter in model.named_parameters():
        np.testing.assert_array_equal(only(steps, name).arriving[0].array, parameter.grad.numpy())


@pytest.mark.parametrize("seed", range(6))
def test_the_order_is_that_of_the_engine(seed: int) -> None:
    wg.manual_seed(seed)
    values = [wg.randn(2, requires_grad=True) for _ in range(3)]
    for _ in range(12):
        left, right = (values[at] for at in wg.randint(len(values), (2,)).tolist())
        values.append(left * right if len(values) % 2 else left.sin() + right)
    loss = wg.stack(values).sum()
    titles = [step.title for step in backward_steps(loss)]
    assert titles == run_by_hand(loss)


def test_modules_and_lines_are_those_of_the_graph() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    with wg.set_debug(lines=True):
        loss = model(wg.ones(1, 2)).sum()
    steps = backward_steps(loss, model)
    assert only(steps, "AddmmBackward0").node.module == "0"
    assert "test_backward_steps.py" in only(steps, "SumBackward0").node.source
    assert steps.graph.modules["0"] == "Linear"


def test_large_gradients_are_summarised() -> None:
    x = wg.ones(20, 30, requires_grad=True)
    value = only(backward_steps((x * 2).sum(), {"x": x}), "x").arriving[0]
    assert value.array is None and value.shape == (20, 30)
    assert value.norm == pytest.approx((4 * 600) ** 0.5)
    assert str(value) == "[20, 30] float32 norm 48.99; 600 elements; from 2 to 2, mean 2"


def test_the_pass_may_begin_with_a_gradient_of_the_callers() -> None:
    x = leaf(1.0, 2.0)
    steps = backward_steps(x * 3, {"x": x}, gradient=wg.tensor([1.0, 10.0]))
    assert elements(steps[-1].arriving[0]) == [3.0, 30.0]
    assert elements(backward_steps(x * 3)[0].arriving[0]) == [1.0, 1.0]


def test_a_leaf_alone_is_one_step() -> None:
    x = leaf(1.0, 2.0)
    (step,) = backward_steps(x, {"x": x}).steps
    assert (step.title, elements(step.arriving[0])) == ("x", [1.0, 1.0])


def test_a_function_of_the_program_is_a_step_with_its_backward() -> None:
    x = leaf(2.0)
    step = only(backward_steps(Cube.apply(x, 3), {"x": x}), "CubeBackward")
    assert step.operator == "Cube"
    assert [(passed.name, elements(passed.returned)) for passed in step.passed] == [("x", [12.0])]
    assert step.rules[0].source.splitlines()[-1] == "    return grad * 3 * x**2, None"
    assert [(name, elements(value)) for name, value in step.reads] == [("saved_tensors[0]", [2.0])]


def test_a_node_at_which_nothing_arrives_says_so() -> None:
    a = leaf(2.0)
    steps = backward_steps(First.apply(a, a * 2), {"a": a})
    product = only(steps, "MulBackward0")
    assert product.arriving == (None,) and product.rules == () and product.reads == ()
    assert "no gradient arrives, so its rule does not run" in str(product)
    assert only(steps, "FirstBackward").passed[1].returned is None


def test_a_write_to_a_view_shows_the_part_and_the_rest() -> None:
    a = leaf(1.0, 2.0, 3.0)
    base = a * 1
    base[0] = base[1] * 2
    (step,) = [step for step in backward_steps(base.sum(), {"a": a}) if step.title.startswith("CopySlices")]
    assert [(passed.name, elements(passed.returned)) for passed in step.passed] == [
        ("base", [0.0, 1.0, 1.0]),
        ("src", 1.0),
    ]
    assert [rule.inputs for rule in step.rules] == [("base",), ("src",)]


def test_lists_of_tensors_and_several_outputs_have_names() -> None:
    a = leaf(1.0, 2.0, 3.0, 4.0)
    steps = backward_steps(wg.cat([a, a * 2]).sum() + a.split(2)[1].sum(), {"a": a})
    assert [passed.name for passed in only(steps, "CatBackward0").passed] == ["tensors[0]", "tensors[1]"]
    nothing, second = only(steps, "SplitBackward0").arriving
    assert nothing is None and elements(second) == [1.0, 1.0]


def test_lists_that_a_rule_reads_are_one_line() -> None:
    x = wg.ones(3, 3, requires_grad=True)
    reads = dict(only(backward_steps(x[wg.tensor([0, 2]), wg.tensor([1, 1])].sum()), "IndexBackward0").reads)
    assert reads["indices"] == "[2] int64 [0 2]; [2] int64 [1 1]"


def test_gradients_of_all_kinds_of_tensors_are_told() -> None:
    embedding = nn.Embedding(5, 3, sparse=True)
    steps = backward_steps(embedding(wg.tensor([1, 2, 1])).sum(), embedding)
    assert str(steps[-1].arriving[0]) == "[5, 3] float32 norm 3.873; sparse, with 2 entries"
    meta = wg.ones(3, device="meta", requires_grad=True)
    assert "on the device meta" in str(backward_steps((meta * 2).sum())[-1].arriving[0])
    c = wg.tensor([1 + 2j], requires_grad=True)
    assert elements(backward_steps((c * c.conj()).real.sum(), {"c": c})[-1].arriving[0]) == [2 + 4j]
    pytest.importorskip("ml_dtypes")
    half = wg.ones(2, dtype=wg.bfloat16, requires_grad=True)
    value = backward_steps((half * 3).sum())[-1].arriving[0]
    assert value.dtype == "bfloat16" and elements(value) == [3.0, 3.0]


def test_values_that_a_hook_has_packed_are_not_unpacked_to_be_shown() -> None:
    unpacked = []
    x = leaf(1.0, 2.0)
    with wg.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: unpacked.append(1) or t):
        loss = x.exp().sum()
    step = only(backward_steps(loss), "ExpBackward0")
    assert step.reads == (("out", "packed by a hook"),)
    assert len(unpacked) == 1  # by the rule


# ---- nothing is left behind ------------------------------------------------------------------------------------------


def test_no_grad_changes_and_nothing_is_freed() -> None:
    x = leaf(1.0, 2.0)
    hidden = x * 2
    hidden.retain_grad()
    loss = (hidden * hidden).sum()
    backward_steps(loss)
    wg.viz.graph(loss, gradients=True)
    assert x.grad is None and hidden.grad is None
    loss.backward()
    assert x.grad.tolist() == [8.0, 16.0] and hidden.grad.tolist() == [4.0, 8.0]


def test_hooks_of_the_program_run_and_stay_those_of_the_pass_go() -> None:
    x = leaf(1.0, 2.0)
    square = x * x
    square.register_hook(lambda grad: grad * 10)
    loss = square.sum()
    steps = backward_steps(loss, {"x": x})
    assert elements(only(steps, "MulBackward0").arriving[0]) == [10.0, 10.0]
    assert elements(steps[-1].arriving[0]) == [20.0, 40.0]
    assert loss.grad_fn.node_hooks is None  # so that later passes are as fast as before
    assert not square.grad_fn.node_hooks.before and not square.grad_fn.node_hooks.after
    assert len(square.grad_fn.node_hooks.tensor[0]) == 1
    assert not x._backward_hooks
    before = len(steps)
    loss.backward()
    assert len(steps) == before and x.grad.tolist() == [20.0, 40.0]


def test_hooks_go_when_the_pass_fails() -> None:
    x = leaf(1.0, 2.0)
    square = x * x
    loss = square.sum()

    def fail(grad: Any) -> None:
        raise ZeroDivisionError("no")

    handle = x.register_hook(fail)
    with pytest.raises(ZeroDivisionError):
        backward_steps(loss)
    handle.remove()
    assert loss.grad_fn.node_hooks is None and square.grad_fn.node_hooks is None
    assert not x._backward_hooks


def test_steps_keep_neither_tensors_nor_nodes_alive() -> None:
    gc.disable()
    try:
        x = leaf(1.0, 2.0)
        middle = x.exp()
        node = weakref.ref(middle.grad_fn)
        references = [weakref.ref(x), weakref.ref(middle)]
        steps = backward_steps((middle * middle).sum(), {"x": x})
        text, page = str(steps), steps.to_html()
        del x, middle
        assert [reference() for reference in (*references, node)] == [None, None, None]
        assert str(steps) == text and steps.to_html() == page
        gone = weakref.ref(steps)
        first = weakref.ref(steps[0])
        del steps
        assert gone() is None and first() is None
    finally:
        gc.enable()


def test_another_thread_on_the_same_graph_is_not_recorded() -> None:
    import threading

    x = leaf(1.0, 2.0)
    loss = (x * x).sum()
    threads = []

    def disturb(grad: Any) -> None:
        if not threads:
            thread = threading.Thread(target=lambda: wg.autograd.grad(loss, x, retain_graph=True))
            threads.append(thread)
            thread.start()
            thread.join()

    loss.register_hook(disturb)
    assert [step.title for step in backward_steps(loss, {"x": x})] == ["SumBackward0", "MulBackward0", "x"]


# ---- the object ------------------------------------------------------------------------------------------------------


def test_steps_are_a_sequence_and_text() -> None:
    x = leaf(1.0, 2.0)
    steps = backward_steps((x * x).sum(), {"x": x})
    assert len(steps) == 3 and list(steps) == list(steps.steps)
    assert steps[1:] == steps.steps[1:] and steps[-1] is steps.steps[2]
    assert (repr(steps), repr(steps[1])) == ("BackwardSteps(3 steps)", "Step(1, 'MulBackward0')")
    lines = str(steps).splitlines()
    assert lines[0] == "A backward pass of 3 steps; it begins with the gradient scalar float32 1."
    assert [line for line in lines if line.startswith("[")] == [
        "[0] SumBackward0 (operator sum)",
        "[1] MulBackward0 (operator mul)",
        "[2] x (leaf)",
    ]
    assert "    |     return grad * conjugate(other)" in lines
    assert "  passes on to x, for self: [2] float32 [1. 2.]" in lines


def test_matrices_stand_in_rows_below_their_label() -> None:
    x = wg.ones(2, 2, requires_grad=True)
    lines = str(backward_steps((x * 2).sum(), {"x": x})[-1]).splitlines()
    assert lines[1:4] == ["  arrives: [2, 2] float32", "      [[2. 2.]", "       [2. 2.]]"]


def test_steps_are_written_to_files(tmp_path: Path) -> None:
    x = leaf(1.0, 2.0)
    steps = backward_steps((x * x).sum(), {"x": x})
    assert steps.save(tmp_path / "a.html").read_text(encoding="utf-8") == steps.to_html()
    assert steps.save(tmp_path / "a.TXT").read_text(encoding="utf-8") == f"{steps}\n"
    with pytest.raises(ValueError, match=r"the suffix must be \.html or \.txt, but got '\.png'"):
        steps.save(tmp_path / "a.png")


def test_wrong_arguments_are_refused_with_a_reason() -> None:
    x = leaf(1.0, 2.0)
    with pytest.raises(TypeError, match=r"viz\.backward_steps\(\): loss must be a tensor, but got int"):
        backward_steps(5)
    with pytest.raises(ValueError, match=r"viz\.backward_steps\(\): the tensor has no history"):
        backward_steps(wg.ones(2))
    with pytest.raises(TypeError, match=r"viz\.backward_steps\(\): params must map names"):
        backward_steps(x * 2, 5)
    with pytest.raises(RuntimeError, match="shape"):
        backward_steps(x * 2, gradient=wg.ones(3))
    loss = (x * x).sum()
    loss.backward()
    with pytest.raises(RuntimeError, match="a second time"):
        backward_steps(loss)
