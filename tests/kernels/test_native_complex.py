"""Products of complex numbers by our loops: each part is a sum of two rounded products, as the definition says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import wengert as wg

FREE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
KINDS = st.sampled_from(["complex64", "complex128"])
LENGTHS = st.one_of(st.integers(1, 70), st.sampled_from([32767, 100_003]))
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, 3e38]


def drawn(count, kind, seed):
    random = np.random.default_rng(seed)
    made = (random.normal(size=count) + 1j * random.normal(size=count)).astype(kind)
    if seed % 2:
        made.real[random.random(count) < 0.2] = random.choice(SPECIAL)
        made.imag[random.random(count) < 0.2] = random.choice(SPECIAL)
    return made


def product(a, b):
    made = np.empty_like(a)
    made.real = a.real * b.real - a.imag * b.imag
    made.imag = a.real * b.imag + a.imag * b.real
    return made


@FREE
@given(LENGTHS, KINDS, st.integers(0, 2**32), st.integers(1, 3))
def test_products_and_their_rule_are_those_of_the_definition_to_the_bit(native, count, kind, seed, threads):
    a, b = drawn(count, kind, seed), drawn(count, kind, seed + 2)
    before = wg.get_num_threads()
    wg.set_num_threads(threads)
    try:
        made, rule = native.direct_multiply(a, b), native.direct_multiply_rule(a, b)
    finally:
        wg.set_num_threads(before)
    assert np.array_equal(made, product(a, b), equal_nan=True)
    assert np.array_equal(rule, product(a, b.conj()), equal_nan=True)


@pytest.mark.parametrize("kind", ["complex64", "complex128"])
def test_a_number_times_its_conjugate_is_real(native, kind):
    a = drawn(1000, kind, 0)
    assert not native.direct_multiply(a, a.conj()).imag.any()
    assert not native.direct_multiply_rule(a, a).imag.any()


def test_what_is_not_of_one_kind_and_shape_is_left_to_numpy(native):
    a = drawn(6, "complex64", 0)
    swapped = a.astype(a.dtype.newbyteorder())
    for other in (a[:3], a[::2], swapped, a.reshape(2, 3)):
        assert native.direct_multiply(a, other) is NotImplemented
        assert native.direct_multiply_rule(a, other) is NotImplemented
        assert native.direct_multiply_rule(other, a) is NotImplemented
    for other in (a.astype("complex128"), a.real.copy()):
        wide, same = a.astype(np.result_type(a, other)), other.astype(np.result_type(a, other))
        np.testing.assert_array_equal(native.direct_multiply(a, other), product(wide, same), strict=True)
        np.testing.assert_array_equal(native.direct_multiply_rule(a, other), product(wide, same.conj()), strict=True)
    assert native.direct_multiply(swapped, swapped) is NotImplemented
    assert native.direct_add(swapped, swapped) is NotImplemented


FEW = st.integers(1, 5)
PLACED = st.sampled_from(["rows", "columns", "gaps", "backwards"])


def lying(array, how):
    """The same numbers elsewhere in memory."""
    if how == "columns":
        return np.ascontiguousarray(array.swapaxes(-1, -2)).swapaxes(-1, -2)
    if how == "gaps":
        return np.repeat(array, 2, -1)[..., ::2]
    return np.ascontiguousarray(array[..., ::-1])[..., ::-1] if how == "backwards" else array


def matrices(shape, kind, seed):
    random = np.random.default_rng(seed)
    return (random.normal(size=shape) + 1j * random.normal(size=shape)).astype(kind)


@FREE
@given(FEW, FEW, FEW, KINDS, PLACED, PLACED, st.booleans())
def test_products_of_matrices_and_their_rules(native, rows, depth, columns, kind, one, other, batched):
    count = (3,) if batched else ()
    a, b = matrices((*count, rows, depth), kind, 0), matrices((*count, depth, columns), kind, 1)
    grad = matrices((*count, rows, columns), kind, 2)
    first, second = lying(a, one), lying(b, other)
    room = 1e-5 if kind == "complex64" else 1e-13
    if batched:
        found = native.direct_bmm(first, second)
        rules = native.direct_bmm_first_rule(grad, second), native.direct_bmm_second_rule(grad, first)
    else:
        found = native.direct_mm(first, second)
        rules = (
            native.direct_mm_first_rule(grad, second, first.shape, first.strides),
            native.direct_mm_second_rule(grad, first, second.shape, second.strides),
        )
    for made, wanted in zip(
        (found, *rules), (a @ b, grad @ b.conj().swapaxes(-1, -2), a.conj().swapaxes(-1, -2) @ grad), strict=True
    ):
        assert made.dtype == kind
        np.testing.assert_allclose(made, wanted, room, room)


@FREE
@given(FEW, FEW, KINDS, PLACED)
def test_products_with_vectors_and_their_rules(native, rows, columns, kind, how):
    a, vector, grad = matrices((rows, columns), kind, 0), matrices((columns,), kind, 1), matrices((rows,), kind, 2)
    room = 1e-5 if kind == "complex64" else 1e-13
    placed = lying(a, how)
    np.testing.assert_allclose(native.direct_mv(placed, vector), a @ vector, room, room)
    np.testing.assert_allclose(native.direct_mv_second_rule(grad, placed), a.conj().T @ grad, room, room)
    np.testing.assert_allclose(native.direct_dot(a[0], vector), a[0] @ vector, room, room)
    np.testing.assert_allclose(native.direct_vdot(a[0], vector), a[0].conj() @ vector, room, room)
    slope = np.array(grad[0])
    np.testing.assert_allclose(native.direct_dot_rule(slope, vector), slope * vector.conj(), room, room)


def test_matrices_that_do_not_fit_are_left(native):
    a, b = matrices((2, 3), "complex64", 0), matrices((2, 3), "complex64", 1)
    assert native.direct_mm(a, b) is NotImplemented
    assert native.direct_mm(a, b.T.astype("complex128")) is NotImplemented
    assert native.direct_mm(a, b.T.real.copy()) is NotImplemented
    assert native.direct_mm(a[:, :0], b[:0]) is NotImplemented
    assert native.direct_mv(a, b[0, :2]) is NotImplemented
    assert native.direct_bmm(a[None], b[None]) is NotImplemented
    assert native.direct_mm_first_rule(a, b.T, (9, 9), (8, 8)) is NotImplemented


@FREE
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), KINDS, st.data())
def test_sums_means_and_norms(native, shape, kind, data):
    x = matrices(tuple(shape), kind, 3)
    axes = data.draw(st.lists(st.integers(0, x.ndim - 1), min_size=1, unique=True))
    keep = data.draw(st.booleans())
    dims = tuple(axis - x.ndim if data.draw(st.booleans()) else axis for axis in axes)
    room = 1e-5 if kind == "complex64" else 1e-13
    for dim, axis in ((dims, tuple(axes)), (dims[0], axes[0]), (None, None)):
        for made, wanted in (
            (native.direct_sum(x, dim, keep, None), x.sum(axis, keepdims=keep)),
            (native.direct_mean(x, dim, keep, None), x.mean(axis, keepdims=keep)),
        ):
            assert made.shape == wanted.shape and made.dtype == wanted.dtype
            np.testing.assert_allclose(made, wanted, room, room)
    last = tuple(range(data.draw(st.integers(0, x.ndim - 1)), x.ndim))
    wanted = np.sqrt((np.abs(x) ** 2).sum(last))
    np.testing.assert_allclose(native.direct_vector_norm(x, 2, last, False, None), wanted, room, room, strict=True)
    for wrong in (x.ndim, (0, 0), "text", (0, x.ndim)):
        assert native.direct_sum(x, wrong, keep, None) is NotImplemented


def test_arrays_with_no_room_for_another_dimension_are_left(native):
    x = np.ones((1,) * 64, "complex64")
    assert native.direct_sum(x, None, False, None) is NotImplemented
    assert native.direct_mean(x, (0,), True, None) is NotImplemented
    assert native.direct_vector_norm(x, 2, None, False, None) is NotImplemented
    tensor = wg.tensor(x)
    assert tensor.sum().item() == tensor.mean().item() == tensor.norm().item() == 1


@pytest.mark.parametrize("kind", ["complex64", "complex128"])
@pytest.mark.parametrize("number", [2, -0.5, 1j, 3 - 2j, float("inf"), complex(0, float("nan"))])
def test_numbers_on_either_side(native, kind, number):
    x, wide = matrices((3, 4), kind, 4), np.dtype(kind).type(number)
    for name, function in (
        ("add", np.add),
        ("subtract", np.subtract),
        ("multiply", np.multiply),
        ("divide", np.divide),
    ):
        call = getattr(native, f"direct_{name}")
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(call(x, number), function(x, wide), strict=True)
            np.testing.assert_array_equal(call(number, x), function(wide, x), strict=True)
            rule = native.direct_divide_rule(x, number)
            np.testing.assert_array_equal(rule, x / np.conj(wide), strict=True)
    assert native.direct_add(x.astype("complex64"), complex(1e300, 0)) is NotImplemented
    for wrong in (True, "1", None, [1], np.float32(1)):
        assert native.direct_add(x, wrong) is NotImplemented
