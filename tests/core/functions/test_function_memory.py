"""Custom Functions are freed: by reference counting in normal use, by the collector where a program closed a cycle."""

from __future__ import annotations

import contextlib
import gc
import sys
import weakref

import pytest

import wengert as wg
from wengert.autograd import Function
from wengert.autograd.function import FunctionMeta

LENGTH = 100_000


@pytest.fixture(autouse=True)
def without_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def leaf(*values):
    return wg.tensor(list(values or (1.0, 2.0)), dtype=wg.float64, requires_grad=True)


def make(forward, backward=lambda ctx, *grads: grads[0]):
    """A Function of two functions."""
    return FunctionMeta("Made", (Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


class Increment(Function):
    @staticmethod
    def forward(ctx, x):
        return x + 1

    @staticmethod
    def backward(ctx, grad):
        return grad


def saving(ctx, x):
    """Saves input, output and an intermediate result."""
    y = x * 2
    ctx.save_for_backward(x, y, x * 3)
    ctx.note = {"a": [1]}
    return y


def writing(ctx, x):
    x.mul_(2)
    ctx.mark_dirty(x)
    ctx.save_for_backward(x)
    return x


USES = {
    "saves input and output": lambda x: make(saving).apply(x),
    "keeps its input as an attribute": lambda x: make(lambda ctx, x: (setattr(ctx, "x", x), x * 2)[1]).apply(x),
    "returns its input": lambda x: make(lambda ctx, x: (ctx.save_for_backward(x), x)[1]).apply(x),
    "returns a view": lambda x: make(
        lambda ctx, x: (ctx.save_for_backward(x), x.view(-1, 1))[1], lambda ctx, grad: grad.view(-1)
    ).apply(x),
    "returns several": lambda x: make(lambda ctx, x: (x * 2, x[0], x > 1)).apply(x)[0],
    "writes to its input": lambda x: make(writing).apply(x * 1),
    "writes to a view": lambda x: make(writing).apply((x * 1)[:1]),
    "has hooks": lambda x: hooked(make(saving).apply(x)),
    "is one of a chain": lambda x: make(saving).apply(make(saving).apply(make(saving).apply(x))),
}


def hooked(y):
    y.grad_fn.register_hook(lambda inputs, outputs: None)
    y.register_hook(lambda grad: grad * 2)
    return y


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("passes", [0, 1, 2])
def test_a_call_is_freed_without_the_collector(use, passes):
    x = leaf()
    y = USES[use](x)
    node, nodes = y.grad_fn, []
    while node is not None:
        nodes.append(weakref.ref(node))
        node = node.next_functions[0][0] if node.next_functions else None
    for _ in range(passes):
        y.sum().backward(retain_graph=True)
    tensor = weakref.ref(y)
    del y
    assert tensor() is None
    assert [node() for node in nodes[:-1]] == [None] * (len(nodes) - 1)


def test_a_pass_that_is_recorded_is_freed_too():
    x = leaf()
    square = make(
        lambda ctx, x: (ctx.save_for_backward(x), x * x)[1], lambda ctx, grad: grad * 2 * ctx.saved_tensors[0]
    )
    (first,) = wg.autograd.grad(square.apply(x).sum(), x, create_graph=True)
    node = weakref.ref(first.grad_fn)
    del first
    assert node() is None


def test_an_error_in_forward_leaves_nothing_behind():
    kept = []

    def fail(ctx, x):
        kept.append(weakref.ref(ctx))
        raise ZeroDivisionError

    with contextlib.suppress(ZeroDivisionError):
        make(fail).apply(leaf())
    assert kept[0]() is None


# ---- cycles ----------------------------------------------------------------------------------------------------------


def kept_on_ctx(ctx, x, held):
    x = x.clone()
    ctx.held = held
    ctx.save_for_backward(x)
    return x


HOLDER = make(kept_on_ctx, lambda ctx, grad: (grad * ctx.saved_tensors[0], None))

PLACES = {
    "an attribute of ctx": lambda node, held, tensor: held.update(tensor=tensor),
    "a hook of the node": lambda node, held, tensor: node.register_hook(lambda inputs, outputs: print(tensor)),
    "a pre-hook of the node": lambda node, held, tensor: node.register_prehook(lambda outputs: print(tensor)),
    "a hook of the tensor": lambda node, held, tensor: tensor.register_hook(lambda grad: print(tensor)),
    "the metadata of the node": lambda node, held, tensor: node.metadata.update(tensor=tensor),
}


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x**2


def cube_packed(x):
    with wg.autograd.graph.saved_tensors_hooks(lambda tensor: [tensor], lambda packed: packed[0]):
        return Cube.apply(x)


THROUGH = {
    "the output": lambda y: y,
    "the output of another custom Function": Increment.apply,
    "the output of a third one": lambda y: Increment.apply(Increment.apply(y)),
    "the output of one that saves its input": Cube.apply,
    "the output of one whose saved input is packed": cube_packed,
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("through", THROUGH)
@pytest.mark.parametrize("backward", [False, True])
def test_a_cycle_that_a_program_closed_is_collected(place, through, backward, capsys):
    def run():
        x, held = leaf(), {}
        y = HOLDER.apply(x, held)
        z = THROUGH[through](y)
        PLACES[place](y.grad_fn, held, z)
        if backward:
            z.sum().backward()
            assert x.grad is not None
        return [weakref.ref(each) for each in (y.grad_fn, z, z.grad_fn)]

    references = run()
    assert None not in [reference() for reference in references]
    gc.collect()
    assert [reference() for reference in references] == [None, None, None]


def test_a_dictionary_that_many_calls_share_is_collected():
    def run():
        held, value = {}, leaf()
        for at in range(50):
            value = held[at] = HOLDER.apply(value, held)
        held["sum"] = Increment.apply(value)
        return [weakref.ref(each) for each in held.values()]

    references = run()
    gc.collect()
    assert {reference() for reference in references} == {None}


def test_what_is_still_in_use_is_not_collected():
    x, held = leaf(), {}
    y = HOLDER.apply(x, held)
    held["y"] = y
    z = Increment.apply(y) * 2
    node = weakref.ref(y.grad_fn)
    del y, held
    gc.collect()
    gc.collect()
    assert node().held["y"].grad_fn is node()
    z.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
    node().held.clear()


def test_the_class_of_a_function_is_collected_with_its_class_of_nodes():
    made = make(lambda ctx, x: x * 2)
    made.apply(leaf())
    references = [weakref.ref(made), weakref.ref(made._backward_cls)]
    del made
    gc.collect()
    assert [reference() for reference in references] == [None, None]


def test_ten_thousand_passes_leave_no_objects():
    def once():
        y = make_once.apply(leaf())
        y.grad_fn.note = y.grad_fn.name()
        y.sum().backward()

    make_once = make(saving)
    once()
    before = len(gc.get_objects())
    counts = sys.getrefcount(make_once), sys.getrefcount(make_once._backward_cls)
    for _ in range(10_000):
        once()
    assert len(gc.get_objects()) <= before + 5
    assert (sys.getrefcount(make_once), sys.getrefcount(make_once._backward_cls)) == counts


# ---- long chains -----------------------------------------------------------------------------------------------------


def test_a_long_chain_is_swept_and_freed_without_recursion():
    x = leaf(1.0)
    y = x
    for _ in range(LENGTH):
        y = Increment.apply(y)
    node = weakref.ref(y.grad_fn)
    y.backward()
    assert x.grad.tolist() == [1.0] and y.item() == LENGTH + 1
    del y
    assert node() is None


def test_a_long_chain_in_a_cycle_is_collected_without_recursion():
    def run():
        held, y = {}, leaf(1.0)
        y = HOLDER.apply(y, held)
        first = weakref.ref(y.grad_fn)
        for _ in range(LENGTH // 4):
            y = Increment.apply(y)
        held["last"] = y
        return first

    first = run()
    assert first() is not None
    gc.collect()
    assert first() is None
