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


GRADS: dict[str, Callable[[Any], Any]] = {
    "the tensor": lambda grad: grad,
    "part of numpy": lambda grad: grad.numpy()[1:],
    "a view": lambda grad: grad.view(-1),
    "the storage": lambda grad: grad.untyped_storage(),
    "a weak reference": weakref.ref,
    "a weak reference to the storage": lambda grad: weakref.ref(grad.untyped_storage()),
    "an attribute": lambda grad: setattr(grad, "note", 1),
    "a hook": lambda grad: (grad.requires_grad_().register_hook(print), None)[1],
    "a gradient of it": lambda grad: setattr(grad, "grad", grad.clone()),
    "a write": lambda grad: grad.mul_(2),
    "nothing": lambda grad: None,
}


def of_held(held: Any) -> Any:
    """Return the values of what the program has of a gradient; None if it has none."""
    if isinstance(held, weakref.ref):
        return held() is None
    if isinstance(held, wg.UntypedStorage):
        return held.tolist()
    return None if held is None else values(held)


@pytest.mark.parametrize("name", GRADS)
@pytest.mark.parametrize("lag", [0, 1, CALLS])
def test_gradients_of_leaves_that_the_program_holds_are_not_written_to(name, lag):
    hold = GRADS[name]

    def train(leaves: list[Any], compile_it: bool) -> list[Any]:
        def step(x: Any) -> Any:
            for leaf in leaves:
                leaf.grad = None
            loss = (wg.nn.functional.linear(x, *leaves).sin()).sum()
            loss.backward()
            return loss.detach()

        taken = wg.compile(step, replay=True, fullgraph=True) if compile_it else step
        held: list[Any] = []
        results = []
        for number in range(CALLS):
            results.append(values(taken(wg.arange(6.0).view(3, 2) + number)))
            for leaf in leaves:
                grad = leaf.grad
                results.append(
                    (values(grad), grad._version, grad.requires_grad, grad.grad, grad.__dict__ == {}, grad.stride())
                )
                if number % 5:
                    held.append(hold(grad))
                del grad
            del held[: max(0, len(held) - 2 * lag)]
            results.append([of_held(kept) for kept in held])
        return results

    draws = np.random.default_rng(0)
    shapes = (2, 2), (2,)
    start = [draws.normal(size=shape).astype(np.float32) for shape in shapes]
    eager, compiled = (
        train([wg.tensor(array, requires_grad=True) for array in start], compile_it) for compile_it in (False, True)
    )
    for one, other in zip(eager, compiled, strict=True):
        assert one == other or "weak" in name


def test_an_old_gradient_that_the_function_uses_is_not_the_new_one():
    def train(compile_it: bool) -> list[Any]:
        leaf = wg.ones(3, requires_grad=True)

        def step(x: Any) -> Any:
            before = leaf.grad
            leaf.grad = None
            (leaf * x).sin().sum().backward()
            return before, before.add_(leaf.grad)

        taken = wg.compile(step, replay=True, fullgraph=True) if compile_it else step
        leaf.grad = wg.zeros(3)
        results = []
        for number in range(CALLS):
            before, same = taken(wg.arange(3.0) + number)
            assert before is same and before is not leaf.grad
            results.append((values(before), before._version, values(leaf.grad), leaf.grad._version))
            del before, same
        return results

    assert train(True) == train(False)


def test_gradients_that_the_program_replaces_between_calls():
    leaf = wg.ones(3, requires_grad=True)

    def step(x: Any) -> Any:
        leaf.grad = None
        (leaf * x).sum().backward()

    compiled = wg.compile(step, replay=True, fullgraph=True)
    for number in range(CALLS):
        if number % 3 == 2:
            leaf.grad = None if number % 2 else wg.ones(3)
        compiled(wg.ones(3) * number)
        assert leaf.grad.tolist() == [number] * 3


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


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x * 2 + 1,
        lambda x: (x, x[1:], x.t() if x.ndim == 2 else x.view(2, 2)),
        lambda x: x.detach().sum(),
        lambda x: (x + WEIGHT).sum(),
    ],
)
def test_replays_keep_no_argument_alive(function):
    compiled = wg.compile(function, replay=True)
    for _ in range(CALLS):
        x = wg.ones(4)
        references = weakref.ref(x), weakref.ref(x._array_)
        result = compiled(x)
        del x, result
        assert [reference() for reference in references] == [None, None]


WEIGHT = wg.ones(4)


def test_a_function_that_calls_itself_has_registers_of_its_own():
    def outer(x: Any) -> Any:
        y = x * 2
        return y + inner(y) * x

    def plain(x: Any) -> Any:
        return (x * 3).sin() + x

    inner = wg.compile(plain, replay=True, fullgraph=True)
    for number in range(CALLS):
        x = wg.arange(4.0) + number
        assert values(outer(x)) == values(x * 2 + plain(x * 2) * x)


def test_an_error_in_a_replay_leaves_no_values_behind():
    def function(x: Any, n: Any) -> Any:
        y = x + 1
        return (y * 2)[n.item() :] if n.item() < 3 else y

    compiled = wg.compile(function, replay=True)
    for number in range(2 * CALLS):
        x, n = wg.arange(4.0) + number, wg.tensor(number % 5)
        assert values(compiled(x, n)) == values(function(x, n))


def test_the_memory_of_a_large_gradient_is_not_kept_after_the_next_one():
    leaf = wg.ones(200, 200, requires_grad=True)

    def step(x: Any) -> None:
        leaf.grad = None
        (x @ leaf.t()).sum().backward()

    compiled = wg.compile(step, replay=True, fullgraph=True)
    for number in range(CALLS):
        compiled(wg.full((3, 200), 0.5 * number))
        assert leaf.grad[0, 0].item() == 1.5 * number
        grad = leaf.grad._array_
        memory = weakref.ref(grad if grad.base is None else grad.base)
        del grad
        compiled(wg.ones(3, 200))
        assert memory() is None
