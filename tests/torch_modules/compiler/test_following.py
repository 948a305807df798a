"""Followed functions do what eager calls do, whatever they do: results, gradients, errors, effects."""

from __future__ import annotations

import sys
import threading
from typing import Any

import pytest

import wengert as wg
from tests.torch_modules.compiler.test_replayed_programs import (
    CALLS,
    GRAPHS,
    PARTS,
    PROGRAMS,
    in_a_graph,
    of_first_order,
    of_second_order,
    outcome,
    with_gradient,
)
from tools.hunt import scenes
from tools.hunt.oracle.modes import parts_of
from tools.hunt.oracle.programs import program
from wengert._core.capture.patterns import Following

pytestmark = pytest.mark.filterwarnings("ignore")  # of calls that programs make

LEAST = 0.5
"""The share of programs of which later calls match a pattern."""


def matches(compiled: Any) -> int:
    """Return the number of tapes that have matched."""
    return sum(pattern.matches for pattern in compiled.patterns)


def is_followed_alike(text: str, gradients: bool) -> bool:
    """Compare a program with its followed form; return whether a tape has matched."""
    function, start = parts_of(text)
    function = with_gradient(function) if gradients else function
    compiled = wg.compile(function)
    for number in range(CALLS):
        x, other = (start.detach().clone() * (1 + 0.01 * (number % 7)) for _ in range(2))
        wanted = outcome(function, x)
        assert outcome(compiled, other) == wanted, f"call {number} of {text}"
        assert other._array_.tobytes() == x._array_.tobytes(), f"call {number} of {text}"
    return matches(compiled) > 0


@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs_are_followed_with_the_bits_of_eager_calls(part: int) -> None:
    for seed in range(part, PROGRAMS, PARTS):
        is_followed_alike(program(seed), False)


@pytest.mark.parametrize("part", range(PARTS))
def test_gradients_of_random_programs_come_from_lists(part: int) -> None:
    followed = [is_followed_alike(program(seed), True) for seed in range(part, PROGRAMS, PARTS)]
    assert sum(followed) >= LEAST * len(followed)


@pytest.mark.parametrize("order", [of_first_order, of_second_order], ids=["first order", "second order"])
@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("part", range(PARTS // 2))
def test_random_programs_are_followed_in_the_middle_of_a_graph(part: int, graph: Any, order: Any) -> None:
    for seed in range(part, PROGRAMS // 4, PARTS // 2):
        function, start = parts_of(program(seed))
        compiled = wg.compile(function)
        for number in range(CALLS):
            x, other = (start.detach().clone() * (1 + 0.01 * (number % 7)) for _ in range(2))
            wanted = outcome(in_a_graph(function, graph, order), x)
            assert outcome(in_a_graph(compiled, graph, order), other) == wanted, f"call {number} of {program(seed)}"


def leaf(*values: float) -> Any:
    """Return a leaf that requires a gradient."""
    return wg.tensor(values, requires_grad=True)


def both(build: Any, calls: int = 12) -> Any:
    """Run a step eagerly and followed, each with objects of its own; return the followed function.

    Args:
        build: returns a function of the number of the call, and an object whose state is compared.
    """
    (eager, state), (function, other) = build(), build()
    compiled = wg.compile(function)
    for number in range(calls):
        assert outcome(compiled, number) == outcome(eager, number), number
        assert shown(other) == shown(state), number
    return compiled


def shown(state: Any) -> Any:
    """Return a state as values that can be compared."""
    if isinstance(state, wg.Tensor):
        grad = None if state.grad is None else shown(state.grad.detach())
        node = None if state.grad_fn is None else state.grad_fn.name()
        return state.detach().tolist(), state._version, grad, node
    if isinstance(state, dict):
        return {key: shown(value) for key, value in state.items()}
    return [shown(value) for value in state] if isinstance(state, (list, tuple)) else state


def network() -> Any:
    """Return a small network with equal weights each time."""
    wg.manual_seed(3)
    return wg.nn.Sequential(wg.nn.Linear(3, 4), wg.nn.Tanh(), wg.nn.Linear(4, 2))


@pytest.mark.parametrize("optimiser", [wg.optim.SGD, wg.optim.Adam, wg.optim.RMSprop])
def test_training_steps_leave_what_eager_ones_leave(optimiser: Any) -> None:
    def build() -> Any:
        net = network()
        steps = optimiser(net.parameters(), lr=0.01)
        schedule = wg.optim.lr_scheduler.StepLR(steps, 2)

        def step(number: int) -> Any:
            steps.zero_grad()
            loss = ((net(wg.full((5, 3), 0.1 * number)) - 1) ** 2).mean()
            loss.backward()
            wg.nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            steps.step()
            schedule.step()
            return loss

        return step, [*net.parameters()]

    assert matches(both(build)) > 8


def test_a_loss_that_is_returned_before_its_pass() -> None:
    def build() -> Any:
        net = network()
        return lambda number: ((net(wg.full((5, 3), 0.1 * number)) - 1) ** 2).mean(), net

    (eager, first), (function, second) = build(), build()
    compiled = wg.compile(function)
    for number in range(12):
        for step in (eager, compiled):
            step(number).backward()
        assert shown([*first.parameters()]) == shown([*second.parameters()])
        assert compiled(number).grad_fn.name() == "MeanBackward0"
        node = compiled(number).grad_fn
        assert [after.name() for after, _ in node.next_functions] == ["PowBackward0"]
    assert matches(compiled) > 20


def test_effects_and_what_is_around_the_function() -> None:
    def build() -> Any:
        x, log, scale = leaf(1.0, 2.0), [], {"by": 1.0}

        def step(number: int) -> Any:
            scale["by"] += 0.5
            y = x * scale["by"] * number
            log.append(y.detach().clone())
            log.append(y)
            if number % 3 == 2:
                x.requires_grad_(not x.requires_grad)
            if number % 4 == 3:
                y = y.relu() + len(log)
            return y

        return step, [x, log, scale]

    both(build)


def test_hooks_retained_gradients_and_looks_at_the_graph() -> None:
    def build() -> Any:
        x, log = leaf(1.0, 2.0), []

        def step(number: int) -> Any:
            h = x * 2
            if number % 2:
                h.register_hook(lambda grad: log.append(grad.tolist()))
            y = h.exp()
            if number % 3 == 0:
                y.retain_grad()
            log.append(y.is_leaf)
            if number % 5 == 0:
                log.append([y.grad_fn.name(), y.output_nr])
            z = (y * h).sum()
            z.backward(retain_graph=number % 2 == 0)
            if number % 2 == 0:
                z.backward()
            log.append(h.grad_fn.name())
            with pytest.raises(RuntimeError, match="second time"):
                (y + 1).sum().backward()
            return y.grad if number % 3 == 0 else z

        return step, [x, log]

    both(build)


def test_writes_between_a_call_and_its_pass() -> None:
    def build() -> Any:
        x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)

        def step(number: int) -> Any:
            h = x * w
            y = (h * h).sum()
            if number % 4 == 1:
                with wg.no_grad():
                    w.mul_(2)
            if number % 4 == 2:
                h.add_(1)
            if number % 4 == 3:
                w.data = w.data * 3
            y.backward()
            return y

        return step, [x, w]

    both(build)


def test_second_losses_detached_parts_and_unused_results() -> None:
    def build() -> Any:
        x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)

        def step(number: int) -> Any:
            fake = x * w
            first = (fake.detach() * w).exp().sum()
            first.backward()
            second = (fake * w).sum()
            unused = second * 2
            (grad,) = wg.autograd.grad(second, x, retain_graph=bool(number % 2))
            return grad, unused if number % 2 else first

        return step, [x, w]

    both(build)


def test_branches_loops_and_shapes_that_change() -> None:
    def build() -> Any:
        x = leaf(0.5, -0.5)

        def step(number: int) -> Any:
            h = x
            for _ in range(number % 3 + 1):
                h = h.sin() if h.sum().item() > 0 else h.cos() * 2
            h = h.repeat(number % 2 + 1)
            h.sum().backward()
            return h.detach()

        return step, x

    assert matches(both(build, 40)) > 10


def test_an_error_in_the_middle_leaves_an_ordinary_graph() -> None:
    x, kept = leaf(1.0, 2.0), []

    @wg.compile
    def step(number: int) -> Any:
        y = (x * 2).exp()
        kept.append(y)
        if number % 2:
            raise ValueError(number)
        return y.sum()

    for number in range(8):
        try:
            step(number)
        except ValueError:
            assert kept[-1].grad_fn.name() == "ExpBackward0"
        kept[-1].sum().backward()
    wanted = sum((2 * y for y in kept), wg.zeros(2))
    assert x.grad.allclose(wanted)


def test_threads_and_calls_within_calls() -> None:
    weights = [leaf(1.0 + k, 2.0) for k in range(4)]

    @wg.compile
    def inner(x: Any) -> Any:
        return (x * 2).exp()

    @wg.compile
    def step(x: Any) -> Any:
        y = (inner(x) * x).sum()
        y.backward()
        return y

    def run(x: Any) -> None:
        for _ in range(30):
            step(x)

    threads = [threading.Thread(target=run, args=(x,)) for x in weights]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for x in weights:
        other = x.detach().clone().requires_grad_()
        for _ in range(30):
            (((other * 2).exp()) * other).sum().backward()
        assert x.grad.equal(other.grad)


def test_two_threads_whose_steps_use_results_of_each_other() -> None:
    """Both create nodes at the same time, each of which needs nodes of the other's tape."""
    results: list[Any] = [None, None]
    grads: list[list[Any]] = [[], []]
    barrier = threading.Barrier(2)

    def run(number: int) -> None:
        @wg.compile
        def step(x: Any) -> Any:
            results[number] = x * 2
            barrier.wait()
            other = results[1 - number]
            y = ((results[number] * other).tanh() * other).sum()
            barrier.wait()
            return y

        for _ in range(200):
            x = leaf(0.3, 0.4)
            y = step(x)
            barrier.wait()
            grads[number] += wg.autograd.grad(y, x)
            barrier.wait()

    interval = sys.getswitchinterval()
    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(2)]
    try:
        sys.setswitchinterval(1e-6)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
    finally:
        sys.setswitchinterval(interval)
        results.clear()
    x, other = leaf(0.3, 0.4), leaf(0.3, 0.4)
    (wanted,) = wg.autograd.grad(((x * 2 * (other * 2)).tanh() * (other * 2)).sum(), x)
    assert len(grads[0]) == len(grads[1]) == 200
    assert all(grad.equal(wanted) for grad in grads[0] + grads[1])


def test_a_deep_pass_of_a_handler_that_comes_while_nodes_are_created(monkeypatch: Any) -> None:
    """A pass that is nested too deep runs in another thread, which works for the one that creates the nodes."""
    passes: list[int] = []
    expand = Following.expand

    def interrupted(follower: Any, tape: Any) -> None:
        expand(follower, tape)
        if not passes:
            passes.append(1)
            scenes.deep()

    monkeypatch.setattr(Following, "expand", interrupted)
    x, names = leaf(0.3, 0.4), []

    @wg.compile
    def step(x: Any) -> Any:
        y = x.exp()
        names.append(y.grad_fn.name())
        return y.sum()

    thread = threading.Thread(target=lambda: step(x).backward(), daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive() and passes and names == ["ExpBackward0"]
    assert x.grad.equal(x.detach().exp())


def test_modules_and_methods() -> None:
    net = network()
    assert wg.compile(net) is net
    reference = network()
    for number in range(6):
        x = wg.full((2, 3), 0.1 * number)
        for one in (net, reference):
            one(x).sum().backward()
        assert shown([*net.parameters()]) == shown([*reference.parameters()])
    assert wg.compile(net.forward)(wg.ones(1, 3)).shape == (1, 2)


def test_tensors_that_only_sequences_hold() -> None:
    def build() -> Any:
        x, y = leaf(1.0, 2.0), leaf(0.5)

        def step(number: int) -> Any:
            joined = wg.cat([x, y * 2]) * wg.stack([wg.cat([x, y]).sum(), x.sum()]).sum()
            joined.exp().sum().backward()
            return joined.detach()

        return step, [x, y]

    assert matches(both(build)) > 8


def test_patterns_are_explained_and_forgotten() -> None:
    x = leaf(1.0, 2.0)

    @wg.compile
    def step(by: float) -> Any:
        return (x * by).exp().sum()

    for _ in range(4):
        step(2.0).backward()
    lines = wg.compiler.explain(step).splitlines()
    assert "followed, 1 patterns" in lines[0] and "3 calls" in lines[1] and lines[2].strip() == "mul, exp, sum"
    wg.compiler.reset()
    assert not step.patterns and wg.compiler.disable(step)(2.0).requires_grad


def test_calls_that_record_nothing_and_functions_that_never_match() -> None:
    count = 0

    @wg.compile
    def different(x: Any) -> Any:
        nonlocal count
        count += 1
        return (x * count).sum()

    x = leaf(1.0)
    for _ in range(100):
        different(x).backward()
    assert x.grad.item() == sum(range(1, 101)) and different.wasted < 30
    with wg.no_grad():
        assert not different(x).requires_grad


def test_a_pattern_is_dropped_if_other_results_are_used_as_well() -> None:
    x, kept = leaf(1.0, 2.0), []

    @wg.compile
    def step(keeps: bool) -> Any:
        h = x * 2
        if keeps:
            kept.append(h)
        return h.exp().sum()

    for number in range(20):
        loss = step(number > 5)
        if number > 5:
            assert kept[-1].grad_fn.name() == "MulBackward0" and loss.grad_fn.name() == "SumBackward0"
            assert loss.grad_fn.next_functions[0][0].next_functions[0][0] is kept[-1].grad_fn
        loss.backward()
    assert x.grad.allclose(20 * 2 * (x * 2).exp()) and step.dropped == 1 and step.idle > 0
