"""Random programs, replayed with numbers that change from call to call: results and errors of eager calls."""

from __future__ import annotations

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
