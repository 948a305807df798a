"""Patches of images, and shuffled pixels."""

from __future__ import annotations

import pytest

import wengert as wg
import wengert.nn.functional as F

PLANE, VOLUME, LINE = wg.ones(1, 1, 4, 4), wg.ones(1, 1, 4, 4, 4), wg.ones(1, 1, 4)


@pytest.mark.parametrize("options", [((2,), 1, 0, 1), (2, (1,), 0, 1), (2, 1, (0,), 1), (2, 1, 0, (1,))])
def test_patches_have_two_sides(options):
    with pytest.raises(RuntimeError, match="equals to 2, but got size 1"):
        F.unfold(PLANE, *options)


def channels_inside(*shape):
    return wg.arange(wg.Size(shape).numel(), dtype=wg.float64).reshape(shape).movedim(1, -1).contiguous().movedim(-1, 1)


def test_shuffled_pixels_keep_their_channels_innermost():
    images = channels_inside(2, 9, 4, 4)
    assert F.pixel_shuffle(images, 3).stride() == (144, 1, 12, 1)
    assert F.pixel_unshuffle(images, 2).stride() == (144, 1, 72, 36)
    assert F.pixel_unshuffle(F.pixel_shuffle(images, 3), 3).equal(images)
    assert F.pixel_unshuffle(images[0], 2).stride() == (4, 2, 1)
