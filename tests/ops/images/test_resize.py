"""Sizes and factors of resized images that are refused."""

from __future__ import annotations

import math

import pytest

import wengert as wg
import wengert.nn.functional as F

PLANE, VOLUME, LINE = wg.ones(1, 1, 4, 4), wg.ones(1, 1, 4, 4, 4), wg.ones(1, 1, 4)


def test_a_size_of_no_number_is_told_for_recomputed_factors():
    for factor, error in ((math.inf, OverflowError), (math.nan, ValueError)):
        with pytest.raises(error):
            F.interpolate(PLANE, scale_factor=factor, recompute_scale_factor=True)


@pytest.mark.parametrize(("factor", "error"), [(float("nan"), ValueError), (float("inf"), OverflowError)])
def test_areas_of_no_size_are_refused_by_their_lengths(factor, error):
    with pytest.raises(error, match="to integer"):
        wg.nn.functional.interpolate(wg.ones(2, 3, 4), scale_factor=factor, mode="area")
