"""Native functions of arrays larger than the pieces that threads share, against NumPy in double."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from wengert import _kernels

COUNT = 200_003
Formula = Callable[..., Any]


def expm1_below(x: np.ndarray) -> np.ndarray:
    return np.expm1(np.minimum(x, 0))


def ramp(x: np.ndarray) -> np.ndarray:
    return np.clip(x + 3, 0, 6) / 6


def bent(distance: np.ndarray) -> np.ndarray:
    return np.where(distance < 0.5, distance * distance, distance - 0.25)


# What follows the arrays x, y and z that a function takes, and what it gives.
ONE: dict[str, tuple[tuple[Any, ...], Formula]] = {
    "elu": ((1.5, 2.0, 0.5), lambda x: np.where(x > 0, 2 * x, 3 * expm1_below(x / 2))),
    "celu": ((2.0,), lambda x: np.where(x > 0, x, 2 * expm1_below(x / 2))),
    "softplus": ((2.0, 3), lambda x: np.where(2 * x > 3, x, np.log1p(np.exp(2 * x)) / 2)),
    "threshold": ((0.25, 2), lambda x: np.where(x <= 0.25, 2, x)),
    "hardshrink": ((0.25,), lambda x: np.where(abs(x) <= 0.25, 0, x)),
    "softshrink": ((0.25,), lambda x: np.where(abs(x) <= 0.25, x * 0, x - np.copysign(x.dtype.type(0.25), x))),
    "nan_to_num": ((1.0, None, -2), lambda x: np.nan_to_num(x, nan=1.0, neginf=-2.0)),
    "leaky_relu": ((0.25,), lambda x: np.where(x > 0, x, x / 4)),
    "hardtanh": ((-1, 2.0), lambda x: np.clip(x, -1, 2)),
    "hardsigmoid": ((), ramp),
    "hardswish": ((), lambda x: x * ramp(x)),
    "log_sigmoid": ((), lambda x: np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))),
    "mish": ((), lambda x: x * np.tanh(np.log1p(np.exp(x)))),
    "nansum": ((None, False, None), np.sum),
    "sum": ((None, False, None), np.sum),
    "vector_norm": ((2, None, False, None), np.linalg.norm),
}
RULES: dict[str, tuple[tuple[Any, ...], Formula]] = {
    "elu_rule": ((1.5, 2.0, 0.5), lambda g, x: g * np.where(x > 0, 2, 1.5 * np.exp(np.minimum(x, 0) / 2))),
    "celu_rule": ((2.0,), lambda g, x: g * np.exp(np.minimum(x, 0) / 2)),
    "softplus_rule": ((2.0, 3), lambda g, x: g * np.where(2 * x > 3, 1, 1 / (1 + np.exp(-2 * x)))),
    "threshold_rule": ((0.25,), lambda g, x: np.where(x <= 0.25, 0, g)),
    "shrink_rule": ((0.25,), lambda g, x: np.where(abs(x) > 0.25, g, 0)),
    "nan_to_num_rule": ((), lambda g, x: np.where(np.isfinite(x), g, 0)),
    "leaky_relu_rule": ((0.25,), lambda g, x: np.where(x > 0, g, g / 4)),
    "hardtanh_rule": ((-1, 2.0), lambda g, x: np.where((x > -1) & (x < 2), g, 0)),
    "hardsigmoid_rule": ((), lambda g, x: np.where(np.abs(x) < 3, g / 6, 0)),
    "hardswish_backward": ((), lambda g, x: g * np.where(x <= -3, 0, np.where(x >= 3, 1, x / 3 + 0.5))),
    "lerp": ((0.25,), lambda x, y: x + 0.25 * (y - x)),
}
LOSSES: dict[str, tuple[tuple[Any, ...], Formula]] = {
    "mse_loss": ((), lambda x, y: (x - y) ** 2),
    "smooth_l1_loss": ((0.5,), lambda x, y: bent(np.abs(x - y))),
    "huber_loss": ((0.5,), lambda x, y: bent(np.abs(x - y)) / 2),
}


def arrays(native: Any, dtype: Any) -> list[np.ndarray]:
    random = np.random.default_rng(11)
    return [(random.normal(size=COUNT) * scale).astype(dtype) for scale in (3, 1, 1)]


def agree(made: np.ndarray, expected: Any, dtype: Any) -> None:
    assert made.dtype == dtype
    np.testing.assert_allclose(
        made, expected, rtol=2e-6 if dtype == np.float32 else 1e-11, atol=2e-6 if dtype == np.float32 else 1e-11
    )


DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64])


@DTYPES
@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_array(native, name, dtype):
    x = arrays(native, dtype)[0]
    rest, formula = ONE[name]
    agree(getattr(native, f"direct_{name}")(x, *rest), formula(x.astype(np.float64)), dtype)


@DTYPES
@pytest.mark.parametrize("name", RULES)
def test_functions_of_two_arrays(native, name, dtype):
    x, y, _ = arrays(native, dtype)
    rest, formula = RULES[name]
    agree(getattr(native, f"direct_{name}")(y, x, *rest), formula(y.astype(np.float64), x.astype(np.float64)), dtype)
    repeated = np.broadcast_to(np.asarray(0.5, dtype), x.shape)
    if name != "lerp":
        agree(getattr(native, f"direct_{name}")(repeated, x, *rest), formula(0.5, x.astype(np.float64)), dtype)


@DTYPES
def test_sums_of_multiples(native, dtype):
    x, y, z = arrays(native, dtype)
    a, b, c = (each.astype(np.float64) for each in (x, y, z))
    agree(native.direct_addcmul(x, y, z, 0.5), a + 0.5 * b * c, dtype)
    agree(native.direct_addcdiv(x, y, z * z + 1, 2), a + 2 * b / (c * c + 1), dtype)
    agree(native.direct_lerp(x, y, z), a + c * (b - a), dtype)
    row, column = y[:300], z[:400].reshape(400, 1)
    grid = x[:120_000].reshape(400, 300)
    agree(native.direct_addcmul(grid, row, column, 1), grid + row.astype(np.float64) * column, dtype)


IN_PLACE = {
    **{name: rest for name, (rest, _) in ONE.items() if name in ("elu", "celu", "threshold", "nan_to_num")},
    "leaky_relu": (0.25,),
    "hardtanh": (-1, 2.0),
    "clamp": (-0.5, 0.25),
    "clamp_min": (0.25,),
    "clamp_max": (0.25,),
    "pow": (3,),
    "round": (None,),
    "tril": (-1,),
    "triu": (2,),
}


@DTYPES
@pytest.mark.parametrize("name", IN_PLACE)
def test_functions_write_over_what_they_read(native, name, dtype):
    x, rest = arrays(native, dtype)[0][:200_000].reshape(400, 500), IN_PLACE[name]
    written = getattr(native, f"direct_{name}_")
    wanted, target = getattr(native, f"direct_{name}")(x, *rest), x.copy()
    assert written(target, *rest) is None
    np.testing.assert_array_equal(target, wanted)
    kept = x.copy()
    kept.flags.writeable = False
    for refused in (kept, x[:, ::2], x.T, x.tolist(), None):
        assert written(refused, *rest) is NotImplemented
    assert written(x) is written(x, *rest, 1, 2) is NotImplemented
    np.testing.assert_array_equal(x, kept)


@DTYPES
@pytest.mark.parametrize(("name", "rest"), [("addcmul", (0.5,)), ("addcdiv", (2,)), ("lerp", ())])
def test_sums_of_multiples_in_place(native, name, rest, dtype):
    x, y, z = arrays(native, dtype)
    joined, written = getattr(native, f"direct_{name}"), getattr(native, f"direct_{name}_")
    for operands in ((y, z), (x, z), (y, x), (x, x), (y[:1], z[-1:])):
        wanted, target = joined(x, *operands, *rest), x.copy()
        here = [target if each is x else each for each in operands]
        assert written(target, *here, *rest) is None
        np.testing.assert_array_equal(target, wanted)
    kept = x.copy()
    fixed = x.view()
    fixed.flags.writeable = False
    for refused in (
        (x[1:], x[:-1], z[1:]),
        (x[:-1], y[1:], x[1:]),
        (fixed, y, z),
        (x[:1], y, z),
        (x[::2], y[::2], z[::2]),
    ):
        assert written(*refused, *rest) is NotImplemented
    np.testing.assert_array_equal(x, kept)


@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "i4", "i8", "f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("value", [0, 1, -0.0, 2.5, float("nan"), -(2**30) - 3])
def test_many_elements_are_filled(native, value, dtype):
    wanted = np.zeros(COUNT, dtype)
    with np.errstate(all="ignore"):
        one = np.asarray(value).astype(dtype)
    wanted[...] = one
    whole = np.ones(COUNT + 8, dtype)
    for target in (whole[:COUNT], whole[5 : COUNT + 5], whole[:COUNT].reshape(-1, 1)):
        whole[...] = 1
        answered = native.direct_fill_(target, one)
        if answered is NotImplemented:
            assert dtype not in ("i4", "i8", "f4", "f8") and len(set(one.tobytes())) > 1
            continue
        assert answered is None and target.tobytes() == wanted.tobytes()
        assert np.count_nonzero(whole == 1) == 8 + (COUNT if one == 1 else 0)
    pairs = np.ones((COUNT, 2), dtype)
    assert native.direct_fill_(pairs[:, 0], one) is None
    assert pairs[:, 0].tobytes() == wanted.tobytes() and (pairs[:, 1] == 1).all()
    away = np.frombuffer(np.zeros(8 * COUNT + 1, np.uint8)[1:].data, dtype, COUNT if dtype != "c16" else COUNT // 2)
    if not away.flags.aligned:
        assert (
            native.direct_fill_(away, one) is NotImplemented
            or away.tobytes()[: away.nbytes] == wanted.tobytes()[: away.nbytes]
        )


def test_many_integers_wrap_around_in_their_sum(native):
    x = np.full(COUNT, 2**62 + 12345)
    x[::3] = -(2**63)
    assert native.direct_sum(x, None, False, None) == x.sum() == native.direct_sum(x, 0, False, None)
    rows = x[: COUNT // 4 * 4].reshape(4, -1)
    np.testing.assert_array_equal(native.direct_sum(rows, 1, False, None), rows.sum(1))
    np.testing.assert_array_equal(native.direct_sum(rows, 0, False, None), rows.sum(0))


@DTYPES
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
@pytest.mark.parametrize("name", LOSSES)
def test_losses_between_large_arrays(native, name, reduction, dtype):
    x, y, _ = arrays(native, dtype)
    rest, formula = LOSSES[name]
    losses = formula(x.astype(np.float64), y.astype(np.float64))
    expected = {"none": losses, "sum": losses.sum(), "mean": losses.mean()}[reduction]
    agree(getattr(native, f"direct_{name}")(x, y, reduction, *rest), expected, dtype)


@DTYPES
def test_cross_entropy_of_large_arrays(native, dtype):
    x, y, _ = arrays(native, dtype)
    target = (y > 0).astype(dtype)
    wide, probability = x.astype(np.float64), (1 / (1 + np.exp(-x))).astype(dtype)
    losses = (1 - target) * wide + np.log1p(np.exp(-np.abs(wide))) + np.maximum(-wide, 0)
    agree(native.direct_bce_with_logits(x, target, None, None, "mean"), losses.mean(), dtype)
    (grad, none) = native.direct_bce_with_logits_rule(np.ones((), dtype), x, target, None, None, "sum", (True, False))
    agree(grad, 1 / (1 + np.exp(-wide)) - target, dtype)
    assert none is None
    p = probability.astype(np.float64)
    losses = -np.maximum(np.log(np.where(target > 0, p, 1 - p)), -100)
    agree(native.direct_binary_cross_entropy(probability, target, None, "none"), losses, dtype)
    assert native.direct_binary_cross_entropy(probability + 1, target, None, "mean") is NotImplemented


@DTYPES
@pytest.mark.parametrize("shape", [(200_003,), (1000, 3), (70_000, 3), (3, 70_000), (300, 1100), (5, 300, 70)])
def test_sums_norms_and_products_along_any_axis(native, shape, dtype):
    x = np.random.default_rng(3).normal(size=shape)
    narrow = x.astype(dtype)
    scale = np.sqrt(x.size) * (1e-6 if dtype == np.float32 else 1e-14)
    for axis in (None, *range(len(shape))):
        wide = narrow.astype(np.float64)
        for name, args, expected in (
            ("sum", (axis, False, None), wide.sum(axis)),
            ("nansum", (axis, True, None), wide.sum(axis, keepdims=True)),
            ("vector_norm", (1, axis, False, None), np.abs(wide).sum(axis)),
            ("vector_norm", (2, axis, False, None), np.sqrt((wide * wide).sum(axis))),
        ):
            first, *rest = args
            made = getattr(native, f"direct_{name}")(narrow, first, *rest)
            np.testing.assert_allclose(made, expected, rtol=scale, atol=scale)
        if axis is None or axis == len(shape) - 1:
            factors = (1 + wide / 1000).astype(dtype)
            made = native.direct_prod(factors, axis, False, None)
            np.testing.assert_allclose(made, factors.astype(np.float64).prod(axis), rtol=20 * scale)


def test_nan_counts_as_nothing_and_infinity_as_itself(native):
    x = np.ones(70_000, np.float32)
    x[5::7] = np.nan
    assert native.direct_nansum(x, None, False, None) == 60_000
    x[3] = np.inf
    assert native.direct_nansum(x, None, False, None) == np.inf
    assert np.isnan(native.direct_vector_norm(x, 2, None, False, None))


@DTYPES
@pytest.mark.parametrize("logarithm", ["", "log_"])
@pytest.mark.parametrize("shape", [(1000, 70), (5, 300, 70), (3, 70_000), (70_000, 3)])
def test_softmax_and_its_gradient_along_the_first_axes(native, twin, close, shape, logarithm, dtype):
    x, grad = ((np.random.default_rng(seed).normal(size=shape) * 4).astype(dtype) for seed in (1, 2))
    for axis in range(len(shape) - 1):
        made = getattr(native, f"direct_{logarithm}softmax")(x, axis)
        close(made, twin(f"{logarithm}softmax")(x, axis), 5)
        gradient = getattr(native, f"direct_{logarithm}softmax_backward")(grad, made, axis)
        close(gradient, twin(f"{logarithm}softmax_backward")(grad, made, axis), 20)


def test_all_of_it_is_equal_to_the_bit_for_any_number_of_threads(native):
    x, y, z = arrays(native, np.float32)
    grid = x[:200_000].reshape(2000, 100)
    before, results = native.get_num_threads(), []
    try:
        for count in (1, 2, 5):
            native.set_num_threads(count)
            results.append(
                [
                    *(getattr(native, f"direct_{name}")(x, *ONE[name][0]) for name in ONE),
                    *(getattr(native, f"direct_{name}")(x, y, "mean", *LOSSES[name][0]) for name in LOSSES),
                    native.direct_sum(grid, 0, False, None),
                    native.direct_prod(z, None, False, None),
                    native.direct_softmax(grid, 0),
                    native.direct_bce_with_logits(x, y, None, None, "sum"),
                ]
            )
    finally:
        native.set_num_threads(before)
    for others in results[1:]:
        for one, other in zip(results[0], others, strict=True):
            np.testing.assert_array_equal(one, other)


@DTYPES
def test_rows_columns_and_strided_columns_meet(native, dtype):
    x = arrays(native, dtype)[0][:120_000].reshape(400, 300)
    row, column = np.ascontiguousarray(x[:1]), np.ascontiguousarray(x[:, :1])
    for name, function in (
        ("add", np.add),
        ("subtract", np.subtract),
        ("multiply", np.multiply),
        ("divide", np.divide),
    ):
        direct = getattr(native, f"direct_{name}")
        for a, b in ((row, column), (column, row), (x, x[:, 3:4]), (x[:, 3:4], x), (x, x[::-1][:1])):
            np.testing.assert_array_equal(direct(a, b), function(a, b))
    assert native.direct_add(x, x[:, ::2]) is NotImplemented
    target = x.copy()
    native.multiply(target, target[:, :1], out=target)
    np.testing.assert_array_equal(target, x * x[:, :1])


@pytest.mark.parametrize("name", ["sin", "cos", "tan", "sinh", "cosh", "expm1", "log1p", "log2", "log10"])
def test_elementary_functions_write_into_the_array_that_is_given(native, name):
    x = np.abs(arrays(native, np.float32)[0])
    expected = getattr(native, f"direct_{name}")(x)
    assert getattr(native, name)(x, out=x) is x
    np.testing.assert_array_equal(x, expected)


@DTYPES
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_slices_are_added_in_place_or_nothing_is_written(native, axis, dtype):
    x = arrays(native, dtype)[0][:180_000].reshape(300, 20, 30)
    index = np.random.default_rng(2).integers(0, x.shape[axis], 70)
    source = np.ones([70 if at == axis % 3 else length for at, length in enumerate(x.shape)], dtype)
    wanted, target = native.index_add(x, axis, index, source, 0.5), x.copy()
    assert native.direct_index_add_(target, axis, index, source, 0.5) is None
    np.testing.assert_array_equal(target, wanted)
    for wrong in (-1, x.shape[axis], 2**62, -(2**63)):
        outside = index.copy()
        outside[-1] = wrong
        assert native.direct_index_add_(target, axis, outside, source, 1) is NotImplemented
    one = np.zeros(x.shape[0], np.int64)
    assert native.direct_index_add_(target, 0, one, target, 1) is NotImplemented  # itself
    np.testing.assert_array_equal(target, wanted)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize("name", ["sin", "cos", "tan", "log", "exp", "lgamma", "erfinv", "hypot", "fmod"])
def test_values_do_not_depend_on_the_number_of_threads(native, name, dtype):
    x = np.random.default_rng(3).normal(size=65_472).astype(dtype)
    x[::997] *= 1e3 if dtype is np.float16 else 1e7  # some neighbours of which are computed in another way
    function = getattr(native, f"direct_{name}", None)
    if function is None:
        pytest.skip("there is no such function")
    arguments = (x, x[::-1].copy()) if name in ("hypot", "fmod") else (x,)
    before, results = _kernels.get_num_threads(), []
    try:
        for threads in (1, 2, 3, 5):
            _kernels.set_num_threads(threads)
            results.append(function(*arguments))
    finally:
        _kernels.set_num_threads(before)
    assert all(result is NotImplemented or result.tobytes() == results[0].tobytes() for result in results)
