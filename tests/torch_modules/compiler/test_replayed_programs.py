"""Random programs, replayed with numbers that change from call to call: results and errors of eager calls."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

import wengert as wg
from tools.hunt.oracle.modes import parts_of
from tools.hunt.oracle.programs import program
from wengert.testing.calls import tensors_in

pytestmark = pytest.mark.filterwarnings("ignore")  # of calls that programs make, and of programs that are not captured

PROGRAMS, PARTS, CALLS = 120, 6, 12
LEAST = 0.85
"""The share of programs that are captured."""


def outcome(function: Any, x: Any) -> Any:
    """Return everything of a result that is to be equal, or the error."""
    try:
        result = function(x)
    except Exception as error:
        return type(error), str(error)
    return [(y.shape, y.stride(), y.dtype, y._array_.tobytes(), y._version) for y in tensors_in(result)]


def with_gradient(function: Any) -> Any:
    """Return a function of the results and the gradient of their sum."""

    def derived(x: Any) -> Any:
        leaf = x.detach().clone().requires_grad_()
        y = function(leaf * 1)
        grads = wg.autograd.grad(y.sum(), leaf, allow_unused=True) if y.requires_grad else ()
        return y.detach(), grads

    return derived


def middle(function: Any, leaf: Any) -> Any:
    """Use a result within a larger graph, in which the argument is used as well."""
    h = leaf * 1.5
    y = function(h)
    loss = (y * h.sum()).sum() + leaf.sum()
    return loss, y


def again(function: Any, leaf: Any) -> Any:
    """Call a function with two tensors, of which one leads to the other."""
    y = function(leaf)
    return (y * function(leaf * 2)).sum(), y


def written(function: Any, leaf: Any) -> Any:
    """Write to the argument after the call, perhaps to a saved value."""
    h = leaf * 1
    y = function(h)
    h.mul_(2)
    return (y * h.sum()).sum(), y


def overwritten(function: Any, leaf: Any) -> Any:
    """Write to a result, perhaps to a saved value."""
    y = function(leaf)
    y.mul_(2)
    return y.sum(), y


GRAPHS = (middle, again, written, overwritten)


def of_first_order(loss: Any, y: Any, leaf: Any) -> Any:
    """Return gradients at a result and at a leaf, from three passes of which the last may find a freed graph."""
    grads = wg.autograd.grad(loss, (y, leaf), allow_unused=True, retain_graph=True)
    loss.backward()
    try:
        y.sum().backward()
    except RuntimeError as error:
        assert "a second time" in str(error)
        return *grads, leaf.grad.clone(), leaf
    return *grads, leaf.grad


def of_second_order(loss: Any, y: Any, leaf: Any) -> Any:
    """Return a gradient and the gradient of its square."""
    (grad,) = wg.autograd.grad(loss, leaf, create_graph=True)
    if grad.requires_grad:
        ((grad * grad).sum() + y.sum()).backward()
    return grad.detach(), leaf.grad


def in_a_graph(function: Any, graph: Any, order: Any) -> Any:
    """Return a function of the results and gradients of a graph around `function`."""

    def derived(x: Any) -> Any:
        leaf = x.detach().clone().requires_grad_()
        loss, y = graph(function, leaf)
        return [loss.detach(), y.detach(), *(order(loss, y, leaf) if y.requires_grad else ())]

    return derived


def is_replayed_alike(text: str, gradients: bool) -> bool:
    """Compare a program with its replay; return whether it was captured."""
    function, start = parts_of(text)
    function = with_gradient(function) if gradients else function
    compiled = wg.compile(function, replay=True)
    with wg.set_grad_enabled(gradients):
        for number in range(CALLS):
            x, other = (start.detach().clone() * (1 + 0.01 * (number % 7)) for _ in range(2))
            wanted = outcome(function, x)
            assert outcome(compiled, other) == wanted, f"call {number} of {text}"
            assert other._array_.tobytes() == x._array_.tobytes(), f"call {number} of {text}"
    return any(signature.lists for signature in compiled.signatures.values())


@pytest.mark.parametrize("gradients", [False, True], ids=["forward", "with gradients"])
@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs_are_replayed_with_the_bits_of_eager_calls(part: int, gradients: bool) -> None:
    seeds = range(part, PROGRAMS, PARTS)
    captured = [is_replayed_alike(program(seed), gradients) for seed in seeds]
    assert sum(captured) >= LEAST * len(captured)


@pytest.mark.parametrize("order", [of_first_order, of_second_order], ids=["first order", "second order"])
@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize("part", range(PARTS // 2))
def test_random_programs_are_replayed_in_the_middle_of_a_graph(part: int, graph: Any, order: Any) -> None:
    count = 0
    for seed in range(part, PROGRAMS // 4, PARTS // 2):
        function, start = parts_of(program(seed))
        compiled = wg.compile(function, replay=True)
        for number in range(CALLS):
            x, other = (start.detach().clone() * (1 + 0.01 * (number % 7)) for _ in range(2))
            wanted = outcome(in_a_graph(function, graph, order), x)
            assert outcome(in_a_graph(compiled, graph, order), other) == wanted, f"call {number} of {program(seed)}"
        lists = [captured for signature in compiled.signatures.values() for captured in signature.lists]
        count += any(captured.graph is not None for captured in lists)
    assert count or order is of_second_order  # after which a function is called eagerly


def with_all_results(text: str) -> str:
    """Return a program that returns its variables, too."""
    names = list(dict.fromkeys(re.findall(r"^    (v\d+) =", text, re.MULTILINE)))
    head, _, last = text.rpartition("    return ")
    return f"{head}    return {last.strip()}, [{', '.join(names)}]"


def used(function: Any, x: Any, choice: random.Random) -> Any:
    """Use the results of a program in a way that is chosen at random: hooks, writes, several kinds of passes."""
    leaf = x.detach().clone().requires_grad_()
    h = leaf * 1.5
    first, others = function(h)
    results = [each for each in (first, *others) if each.requires_grad and each.dtype.is_floating_point]
    seen = [each.detach().clone() for each in (first, *others)]
    chosen = [each for each in results if choice.random() < 0.6] or results[:1]
    for each in results:
        if choice.random() < 0.3 and not each.is_leaf:
            each.retain_grad()
        if choice.random() < 0.2:
            each.register_hook(lambda grad: seen.append(grad.detach() + 0) or grad * 0.5)
    kind = choice.random()
    if kind < 0.1:
        h.mul_(2)
    elif kind < 0.2 and results and not results[-1]._is_view():
        results[-1].mul_(0.5)
    loss = sum(((each * (at + 1)).sin().sum() for at, each in enumerate(chosen)), h.sum())
    if choice.random() < 0.5:
        loss = loss + sum((each * each).sum() for each in [function(leaf)[0]] if each.dtype.is_floating_point)
    kind = choice.random()
    if kind < 0.3:
        seen += wg.autograd.grad(loss, [leaf, h, *chosen], allow_unused=True, materialize_grads=True)
    elif kind < 0.45:
        grads = wg.autograd.grad(loss, [leaf, *chosen], create_graph=True, materialize_grads=True)
        sum((each * each).sum() for each in grads).backward()
    elif kind < 0.6 and chosen:
        loss.backward(retain_graph=True)
        chosen[-1].sum().backward()
    else:
        loss.backward()
    return [*seen, leaf.grad, *[each.grad for each in results if not each.is_leaf and each.retains_grad]]


def shown(run: Any) -> Any:
    """Return what is to be equal of the results of `used`, or its error; names of results differ in errors."""
    try:
        results = run()
    except Exception as error:
        return type(error), str(error).partition("output 0 of")[0]
    return [None if y is None else (y.shape, y.dtype, y._array_.tobytes()) for y in results]


@pytest.mark.parametrize("part", range(PARTS // 2))
def test_all_results_of_random_programs_may_be_used_in_any_way(part: int) -> None:
    segments = 0
    for seed in range(part, PROGRAMS // 3, PARTS // 2):
        text = with_all_results(program(seed))
        function, start = parts_of(text)
        compiled = wg.compile(function, replay=True)
        for number in range(CALLS):
            x = start.detach().clone() * (1 + 0.01 * (number % 7))
            wanted = shown(lambda: used(function, x, random.Random(100 * seed + number)))  # noqa: B023 - called at once
            result = shown(lambda: used(compiled, x, random.Random(100 * seed + number)))  # noqa: B023 - called at once
            assert result == wanted, f"call {number} of {text}"
        lists = [captured for signature in compiled.signatures.values() for captured in signature.lists]
        segments += sum(len(captured.graph.segments) for captured in lists if captured.graph is not None)
    assert segments
