"""Unpooling: its arguments, and where its results lie."""

from __future__ import annotations

import pytest

import wengert as wg
import wengert.nn.functional as F

PLANE, VOLUME, LINE = wg.ones(1, 1, 4, 4), wg.ones(1, 1, 4, 4, 4), wg.ones(1, 1, 4)
PLACES = wg.zeros(1, 1, 4, dtype=wg.int64)


@pytest.mark.parametrize("options", [{"stride": ()}, {"padding": ()}, {"kernel_size": (2, 1), "stride": 2}])
def test_unpooling_wants_a_number_for_each_dimension(options):
    with pytest.raises(IndexError):
        F.max_unpool1d(LINE, PLACES, **{"kernel_size": 2, **options}, output_size=(1, 1, 8))


def channels_inside(*shape):
    return wg.arange(wg.Size(shape).numel(), dtype=wg.float64).reshape(shape).movedim(1, -1).contiguous().movedim(-1, 1)


def test_volumes_are_unpooled_into_rows_and_planes_as_they_lie():
    places = wg.zeros(1, 2, 1, 2, 2, dtype=wg.int64)
    made = F.max_unpool3d(channels_inside(1, 2, 1, 2, 2), places, 2, output_size=(2, 4, 4))
    assert made.stride() == (64, 32, 16, 4, 1)
    assert F.max_unpool2d(channels_inside(1, 2, 2, 2), places[:, :, 0], 2).stride()[1] == 1
