"""Checkpointing: random numbers, contexts, threads, sequences, memory."""

from __future__ import annotations

import contextlib
import gc
import threading
import tracemalloc
import weakref

import numpy as np
import pytest

import wengert as wg
from wengert.utils.checkpoint import (
    checkpoint,
    checkpoint_sequential,
    noop_context_fn,
    set_checkpoint_early_stop,
)


def leaf(count=3):
    return wg.linspace(0.1, 1.0, count, dtype=wg.float64).requires_grad_()


def curve(x):
    return x.sin().exp() * x


class Counted:
    """A function that counts its calls."""

    def __init__(self, function):
        self.function = function
        self.calls = 0

    def __call__(self, *args, **kwargs):
        self.calls += 1
        return self.function(*args, **kwargs)


def again(*args, **kwargs):
    return checkpoint(*args, use_reentrant=False, **kwargs)


# ---- random numbers and contexts -------------------------------------------------------------------------------------


def drawing(seen):
    def function(x):
        factor = wg.rand(3, dtype=wg.float64)
        seen.append(factor)
        return (x * factor).exp() * factor

    return function


def test_the_recomputation_draws_the_same_random_numbers_and_disturbs_no_others():
    seen = []
    wg.manual_seed(3)
    y = again(drawing(seen), leaf())
    expected = wg.rand(4)
    wg.manual_seed(3)
    wg.rand(3, dtype=wg.float64)
    y.sum().backward()
    assert wg.equal(seen[0], seen[1])
    assert wg.equal(wg.rand(4), expected)


def test_random_numbers_go_on_if_they_are_not_to_be_preserved():
    seen = []
    again(drawing(seen), leaf(), preserve_rng_state=False).sum().backward()
    assert not wg.equal(seen[0], seen[1])


def test_the_two_contexts_are_entered_and_left():
    seen = []

    @contextlib.contextmanager
    def context(name):
        seen.append(f"enter {name}")
        try:
            yield
        finally:
            seen.append(f"leave {name}")

    y = again(curve, leaf(), context_fn=lambda: (context("forward"), context("recomputation")))
    assert seen == ["enter forward", "leave forward"]
    y.sum().backward()
    assert seen[2:] == ["enter recomputation", "leave recomputation"]
    with contextlib.ExitStack() as stack:
        assert [stack.enter_context(each) for each in noop_context_fn()] == [None, None]


# ---- threads ---------------------------------------------------------------------------------------------------------


def test_threads_may_run_backward_passes_over_one_graph_that_is_kept():
    x = leaf(50)
    y = again(lambda x: again(curve, x.cos()).tanh(), x).sum()
    [expected] = wg.autograd.grad(y, x, retain_graph=True)
    found = []

    def work():
        for _ in range(10):
            found.append(wg.autograd.grad(y, x, retain_graph=True)[0])

    threads = [threading.Thread(target=work) for _ in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(found) == 30 and all(wg.equal(each, expected) for each in found)


def test_the_guards_hold_for_their_thread_only():
    seen = []

    def function(x):
        seen.append("start")
        y = x.sin().exp()
        seen.append("saved")
        return y

    def other():
        again(function, leaf()).sum().backward()

    with set_checkpoint_early_stop(False):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert seen == ["start", "saved", "start"]


# ---- sequences -------------------------------------------------------------------------------------------------------

CHAIN = [wg.sin, wg.exp, wg.cos, wg.tanh, wg.sin]


@pytest.mark.parametrize("segments", [1, 2, 3, 5])
def test_all_segments_of_a_sequence_but_the_last_run_again(segments):
    functions = [Counted(each) for each in CHAIN]
    x = leaf()
    y = checkpoint_sequential(functions, segments, x, use_reentrant=False)
    y.sum().backward()
    length = len(CHAIN) // segments
    last = length * (segments - 1)
    assert [each.calls for each in functions] == [2] * last + [1] * (len(CHAIN) - last)
    plain = leaf()
    value = plain
    for each in CHAIN:
        value = each(value)
    value.sum().backward()
    assert wg.equal(y, value) and wg.allclose(x.grad, plain.grad)


def test_a_sequential_module_may_be_cut_into_segments():
    net = wg.nn.Sequential(wg.nn.Linear(3, 4), wg.nn.Tanh(), wg.nn.Dropout(0.5), wg.nn.Linear(4, 2))
    x = wg.ones(5, 3)
    wg.manual_seed(1)
    checkpoint_sequential(net, 2, x, use_reentrant=False).sum().backward()
    grads = [each.grad for each in net.parameters()]
    net.zero_grad()
    wg.manual_seed(1)
    net(x).sum().backward()
    assert all(wg.equal(got, each.grad) for got, each in zip(grads, net.parameters(), strict=True))


def test_bad_arguments_of_a_sequence_are_refused():
    with pytest.raises(ValueError, match="Unexpected keyword arguments: other"):
        checkpoint_sequential(CHAIN, 2, leaf(), use_reentrant=False, other=3)
    with pytest.raises(ValueError, match="cannot make 4 segments of 3 functions"):
        checkpoint_sequential(CHAIN[:3], 4, leaf(), use_reentrant=False)


# ---- memory ----------------------------------------------------------------------------------------------------------


def peak(call):
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def deep(x, apply, blocks=8):
    def block(x):
        for _ in range(8):
            x = x.sin()
        return x

    for _ in range(blocks):
        x = apply(block, x)
    return x


def test_the_peak_of_memory_is_lower():
    size = 20_000

    def run(apply):
        x = wg.ones(size, dtype=wg.float64).requires_grad_()
        deep(x, apply).sum().backward()

    plain = peak(lambda: run(lambda function, x: function(x)))
    saving = peak(lambda: run(again))
    bytes_each = size * 8
    assert plain > 60 * bytes_each, "the comparison sees the arrays"
    assert saving < 25 * bytes_each


def test_nested_checkpoints_keep_only_the_input_of_the_outermost():
    size = 20_000
    x = wg.ones(size, dtype=wg.float64).requires_grad_()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        y = again(lambda x: deep(x, again), x)
        kept = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert kept < 2 * size * 8, "the result, and nothing of the blocks"
    y.sum().backward()
    value = np.ones(1)
    slope = np.ones(1)
    for _ in range(64):
        slope, value = slope * np.cos(value), np.sin(value)
    assert np.allclose(x.grad.numpy(), slope)


def nested(function):
    return lambda x: again(function, x).tanh()


def test_everything_is_freed_by_reference_counting_alone():
    gc.collect()
    gc.disable()
    try:
        x = leaf()
        function = Counted(curve)
        y = again(nested(function), x * 1)
        references = [weakref.ref(function), weakref.ref(y), weakref.ref(y.grad_fn)]
        y.sum().backward(retain_graph=True)
        del y, function
        assert [each() for each in references] == [None] * 3
    finally:
        gc.enable()


def test_repeated_passes_leave_nothing_behind():
    x = leaf()

    def step():
        again(lambda x: again(curve, x).tanh(), x).sum().backward()
        x.grad = None

    def objects():
        gc.collect()
        return len(gc.get_objects())

    for _ in range(3):
        step()
    before = objects()
    for _ in range(200):
        step()
    assert objects() - before < 20


def linear_once(use_reentrant, forward, backward, inside):
    """Dtypes in which a layer computes in both runs of a checkpoint, and the gradients of its weight and input."""
    layer, x, seen = wg.nn.Linear(4, 4, bias=False), wg.ones(2, 4, requires_grad=True), []
    wg.nn.init.constant_(layer.weight, 0.3)

    def part(value):
        made = layer(value)
        seen.append((made.dtype, wg.is_autocast_enabled("cpu"), wg.is_autocast_cache_enabled()))
        return made.exp()

    with forward():
        y = checkpoint(part, x, use_reentrant=use_reentrant, early_stop=False)
        if inside:
            y.float().sum().backward()
    if not inside:
        with backward():
            y.float().sum().backward()
    return seen, layer.weight.grad, x.grad


REGIONS = {
    "none": contextlib.nullcontext,
    "off": lambda: wg.autocast("cpu", enabled=False),
    "bfloat16": lambda: wg.autocast("cpu", dtype=wg.bfloat16),
    "float16": lambda: wg.autocast("cpu", dtype=wg.float16),
    "uncached": lambda: wg.autocast("cpu", dtype=wg.bfloat16, cache_enabled=False),
}


@pytest.mark.parametrize("use_reentrant", [False, True])
@pytest.mark.parametrize("forward", REGIONS)
@pytest.mark.parametrize("backward", [*REGIONS, "inside"])
def test_a_checkpoint_computes_again_in_the_precision_of_the_first_run(use_reentrant, forward, backward):
    outer, inside = REGIONS.get(backward, contextlib.nullcontext), backward == "inside"
    first, *grads = linear_once(use_reentrant, REGIONS[forward], outer, inside)
    assert len(first) == 2 and first[0] == first[1]
    expected = {"bfloat16": wg.bfloat16, "uncached": wg.bfloat16, "float16": wg.float16}.get(forward, wg.float32)
    assert first[0][0] is expected
    _, *same = linear_once(use_reentrant, REGIONS[forward], REGIONS[forward], inside)
    for grad, other in zip(grads, same, strict=True):
        assert wg.allclose(grad, other, rtol=0.02)
    assert not wg.is_autocast_enabled("cpu")
