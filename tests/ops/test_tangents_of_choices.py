"""Tangents of choices among values at ties and NaN, and of what has none, beside torch's."""

from __future__ import annotations

import math

import pytest

import wengert as wg
from wengert.autograd import forward_ad

NAN = math.nan


def tangent(function, *inputs):
    """The tangent of a result; an input is values with their tangents."""
    with forward_ad.dual_level():
        duals = [forward_ad.make_dual(wg.tensor(values), wg.tensor(along)) for values, along in inputs]
        found = forward_ad.unpack_dual(function(*duals)).tangent
    return None if found is None else found.tolist()


FIRST = ([1.0, 2.0, NAN, 3.0, NAN], [1.0, 2.0, 3.0, 4.0, 5.0])
SECOND = ([1.0, 3.0, 1.0, 2.0, NAN], [10.0, 20.0, 30.0, 40.0, 50.0])


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (wg.maximum, [5.5, 20, 30, 4, 50]),
        (wg.minimum, [5.5, 2, 30, 40, 50]),
        (wg.fmax, [10, 20, 30, 4, 5]),
        (wg.fmin, [1, 2, 30, 40, 5]),
        (wg.clamp, [10, 20, 30, 4, 50]),
        (wg.clamp_min, [1, 20, 30, 4, 50]),
        (wg.clamp_max, [1, 2, 30, 40, 50]),
        (lambda x, y: x.clamp(None, y), [10, 2, 30, 40, 50]),
        (lambda x, y: x.clamp(y, y + 1), [1, 20, 3, 4, 5]),
        (lambda x, y: x.clamp(y + 1, y), [10, 20, 30, 40, 5]),
    ],
)
def test_tangents_of_choices_between_two_tensors(function, expected):
    assert tangent(function, FIRST, SECOND) == expected


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: x.clamp(1, 2), [1, 2, 0, 0, 0]),
        (lambda x: x.clamp_min(2), [0, 2, 0, 4, 0]),
        (lambda x: x.clamp(wg.tensor(2.0)), [0, 0, 0, 4, 0]),
        (lambda x: wg.maximum(x, wg.tensor([[1], [3]])), [[0.5, 2, 0, 4, 0], [0, 0, 0, 2, 0]]),
    ],
)
def test_tangents_beside_limits_that_have_none(function, expected):
    assert tangent(function, FIRST) == expected


@pytest.mark.parametrize("function", [wg.max, wg.min, wg.median])
def test_the_extreme_of_all_has_no_tangent_that_is_a_number_where_it_is_none(function):
    assert math.isnan(tangent(function, FIRST))
    assert tangent(function, ([2.0, 2.0], [1.0, 4.0])) == 2.5


@pytest.mark.parametrize("function", [lambda x: wg.fill(x, 2), lambda x: x.norm(0), lambda x: wg.linalg.norm(x, 0)])
def test_what_does_not_change_has_a_tangent_of_zeros(function):
    found = tangent(function, ([1.0, 2.0], [3.0, 4.0]))
    assert found in (0.0, [0.0, 0.0])


def test_a_dual_tensor_keeps_even_idle_strides():
    images = wg.rand(1, 2, 4, 4).contiguous(memory_format=wg.channels_last)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(images.requires_grad_(), wg.ones(1, 2, 4, 4))
        assert dual.stride() == images.stride() == (32, 1, 8, 2)
        assert dual.grad_fn.name() == "ViewBackward0" and dual._base is images
        assert wg.nn.functional.max_pool2d(dual, 2).stride() == (8, 1, 4, 2)
