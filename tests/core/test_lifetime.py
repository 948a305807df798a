"""Everything is freed by reference counting alone, as soon as nobody holds it: checked with the collector off."""

from __future__ import annotations

import contextlib
import gc
import subprocess
import sys
import tracemalloc
import weakref
from pathlib import Path

import pytest

import wengert as wg


@pytest.fixture(autouse=True)
def without_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def leaf(*shape):
    return wg.ones(shape, dtype=wg.float64).requires_grad_()


def reference(thing):
    return weakref.ref(thing)


COMPUTATIONS = {
    "keeps its inputs": lambda x: x * x,
    "keeps its output": lambda x: x.exp(),
    "keeps an output among several": lambda x: x.max(0)[0],
    "keeps an output that it also is a view of": lambda x: x.exp().view(-1),
    "a view": lambda x: x.view(-1)[1:].reshape(3),
    "a view of a view, read after a write to the base": lambda x: written(x),
    "in place, keeping its input": lambda x: (x * 2).mul_(x),
    "in place, keeping its output": lambda x: (x * 2).exp_(),
    "in place on a view": lambda x: view_written(x),
    "in place on a view, then the view": lambda x: view_written(x, view=True),
    "an assignment to an index": lambda x: assigned(x),
    "saved twice": lambda x: x.sigmoid() * x.sigmoid().tanh(),
    "with a retained gradient": lambda x: retained(x),
    "with hooks that hold their own tensor": lambda x: hooked(x),
    "a softmax": lambda x: x.softmax(0),
    "a list of inputs": lambda x: wg.cat([x, x * 2]),
    "several outputs": lambda x: (x * 1).split(2)[1],
}


def written(x):
    base = x * 2
    view = base[1:].view(-1)
    base.mul_(3)
    return view


def view_written(x, view=False):
    base = x * 2
    part = base[1:]
    part.mul_(x[1:])
    return part if view else base


def assigned(x):
    base = x * 2
    base[1] = x[0] * 3
    return base


def retained(x):
    middle = x * 2
    middle.retain_grad()
    return middle * 3


def hooked(x):
    middle = x * 2
    middle.grad_fn.register_hook(lambda *grads: None)
    middle.register_hook(lambda grad: grad * 1)
    return middle * 3


@pytest.mark.parametrize("name", COMPUTATIONS)
def test_a_result_and_its_nodes_die_with_the_last_reference(name):
    x = leaf(4)
    result = COMPUTATIONS[name](x)
    watched = [reference(result), reference(result.grad_fn)]
    watched += [reference(node) for node, _ in result.grad_fn.next_functions if node is not None]
    del result
    assert [each() for each in watched] == [None] * len(watched)


@pytest.mark.parametrize("plain", [False, True])
def test_a_write_to_what_a_node_keeps_does_not_let_the_node_keep_itself_alive(plain):
    x = leaf(4)
    y = wg.ones(4, dtype=wg.float64) if plain else x * 2
    product = y * y * x
    y.add_(product.sin())
    watched = [reference(y), reference(y.grad_fn), reference(product), reference(product.grad_fn)]
    del y, product
    assert [each() for each in watched] == [None] * 4


@pytest.mark.parametrize("name", COMPUTATIONS)
def test_a_backward_pass_leaves_nothing_alive(name):
    x = leaf(4)
    result = COMPUTATIONS[name](x)
    watched = [reference(result), reference(result.grad_fn)]
    result.sum().backward()
    del result
    assert [each() for each in watched] == [None, None]
    leaf_reference = reference(x)
    del x
    assert leaf_reference() is None


def test_a_leaf_and_its_accumulator_do_not_keep_each_other():
    x = leaf(2)
    y = x * 2
    accumulator = reference(y.grad_fn.next_functions[0][0])
    del y
    assert accumulator() is None
    watched = reference(x)
    del x
    assert watched() is None


def test_a_recorded_pass_can_be_freed():
    x = leaf(3)
    (first,) = wg.autograd.grad((x * x * x).sum(), x, create_graph=True)
    (second,) = wg.autograd.grad(first.sum(), x, create_graph=True)
    watched = [reference(each) for each in (first, second, first.grad_fn, second.grad_fn)]
    del first, second
    assert [each() for each in watched] == [None] * 4


def test_a_leaf_whose_gradient_was_recorded_is_freed_once_the_gradient_is_taken_away():
    x = leaf(3)
    (x * x).sum().backward(create_graph=True)
    assert x.grad.requires_grad  # leaf -> gradient -> node -> accumulator -> leaf: the one cycle, as in torch
    watched = reference(x)
    x.grad = None
    del x
    assert watched() is None


def test_saved_tensors_are_freed_by_the_pass_although_the_graph_lives_on():
    x = leaf(3)
    middle = x * 2
    result = middle * middle
    watched = reference(middle._array_)
    del middle
    assert watched() is not None
    result.sum().backward()
    assert watched() is None
    assert result.grad_fn is not None


def test_an_error_during_the_pass_leaves_nothing_alive_once_it_is_handled():
    x = leaf(3)
    result = x * x
    result.register_hook(fail)
    watched = reference(result.grad_fn)
    with contextlib.suppress(ZeroDivisionError):
        result.sum().backward()
    del result
    assert watched() is None


def fail(grad):
    raise ZeroDivisionError


@pytest.mark.lifetime
def test_a_view_keeps_its_base_and_not_the_other_way_round():
    base = leaf(4) * 2
    view = base[1:]
    watched_view, watched_base = reference(view), reference(base)
    del base
    assert watched_base() is not None
    del view
    assert watched_view() is None and watched_base() is None


@pytest.mark.lifetime
def test_a_thousand_training_steps_leave_no_memory_behind():
    weights = [wg.ones(8, 8).div_(8).requires_grad_() for _ in range(3)]
    data = wg.ones(4, 8)

    def step():
        value = data
        for weight in weights:
            value = (value @ weight).tanh()
        loss = (value * value).mean()
        loss.backward()
        with wg.no_grad():
            for weight in weights:
                weight.sub_(weight.grad * 0.01)
                weight.grad = None
        return weakref.ref(loss.grad_fn)

    for _ in range(2_200):  # Python keeps up to 2,000 freed tuples of each length, and tracemalloc counts them
        assert step()() is None
    steps = 1000
    tracemalloc.start()
    try:
        before = tracemalloc.take_snapshot()
        for _ in range(steps):
            assert step()() is None
        after = tracemalloc.take_snapshot()
    finally:
        tracemalloc.stop()
    ours = [tracemalloc.Filter(False, tracemalloc.__file__), tracemalloc.Filter(False, weakref.__file__)]
    growth = sum(
        each.size_diff for each in after.filter_traces(ours).compare_to(before.filter_traces(ours), "filename")
    )
    assert growth < steps * sys.getsizeof(None), f"{growth} bytes more: an object, be it the smallest, for each step"


STEPS = """
import mmap, sys
import wengert as wg

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * mmap.PAGESIZE

kept = []

def steps(count, keep):
    x = wg.ones(1000).requires_grad_()
    for _ in range(count):
        value = x
        for _ in range(5):
            value = (value * x).exp_().view(10, 100).view(-1)
            if keep:
                kept.append(value.detach())
        value.sum().backward()
        x.grad = None

steps(200, False)
for keep in (False, True):
    before = resident()
    steps(1000, keep)
    print(resident() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the resident size is read as Linux shows it")
def test_the_process_does_not_grow_over_thousands_of_steps():
    # What C allocates is invisible to tracemalloc; the size of a process without free memory to use up shows it.
    done = subprocess.run([sys.executable, "-c", STEPS], capture_output=True, text=True, timeout=600, check=True)
    growth, growth_if_kept = map(int, done.stdout.split())
    made = 5 * 1000 * wg.ones(1000).nbytes
    assert growth < made / 4
    assert growth_if_kept > made / 2, "what stays is seen"
