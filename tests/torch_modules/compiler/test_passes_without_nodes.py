"""Passes of followed functions that no node takes part in: whatever a program does around them is as it is eagerly."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any

import pytest

import wengert as wg
from wengert._core.capture import list_passes
from wengert._core.capture.caching import keeps_results
from wengert._core.state.modes import current

pytestmark = pytest.mark.filterwarnings("ignore")  # of calls that programs make

ROUNDS = 9
"""Number of calls of each program; what is out of the ordinary happens in one of the last."""
ODD = 7
"""The number of that call: its pass would run without a node."""


class Program:
    """Two leaves, and steps over them of which one is out of the ordinary.

    Args:
        begin: called with the program before the loss of the odd step is computed.
        end: computes the gradients of the odd step, from its loss and an inner result; returns what there is to see.
        kept: what each step returns as well, so that it is in use after it.
    """

    def __init__(self, begin: Any, end: Any, kept: Any) -> None:
        self.w = wg.tensor([0.5, -1.0, 2.0], requires_grad=True)
        self.b = wg.tensor([0.1, 0.2, 0.3], requires_grad=True)
        self.begin, self.end, self.kept = begin, end, kept
        self.seen: list[Any] = []
        self.node: Any = None  # keeps an accumulator alive

    def step(self, number: int) -> Any:
        """Return what step `number` leaves to be seen."""
        odd = number == ODD
        if odd:
            self.begin(self)
        inner = (self.w * self.w + self.b).tanh()
        loss = (inner * self.b).sum()
        seen = self.end(self, loss, inner) if odd else by_grad(self, loss, inner)
        with wg.no_grad():
            self.w -= 0.1 * number * self.w
        return seen, self.kept(loss, inner)


def facts(value: Any) -> Any:
    """Return what a program can see of values: elements, history, whether they require a gradient."""
    if isinstance(value, wg.Tensor):
        return value.detach()._array_.tobytes(), names(value.grad_fn), value.requires_grad, value._version
    if isinstance(value, (tuple, list)):
        return [facts(element) for element in value]
    return value


def names(node: Any) -> Any:
    """Return the names of the nodes of a graph."""
    if node is None:
        return None
    return [node.name(), [names(following) for following, _ in node.next_functions]]


def attempt(function: Callable[..., Any], *args: Any) -> Any:
    """Return the facts of a result, or the error."""
    try:
        return facts(function(*args))
    except Exception as error:
        return type(error), str(error)


# ---- what a program does around a pass -------------------------------------------------------------------------------


def nothing(program: Program) -> None:
    """Change nothing."""


def hook_a_leaf(program: Program) -> None:
    program.w.register_hook(lambda grad: grad * 2)


def hook_after_accumulation(program: Program) -> None:
    program.w.register_post_accumulate_grad_hook(lambda leaf: program.seen.append(leaf.grad.sum().item()))


def hook_an_accumulator(program: Program) -> None:
    node = wg.autograd.graph.get_gradient_edge(program.w).node
    program.node = node
    node.register_prehook(lambda grads: (grads[0] * 3,))


def freeze_a_leaf(program: Program) -> None:
    program.w.requires_grad_(False)


def choose_a_dtype(program: Program) -> None:
    program.w.grad_dtype = wg.float64


def set_a_grad(program: Program) -> None:
    program.w.grad = wg.ones(3)


def replace_a_leaf(program: Program) -> None:
    program.w.data = program.w.detach() * 2


BEFORE = [
    nothing,
    hook_a_leaf,
    hook_after_accumulation,
    hook_an_accumulator,
    freeze_a_leaf,
    choose_a_dtype,
    set_a_grad,
    replace_a_leaf,
]


def by_grad(program: Program, loss: Any, inner: Any) -> Any:
    return wg.autograd.grad(loss, (program.w, program.b), allow_unused=True)


def in_other_order(program: Program, loss: Any, inner: Any) -> Any:
    return wg.autograd.grad(loss, [program.b, program.w], wg.tensor(2.0))


def of_one(program: Program, loss: Any, inner: Any) -> Any:
    return wg.autograd.grad(loss, program.b)


def of_one_twice(program: Program, loss: Any, inner: Any) -> Any:
    return wg.autograd.grad(loss, (program.b, program.b))


def by_backward(program: Program, loss: Any, inner: Any) -> Any:
    loss.backward()
    return program.w.grad, program.b.grad


def backward_to_one(program: Program, loss: Any, inner: Any) -> Any:
    loss.backward(inputs=[program.b])
    return program.w.grad, program.b.grad


def twice(program: Program, loss: Any, inner: Any) -> Any:
    first = by_grad(program, loss, inner)
    return first, attempt(by_grad, program, loss, inner), attempt(wg.autograd.grad, inner.sum(), program.b)


def with_a_kept_graph(program: Program, loss: Any, inner: Any) -> Any:
    loss.backward(retain_graph=True)
    loss.backward()
    return program.w.grad, program.b.grad


def recorded(program: Program, loss: Any, inner: Any) -> Any:
    (first,) = wg.autograd.grad(loss, program.b, create_graph=True)
    return first, wg.autograd.grad(first.sum(), program.w)


def of_an_inner_result(program: Program, loss: Any, inner: Any) -> Any:
    return wg.autograd.grad(loss, inner)


def with_a_bad_gradient(program: Program, loss: Any, inner: Any) -> Any:
    bad = [wg.ones(2), (wg.ones(()), wg.ones(())), (), 1.0, wg.tensor(1j)]
    refused = [attempt(wg.autograd.grad, loss, program.b, value) for value in bad]
    return refused, by_grad(program, loss, inner)


def with_the_graph_read_after(program: Program, loss: Any, inner: Any) -> Any:
    grads = by_grad(program, loss, inner)
    return grads, loss, inner, attempt(loss.backward), attempt(lambda: loss.grad_fn(wg.tensor(1.0)))


def with_a_result_of_the_root(program: Program, loss: Any, inner: Any) -> Any:
    grads = by_grad(program, loss, inner)
    more = loss * program.b
    return grads, more, attempt(wg.autograd.grad, more.sum(), program.w)


def with_a_hook_on_the_root(program: Program, loss: Any, inner: Any) -> Any:
    loss.register_hook(lambda grad: grad * 3)
    inner.retain_grad()
    return by_grad(program, loss, inner), inner.grad


def with_another_thread_reading(program: Program, loss: Any, inner: Any) -> Any:
    grads = by_grad(program, loss, inner)
    seen: list[Any] = []
    thread = threading.Thread(target=lambda: seen.append(facts((loss, inner))))
    thread.start()
    thread.join()
    return grads, seen


def without_recording(program: Program, loss: Any, inner: Any) -> Any:
    with wg.no_grad():
        loss.backward()
        recorded = wg.is_grad_enabled()
    return program.w.grad, recorded, wg.is_grad_enabled()


def under_anomaly_detection(program: Program, loss: Any, inner: Any) -> Any:
    with wg.autograd.detect_anomaly(check_nan=False):
        return by_grad(program, loss, inner)


PASSES = [
    by_grad,
    in_other_order,
    of_one,
    of_one_twice,
    by_backward,
    backward_to_one,
    twice,
    with_a_kept_graph,
    recorded,
    of_an_inner_result,
    with_a_bad_gradient,
    with_the_graph_read_after,
    with_a_result_of_the_root,
    with_a_hook_on_the_root,
    with_another_thread_reading,
    without_recording,
    under_anomaly_detection,
]
KEPT: dict[str, Any] = {
    "nothing": lambda loss, inner: loss.detach(),
    "the root": lambda loss, inner: loss,
    "another result": lambda loss, inner: inner,
}


def history(begin: Any, end: Any, kept: Any, follow: bool) -> Any:
    """Return all that can be seen of the steps of a program, and of what they return, after the last of them."""
    program = Program(begin, end, kept)
    step: Any = wg.compile(program.step) if follow else program.step
    results: list[Any] = []
    seen = []
    for number in range(ROUNDS):
        try:
            results.append(step(number))
            seen.append(facts(results[-1][0]))
        except Exception as error:
            seen.append((type(error), str(error)))
        seen.append(facts((program.w.grad, program.b.grad)))
    again = [attempt(wg.autograd.grad, result.sum(), program.b) for _, result in results]
    return seen, facts(results), again, program.seen


@pytest.mark.parametrize("kept", KEPT)
@pytest.mark.parametrize("end", PASSES, ids=lambda end: end.__name__)
@pytest.mark.parametrize("begin", BEFORE, ids=lambda begin: begin.__name__)
def test_what_programs_do_around_passes_is_as_it_is_eagerly(begin: Any, end: Any, kept: str) -> None:
    assert history(begin, end, KEPT[kept], True) == history(begin, end, KEPT[kept], False)


# ---- which passes run without a node ---------------------------------------------------------------------------------


def ran_without_a_node() -> bool:
    """Return whether the latest pass of the function that is followed has run without a node."""
    tape: Any = current().tape.earlier
    return tape is not None and tape.passed is not None


@pytest.mark.skipif(not keeps_results(), reason="calls are predicted in the compiled build only")
@pytest.mark.parametrize("end", [by_grad, in_other_order, by_backward])
def test_usual_passes_run_without_nodes(end: Any) -> None:
    program = Program(nothing, end, KEPT["nothing"])
    alone = []

    def step(number: int) -> None:
        program.step(ODD)
        alone.append(ran_without_a_node())

    compiled = wg.compile(step)
    for number in range(40):
        compiled(number)
    assert sum(alone) == 40 - 8  # first calls, and passes that are compared with the list: 1, 2, 4, 8, 16, 32


def test_an_order_of_inputs_is_found_again() -> None:
    leaves = [wg.zeros(1) for _ in range(4)]
    for order in itertools.permutations(range(4)):
        assert list_passes.new_order(leaves, [leaves[at] for at in order]) == order
    for wrong in ([leaves[0]], [leaves[0], leaves[0], leaves[1], leaves[2]], [*leaves[:3], wg.zeros(1)]):
        assert list_passes.new_order(leaves, wrong) is None
