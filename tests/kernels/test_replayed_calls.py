"""The native loop that runs the calls of a recorded list (`native/replay`)."""

from __future__ import annotations

import gc
import threading
import warnings
import weakref
from typing import Any

import numpy as np
import pytest

from wengert import _kernels as kernels

pytestmark = pytest.mark.skipif(kernels.native is None, reason="the native library was not built")
native: Any = kernels.native
RETURNS, WRITES, COMPARES_BYTES, COMPARES_RESULT, COPIES, VIEWS = range(6)


def call(function: Any, places: tuple[int, ...], out: int, like: Any, constants: Any = None, spare: int = -1) -> Any:
    """Return the description of a call that returns one array."""
    constants = (None,) * len(places) if constants is None else constants
    return RETURNS, function, places, constants, False, (out,), (like,), (spare,), (), None


def write(function: Any, places: tuple[int, ...], constants: Any) -> Any:
    """Return the description of a call that writes into its first argument."""
    return WRITES, function, places, constants, False, (), (), (), (), None


def multiply_and_add(like: Any) -> Any:
    """Return the calls `r2 = r0 * r1`, `r3 = r2 + r0`, which keep their results."""
    calls = (
        call(native.direct_multiply, (0, 1), 2, like, spare=0),
        call(native.direct_add, (2, 0, -1), 3, like, (None, None, 1), spare=1),
    )
    return native.replay_calls(calls, 4)


def run(calls: Any, *values: Any, registers: int = 4, first: int = 0) -> tuple[int, list[Any]]:
    """Run calls; return where they stopped, and the registers."""
    arrays = [*values, *[None] * (registers - len(values))]
    return native.run_calls(calls, arrays, first), arrays


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("shape", [(4,), (3, 5), (), (1, 1), (2, 0)])
def test_calls_are_run_again_with_other_numbers(dtype, shape):
    rng = np.random.default_rng(1)
    like = np.zeros(shape, dtype)
    calls = multiply_and_add(like)
    for _ in range(6):
        a, b = (rng.integers(-9, 9, shape).astype(dtype).reshape(shape) for _ in range(2))
        stop, arrays = run(calls, a, b)
        assert stop == 2 or a.size == 0
        if stop == 2:
            assert np.array_equal(arrays[2], a * b) and np.array_equal(arrays[3], a * b + a)
            assert arrays[3].dtype == dtype


def test_work_is_repeated_on_the_same_memory_only():
    a, b = np.arange(4.0), np.ones(4)
    calls = multiply_and_add(a)
    for number in range(10):
        a[:] = number
        stop, arrays = run(calls, a, b)
        assert stop == 2 and np.array_equal(arrays[3], 2 * a)
        del arrays  # else the next run finds other memory
    assert all(count >= 7 for count in native.repeated_calls(calls))
    assert native.kept_bytes(calls) % a.nbytes == 0 and 2 * a.nbytes <= native.kept_bytes(calls) <= 4 * a.nbytes
    before = native.repeated_calls(calls)
    stop, arrays = run(calls, np.full(4, 3.0), b)
    assert np.array_equal(arrays[3], np.full(4, 6.0)) and native.repeated_calls(calls) == before


def test_an_operand_of_another_layout_in_the_same_memory_is_not_taken_for_the_old_one():
    memory = np.arange(16.0)
    calls = multiply_and_add(np.zeros(4))
    for _ in range(5):
        run(calls, memory[:4], memory[4:8])
    for other in (memory[:8:2], memory[:8], memory[:4].reshape(2, 2), memory[:4].view(np.int64)):
        stop, arrays = run(calls, other, memory[4:8] if other.shape == (4,) else other)
        if stop == 2:
            assert np.array_equal(arrays[2], other * memory[4:8])
        else:
            assert stop == 0


@pytest.mark.parametrize(
    "hold",
    [
        lambda array: array,
        lambda array: array[1:],
        lambda array: memoryview(array),
        lambda array: weakref.ref(array),
        lambda array: array.reshape(2, 2).T,
    ],
    ids=["array", "slice", "memoryview", "weak reference", "transposed"],
)
def test_memory_that_somebody_refers_to_is_not_written_to(hold):
    a, b = np.arange(4.0), np.full(4, 2.0)
    calls = multiply_and_add(a)
    held, wanted = [], []
    for number in range(8):
        a[:] = number
        _, arrays = run(calls, a, b)
        held.append((hold(arrays[2]), hold(arrays[3]), arrays[3] if hold is weakref.ref else None))
        wanted.append((hold(a * b), hold(a * b + a)))
        del arrays
    for (first, second, _), (one, other) in zip(held, wanted):
        if isinstance(first, weakref.ref):
            continue  # the array may be gone; it must not come back with other numbers
        assert np.array_equal(np.asarray(first), np.asarray(one)) and np.array_equal(
            np.asarray(second), np.asarray(other)
        )


def test_a_weak_reference_does_not_see_its_array_again():
    a, b = np.arange(4.0), np.ones(4)
    calls = multiply_and_add(a)
    run(calls, a, b)
    _, arrays = run(calls, a, b)
    reference = weakref.ref(arrays[3])
    address = arrays[3].ctypes.data
    del arrays
    _, arrays = run(calls, a, b)
    assert reference() is not arrays[3] and (reference() is None or arrays[3].ctypes.data != address)


def test_a_result_made_read_only_is_not_used_again():
    a, b = np.arange(4.0), np.ones(4)
    calls = multiply_and_add(a)
    for _ in range(4):
        _, arrays = run(calls, a, b)
        arrays[2].flags.writeable = arrays[3].flags.writeable = False
        del arrays
    stop, arrays = run(calls, a, b)
    assert stop == 2 and arrays[2].flags.writeable and np.array_equal(arrays[3], 2 * a)


def test_a_result_whose_shape_the_program_changed_is_not_taken_for_the_recorded_one():
    a, b = np.arange(4.0), np.ones(4)
    calls = multiply_and_add(a)
    for _ in range(5):
        _, arrays = run(calls, a, b)
        arrays[3].shape = (2, 2)
        del arrays
        stop, arrays = run(calls, a, b)
        assert stop == 2 and arrays[3].shape == (4,)


@pytest.mark.parametrize("kind", ["shape", "size", "dtype"])
def test_a_result_that_the_program_changed_after_its_work_was_noted_is_not_written_to(kind):
    a, b = np.arange(400.0), np.ones(400)
    calls = multiply_and_add(a)
    constant = np.full(400, 7.0)
    copies = native.replay_calls(((COPIES, True, (-1,), (constant,), False, (0,), (constant,), (0,), (), None),), 1)
    for number in range(20):
        stop, arrays = run(calls, a, b)
        assert (
            stop == 2
            and arrays[3].shape == (400,)
            and arrays[3].dtype == np.float64
            and np.array_equal(arrays[3], 2 * a)
        )
        _, copy = run(copies, registers=1)
        assert copy[0].shape == (400,) and np.array_equal(copy[0], constant)
        if number % 5 == 4:
            for array in (arrays.pop(), copy.pop()):
                if kind == "shape":
                    array.shape = (20, 20)
                elif kind == "size":
                    array.resize(2, refcheck=False)
                else:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")  # newer NumPy advises against it
                        array.dtype = np.int64
                del array
        del arrays, copy


def test_work_on_copies_is_not_repeated():
    a, b = np.arange(8.0).reshape(2, 4).T, np.arange(8.0).reshape(4, 2)
    like = a * b
    calls = native.replay_calls((call(native.direct_multiply, (0, 1), 2, like, spare=0),), 3)
    for number in range(6):
        a[:] = number
        b[:] = number + 1
        stop, arrays = run(calls, a, b, registers=3)
        assert stop == 0 or np.array_equal(arrays[2], a * b)


def test_divisors_are_looked_at_in_each_run():
    a, b = np.arange(1, 5), np.arange(1, 5)
    calls = native.replay_calls((call(native.direct_floor_divide, (0, 1), 2, a, spare=0),), 3)
    for _ in range(5):
        assert run(calls, a, b, registers=3)[0] == 1
    b[2] = 0
    assert run(calls, a, b, registers=3)[0] == 0


def test_writes_are_repeated_and_follow_their_operands():
    a, b = np.zeros(4, np.float32), np.ones(4, np.float32)
    calls = native.replay_calls((write(native.direct_add_, (0, 1, -1), (None, None, 2)),), 2)
    for number in range(1, 8):
        assert run(calls, a, b, registers=2)[0] == 1 and np.array_equal(a, np.full(4, 2.0 * number))
    other = np.zeros(4, np.float32)
    assert run(calls, other, b, registers=2)[0] == 1 and np.array_equal(other, b * 2)
    a.flags.writeable = False
    before = a.copy()
    stop, _ = run(calls, a, b, registers=2)
    assert stop == 0 and np.array_equal(a, before)


def test_values_are_compared():
    a = np.arange(3.0)
    compared = (COMPARES_BYTES, None, (0,), (None,), False, (), (), (), (), a.tobytes())
    calls = native.replay_calls(((*compared[:1], True, *compared[2:]),), 1)
    assert run(calls, a, registers=1)[0] == 1
    for other in (np.arange(1, 4.0), np.arange(3.0, dtype=np.float32), np.zeros(0), np.arange(6.0)[::2]):
        assert run(calls, other, registers=1)[0] == 0
    saturates = (COMPARES_RESULT, native.tanh_saturates, (0,), (None,), False, (), (), (), (), False)
    calls = native.replay_calls((saturates,), 1)
    assert run(calls, np.zeros(3), registers=1)[0] == 1
    assert run(calls, np.full(3, 100.0), registers=1)[0] == 0


def test_constants_are_copied():
    constant = np.arange(4.0)
    copies = COPIES, True, (-1,), (constant,), False, (0,), (constant,), (0,), (), None
    calls = native.replay_calls((copies,), 1)
    for _ in range(4):
        _, arrays = run(calls, registers=1)
        assert np.array_equal(arrays[0], np.arange(4.0)) and not np.shares_memory(arrays[0], constant)
        arrays[0][:] = -1


def test_views_lie_in_the_memory_of_their_register():
    whole = np.arange(12.0)
    like = np.lib.stride_tricks.as_strided(np.empty(()), (2, 3), (24, 8))

    def view(offset: int, layout: Any = like) -> Any:
        return native.replay_calls(
            ((VIEWS, True, (0, -1), (None, offset), False, (1,), (layout,), (-1,), (), None),), 2
        )

    stop, arrays = run(view(8), whole, registers=2)
    assert stop == 1 and np.array_equal(arrays[1], whole[1:7].reshape(2, 3)) and np.shares_memory(arrays[1], whole)
    assert run(view(-8), whole[1:], registers=2)[0] == 1
    for offset in (-8, 56, 1 << 62, -(1 << 62), 96):
        assert run(view(offset), whole, registers=2)[0] == 0, offset
    far = np.lib.stride_tricks.as_strided(np.empty(()), (1 << 20, 1 << 20), (1 << 42, 1 << 42))
    assert run(view(0, far), whole, registers=2)[0] == 0
    backwards = np.lib.stride_tricks.as_strided(np.empty(()), (3,), (-8,))
    assert run(view(16, backwards), whole, registers=2)[0] == 1 and run(view(8, backwards), whole, registers=2)[0] == 0
    assert run(view(0), np.arange(24.0)[::2], registers=2)[0] in (0, 1)


@pytest.mark.parametrize(
    "description",
    [
        7,
        (),
        (RETURNS, None),
        (9, native and native.direct_add, (0,), (None,), False, (1,), (np.zeros(1),), (-1,), (), None),
        (RETURNS, native and native.direct_add, (5,), (None,), False, (1,), (np.zeros(1),), (-1,), (), None),
        (RETURNS, native and native.direct_add, (0,), (), False, (1,), (np.zeros(1),), (-1,), (), None),
        (RETURNS, native and native.direct_add, (0,), (None,), False, (7,), (np.zeros(1),), (-1,), (), None),
        (RETURNS, native and native.direct_add, (0,), (None,), False, (1,), ("layout",), (-1,), (), None),
        (RETURNS, native and native.direct_add, (0,), (None,), False, (1,), (np.zeros(1),), (99,), (), None),
        (RETURNS, native and native.direct_add, (0,), (None,), False, (1,), (np.zeros(1),), (-1,), (9,), None),
        (RETURNS, native and native.direct_add, (0,), (None,), False, (), (), (), (), None),
        (RETURNS, native and native.direct_add, (-2,), (None,), False, (1,), (np.zeros(1),), (-1,), (), None),
        (RETURNS, native and native.direct_add, (-1,) * 25, (0,) * 25, False, (1,), (np.zeros(1),), (-1,), (), None),
        (COMPARES_BYTES, True, (0,), (None,), False, (), (), (), (), "text"),
        (COPIES, True, (-1,), (np.zeros(2),), False, (1,), (np.zeros(3),), (-1,), (), None),
        (COPIES, True, (-1,), ("text",), False, (1,), (np.zeros(3),), (-1,), (), None),
        (VIEWS, True, (-1, -1), (None, 0), False, (1,), (np.zeros(3),), (-1,), (), None),
        (VIEWS, True, (0, -1), (None, "8"), False, (1,), (np.zeros(3),), (-1,), (), None),
        (1 << 70, None, (), (), False, (), (), (), (), None),
    ],
)
def test_wrong_descriptions_are_refused(description):
    with pytest.raises((ValueError, TypeError, OverflowError)):
        native.replay_calls((description,), 2)


def test_wrong_arguments_are_refused():
    calls = multiply_and_add(np.zeros(4))
    for arguments in [
        (),
        (calls,),
        (calls, [], 0),
        (calls, [None] * 3, 0),
        (calls, (None,) * 4, 0),
        (calls, [None] * 4, -1),
    ]:
        with pytest.raises((ValueError, TypeError)):
            native.run_calls(*arguments)
    for wrong in (None, 3, "calls"):
        with pytest.raises((ValueError, TypeError)):
            native.run_calls(wrong, [None] * 4, 0)
        with pytest.raises((ValueError, TypeError)):
            native.repeated_calls(wrong)
        with pytest.raises((ValueError, TypeError)):
            native.kept_bytes(wrong)
    for registers in (-1, 1 << 40, "two", None):
        with pytest.raises((ValueError, TypeError)):
            native.replay_calls((), registers)
    assert run(calls, first=7)[0] == 7
    for strange in (None, "text", 3.0, [1.0], np.float64(3)):  # what is no array is left to the function
        assert run(calls, strange, strange)[0] == 0


def test_calls_keep_no_argument_alive():
    calls = multiply_and_add(np.zeros(4))
    a = np.arange(4.0)
    reference = weakref.ref(a)
    for _ in range(5):
        run(calls, a, np.ones(4))
    del a
    gc.collect()
    assert reference() is None


def test_threads_that_run_the_same_calls_get_their_own_numbers():
    like = np.zeros((300, 300), np.float32)  # large enough for the interpreter's lock to be released
    product = native.replay_calls(
        (
            call(native.direct_mm, (0, 1), 2, like, spare=0),
            call(native.direct_add, (2, 0, -1), 3, like, (None, None, 1), spare=1),
            call(native.direct_sum, (3, -1, -1, -1), 4, np.zeros((), np.float32), (None, None, False, None), spare=2),
        ),
        5,
    )
    small = multiply_and_add(np.zeros(4))
    failed: list[Any] = []

    def work(number: int) -> None:
        a, b = np.full((300, 300), 1.0, np.float32), np.full((300, 300), float(number), np.float32)
        c, d = np.full(4, 1.0 * number), np.arange(4.0)
        for _ in range(15):
            stop, arrays = run(product, a, b, registers=5)
            if stop != 3 or not np.all(arrays[3] == 300 * number + 1):
                failed.append(number)
            stop, arrays = run(small, c, d)
            if stop != 2 or not np.array_equal(arrays[3], c * d + c):
                failed.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
