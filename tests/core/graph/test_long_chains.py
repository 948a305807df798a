"""Graphs of very many nodes are made, swept, walked and freed without recursion, in threads with small stacks too."""

from __future__ import annotations

import sys
import threading

import wengert as wg
from wengert._start.build import COMPILED

LENGTH = 1_000_000 if COMPILED else 50_000
"""Interpreted, a node takes 40 microseconds, and fewer do: that is still fifty times the deepest recursion of Python
code, and more frames of C than a stack of 8 MB holds.
"""
SHORTER = 100_000 if COMPILED else 20_000


def chain(length):
    """A leaf and the end of a chain of operations on it."""
    x = wg.tensor(1.0, dtype=wg.float64, requires_grad=True)
    value = x
    for _ in range(length):
        value = value + 1
    return x, value


def smallest_stack():
    """The smallest stack that the platform gives a thread, in bytes."""
    before = threading.stack_size()
    try:
        for kilobytes in (64, 128, 256, 512, 1024):
            try:
                threading.stack_size(kilobytes * 1024)
                return kilobytes * 1024
            except ValueError:
                continue
    finally:
        threading.stack_size(before)
    return 0


def in_thread(function, stack):
    """Run a function in a thread with a stack of so many bytes; its result, or its error."""
    outcome = []

    def run():
        try:
            outcome.append(function())
        except BaseException as error:
            outcome.append(error)

    before = threading.stack_size(stack)
    try:
        thread = threading.Thread(target=run)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]


def whole_life(length):
    x, value = chain(length)
    value.backward()
    gradient = x.grad.item()
    del value
    return gradient


def freed_unused(length):
    x, value = chain(length)
    del value
    return x.item()


def test_very_many_nodes_are_swept_and_freed():
    assert whole_life(LENGTH) == 1.0


def test_very_many_nodes_live_in_a_thread_with_a_small_stack():
    stack = max(smallest_stack(), 256 * 1024 if sys.platform == "darwin" else 0)
    if sys.version_info[:2] == (3, 13) and not COMPILED:
        stack = 16 * 1024 * 1024  # this Python frees its own objects 10,000 deep before it puts that off
    if sys.version_info >= (3, 14):
        stack = max(stack, 128 * 1024)  # with 64 kB this Python puts off all that it should free, and never comes to it
    assert in_thread(lambda: whole_life(LENGTH), stack) == 1.0
    assert in_thread(lambda: freed_unused(LENGTH), stack) == 1.0


def test_gradients_of_a_long_chain_by_grad_and_recorded():
    x, value = chain(SHORTER)
    (found,) = wg.autograd.grad(value * x, x, create_graph=True)
    assert found.item() == SHORTER + 2
    (second,) = wg.autograd.grad(found, x)
    assert second.item() == 2.0


def test_a_long_chain_of_in_place_writes_is_swept_and_freed():
    x = wg.tensor([1.0, 2.0], dtype=wg.float64, requires_grad=True)
    value = x * 1
    for _ in range(SHORTER):
        value.add_(1)
    value.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_a_long_chain_of_writes_to_views_is_swept_and_freed():
    x = wg.tensor([1.0, 2.0], dtype=wg.float64, requires_grad=True)
    value = x * 1
    for _ in range(5_000):
        value[:1].mul_(1)
    value.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_a_long_chain_of_views_is_freed():
    value = wg.ones(2, 3, requires_grad=True) * 1
    for _ in range(2_000):
        value = value.view(3, 2).view(2, 3)
    assert value.shape == (2, 3)


def test_a_tensor_at_the_end_of_a_long_chain_can_be_printed_and_walked():
    _, value = chain(SHORTER)
    assert repr(value).endswith("grad_fn=<AddBackward0>)")
    node, steps = value.grad_fn, 0
    while node is not None:
        edges = node.next_functions
        node, steps = (edges[0][0] if edges else None), steps + 1
    assert steps == SHORTER + 1
