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
