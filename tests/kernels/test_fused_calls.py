"""Element-wise calls on large arrays, which a replay does together, block by block (`native/replay/fusion.hpp`)."""

from __future__ import annotations

import contextvars
import gc
import itertools
import threading
import weakref
from typing import Any

import numpy as np
import pytest

from wengert import _kernels as kernels

pytestmark = pytest.mark.skipif(kernels.native is None, reason="the native library was not built")
native: Any = kernels.native
RETURNS, WRITES, COMPARES_BYTES, COMPARES_RESULT, COPIES, VIEWS = range(6)
LARGE = 300_001
"""Elements: more than a thread would leave to one block, and no multiple of a block."""


@pytest.fixture(autouse=True, params=[1, 2, 3])
def threads(request):
    before = kernels.get_num_threads()
    kernels.set_num_threads(request.param)
    yield request.param
    kernels.set_num_threads(before)


def call(
    function: Any, places: tuple[int, ...], out: int, like: Any, constants: Any = None, frees: tuple[int, ...] = ()
) -> Any:
    """Return the description of a call that returns one array."""
    constants = (None,) * len(places) if constants is None else constants
    return RETURNS, function, places, constants, False, (out,), (like,), (-1,), frees, None


def compared(function: Any, place: int, expected: bool, frees: tuple[int, ...] = ()) -> Any:
    """Return the description of a comparison of a decision."""
    return COMPARES_RESULT, function, (place,), (None,), False, (), (), (), frees, expected


class Calls:
    """The calls of a list, which run with `registers` registers."""

    def __init__(self, *descriptions: Any, registers: int, movable: Any = True) -> None:
        flags = bytes([movable] * len(descriptions)) if isinstance(movable, bool) else movable
        self.calls = native.replay_calls(descriptions, registers, flags)
        self.registers = registers

    def run(self, *arrays: Any, first: int = 0) -> tuple[int, list[Any]]:
        """Run them; return where they stopped, and the registers."""
        values = [*arrays, *[None] * (self.registers - len(arrays))]
        return native.run_calls(self.calls, values, first), values

    def fused(self) -> list[tuple[int, int]]:
        """Return the stretches that have run block by block."""
        return [(first, end) for first, end, runs in native.fused_calls(self.calls) if runs]


def bits(array: Any) -> bytes:
    return np.ascontiguousarray(array).tobytes()


def numbers(count: int, dtype: Any = np.float32, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=count).astype(dtype)


def chain(like: Any, keep: bool = False) -> Calls:
    """Return `r2 = r0 * r1`, `r3 = tanh(r2)`, `r4 = r3 + r0`, of which `keep` keeps the second."""
    return Calls(
        call(native.direct_multiply, (0, 1), 2, like),
        call(native.direct_tanh, (2,), 3, like, frees=(2,)),
        call(native.direct_add, (3, 0, -1), 4, like, (None, None, 1), frees=() if keep else (3,)),
        registers=5,
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("count", [2731, 4095, 4096, 4097, 16_384, 32_767, 32_768, 131_071, 131_072, 131_073, LARGE])
def test_a_chain_has_the_bits_of_its_calls(dtype, count):
    like = np.empty(count, dtype)
    for keep in (False, True):
        calls = chain(like, keep)
        for seed in range(4):
            a, b = numbers(count, dtype, seed), numbers(count, dtype, seed + 9)
            stop, arrays = calls.run(a, b)
            product = native.direct_multiply(a, b)
            middle = native.direct_tanh(product)
            assert stop == 3 and bits(arrays[4]) == bits(native.direct_add(middle, a, 1))
            assert arrays[2] is None and (bits(arrays[3]) == bits(middle) if keep else arrays[3] is None)
            assert arrays[4].flags.owndata and arrays[4].flags.writeable and arrays[4].flags.c_contiguous
        assert calls.fused() == [(0, 3)]


@pytest.mark.parametrize("count", [1000, 2730])
def test_few_elements_are_not_fused(count):
    calls = chain(np.empty(count, np.float32))
    for seed in range(4):
        calls.run(numbers(count, seed=seed), numbers(count))
    assert calls.fused() == []


@pytest.mark.parametrize("shape", [(LARGE,), (1, LARGE), (3, 100_000), (100_000, 3, 1)])
def test_operands_of_another_layout_are_not_taken_for_the_noted_ones(shape):
    like = np.empty(shape, np.float32)
    calls = chain(like)
    for seed in range(4):
        a, b = numbers(like.size, seed=seed).reshape(shape), numbers(like.size, seed=7).reshape(shape)
        calls.run(a, b)
    assert calls.fused() == [(0, 3)]
    runs = native.fused_calls(calls.calls)
    others = [
        a[..., None],
        a.astype(np.float64),
        a.reshape(-1)[:-1],
        np.asfortranarray(np.ones((300, 1000), np.float32)),
        3.0,
    ]
    unaligned = np.frombuffer(b"0" + bits(a), np.float32, offset=1).reshape(shape)
    for other in [*others, unaligned]:
        stop, arrays = calls.run(other, other)
        if stop == 3:
            assert bits(arrays[4]) == bits(native.direct_add(native.direct_tanh(native.direct_multiply(a, a)), a, 1))
    assert native.fused_calls(calls.calls) == runs
    assert calls.run(a, b)[0] == 3 and native.fused_calls(calls.calls) != runs


def test_two_operands_in_the_same_memory_are_not_taken_for_one():
    a, b = numbers(LARGE), numbers(LARGE, seed=1)
    calls = chain(a)
    for _ in range(3):
        calls.run(a, a)  # two registers
    stop, arrays = calls.run(a, b)
    wanted = native.direct_add(native.direct_tanh(native.direct_multiply(a, b)), a, 1)
    assert stop == 3 and bits(arrays[4]) == bits(wanted)


def test_an_operand_may_be_used_twice():
    like = numbers(LARGE)
    calls = Calls(
        call(native.direct_multiply, (0, 0), 1, like),
        call(native.direct_add, (1, 1, -1), 2, like, (None, None, 0.5), frees=(1,)),
        registers=3,
    )
    for seed in range(3):
        a = numbers(LARGE, seed=seed)
        square = native.direct_multiply(a, a)
        assert bits(calls.run(a)[1][2]) == bits(native.direct_add(square, square, 0.5))
    assert calls.fused() == [(0, 2)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "count", [2048, 2049, 4095, 32_768, 65_535, 65_536, 65_537, 67_583, 67_585, 131_072, LARGE, 65_536 * 300 + 17]
)
@pytest.mark.parametrize("name", ["sum", "mean"])
def test_sums_keep_their_pieces(dtype, count, name, threads):
    if count > LARGE and (threads > 2 or dtype is np.float64):
        pytest.skip("once is enough")
    function = getattr(native, f"direct_{name}")
    like, scalar = np.empty(count, dtype), np.empty((), dtype)
    calls = Calls(
        call(native.direct_multiply, (0, 1), 2, like),
        call(native.direct_multiply, (2, 1), 3, like, frees=(2,)),
        call(native.direct_exp, (3,), 4, like, frees=(3,)),
        call(function, (4, -1, -1, -1), 5, scalar, (None, None, False, None), frees=(4,)),
        registers=6,
    )
    for seed in range(3):
        a, b = numbers(count, dtype, seed), numbers(count, dtype, 5)
        stop, arrays = calls.run(a, b)
        product = native.direct_multiply(native.direct_multiply(a, b), b)
        assert stop == 4 and bits(arrays[5]) == bits(function(native.direct_exp(product), None, False, None))
    assert calls.fused() == [(0, 4)]


def test_the_sum_of_minus_zeros_is_that_of_the_call():
    like = np.empty(70_000, np.float64)
    calls = Calls(
        call(native.direct_multiply, (0, 0), 1, like),
        call(native.direct_negative, (1,), 2, like, frees=(1,)),
        call(native.direct_sum, (2, -1, -1, -1), 3, np.empty(()), (None, None, False, None), frees=(2,)),
        registers=4,
    )
    zeros = np.zeros(70_000)
    for _ in range(3):
        assert bits(calls.run(zeros)[1][3]) == bits(native.direct_sum(-zeros, None, False, None))
    assert calls.fused() == [(0, 3)]


def test_what_nobody_reads_is_left_out():
    like, scalar = numbers(LARGE), np.empty((), np.float32)
    calls = Calls(
        call(native.direct_multiply, (0, 0), 1, like),
        call(native.direct_sum, (1, -1, -1, -1), 2, scalar, (None, None, False, None), frees=(2,)),
        call(native.direct_exp, (1,), 3, like, frees=(1,)),
        registers=4,
    )
    for _ in range(3):
        stop, arrays = calls.run(like)
        assert stop == 3 and arrays[1:3] == [None, None]
        assert bits(arrays[3]) == bits(native.direct_exp(native.direct_multiply(like, like)))
    assert calls.fused() == [(0, 3)]


def test_decisions_are_compared():
    like = numbers(LARGE)
    for expected in (False, True):
        calls = Calls(
            call(native.direct_multiply, (0, 0), 1, like),
            compared(native.tanh_saturates, 1, expected),
            call(native.direct_tanh, (1,), 2, like),
            call(native.direct_multiply, (2, 0), 3, like, frees=(2,)),
            registers=4,
        )
        large = like.copy()
        large[LARGE - 3] = 100
        usual, other = (large, like * np.float32(0.1)) if expected else (like * np.float32(0.1), large)
        for _ in range(4):
            assert calls.run(usual)[0] == 4
        assert calls.fused() == [(0, 4)]
        stop, arrays = calls.run(other)
        assert stop == 1 and bits(arrays[1]) == bits(native.direct_multiply(other, other)) and arrays[2] is None
        for _ in range(40):  # it is not tried for ever
            assert calls.run(other)[0] == 1
        stop, arrays = calls.run(usual)
        square = native.direct_multiply(usual, usual)
        assert stop == 4 and bits(arrays[3]) == bits(native.direct_multiply(native.direct_tanh(square), usual))


def joined(movable: Any = True, expected: Any = None) -> Calls:
    """Return a forward pass, a comparison of its sum, and what follows from a constant and a view."""
    like, scalar, few = np.empty(LARGE, np.float32), np.empty((), np.float32), np.full(1, 3.0, np.float32)
    row = np.lib.stride_tricks.as_strided(np.empty((), np.float32), (LARGE,), (0,))
    return Calls(
        call(native.direct_multiply, (0, 0), 1, like),  # 0
        call(native.direct_sum, (1, -1, -1, -1), 2, scalar, (None, None, False, None)),
        call(native.direct_multiply, (2, -1), 3, scalar, (None, 0.5)),
        (COMPARES_BYTES, True, (3,), (None,), False, (), (), (), (), expected or bits(np.float32(0))),
        (COPIES, True, (-1,), (few,), False, (4,), (few,), (-1,), (), None),
        (VIEWS, True, (4, -1), (None, 0), False, (5,), (row,), (-1,), (4,), None),  # 5
        call(native.direct_multiply, (5, 0), 6, like, frees=(5,)),
        call(native.direct_multiply, (6, 1), 7, like, frees=(6, 1)),
        registers=8,
        movable=movable,
    )


def test_other_calls_run_before_or_after_the_fused_ones():
    zeros = np.zeros(LARGE, np.float32)
    calls = joined()
    for _ in range(4):
        stop, arrays = calls.run(zeros)
        assert stop == 8 and bits(arrays[7]) == bits(zeros) and bits(arrays[2]) == bits(np.float32(0))
        assert [at for at, array in enumerate(arrays) if array is not None] == [0, 2, 3, 7]
    assert calls.fused() == [(0, 8)]
    a = numbers(LARGE)
    stop, arrays = calls.run(a)  # the comparison fails: all before it has run, nothing behind it counts
    square = native.direct_multiply(a, a)
    assert stop == 3 and bits(arrays[1]) == bits(square)
    assert bits(arrays[2]) == bits(native.direct_sum(square, None, False, None))
    stop = native.run_calls(calls.calls, arrays, 4)
    assert stop == 8 and bits(arrays[7]) == bits(native.direct_multiply(native.direct_multiply(a, 3.0), square))


@pytest.mark.parametrize("fixed", range(1, 6))
def test_a_call_that_may_not_be_moved_ends_a_fusion(fixed):
    calls = joined(movable=bytes(int(at != fixed) for at in range(8)))
    for _ in range(4):
        assert calls.run(np.zeros(LARGE, np.float32))[0] == 8
    assert all(not first <= fixed < end or fixed == 1 for first, end in calls.fused())
    assert joined(movable=None).run(np.zeros(LARGE, np.float32))[0] == 8


def test_sums_in_place_belong_to_a_fusion_if_it_creates_their_target():
    like = numbers(LARGE)
    write = WRITES, native.direct_add_, (1, 0, -1), (None, None, 1), False, (), (), (), (), None
    calls = Calls(
        call(native.direct_multiply, (0, 0), 1, like),
        write,
        call(native.direct_exp, (1,), 2, like, frees=(1,)),
        registers=3,
    )
    outside = Calls(
        call(native.direct_multiply, (0, 0), 2, like),
        write,
        call(native.direct_exp, (1,), 3, like),
        registers=4,
    )
    for seed in range(4):
        a, target = numbers(LARGE, seed=seed), numbers(LARGE, seed=8)
        total = native.direct_add(native.direct_multiply(a, a), a, 1)
        assert bits(calls.run(a)[1][2]) == bits(native.direct_exp(total))
        added = native.direct_add(target, a, 1)
        assert outside.run(a, target)[0] == 3 and bits(target) == bits(added)
    assert calls.fused() == [(0, 3)] and outside.fused() == []


def test_an_array_that_is_read_before_it_is_written_to_has_its_values_of_that_time():
    like = numbers(LARGE)
    transposed = np.empty((1, LARGE), np.float32)
    calls = Calls(
        call(native.direct_multiply, (0, 0), 1, like),
        call(native.direct_exp, (1,), 2, like),
        call(native.direct_unsqueeze, (1, -1), 3, transposed, (None, 0))
        if hasattr(native, "direct_unsqueeze")
        else (VIEWS, True, (1, -1), (None, 0), False, (3,), (transposed,), (-1,), (), None),
        call(native.direct_cumsum, (3, -1, -1), 4, transposed, (None, 1, None), frees=(3,)),
        (WRITES, native.direct_add_, (1, 0, -1), (None, None, 1), False, (), (), (), (), None),
        call(native.direct_exp, (1,), 5, like, frees=(1,)),
        registers=6,
    )
    for seed in range(4):
        a = numbers(LARGE, seed=seed)
        stop, arrays = calls.run(a)
        square = native.direct_multiply(a, a)
        if stop == 6:
            assert bits(arrays[4]) == bits(native.direct_cumsum(square[None], 1, None))
            assert bits(arrays[5]) == bits(native.direct_exp(native.direct_add(square, a, 1)))
        assert stop in (3, 6)


def test_calls_keep_no_argument_alive():
    calls = chain(np.empty(LARGE, np.float32))
    a = numbers(LARGE)
    reference = weakref.ref(a)
    for _ in range(4):
        calls.run(a, a[::-1].copy())
    assert calls.fused()
    del a
    gc.collect()
    assert reference() is None


def test_results_of_two_runs_do_not_share_memory():
    calls = chain(np.empty(LARGE, np.float32), keep=True)
    results = [calls.run(numbers(LARGE, seed=seed), numbers(LARGE))[1][3:] for seed in range(5)]
    for one, other in itertools.combinations([array for pair in results for array in pair], 2):
        assert not np.shares_memory(one, other)


def test_threads_that_run_the_same_calls_get_their_own_numbers():
    calls, failed = chain(np.empty(LARGE, np.float32)), []

    def work(number: int) -> None:
        a, b = numbers(LARGE, seed=number), numbers(LARGE, seed=number + 20)
        wanted = bits(native.direct_add(native.direct_tanh(native.direct_multiply(a, b)), a, 1))
        for _ in range(12):
            stop, arrays = calls.run(a, b)
            if stop != 3 or bits(arrays[4]) != wanted:
                failed.append(number)

    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failed and calls.fused() == [(0, 3)]


def test_failed_allocations_end_in_a_memory_error_or_in_the_right_values():
    testing = pytest.importorskip("_testcapi")
    if not hasattr(testing, "set_nomemory"):
        pytest.skip("this Python cannot let an allocation fail")
    calls = chain(np.empty(LARGE, np.float32), keep=True)
    a, b = numbers(LARGE), numbers(LARGE, seed=1)
    middle = native.direct_tanh(native.direct_multiply(a, b))
    wanted = bits(native.direct_add(middle, a, 1))
    for _ in range(3):
        calls.run(a, b)
    assert calls.fused()
    outcomes = set()
    for at in range(1, 30):
        values = [a, b, None, None, None]
        context = contextvars.copy_context()  # NumPy's memory handler, which cannot be set back without memory
        testing.set_nomemory(at, at + 1)
        try:
            stop = context.run(native.run_calls, calls.calls, values, 0)
        except MemoryError:
            stop = -1
        finally:
            testing.remove_mem_hooks()
        outcomes.add(stop)
        assert stop == -1 or (stop == 3 and bits(values[4]) == wanted and bits(values[3]) == bits(middle))
    assert 3 in outcomes


@pytest.mark.parametrize("movable", [b"", b"\1\1", "\1", (1,), 1])
def test_wrong_flags_are_refused(movable):
    description = call(native.direct_exp, (0,), 1, np.empty(3))
    with pytest.raises((ValueError, TypeError)):
        native.replay_calls((description,), 2, movable)
    for wrong in ((), (None,), (3,)):
        with pytest.raises((ValueError, TypeError)):
            native.fused_calls(*wrong)
