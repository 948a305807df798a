"""Bessel functions where their formulas are no numbers."""

from __future__ import annotations

import math

import pytest

import wengert as wg

inf, nan = math.inf, math.nan


def test_the_slope_of_i1e_is_one_half_where_it_is_no_number():
    x = wg.tensor([nan, 0.0], dtype=wg.float64, requires_grad=True)
    assert wg.autograd.grad(wg.special.i1e(x).sum(), x)[0].tolist() == [0.5, 0.5]


NAN, INF = math.nan, math.inf


def slope(function, at):
    x = wg.tensor(at, dtype=wg.float64, requires_grad=True)
    (found,) = wg.autograd.grad(function(x).sum(), x)
    return found.tolist()


@pytest.mark.parametrize(
    ("name", "point", "expected"),
    [
        ("bessel_y0", 0.0, INF),
        ("bessel_y1", 0.0, INF),
        ("modified_bessel_k0", 0.0, -INF),
        ("modified_bessel_k1", 0.0, -INF),
        ("scaled_modified_bessel_k0", 0.0, -INF),
        ("scaled_modified_bessel_k1", 0.0, -INF),
        ("bessel_j1", 0.0, 0.5),
        ("modified_bessel_i1", 0.0, 0.5),
        ("spherical_bessel_j0", 0.0, 0.0),
        ("spherical_bessel_j0", INF, 0.0),
    ],
)
def test_derivatives_of_bessel_functions_at_their_ends(name, point, expected):
    assert slope(getattr(wg.special, name), [point]) == [expected]
