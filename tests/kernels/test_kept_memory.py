"""Memory of large results that is kept: numbers that add up, forks, threads, refused memory, and what lies there."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy._core.multiarray import get_handler_name

import wengert as wg
from wengert import _kernels

pytestmark = pytest.mark.skipif(_kernels.native is None, reason="there are no native kernels")
MEGABYTE = 1 << 20
LEAST = 1 << 17
"""Bytes from which a block is kept; rooms are an eighth of that apart at least."""
KINDS = st.sampled_from(["zeros", "full", "sum", "exp", "sort", "clone"])


@pytest.fixture(autouse=True)
def limit() -> Iterator[int]:
    """64 MB may be kept, and nothing is."""
    before = wg.memory_stats()["limit_bytes"]
    if before == 0:
        pytest.skip("nothing is kept in this process")
    gc.collect()
    wg.empty_cache()
    wg.set_memory_limit(64 * MEGABYTE)
    yield 64 * MEGABYTE
    wg.empty_cache()
    wg.set_memory_limit(before)


def made(kind: str, count: int, value: float) -> Any:
    """A tensor full of a value, by one of several ways to a result."""
    if kind == "zeros":
        return wg.zeros(count) if value == 0 else wg.zeros(count).add_(value)
    if kind == "full":
        return wg.full((count,), value)
    if kind == "sum":
        return wg.full((count,), value - 1) + 1
    if kind == "exp":
        return wg.zeros(count).exp() * value
    if kind == "sort":
        return wg.full((count,), value).sort()[0]
    return wg.full((count,), value).clone()


def numbers_add_up(base: dict[str, int], alive: list[Any]) -> None:
    """What is in use is what these tensors need, an eighth more at most; no more is kept than may be."""
    now = wg.memory_stats()
    large = [each.numpy().nbytes for each in alive if each.numpy().nbytes >= LEAST]
    used = now["allocated_bytes"] - base["allocated_bytes"]
    assert sum(large) <= used <= sum(each + max(each // 8, LEAST // 8) for each in large)
    assert 0 <= now["cached_bytes"] <= now["limit_bytes"]
    assert (now["cached_bytes"] == 0) == (now["cached_blocks"] == 0)
    assert now["peak_allocated_bytes"] >= now["allocated_bytes"]


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("make"), KINDS, st.integers(1, 3 * MEGABYTE // 2)),
        st.tuples(st.just("free"), st.integers(0, 9)),
        st.tuples(st.just("empty")),
        st.tuples(st.just("limit"), st.integers(0, 32 * MEGABYTE)),
    ),
    max_size=12,
)


@given(STEPS)
@settings(deadline=None, max_examples=40)
def test_numbers_add_up_whatever_is_made_and_freed(steps):
    gc.collect()
    base, alive, wanted = wg.memory_stats(), [], []
    for step in steps:
        if step[0] == "make":
            alive.append(made(step[1], step[2], len(wanted) % 7))
            wanted.append(len(wanted) % 7)
        elif step[0] == "free" and step[1] < len(alive):
            del alive[step[1]], wanted[step[1]]
        elif step[0] == "empty":
            wg.empty_cache()
            assert wg.memory_stats()["cached_bytes"] == 0
        elif step[0] == "limit":
            wg.set_memory_limit(step[1])
        numbers_add_up(base, alive)
    for tensor, value in zip(alive, wanted):
        assert (tensor.numpy() == value).all()
    del alive
    tensor = None
    assert wg.memory_stats()["allocated_bytes"] == base["allocated_bytes"]


def test_a_result_takes_the_memory_that_another_left():
    x = wg.ones(MEGABYTE)
    first = x + 1
    place, before = first.data_ptr(), wg.memory_stats()
    del first
    second = x * 3
    now = wg.memory_stats()
    assert second.data_ptr() == place
    assert (now["reused"], now["fresh"]) == (before["reused"] + 1, before["fresh"])
    assert now["allocated_bytes"] == before["allocated_bytes"]
    assert (second.numpy() == 3).all()


def test_zeros_in_used_memory_are_zeros():
    (wg.ones(MEGABYTE) + 1).sum()
    for make in (lambda: wg.zeros(MEGABYTE), lambda: wg.ones(MEGABYTE, dtype=wg.int32).new_zeros(MEGABYTE)):
        x = wg.ones(MEGABYTE) + 1
        del x
        assert not make().numpy().any()


def test_arrays_that_a_program_makes_itself_lie_where_numpy_puts_them():
    result = wg.ones(MEGABYTE) + 1
    assert get_handler_name(result.numpy()) == "wengert_reserve"
    assert get_handler_name(np.ones(MEGABYTE)) == "default_allocator"
    assert get_handler_name(result.numpy() + 1) == "default_allocator"


def test_no_more_is_kept_than_may_be():
    wg.set_memory_limit(8 * MEGABYTE)
    several = [wg.ones(MEGABYTE) + each for each in range(5)]  # 4 MB each
    del several
    assert 0 < wg.memory_stats()["cached_bytes"] <= 8 * MEGABYTE
    wg.set_memory_limit(0)
    assert wg.memory_stats()["cached_blocks"] == 0


def test_peaks_are_counted_anew():
    x = wg.ones(4 * MEGABYTE)
    assert wg.memory_stats()["peak_allocated_bytes"] >= 16 * MEGABYTE
    del x
    wg.reset_peak_memory_stats()
    now = wg.memory_stats()
    assert now["peak_allocated_bytes"] == now["allocated_bytes"]


@pytest.mark.parametrize("wrong", [True, 1.5, None])
def test_a_limit_is_an_integer(wrong):
    with pytest.raises(TypeError, match="limit must be an int"):
        wg.set_memory_limit(wrong)


def test_a_limit_is_not_negative():
    with pytest.raises(ValueError, match="0 or more bytes, but got -1"):
        wg.set_memory_limit(-1)


@given(st.lists(st.integers(1, 6 * MEGABYTE), min_size=1, max_size=6))
@settings(deadline=None, max_examples=20)
def test_arrays_keep_their_elements_when_their_length_changes(lengths):
    base = wg.memory_stats()["allocated_bytes"]
    array = (wg.arange(MEGABYTE, dtype=wg.int32) + 0)._array_
    known = len(array)
    for length in lengths:
        array.resize(length, refcheck=False)
        known = min(known, length)
        assert np.array_equal(array[:known], np.arange(known))
        assert not array[known:].any()
        known = length if known == len(array) else known
    del array
    assert wg.memory_stats()["allocated_bytes"] == base


def test_threads_share_what_is_kept():
    base, wrong = wg.memory_stats()["allocated_bytes"], []

    def work(value: int) -> None:
        random = np.random.default_rng(value)
        alive: list[Any] = []
        for _ in range(60):
            alive.append(wg.full((int(random.integers(1, MEGABYTE)),), float(value)) + 0)
            if len(alive) > 3:
                alive.pop(int(random.integers(4)))
            if random.random() < 0.05:
                wg.empty_cache()
        wrong.extend(each for each in alive if not (each.numpy() == value).all())

    threads = [threading.Thread(target=work, args=(value,)) for value in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong
    assert wg.memory_stats()["allocated_bytes"] == base


PROGRAM_OF_FORKS = """
import os, threading
import wengert as wg

kept = [wg.full((1 << 20,), float(each)) + 0 for each in range(4)]
(wg.ones(1 << 20) + 1).sum()
running = True

def work():
    while running:
        wg.ones(1 << 19) + 1

thread = threading.Thread(target=work)
thread.start()
for turn in range(20):
    child = os.fork()
    if child == 0:
        del kept[turn % 4]
        fine = all((wg.full((1 << 20,), 7.0) + each == 7 + each).all() for each in range(8))
        wg.empty_cache()
        fine = fine and wg.memory_stats()["cached_bytes"] == 0
        os._exit(0 if fine else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
running = False
thread.join()
assert all((each == value).all() for value, each in enumerate(kept))
"""

PROGRAM_WITHOUT_MEMORY = """
import resource
import wengert as wg

x = wg.empty(50 << 20, dtype=wg.uint8)
del x
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (20 << 20), resource.RLIM_INFINITY))
before = wg.memory_stats()
assert before["cached_bytes"] >= 50 << 20
x = wg.empty(60 << 20, dtype=wg.uint8)
now = wg.memory_stats()
assert (now["retries"], now["cached_bytes"]) == (before["retries"] + 1, 0), now
try:
    wg.empty(200 << 20, dtype=wg.uint8)
except MemoryError:
    pass
else:
    raise AssertionError("there was memory after all")
assert wg.memory_stats()["allocated_bytes"] == now["allocated_bytes"]
"""


def run(program: str, **environment: str) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **environment}, capture_output=True, text=True, timeout=300
    )
    assert ran.returncode == 0, ran.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_children_have_what_is_kept_and_no_lock_that_another_thread_held():
    run(PROGRAM_OF_FORKS)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux how much address space is in use")
def test_what_is_kept_is_given_back_before_memory_is_refused():
    run(PROGRAM_WITHOUT_MEMORY)


def test_nothing_is_kept_where_the_environment_says_so():
    run(
        "import wengert as wg\n"
        "x = wg.ones(1 << 20) + 1\n"
        "del x\n"
        "assert not any(wg.memory_stats().values()), wg.memory_stats()\n",
        WENGERT_KEPT_MEMORY="0",
    )
