"""Native functions of halves: what float32 gives, rounded once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert import _kernels

if not _kernels.direct:
    pytest.skip("no native kernels here", allow_module_level=True)

HALVES = [wg.float16, wg.bfloat16]
BINARY = [
    "add",
    "subtract",
    "multiply",
    "divide",
    "relu_backward",
    "sigmoid_backward",
    "tanh_backward",
    "maximum",
    "fmod",
]
UNARY = [
    "negative",
    "exp",
    "log",
    "tanh",
    "absolute",
    "sigmoid",
    "relu",
    "sqrt",
    "sin",
    "floor",
    "rsqrt",
    "log_sigmoid",
]


def every(half: Any) -> Any:
    return np.arange(1 << 16, dtype=np.uint16).view(half.numpy)


def same(made: Any, wide: Any, half: Any) -> None:
    rounded = _kernels.converted(wide, half.numpy)
    assert made.dtype == half.numpy and made.shape == wide.shape
    number = ~np.isnan(wide)
    np.testing.assert_array_equal(made.view("u2")[number], rounded.view("u2")[number])
    assert np.isnan(made[~number].astype("f4")).all()


@pytest.mark.parametrize("half", HALVES, ids=str)
@pytest.mark.parametrize("name", UNARY)
def test_functions_of_every_half_are_those_of_floats(name, half):
    x = every(half)
    same(_kernels.direct[name](x), _kernels.direct[name](x.astype(np.float32)), half)


@pytest.mark.parametrize("half", HALVES, ids=str)
@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_halves_are_those_of_floats(name, half, random):
    a, b = random.permutation(every(half)), random.permutation(every(half))
    same(_kernels.direct[name](a, b), _kernels.direct[name](a.astype("f4"), b.astype("f4")), half)


@settings(deadline=None)
@given(st.sampled_from(HALVES), st.floats(width=64) | st.integers(-(2**40), 2**40), st.booleans())
def test_numbers_beside_halves_are_rounded_but_as_factors(half, number, left):
    x = every(half)[::97].copy()
    with np.errstate(all="ignore"):
        rounded = float(np.float32(number).astype(half.numpy))
    for name in ("add", "subtract", "multiply", "divide"):
        beside = number if name in ("multiply", "divide") else rounded
        given_, wide = ((number, x), (beside, x.astype("f4"))) if left else ((x, number), (x.astype("f4"), beside))
        made = _kernels.direct[name](*given_)
        if made is NotImplemented:
            assert np.isinf(np.float32(number)) and np.isfinite(float(number))
            continue
        with np.errstate(all="ignore"):
            same(made, getattr(np, name)(*wide), half)


@pytest.mark.parametrize("half", HALVES, ids=str)
def test_large_tensors_are_equal_for_any_number_of_threads(half, random):
    x = wg.from_numpy(random.normal(size=(300, 700)).astype("f4")).to(half)
    before = wg.get_num_threads()
    made = []
    try:
        for threads in (1, 3):
            wg.set_num_threads(threads)
            made.append([x + x, x * 0.3, 1 - x, x.exp(), x.relu(), x / x])
    finally:
        wg.set_num_threads(before)
    assert all(wg.equal(one, other) or bool(one.isnan().any()) for one, other in zip(*made))


OF_WHOLE_ARRAYS = {
    "softmax": lambda x: (x, 1),
    "log_softmax": lambda x: (x, 0),
    "softmax_backward": lambda x: (x, x, 1),
    "mm": lambda x: (x, x.T),
    "mv": lambda x: (x, x[0].copy()),
    "dot": lambda x: (x[0], x[1]),
    "bmm": lambda x: (x.reshape(2, 3, 6), x.reshape(2, 6, 3)),
    "matmul": lambda x: (x.reshape(2, 3, 6), x[:, :4].copy()),
    "addmm": lambda x: (x[0], x, x.reshape(6, 6), 1, 1),
    "addmv": lambda x: (x[:, 0].copy(), x, x[0].copy(), 1, 2),
    "baddbmm": lambda x: (x.reshape(2, 3, 6)[:, :, :3].copy(), x.reshape(2, 3, 6), x.reshape(2, 6, 3), 0.5, 1),
    "sum": lambda x: (x, 0, False, None),
    "mean": lambda x: (x, 0, True, None),
    "native_layer_norm": lambda x: (x, (6,), x[0].copy(), None, 1e-5),
    "native_group_norm": lambda x: (x.reshape(2, 3, 6), x[0, :3].copy(), None, 2, 3, 6, 3, 1e-5),
    "convolution": lambda x: (
        x.reshape(1, 1, 6, 6),
        x[:2, :4].copy().reshape(2, 1, 2, 2),
        None,
        (1, 1),
        (0, 0),
        (1, 1),
        False,
        (0, 0),
        1,
    ),
}


@pytest.mark.parametrize("half", HALVES, ids=str)
@pytest.mark.parametrize("name", OF_WHOLE_ARRAYS)
def test_functions_of_whole_halves_are_those_of_floats(name, half, random):
    x = _kernels.converted(random.normal(size=(6, 6)).astype("f4"), half.numpy)
    args = OF_WHOLE_ARRAYS[name](x)
    wide = [each.astype("f4") if isinstance(each, np.ndarray) else each for each in args]
    made, wanted = _kernels.direct[name](*args), _kernels.direct[name](*wide)
    assert wanted is not NotImplemented
    for one, other in zip(*[each if isinstance(each, tuple) else (each,) for each in (made, wanted)], strict=True):
        same(one, other, half)


@pytest.mark.parametrize("half", HALVES, ids=str)
def test_halves_of_two_kinds_or_asked_for_another_dtype_are_for_others(half):
    x, other = np.ones((2, 2), half.numpy), np.ones((2, 2), HALVES[1 - HALVES.index(half)].numpy)
    for second in (other, x.astype("f4"), x[::-1], x[:0], np.ones((2, 2), "i8")):
        assert _kernels.direct["mm"](x, second) is NotImplemented
    assert _kernels.direct["sum"](x, 0, False, wg.float32) is NotImplemented


@pytest.mark.parametrize("half", HALVES, ids=str)
def test_what_is_mixed_or_broadcast_is_for_others(half):
    x, other = np.ones((2, 3), half.numpy), np.ones((2, 3), (HALVES[1 - HALVES.index(half)]).numpy)
    for a, b in ((x, other), (x, x[0]), (x, x.astype("f4")), (x, True), (x[:0], 1)):
        assert _kernels.direct["add"](a, b) is NotImplemented
    assert _kernels.direct["exp"](x[::-1]) is NotImplemented
    assert _kernels.direct["add"](x, x, 2) is NotImplemented


@pytest.mark.parametrize("half", HALVES, ids=str)
@pytest.mark.parametrize("shape", [(), (1,), (3, 2047), (2048,), (2, 2, 2049), (70_001,), (0, 3)])
def test_sums_and_means_over_the_last_dimensions_are_rounded_once(half, shape):
    x = _kernels.converted(np.random.default_rng(1).standard_normal(shape, "f4") + np.float32(0.5), half.numpy)
    wide = x.astype("f8")
    for name, total in (("sum", np.sum), ("mean", np.mean)):
        direct = _kernels.direct[name]
        for dim in (None, -1)[: 1 + len(shape)]:
            made = direct(x, dim, False, None)
            wanted = np.asarray(total(wide, axis=dim) if 0 not in shape else 0.0)
            if 0 in shape:
                assert made is NotImplemented
                continue
            nearest = _kernels.converted(wanted.astype("f4"), half.numpy)
            assert made.dtype == half.numpy and made.shape == nearest.shape
            one = 2.0 ** (-7 if half is wg.bfloat16 else -10)  # float32 may round to the neighbour
            np.testing.assert_allclose(made.astype("f8"), nearest.astype("f8"), rtol=one, atol=one * 2**-8)
            assert direct(x, dim, True, None).ndim == len(shape)
    before = wg.get_num_threads()
    try:
        found = []
        for threads in (1, 3):
            wg.set_num_threads(threads)
            found.append(_kernels.direct["sum"](x, None, False, None))
        assert found[0] is NotImplemented or found[0].tobytes() == found[1].tobytes()
    finally:
        wg.set_num_threads(before)
