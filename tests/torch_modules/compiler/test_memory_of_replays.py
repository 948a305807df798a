"""Memory that replays hand out as results is used again only if nobody has it any more."""

from __future__ import annotations

import copy
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wengert as wg

CALLS = 24


def dlpack(result: Any) -> Any:
    return np.from_dlpack(result)


def in_a_graph(result: Any) -> Any:
    """Return a function that computes a gradient from values that a graph has saved."""
    leaf = wg.ones(4, requires_grad=True)
    return leaf, (leaf * result).sum()


def gradient_of(held: Any) -> Any:
    leaf, loss = held
    return wg.autograd.grad(loss, leaf)[0]


HOLDERS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "the tensor": (lambda result: result, lambda held: held),
    "detach": (lambda result: result.detach(), lambda held: held),
    "a view": (lambda result: result[1:], lambda held: held),
    "an alias": (lambda result: result.view(2, 2).t(), lambda held: held),
    "numpy": (lambda result: result.numpy(), lambda held: held),
    "part of numpy": (lambda result: result.numpy()[::2], lambda held: held),
    "asarray": (lambda result: np.asarray(result), lambda held: held),
    "memoryview": (lambda result: memoryview(result.numpy()), np.asarray),
    "dlpack": (dlpack, lambda held: held),
    "storage": (lambda result: result.untyped_storage(), lambda held: np.array(held.tolist(), np.uint8)),
    "a graph": (in_a_graph, gradient_of),
    "data": (lambda result: result.data, lambda held: held),
    "set_": (lambda result: wg.empty(0).set_(result), lambda held: held),
    "a gradient": (lambda result: set_grad(result), lambda held: held.grad),
    "a pass": (lambda result: pass_back(result), lambda held: held.grad),
    "deepcopy": (lambda result: copy.deepcopy(result), lambda held: held),
    "pickle": (lambda result: pickle.loads(pickle.dumps(result)), lambda held: held),
    "from_numpy": (lambda result: wg.from_numpy(result.numpy()), lambda held: held),
}


def set_grad(result: Any) -> Any:
    leaf = wg.ones(4, requires_grad=True)
    leaf.grad = result
    return leaf


def pass_back(result: Any) -> Any:
    """Return a leaf whose `.grad` comes from a backward pass that begins with the result."""
    leaf = wg.ones(4, requires_grad=True)
    (leaf + 0).backward(result)
    return leaf


def function(x: Any) -> Any:
    return (x * 2).sin() + x


def values(held: Any) -> bytes:
    return (held.detach().numpy() if isinstance(held, wg.Tensor) else np.asarray(held)).tobytes()


@pytest.mark.parametrize("name", HOLDERS)
@pytest.mark.parametrize("lag", [0, 1, 2, CALLS])
def test_what_the_program_holds_is_not_written_to(name, lag):
    hold, read = HOLDERS[name]
    compiled = wg.compile(function, replay=True, fullgraph=True)
    held: list[Any] = []
    for number in range(CALLS):
        x = wg.arange(4.0) * number
        held.append((hold(compiled(x)), values(read(hold(function(x))))))
        if len(held) > lag:
            kept, wanted = held.pop(0)
            assert values(read(kept)) == wanted
            del kept
    assert all(values(read(kept)) == wanted for kept, wanted in held)


def test_gradients_of_leaves_that_the_program_holds_are_not_written_to():
    weight, other = (wg.ones(4, requires_grad=True) for _ in range(2))

    def step(leaf: Any, x: Any) -> Any:
        leaf.grad = None
        loss = (leaf * x).sin().sum()
        loss.backward()
        return loss.detach()

    compiled = wg.compile(lambda x: step(weight, x), replay=True, fullgraph=True)
    held = []
    for number in range(CALLS):
        x = wg.arange(4.0) + number
        loss, wanted = compiled(x), step(other, x)
        assert values(loss) == values(wanted)
        holder = (lambda grad: grad, lambda grad: grad.numpy()[1:], lambda grad: grad.view(2, 2), id)[number % 4]
        held.append((holder(weight.grad), None if holder is id else values(holder(other.grad))))
        assert weight.grad._version == other.grad._version
    assert all(wanted is None or values(kept) == wanted for kept, wanted in held)


def test_a_weak_reference_sees_no_other_results():
    compiled = wg.compile(function, replay=True, fullgraph=True)
    for number in range(CALLS):
        result = compiled(wg.ones(4) * number)
        references = weakref.ref(result), weakref.ref(result.untyped_storage())
        del result
        again = compiled(wg.ones(4) * number)
        assert references[0]() is None and references[1]() is None
        del again


def test_results_that_the_program_resized_or_wrote_to_are_computed_anew():
    compiled = wg.compile(function, replay=True, fullgraph=True)
    for number in range(CALLS):
        x = wg.arange(4.0) * number
        result = compiled(x)
        assert values(result) == values(function(x)) and result._version == 0 and result.shape == (4,)
        if number % 3 == 0:
            result.mul_(0)
        elif number % 3 == 1:
            result.resize_(2)
        else:
            result.unsqueeze_(0)
        del result
