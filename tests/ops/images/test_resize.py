"""Resized images: what must hold whatever the image is; sizes and factors that are refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

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


MODES = ("nearest", "nearest-exact", "bilinear", "bicubic", "area")
numbers = st.integers(0, 2**32 - 1)
lengths = st.integers(1, 9)


def options(mode):
    return {} if mode in ("nearest", "nearest-exact", "area") else {"align_corners": True}


@settings(max_examples=40, deadline=None)
@given(st.sampled_from((*MODES, "lanczos")), lengths, lengths, lengths, lengths, st.booleans())
def test_an_even_image_stays_even(mode, height, width, rows, columns, smooth):
    smooth = mode == "lanczos" or (smooth and mode in ("bilinear", "bicubic"))
    made = F.interpolate(wg.full((1, 2, height, width), 3.0), (rows, columns), mode=mode, antialias=smooth)
    np.testing.assert_allclose(made.numpy(), np.full((1, 2, rows, columns), 3.0), rtol=1e-5)


@settings(max_examples=40, deadline=None)
@given(numbers, st.sampled_from(MODES), lengths, lengths)
def test_the_same_size_gives_the_same_image(seed, mode, height, width):
    image = wg.tensor(np.random.default_rng(seed).standard_normal((2, 3, height, width)))
    for chosen in ({}, options(mode)):
        made = F.interpolate(image, (height, width), mode=mode, **chosen)
        np.testing.assert_allclose(made.numpy(), image.numpy(), atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(lengths, st.integers(2, 9), st.booleans())
def test_a_ramp_stays_a_ramp_where_nothing_is_outside(count, length, smooth):
    ramp = wg.arange(length, dtype=wg.float64).reshape(1, 1, 1, length).expand(1, 1, 2, length)
    made = F.interpolate(ramp, (2, count), mode="bilinear", align_corners=True)
    wanted = np.linspace(0, length - 1, count) if count > 1 else np.zeros(1)
    np.testing.assert_allclose(made[0, 0, 0].numpy(), wanted, atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(numbers, st.sampled_from(("bilinear", "bicubic")), lengths, lengths, st.booleans())
def test_bytes_are_within_one_of_the_rounded_means(seed, mode, rows, columns, smooth):
    image = np.random.default_rng(seed).integers(0, 256, (1, 3, 5, 6), dtype=np.uint8)
    made = F.interpolate(wg.tensor(image), (rows, columns), mode=mode, antialias=smooth).numpy().astype(float)
    wide = F.interpolate(wg.tensor(image.astype(float)), (rows, columns), mode=mode, antialias=smooth).numpy()
    if not (smooth or mode == "bilinear"):  # rounded, and cut, between the two dimensions
        made, wide = made[..., 1:-1], wide[..., 1:-1]
    assert (abs(made - np.clip(wide, 0, 255)) < (2 if mode == "bilinear" else 40)).all()
