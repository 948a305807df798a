"""How results lie in memory beside torch: of images whose channels lie innermost, of matrices, and of nothing."""

from __future__ import annotations

import pytest

import wengert as wg
import wengert.nn.functional as F


def channels_inside(*shape):
    return wg.arange(wg.Size(shape).numel(), dtype=wg.float64).reshape(shape).movedim(1, -1).contiguous().movedim(-1, 1)


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_grid_sample_gives_rows(mode):
    grid = wg.zeros(2, 4, 7, 2, dtype=wg.float64)
    assert F.grid_sample(channels_inside(2, 3, 5, 6), grid, mode, align_corners=True).stride() == (84, 28, 7, 1)


def test_volumes_are_unpooled_into_rows_and_planes_as_they_lie():
    places = wg.zeros(1, 2, 1, 2, 2, dtype=wg.int64)
    made = F.max_unpool3d(channels_inside(1, 2, 1, 2, 2), places, 2, output_size=(2, 4, 4))
    assert made.stride() == (64, 32, 16, 4, 1)
    assert F.max_unpool2d(channels_inside(1, 2, 2, 2), places[:, :, 0], 2).stride()[1] == 1


def test_the_parts_of_a_packed_factorisation_are_rows():
    packed = wg.rand(4, 5, 3).permute(2, 1, 0).contiguous().permute(2, 1, 0)
    made = wg.lu_unpack(packed, wg.ones(4, 3, dtype=wg.int32))
    assert [each.stride() for each in made] == [(25, 5, 1), (15, 3, 1), (9, 3, 1)]


def test_residuals_of_least_squares_are_rows():
    a, b = (wg.rand(3, 3, 4, 2).permute(3, 2, 1, 0).contiguous().permute(3, 2, 1, 0) for _ in range(2))
    assert wg.linalg.lstsq(a, b, driver="gels").residuals.stride() == (6, 2, 1)


@pytest.mark.parametrize(
    ("made", "strides"),
    [
        (lambda: wg.linalg.inv(wg.zeros(0, 5, 5)), (25, 1, 5)),
        (lambda: wg.linalg.solve(wg.zeros(0, 0), wg.zeros(0, 3)), (1, 1)),
        (lambda: wg.linalg.solve(wg.zeros(0, 3, 3), wg.zeros(0, 3)), (1, 1)),
        (lambda: wg.linalg.solve(wg.eye(3), wg.zeros(3, 0)), (1, 3)),
        (lambda: wg.linalg.solve(wg.eye(3), wg.zeros(0, 3, 1)), (3, 1, 3)),
        (lambda: wg.linalg.qr(wg.zeros(0, 5)).R, (1, 1)),
        (lambda: wg.linalg.cholesky(wg.zeros(0, 5, 5), upper=True), (25, 1, 5)),
        (lambda: wg.linalg.lu_factor(wg.zeros(0, 3, 5)).LU, (15, 1, 3)),
    ],
)
def test_matrices_without_elements_lie_in_columns_too(made, strides):
    assert made().stride() == strides


def test_a_matrix_is_factored_although_nothing_is_to_be_solved():
    with pytest.raises(wg.linalg.LinAlgError, match="the input matrix is singular"):
        wg.linalg.solve(wg.zeros(3, 3), wg.zeros(0, 3, 1))
    assert wg.linalg.solve_ex(wg.zeros(1, 3, 3), wg.zeros(0, 3, 1)).info.tolist() == [1]
    assert wg.linalg.solve_ex(wg.zeros(3, 3), wg.zeros(0, 3, 1)).info.shape == ()


def test_shuffled_pixels_keep_their_channels_innermost():
    images = channels_inside(2, 9, 4, 4)
    assert F.pixel_shuffle(images, 3).stride() == (144, 1, 12, 1)
    assert F.pixel_unshuffle(images, 2).stride() == (144, 1, 72, 36)
    assert F.pixel_unshuffle(F.pixel_shuffle(images, 3), 3).equal(images)
    assert F.pixel_unshuffle(images[0], 2).stride() == (4, 2, 1)


def test_turned_copies_lie_as_flipped_ones():
    x = wg.arange(25.0).reshape(1, 5, 5).permute(0, 2, 1).expand(5, 5, 5)
    assert wg.rot90(x).stride() == (1, 25, 5) and wg.rot90(x, 2).stride() == (25, 1, 5)
    assert wg.rot90(x, 4).stride() == (25, 5, 1)
    assert wg.rot90(x).equal(x.flip(1).transpose(0, 1))
