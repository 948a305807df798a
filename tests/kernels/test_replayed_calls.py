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


def sum_of_transposed(like: Any) -> Any:
    """Return `r1 = r0 * r0`, `r2 = r1.T`, `r3 = r2.sum()`, which empties r1 and r2, `r4 = r0.T`, `r5 = r4 * r4`."""
    square = call(native.direct_multiply, (0, 0), 1, like, spare=0)
    view = (RETURNS, native.direct_t, (1,), (None,), False, (2,), (like.T,), (-1,), (), None)
    constants = (None, None, False, None)
    total = (RETURNS, native.direct_sum, (2, -1, -1, -1), constants, False, (3,), (np.zeros(()),), (1,), (2, 1), None)
    other = (RETURNS, native.direct_t, (0,), (None,), False, (4,), (like.T,), (-1,), (), None)
    last = (RETURNS, native.direct_multiply, (4, 4), (None, None), False, (5,), (like.T,), (-1,), (4,), None)
    return native.replay_calls((square, view, total, other, last), 6)


def test_views_are_kept_and_lead_to_the_present_memory():
    rng = np.random.default_rng(2)
    sources = [rng.normal(size=(3, 4)) for _ in range(3)]
    calls = sum_of_transposed(sources[0])
    for number in range(30):
        source = sources[number // 4 % 3]
        source[:] = rng.integers(-9, 9, (3, 4))
        stop, arrays = run(calls, source, registers=6)
        assert stop == 5 and arrays[1] is arrays[2] is arrays[4] is None
        assert arrays[3] == (source * source).sum() and np.array_equal(arrays[5], (source * source).T)
        del arrays
    counts = native.repeated_calls(calls)
    assert counts[0] > 10 and counts[2] > 10, "memory below a kept view is not offered again"


def test_kept_views_keep_no_memory_alive():
    calls = sum_of_transposed(np.zeros((3, 4)))
    source = np.arange(12.0).reshape(3, 4).copy()
    reference = weakref.ref(source)
    for _ in range(4):
        run(calls, source, registers=6)
    del source
    assert reference() is None


@pytest.mark.parametrize(
    "change",
    [
        lambda array: array[::-1],
        lambda array: np.asfortranarray(array),
        lambda array: array.astype(np.float32),
        lambda array: array[:2],
        lambda array: array.reshape(4, 3),
    ],
    ids=["backwards", "by columns", "float32", "shorter", "another shape"],
)
def test_a_kept_view_is_not_that_of_another_layout(change):
    source = np.arange(12.0).reshape(3, 4).copy()
    view = RETURNS, native.direct_t, (0,), (None,), False, (1,), (source.T,), (-1,), (), None
    last = RETURNS, native.direct_multiply, (1, 1), (None, None), False, (2,), (source.T,), (-1,), (1,), None
    calls = native.replay_calls((view, last), 3)
    for _ in range(4):
        assert run(calls, source, registers=3)[0] == 2
    assert run(calls, change(source), registers=3)[0] == 0
    assert run(calls, source, registers=3)[0] == 2


def test_a_view_that_somebody_has_stays_what_it_is():
    source, other = np.arange(12.0).reshape(3, 4).copy(), np.full((3, 4), 7.0)
    view = RETURNS, native.direct_t, (0,), (None,), False, (1,), (source.T,), (-1,), (), None
    stops = COMPARES_BYTES, True, (0,), (None,), False, (), (), (), (1,), source.tobytes()
    calls = native.replay_calls((view, stops), 2)
    for _ in range(4):
        assert run(calls, source, registers=2)[0] == 2
    stop, arrays = run(calls, other, registers=2)
    assert stop == 1
    held, pointer = arrays[1], weakref.ref(arrays[1])
    for _ in range(3):
        assert run(calls, source, registers=2)[0] == 2
        assert np.array_equal(held, other.T) and held.base is other
    del arrays, held
    stop, arrays = run(calls, other, registers=2)
    assert stop == 1 and pointer() is not arrays[1]


def test_views_of_memory_that_may_not_be_written_to_are_read_only():
    source = np.arange(12.0).reshape(3, 4).copy()
    view = VIEWS, True, (0, -1), (None, 0), False, (1,), (source.T,), (-1,), (), None
    stops = COMPARES_BYTES, True, (0,), (None,), False, (), (), (), (1,), source.tobytes()
    calls = native.replay_calls((view, stops), 2)
    for writeable in (True, False, True, False):
        for _ in range(3):
            source.flags.writeable = True
            source[0, 0] = 0
            source.flags.writeable = writeable
            assert run(calls, source, registers=2)[0] == 2
            source.flags.writeable = True
            source[0, 0] = 1
            source.flags.writeable = writeable
            stop, arrays = run(calls, source, registers=2)
            assert stop == 1 and arrays[1].flags.writeable == writeable and np.shares_memory(arrays[1], source)


def test_parts_of_memory_are_kept_views_too():
    like = np.zeros(3)
    part = VIEWS, True, (0, -1), (None, 16), False, (1,), (like,), (-1,), (), None
    total = RETURNS, native.direct_add, (1, 1, -1), (None, None, 1), False, (2,), (like,), (0,), (1,), None
    calls = native.replay_calls((part, total), 3)
    for number in range(12):
        whole = np.arange(8.0) + number
        stop, arrays = run(calls, whole, registers=3)
        assert stop == 2 and np.array_equal(arrays[2], 2 * whole[2:5])
        assert run(calls, np.arange(4.0), registers=3)[0] == 0
        del arrays


@pytest.mark.parametrize("name", ["direct_sum", "direct_mean", "direct_nansum"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int64, np.bool_, np.complex64])
def test_sums_are_run_again_with_other_numbers(name, dtype):
    for shape in ((4,), (3, 5), (64, 2), (2, 3, 4), (), (0, 3), (300, 400)):
        for dim in (None, (0,), (-1,), (0, -1)):
            for order in ("C", "F", "gaps"):
                check_sum(name, dtype, shape, dim, order)


def check_sum(name: str, dtype: Any, shape: tuple[int, ...], dim: Any, order: str) -> None:
    """Compare a sum that is run again with the function."""
    rng = np.random.default_rng(3)
    function = getattr(native, name)
    whole = np.zeros((*shape, 2) if order == "gaps" else shape, dtype, order="F" if order == "F" else "C")
    x = whole[..., 0] if order == "gaps" else whole
    dim = None if not shape or (len(shape) < 2 and dim and len(dim) > 1) else dim
    constants = (None, dim, False, None)
    like = function(x, *constants[1:])
    if like is NotImplemented:
        return
    calls = native.replay_calls((call(function, (0, -1, -1, -1), 1, like, constants, spare=0),), 2)
    for _ in range(6):
        x[...] = rng.integers(-9, 9, shape) * (1 if x.dtype.kind in "ib" else 0.37)
        stop, arrays = run(calls, x, registers=2)
        assert stop == 1 and arrays[1].tobytes() == function(x, *constants[1:]).tobytes()
        assert arrays[1].dtype == like.dtype
        del arrays
    repeats = native.repeated_calls(calls)[0]
    assert repeats > 2 or dtype not in (np.float32, np.float64) or order != "C" or dim == (0, -1) or x.size == 0


@pytest.mark.parametrize("name", ["tanh_saturates", "sigmoid_saturates", "expm1_saturates"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
def test_decisions_are_those_of_the_function(name, dtype):
    function = getattr(native, name)
    for expected in (True, False):
        calls = native.replay_calls(((COMPARES_RESULT, function, (0,), (None,), False, (), (), (), (), expected),), 1)
        for value in (0, 3, 5, 9, 30, -5, -30, np.nan, np.inf, -np.inf):
            for x in (np.full(5, value, dtype), np.array([[0, value], [0, 0]], dtype).T, np.full((), value, dtype)):
                assert run(calls, x, registers=1)[0] == int(function(x) is expected), (value, expected)
        for strange in (np.zeros(0, dtype), np.zeros((3, 4), dtype)[:, ::2]):
            assert run(calls, strange, registers=1)[0] == int(function(strange) is expected)


def compared(name: str) -> list[Any]:
    return [(name, ("x", "y")), (name, ("x", 0.5)), (name, ("x", 2))]


CHOICES: list[Any] = [
    *[case for name in ("eq", "ne", "lt", "le", "gt", "ge") for case in compared(name)],
    ("where", ("mask", "x", "y")),
    ("where", ("mask", "x", 2)),
    ("where", ("mask", 2, "y")),
    ("where", ("one mask", "x", "y")),
    ("where", ("mask", "one", "y")),
    ("where_self_rule", ("x", "mask")),
    ("where_other_rule", ("x", "mask")),
    ("where_other_rule", ("expanded", "mask")),
    ("masked_fill", ("x", "mask", 2)),
    ("masked_fill_rule", ("x", "mask")),
    *[("clamp", ("x", low, high)) for low, high in ((-1, 1), (None, 0), (0, None), (2, -2))],
    ("clamp_min", ("x", 0)),
    ("clamp_max", ("x", 0)),
    *[("clamp_rule", (grad, "x", low, high)) for grad in ("y", "expanded") for low, high in ((-1, 1), (None, 0))],
    *[(name, ("x", dim)) for name in ("softmax", "log_softmax") for dim in (0, -1)],
    *[(f"{name}_backward", ("y", "x", dim)) for name in ("softmax", "log_softmax") for dim in (0, -1)],
    ("log_softmax_backward", ("expanded", "x", -1)),
]


@pytest.mark.parametrize(("name", "operands"), CHOICES, ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.float16, np.bool_, np.int32])
def test_choices_and_softmax_are_run_again_with_other_numbers(name, operands, dtype):
    for shape in ((4,), (64, 2), (2, 3, 4), (), (0, 3), (300, 400)):
        for order in ("C", "F", "gaps"):
            check_choice(name, operands, dtype, shape, order)


class Drawn:
    """Operands of one dtype, shape and order of memory, with other numbers in each draw."""

    def __init__(self, dtype: Any, shape: tuple[int, ...], order: str) -> None:
        self.numbers = np.random.default_rng(4)
        self.order = order
        self.memory = {
            "x": self.new(dtype, shape),
            "y": self.new(dtype, shape),
            "mask": self.new(np.bool_, shape),
            "one": np.zeros((), dtype),
            "one mask": np.zeros((), np.bool_),
            "expanded": np.zeros((), dtype),
        }
        self.arrays = {**self.memory, "expanded": np.broadcast_to(self.memory["expanded"], shape)}

    def new(self, dtype: Any, shape: tuple[int, ...]) -> Any:
        whole = np.zeros((*shape, 2) if self.order == "gaps" else shape, dtype, order="F" if self.order == "F" else "C")
        return whole[..., 0] if self.order == "gaps" else whole

    def draw(self, operands: tuple[Any, ...]) -> list[Any]:
        """Return operands by their names; numbers stand for themselves."""
        for array in self.memory.values():
            array[...] = self.numbers.integers(-9, 9, array.shape) * (1 if array.dtype.kind in "ib" else 0.37)
        return [self.arrays[value] if isinstance(value, str) else value for value in operands]


def check_choice(name: str, operands: tuple[Any, ...], dtype: Any, shape: tuple[int, ...], order: str) -> None:
    """Compare a call that is run again with the function."""
    function, drawn = getattr(native, f"direct_{name}"), Drawn(dtype, shape, order)
    like = function(*drawn.draw(operands))
    if like is NotImplemented:
        return
    names = [value for value in operands if isinstance(value, str)]
    registers = iter(range(len(names)))
    places = tuple([next(registers) if isinstance(value, str) else -1 for value in operands])
    constants = tuple([None if isinstance(value, str) else value for value in operands])
    out = len(names)
    calls = native.replay_calls((call(function, places, out, like, constants, spare=0),), out + 1)
    for _ in range(5):
        wanted = function(*drawn.draw(operands))
        stop, arrays = run(calls, *[drawn.arrays[operand] for operand in names], registers=out + 1)
        assert stop == 1 and arrays[out].tobytes() == wanted.tobytes() and arrays[out].dtype == wanted.dtype
        del arrays
    is_copied = "softmax" in name and "expanded" in operands
    if dtype is np.float32 and order == "C" and 0 < like.size < 200 and "one mask" not in operands and not is_copied:
        assert native.repeated_calls(calls)[0] > 1 or "one" in operands


def test_limits_are_repeated_in_place():
    a = np.zeros(4, np.float32)
    for name, limits in (("clamp_", (-1, 1)), ("clamp_min_", (0,)), ("clamp_max_", (0,))):
        function = getattr(native, f"direct_{name}")
        description = write(function, (0, *[-1] * len(limits)), (None, *limits))
        calls = native.replay_calls((description,), 1)
        for number in range(6):
            a[:] = np.arange(4) - number
            wanted = a.copy()
            function(wanted, *limits)
            assert run(calls, a, registers=1)[0] == 1 and np.array_equal(a, wanted)
        assert native.repeated_calls(calls)[0] > 2
