"""Native functions of arrays that fill their memory in another order than rows, beside those of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import wengert as wg
from wengert import _kernels

if not _kernels.direct:
    pytest.skip("no native kernels here", allow_module_level=True)

SHAPES = [(3, 5), (400, 300), (2, 3, 4, 5), (6, 1, 7), (8, 32, 20, 20)]
ORDERS = {2: [(1, 0)], 3: [(2, 1, 0), (1, 2, 0)], 4: [(0, 3, 1, 2), (3, 2, 1, 0), (1, 0, 2, 3)]}
EVERY = [(shape, order) for shape in SHAPES for order in ORDERS[len(shape)]]


def laid(random: np.random.Generator, shape: Any, order: Any, dtype: Any) -> Any:
    return random.normal(size=shape).astype(dtype).transpose(order)


@pytest.mark.parametrize(("shape", "order"), EVERY, ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_results_lie_as_the_operands_do(shape, order, dtype, random):
    direct = _kernels.direct
    x, y = laid(random, shape, order, dtype), laid(random, shape, order, dtype)
    rows, others = x.copy("C"), y.copy("C")
    for made, expected in (
        (direct["relu"](x), direct["relu"](rows)),
        (direct["exp"](x), direct["exp"](rows)),
        (direct["add"](x, y), rows + others),
        (direct["multiply"](x, 3), rows * 3),
        (direct["subtract"](2, x), 2 - rows),
    ):
        assert made.strides == x.strides and made.flags.f_contiguous == x.flags.f_contiguous and made.flags.owndata
        np.testing.assert_array_equal(made, expected)


@pytest.mark.parametrize(("shape", "order"), EVERY, ids=str)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_run_through_memory(shape, order, dtype, random):
    x = laid(random, shape, order, dtype)
    near = {"rtol": 1e-4, "atol": 1e-3} if dtype == np.float32 else {"rtol": 1e-10, "atol": 1e-10}
    for dim in (None, 0, -1, (0, -1), (1,), tuple(range(1, x.ndim))):
        for keepdim in (False, True):
            for name in ("sum", "mean"):
                made = _kernels.direct[name](x, dim, keepdim, None)
                if made is NotImplemented:
                    continue
                expected = getattr(np, name)(x, axis=dim, keepdims=keepdim)
                assert made.shape == expected.shape and made.flags.c_contiguous
                np.testing.assert_allclose(made, expected, **near)
    assert _kernels.direct["sum"](x, None, False, None) is not NotImplemented


@pytest.mark.parametrize("threads", [1, 3])
def test_transposed_operands_give_what_rows_give(threads, random):
    before = wg.get_num_threads()
    wg.set_num_threads(threads)
    try:
        x = wg.from_numpy(random.normal(size=(300, 500)).astype("f4"))
        for function in (wg.relu, wg.sin, lambda x: x + x, lambda x: 2 - x, wg.neg):
            made = function(x.T)
            assert made.stride() == (1, 500)
            assert wg.equal(made, function(x.T.contiguous()))
    finally:
        wg.set_num_threads(before)


def test_what_runs_backwards_is_for_others(random):
    x = random.normal(size=(6, 8)).astype("f4")
    for name, operands in (("relu", (x[::-1],)), ("add", (x[::-1], x[::-1])), ("clamp", (x[:, ::-1], 0, 1))):
        assert _kernels.direct[name](*operands) is NotImplemented
    assert _kernels.direct["relu"](x.T[:0]).shape == (0, 6)


def test_gaps_and_overlaps_are_laid_in_the_order_of_the_operand(random):
    x = random.normal(size=(6, 8)).astype("f4")
    for other in (x.T[::2], x[:, 1:].T, np.lib.stride_tricks.as_strided(x, (4, 4), (4, 4))):
        for made in (_kernels.direct["relu"](other), _kernels.direct["clamp"](other, 0, None)):
            assert made.flags.owndata and made.strides == np.empty_like(other).strides
            np.testing.assert_array_equal(made, np.maximum(other, 0))


def parts(random: np.random.Generator, dtype: Any) -> Any:
    """Parts of arrays, with gaps, whose rows are long; the whole ones of them in rows."""
    table, images = random.normal(size=(70, 600)).astype(dtype), random.normal(size=(5, 6, 9, 40)).astype(dtype)
    yield from (table[:, 3:], table[:, :500], table[::2], table[1::3, 20:90], table[:, 600 - 16 :])
    yield from (images[:, 1:4], images[::2, :, 2:], images[:, :, :, 4:30], images[1:, ::2, ::3], images[:1, :, :, :20])


def short_rows(random: np.random.Generator, dtype: Any) -> Any:
    """Parts whose rows are short, down to single elements, many of them and few."""
    table, images = random.normal(size=(9000, 24)).astype(dtype), random.normal(size=(5, 6, 30, 40)).astype(dtype)
    for width in range(1, 16):
        yield table[: 9000 // width, 3 : 3 + width]
    yield from (
        table[:, 5],
        table[::7, ::3],
        table[:3, ::5],
        images[:, ::2, ::2, ::2],
        images[..., 1:3],
        images[:, :2, 5:, 3:16],
    )


DIRECT = {
    "gt": lambda x, y: [x, y],
    "le": lambda x, y: [x, 0.5],
    "where": lambda x, y: [x > 0, x, y],
    "clamp": lambda x, y: [x, -1, 1],
    "pow": lambda x, y: [x, 3.0],
    "lerp": lambda x, y: [x, y, 0.3],
    "addcmul": lambda x, y: [x, y, y, 1],
    "leaky_relu": lambda x, y: [x, 0.01],
    "softmax": lambda x, y: [x, 1],
    "log_softmax": lambda x, y: [x, -1],
    "cumsum": lambda x, y: [x, 0, None],
    "argmax": lambda x, y: [x, 1, False],
    "add": lambda x, y: [x, y[0]],
    "multiply": lambda x, y: [x[:, :1], y],
    "sort_along": lambda x, y: [x, True, 1, False],
}


@pytest.mark.parametrize("name", DIRECT)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_operands_of_few_elements_with_gaps_are_laid_side_by_side(name, dtype, random):
    table = random.normal(size=(40, 50)).astype(dtype)
    x, y = table[::2, 3:20], table[1::2, 30:47]
    made = _kernels.direct[name](*DIRECT[name](x, y))
    expected = _kernels.direct[name](*DIRECT[name](x.copy(), y.copy()))
    for one, other in zip(*((each if isinstance(each, tuple) else (each,)) for each in (made, expected)), strict=True):
        assert one.flags.c_contiguous
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", ["add", "multiply", "subtract"])
def test_parts_are_written_into_also_where_they_are_read(name, random):
    table = random.normal(size=(40, 50)).astype("f4")
    for target, other in ((np.s_[:, 3:20], np.s_[:, 4:21]), (np.s_[::2, 1:4], np.s_[::2, 1:4]), (np.s_[1:, ::3], 2.5)):
        expected = table.copy()
        into = expected[target]
        getattr(np, name)(into, other if isinstance(other, float) else expected[other], out=into)
        made = table.copy()
        into = made[target]
        assert getattr(_kernels, name)(into, other if isinstance(other, float) else made[other], out=into) is into
        np.testing.assert_array_equal(made, expected)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_parts_of_rows_are_computed_as_rows_are(dtype, threads, random):
    direct, before = _kernels.direct, wg.get_num_threads()
    wg.set_num_threads(threads)
    try:
        for x in (*parts(random, dtype), *short_rows(random, dtype)):
            rows, other = x.copy(), random.normal(size=x.shape).astype(dtype)
            for made, expected in (
                (direct["add"](x, x), rows + rows),
                (direct["subtract"](x, other), rows - other),
                (direct["divide"](other, x), other / rows),
                (direct["multiply"](x, 3), rows * 3),
                (direct["subtract"](2, x), 2 - rows),
                (direct["exp"](x), direct["exp"](rows)),
                (direct["relu"](x), direct["relu"](rows)),
            ):
                assert made.flags.c_contiguous and made.flags.owndata
                np.testing.assert_array_equal(made, expected)
    finally:
        wg.set_num_threads(before)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_of_parts_and_of_dimensions_apart(dtype, random):
    near = {"rtol": 1e-4, "atol": 1e-3} if dtype == np.float32 else {"rtol": 1e-10, "atol": 1e-10}
    before = wg.get_num_threads()
    wholes = [random.normal(size=(3, 40_000, 16)).astype(dtype), random.normal(size=(64, 12, 20, 20)).astype(dtype)]
    try:
        for x in [*parts(random, dtype), *wholes, np.broadcast_to(wholes[1][:1], (70, 12, 20, 20))]:
            for dim in (None, -1, (0, -1), (0, *range(2, x.ndim)) if x.ndim > 2 else 1):
                for keepdim, name in ((False, "sum"), (True, "mean")):
                    made = []
                    for threads in (1, 3):
                        wg.set_num_threads(threads)
                        made.append(_kernels.direct[name](x, dim, keepdim, None))
                    assert made[0] is not NotImplemented
                    np.testing.assert_array_equal(*made)
                    expected = getattr(np, name)(x, axis=dim, keepdims=keepdim, dtype=np.float64)
                    assert made[0].shape == expected.shape and made[0].flags.c_contiguous and made[0].dtype == dtype
                    np.testing.assert_allclose(made[0], expected, **near)
    finally:
        wg.set_num_threads(before)


def expansions(random: np.random.Generator, shape: Any, dtype: Any) -> Any:
    """Arrays of a shape that are repeated along any of its dimensions."""
    for marks in range(1 << len(shape)):
        part = [1 if marks >> dim & 1 else length for dim, length in enumerate(shape)]
        yield np.broadcast_to(random.uniform(0.5, 2, part).astype(dtype), shape)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(5, 7), (3, 4, 6), (40, 50, 30), (2, 3, 4, 5)], ids=str)
def test_repeated_operands_give_what_their_copies_give(shape, dtype, random):
    direct, other = _kernels.direct, random.uniform(0.5, 2, shape).astype(dtype)
    for x in expansions(random, shape, dtype):
        rows = x.copy("C")
        pairs = [(direct[name](x, other), direct[name](rows, other)) for name in ("add", "multiply", "divide")]
        pairs += [(direct[name](other, x), direct[name](other, rows)) for name in ("subtract", "divide", "maximum")]
        pairs += [(direct["multiply"](x, 3), rows * dtype(3)), (direct["pow_rule"](x, other, 2), x * (other * 2))]
        pairs += [
            (direct["square_rule"](x, other), rows * (other * 2)),
            (direct["log1p_rule"](x, other), rows / (other + 1)),
        ]
        for made, expected in pairs:
            assert made.flags.c_contiguous and made.flags.owndata
            np.testing.assert_array_equal(made, expected)


BINARY = (
    *("add", "subtract", "multiply", "divide", "maximum", "minimum", "hypot", "power", "floor_divide"),
    *("remainder", "fmod", "copysign", "logaddexp"),
)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", [name for name in BINARY if name in _kernels.direct])
def test_two_repeated_operands_give_what_their_copies_give(name, dtype, random):
    function, compared = _kernels.direct[name], 0
    for x in expansions(random, (3, 4, 5), dtype):
        for y in expansions(random, (3, 4, 5), dtype):
            result, expected = function(x, y), function(x.copy("C"), y.copy("C"))
            if result is not NotImplemented and expected is not NotImplemented:
                np.testing.assert_allclose(result, expected, rtol=4 * np.finfo(dtype).eps)
                compared += 1
    assert compared > 30
